-- The report on one run, named by the variable run.
\pset footer off
\pset null -
\pset title
\encoding UTF8

\echo
\echo :run
\echo

CREATE TEMP TABLE one AS
SELECT r.task_id, r.traj, f.turns, f.budget, f.solved_at, f.success, f.error_turns,
	f.error_unknown_turns AS unknown_turns
FROM report_rollout r, facts(r.traj) f WHERE r.run = :'run';

CREATE TEMP TABLE summary AS SELECT pass_agg(task_id, traj) AS s FROM one;

-- K: all of 1..n for few attempts, else powers of two.
SELECT CASE WHEN n <= 5 THEN ARRAY(SELECT generate_series(1, n))
	ELSE ARRAY(SELECT (2 ^ i)::bigint FROM generate_series(0, floor(log(2, n))::int) i) END AS ks
FROM (SELECT coalesce(max(n), 1) AS n
	FROM (SELECT count(success) AS n FROM one WHERE task_id IS NOT NULL GROUP BY task_id) q) m \gset

-- T: the steps of a ladder from where rollouts begin to succeed to where all have
-- ended, at most twelve; the budget stands at the top where every rollout has one.
WITH ladder AS (
	SELECT unnest(ARRAY[1, 2, 3, 4, 5, 8, 10, 12, 15, 20, 30, 50, 75, 100, 150, 200, 300, 500, 750,
		1000, 2000, 5000, 10000, 100000]::bigint[]) AS t),
range AS (
	SELECT coalesce(percentile_disc(0.05) WITHIN GROUP (ORDER BY solved_at) FILTER (WHERE success), 1) AS low,
		greatest(max(turns), 1) AS longest,
		CASE WHEN count(budget) = count(*) THEN max(budget) END AS budget
	FROM one),
bounds AS (
	SELECT (SELECT coalesce(max(t), 1) FROM ladder WHERE t <= low) AS low,
		coalesce(budget, (SELECT min(t) FROM ladder WHERE t >= longest)) AS high
	FROM range),
chosen AS (
	SELECT t FROM ladder, bounds WHERE t BETWEEN least(low, high) AND high
	UNION SELECT high FROM bounds
	ORDER BY t DESC LIMIT 12)
SELECT array_agg(t ORDER BY t) AS ts FROM chosen \gset

SELECT count(*) AS rollouts, count(DISTINCT task_id) AS tasks,
	count(*) FILTER (WHERE success) AS solved, count(*) FILTER (WHERE success IS NULL) AS unscored,
	count(*) FILTER (WHERE task_id IS NULL) AS "no task id",
	sum(turns) AS turns, sum(error_turns) AS "error turns"
FROM one;

\echo Pass@(K,T): share of tasks solved by any of K attempts within T turns
SELECT t AS "T", 'K=' || k AS cell, round(pass::numeric, 6) AS pass
FROM summary, pass_grid(s, :'ks', :'ts') ORDER BY t, k
\crosstabview "T" cell pass

\echo Its standard error over tasks
SELECT t AS "T", 'K=' || k AS cell, round(std_error::numeric, 6) AS std_error
FROM summary, pass_grid(s, :'ks', :'ts') ORDER BY t, k
\crosstabview "T" cell std_error

\echo What these figures stand on (T of cells that share their denominators)
SELECT k AS "K", min(t) || CASE WHEN min(t) < max(t) THEN '–' || max(t) ELSE '' END AS "T",
	tasks, tasks_short, rollouts, unscored
FROM summary, pass_grid(s, :'ks', :'ts')
GROUP BY k, tasks, tasks_short, rollouts, unscored ORDER BY k, min(t);

\echo Whole rollouts: pass@k, any of k succeeds; pass^k, all of k succeed
SELECT k, round(pass::numeric, 6) AS "pass@k", round(std_error::numeric, 6) AS std_error,
	round(pass_hat(s, k)::numeric, 6) AS "pass^k"
FROM summary, pass_grid(s, :'ks') ORDER BY k;

\pset tuples_only on
SELECT format('%s rollouts with an error turn, of which %s succeed; %s without, of which %s.%s',
	count(*) FILTER (WHERE error_turns > 0), count(*) FILTER (WHERE error_turns > 0 AND success),
	count(*) FILTER (WHERE error_turns = 0 AND unknown_turns = 0),
	count(*) FILTER (WHERE error_turns = 0 AND unknown_turns = 0 AND success),
	' In ' || nullif(count(*) FILTER (WHERE error_turns IS NULL OR error_turns = 0 AND unknown_turns > 0), 0)
		|| ' it is not known.')
FROM one;
\pset tuples_only off
