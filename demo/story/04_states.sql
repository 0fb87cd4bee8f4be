-- From the same state: whose next move is better?
\set section states
INSERT INTO section (name, title, paper) VALUES ('states', 'From the same state, by depth',
	'states drawn in equal numbers from base and trained rollouts, 16 next actions from each policy, quality Q* (γ = 0.95): trained is better on 42.8 % of FrozenLake states, 46.8 % of DeepCoder-MT states; level or behind early, ahead late.');

-- kind: matched, injected (a wrong move came just before) or continued (played on from there to the end)
CREATE TABLE figure_states AS
WITH summary AS (
	SELECT kind, source, least(depth_bin(turn, budget, 20), 5) AS depth,
		paired_agg(task, unit, policy = 'full', value) AS values
	FROM lab_states GROUP BY GROUPING SETS ((kind), (kind, source), (kind, least(depth_bin(turn, budget, 20), 5)))),
exact AS (
	SELECT kind, source, depth, avg(diff) AS diff, avg((diff > 0)::int) AS better
	FROM (SELECT kind, source, least(depth_bin(turn, budget, 20), 5) AS depth,
			max(exact) FILTER (WHERE policy = 'full') - max(exact) FILTER (WHERE policy = 'base') AS diff
		FROM lab_states GROUP BY kind, source, turn, budget, task, unit) u
	GROUP BY GROUPING SETS ((kind), (kind, source), (kind, depth)))
SELECT s.kind, s.source, s.depth, d.*, e.diff AS exact, e.better AS exact_better
FROM summary s JOIN exact e ON s.kind = e.kind AND s.source IS NOT DISTINCT FROM e.source AND s.depth IS NOT DISTINCT FROM e.depth, paired_diff(values) d;
INSERT INTO checked
SELECT CASE kind WHEN 'matched' THEN 'states' ELSE 'recovery' END,
	format('%s states%s%s', kind, ' of ' || source, ', depth ' || depth), diff, ci_low, ci_high, exact
FROM figure_states WHERE ci_low IS NOT NULL;

CREATE VIEW states_shown AS
SELECT kind, CASE WHEN source IS NOT NULL THEN 'from ' || source WHEN depth IS NULL THEN 'all' WHEN depth = 5 THEN 'turns 21-100'
		ELSE format('turns %s-%s', 5 * depth - 4, 5 * depth) END AS states,
	source IS NULL AS from_both, depth, units, mean_treatment, mean_reference, diff, ci_low, ci_high, exact, win_rate, win_low, win_high, exact_better
FROM figure_states;

CREATE VIEW states_table AS
SELECT states, units AS "n", figure(mean_reference) AS base, figure(mean_treatment) AS "full",
	points(diff) AS diff, between_points(ci_low, ci_high) AS "interval ", points(exact) || mark(exact, ci_low, ci_high) AS exact,
	pct(win_rate) AS "better %", between_pct(win_low, win_high) AS interval
FROM states_shown WHERE kind = 'matched' ORDER BY depth NULLS FIRST, from_both DESC, states;
COMMENT ON VIEW states_table IS 'Mean Q* of 16 next moves, their difference (× 100, paired by state, maps resampled) and the share of states where the mean of full is higher. 2 states per map and source.';

INSERT INTO seen (section, line)
SELECT 'states', format('full is better on %s %% of the states (95 %%: %s to %s %%; by the exact expectation on %s %%), where the paper has 42.8 %%. In the first five turns the difference is %s, in turns 6 to 20 it lies between %s and %s (× 100). %s of %s states lie in the first 20 turns: on this ice rollouts are short.',
	trim(pct(a.win_rate)), trim(pct(a.win_low)), trim(pct(a.win_high)), trim(pct(a.exact_better)),
	trim(points(d.diff)), trim(points(l.low)), trim(points(l.high)), l.units + d.units, a.units)
FROM figure_states a, figure_states d,
	(SELECT min(diff) AS low, max(diff) AS high, sum(units) AS units FROM figure_states WHERE kind = 'matched' AND depth BETWEEN 2 AND 4) l
WHERE a.kind = 'matched' AND a.source IS NULL AND a.depth IS NULL AND d.kind = 'matched' AND d.depth = 1;

\ir heading.sql
\set view states_table
\ir show.sql
\ir seen.sql
