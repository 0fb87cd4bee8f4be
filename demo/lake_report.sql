\pset footer off
\pset null -
\pset title

\echo FrozenLake, slippery: 100 maps, two policies, 16 attempts each, 100 turns.
\echo base imitates a planner that forgets that ice is slippery; trained is what GRPO made of it, on 100
\echo other maps and always with 100 turns.
\echo

CREATE TABLE lake AS
SELECT run AS policy, pass_agg(task_id, traj) AS summary FROM rollouts GROUP BY run;

\echo One number says that training paid: success of a rollout.
SELECT policy, round(pass_at(summary, 1, 100)::numeric, 4) AS success
FROM lake ORDER BY policy;

\echo The surface says where. Pass@(K,T): share of maps solved by any of K attempts within T turns.
SELECT t AS "T", policy || ' K=' || k AS cell, round(pass::numeric, 6) AS pass
FROM lake, pass_grid(summary, ARRAY[1, 4, 16], ARRAY[10, 15, 20, 25, 30, 50, 75, 100])
ORDER BY t, policy, k
\crosstabview "T" cell pass

\echo Where the lead changes hands, over every T from 1 to 100:
WITH diff AS (
	SELECT k, t, sum(CASE policy WHEN 'trained' THEN pass ELSE -pass END) AS diff
	FROM lake, pass_grid(summary, ARRAY[1, 2, 4, 8, 16], ARRAY(SELECT generate_series(1, 100)))
	GROUP BY k, t)
SELECT k AS "K",
	max(t) FILTER (WHERE diff < 0) AS "base ahead up to T",
	round(-min(diff)::numeric, 3) AS "by at most",
	max(t) FILTER (WHERE diff <= 0) + 1 AS "trained ahead from T",
	round(max(diff)::numeric, 3) AS "by at most"
FROM diff GROUP BY k ORDER BY k;

\echo Estimate, standard error over maps, and the exact value (by dynamic programming):
WITH cell AS (
	SELECT policy, k, t, pass, std_error
	FROM lake, pass_grid(summary, ARRAY[1, 2, 4, 8, 16], ARRAY[10, 15, 20, 30, 100])),
exact AS (
	SELECT policy, k, t, avg(1 - (1 - success) ^ k) AS pass
	FROM lake_truth, unnest(ARRAY[1, 2, 4, 8, 16]) k
	GROUP BY policy, k, t)
SELECT k AS "K", t AS "T",
	round(b.pass::numeric, 6) AS base, round(b.std_error::numeric, 6) AS std_error,
	round(be.pass::numeric, 6) AS exact,
	round(r.pass::numeric, 6) AS trained, round(r.std_error::numeric, 6) AS std_error,
	round(re.pass::numeric, 6) AS exact,
	to_char(r.pass - b.pass, 'SG0.000') AS "trained − base"
FROM (SELECT * FROM cell WHERE policy = 'base') b
	JOIN (SELECT * FROM cell WHERE policy = 'trained') r USING (k, t)
	JOIN (SELECT * FROM exact WHERE policy = 'base') be USING (k, t)
	JOIN (SELECT * FROM exact WHERE policy = 'trained') re USING (k, t)
ORDER BY k, t;

\echo What these figures stand on (cells that share their denominators are counted together):
SELECT policy, tasks, tasks_short, rollouts, unscored, count(*) AS cells
FROM lake, pass_grid(summary, ARRAY[1, 2, 4, 8, 16], ARRAY[10, 15, 20, 30, 100])
GROUP BY policy, tasks, tasks_short, rollouts, unscored ORDER BY policy;

\echo Error turns: moves that keep less than 4/5 of the value that the best move has.
SELECT run AS policy, sum(f.turns) AS turns, sum(f.error_turns) AS "error turns",
	count(*) FILTER (WHERE f.error_turns > 0) AS "rollouts with",
	count(*) FILTER (WHERE f.error_turns > 0 AND f.success) AS solved,
	count(*) FILTER (WHERE f.error_turns = 0) AS "rollouts without",
	count(*) FILTER (WHERE f.error_turns = 0 AND f.success) AS solved
FROM rollouts, facts(traj) f GROUP BY run ORDER BY run;

\echo Try next: make demo DATA=path/to/rollouts, or a database of your own:
\echo
\echo '  createdb lab'
\echo '  psql -d lab -c "CREATE EXTENSION agentrl"'
\echo '  agentrl-load -d lab path/to/rollouts'
\echo
\echo '  -- a turn-budget curve at K = 8, for each run'
\echo '  SELECT run, g.* FROM (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts GROUP BY run) q,'
\echo '    pass_grid(s, ARRAY[8], ARRAY[10, 20, 30, 100]) g;'
\echo '  -- how often each task was solved, and in how few turns'
\echo '  SELECT run, t.* FROM (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts GROUP BY run) q,'
\echo '    pass_tasks(s) t;'
\echo '  -- one rollout, turn by turn'
\echo '  SELECT s.* FROM rollouts, steps(traj) s WHERE run = ''base'' AND task_id = ''test-001'''
\echo '    AND attempt_id = ''1'';'
