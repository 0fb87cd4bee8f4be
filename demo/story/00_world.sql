-- What was simulated.
\set section world
INSERT INTO section (name, title, paper) VALUES ('world', 'The lab: FrozenLake, where the truth is known',
	'FrozenLake among four benchmarks, Qwen3-4B and Qwen3-8B, GRPO with groups of 16 rollouts; the prompt states the total and the remaining turns; maps of training and test are disjoint.');

INSERT INTO seen (section, line)
SELECT 'world', format('slippery ice of %s × %1$s cells: a move goes where it aims or to either side, 1/3 each. %s test maps, the shortest way %s to %s moves; T_max = 100 turns; %s rollouts, %s attempts per map, policy and budget (T = %s).',
	size, maps, low, high, (SELECT sum(rollouts) FROM arm), n, ts)
FROM (SELECT max(position(E'\n' IN map)) - 1 AS size, count(*) AS maps, min(min_turns) AS low, max(min_turns) AS high FROM lab_maps) m,
	(SELECT max(tries) AS n FROM (SELECT count(*) AS tries FROM rollouts WHERE run <> 'budgetmix-plan' GROUP BY run, task_id) q) a,
	(SELECT string_agg(t::text, ', ' ORDER BY t) AS ts FROM (SELECT DISTINCT budget AS t FROM lab_truth) q) b;
INSERT INTO seen (section, line) VALUES
	('world', 'a policy is a softmax over four moves with twelve weights: what lies around, the way to the goal, how tight the announced turns are. No language model; the phenomena are small copies, the statistics are the real ones.'),
	('world', (SELECT format('base imitates a planner that forgets that ice is slippery. From it GRPO trains full (always 100 turns), budgetmix (a budget drawn per map and epoch) and process (full, with the exact value of each move as its reward): %s epochs of %s other maps. T_max and the epochs were chosen because the reversal at short budgets shows there; trained for longer, full no longer loses at any.',
		max(checkpoint), (SELECT count(*) FROM lab_maps)) FROM lab_dynamics)),
	('world', 'exact values come from dynamic programming over these very maps. An interval speaks of all such maps, 95 %, and so has room for the draw of the maps, too: it should miss them less often than 1 time in 20. A mark ! says that it does.');

\ir heading.sql
\ir seen.sql
