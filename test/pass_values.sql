-- Pass@(K,T) against published values, exact fractions and a slow definition in SQL.
\set ON_ERROR_STOP on
\pset pager off
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(abs(have - want) < 1e-12, format('%s: %s', what, want)) $$;

-- n attempts of one task, c of them solved in the first turn
CREATE FUNCTION attempts(n int, c int) RETURNS pass_summary LANGUAGE sql AS
$$ SELECT pass_agg(1, i <= c, 1) FROM generate_series(1, n) i $$;

-- pass@k of the HumanEval paper, n, c, k
SELECT close_to(pass_at(attempts(n, c), k), want, format('pass@%s of %s in %s', k, c, n))
FROM (VALUES (5, 2, 3, 0.9), (10, 3, 5, 11 / 12.0), (200, 1, 100, 0.5),
             (1000, 7, 100, 0.5228229441621675), (6, 3, 2, 0.8), (6, 3, 3, 0.95),
             (2, 0, 2, 0), (4, 1, 4, 1)) v(n, c, k, want);
SELECT is(pass_at(attempts(4, 4), 5), NULL, 'k above n is no value');
SELECT is(pass_hat(attempts(4, 4), 5), NULL, 'k above n is no value of pass^k either');

-- pass^k
SELECT close_to(pass_hat(attempts(6, 3), k), want, format('pass^%s of 3 in 6', k))
FROM (VALUES (2, 0.2), (3, 0.05)) v(k, want);

-- fractions with small denominators come out as the nearest float8
SELECT is(pass_at(attempts(10, c), 1), c / 10.0::float8, format('pass@1 of %s in 10 is the nearest float8', c))
FROM generate_series(0, 10) c;

-- unequal attempts: {1111, 00, 100}
CREATE TEMP TABLE unequal AS
SELECT task, i, substr(outcomes, i, 1) = '1' AS success
FROM (VALUES ('a', '1111'), ('b', '00'), ('c', '100')) v(task, outcomes), generate_series(1, length(outcomes)) i;
SELECT close_to(pass_at(pass_agg(task, success, 1), 1), 4 / 9.0, 'mean over tasks, not over rollouts') FROM unequal;
SELECT close_to(pass_at(pass_agg(task, success, 1), 2), 5 / 9.0, 'pass@2 of unequal attempts') FROM unequal;
SELECT close_to(pass_hat(pass_agg(task, success, 1), 2), 1 / 3.0, 'pass^2 of unequal attempts') FROM unequal;
SELECT results_eq(
	$$ SELECT k, round(pass::numeric, 12), tasks, tasks_short, rollouts
	   FROM pass_grid((SELECT pass_agg(task, success, 1) FROM unequal), '{2,3,4,5}') $$,
	$$ VALUES (2::bigint, round(5 / 9.0, 12), 3::bigint, 0::bigint, 9::bigint),
	          (3, 1, 2, 1, 7), (4, 1, 1, 2, 4), (5, NULL, 0, 3, 0) $$,
	'tasks with too few attempts are left out and counted');

-- standard error: sd (n - 1) over tasks, by the square root of their number
SELECT close_to(std_error, (SELECT stddev_samp(p) / sqrt(3) FROM (VALUES (1.0), (0), (1 / 3.0)) v(p)),
	'standard error of pass@1')
FROM pass_grid((SELECT pass_agg(task, success, 1) FROM unequal), '{1}');
SELECT is(std_error, NULL, 'one task has no standard error') FROM pass_grid(attempts(4, 2), '{1}');
SELECT is(std_error, 0::float8, 'equal values have a standard error of exactly 0')
FROM pass_grid((SELECT pass_agg(t, i <= 3, 1) FROM generate_series(1, 7) t, generate_series(1, 10) i), '{3}');

-- exact to 1e-12 where C(n, k) overflows 64 bits: against numeric
CREATE FUNCTION exact_miss(n int, m int, k int) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE p numeric := 1;
BEGIN
	IF k > n - m THEN RETURN 0; END IF;
	FOR j IN 0 .. k - 1 LOOP p := p * (n - m - j)::numeric(200, 100) / (n - j); END LOOP;
	RETURN p;
END $$;
SELECT ok(abs(pass_at(attempts(n, c), k) - (1 - exact_miss(n, c, k))) < 1e-12
          AND abs(pass_hat(attempts(n, c), k) - exact_miss(n, n - c, k)) < 1e-12,
          format('exact at n %s, c %s, k %s', n, c, k))
FROM (VALUES (64, 3, 32), (100, 50, 50), (500, 20, 37), (2000, 999, 7), (3000, 1, 2999), (3000, 2500, 400)) v(n, c, k);

CREATE TEMP TABLE rollouts (task text, success bool, turns int, budget int);

-- A slow definition: rollout by rollout, subset by subset where that is feasible.
CREATE FUNCTION eligible(success bool, turns int, budget int, t int, match text) RETURNS bool LANGUAGE sql AS $$
	SELECT success IS NOT NULL AND turns IS NOT NULL
	       AND CASE match WHEN 'prefix' THEN budget IS NULL OR budget >= t
	                      ELSE coalesce(budget = t, false) END $$;
CREATE FUNCTION choose(n int, k int) RETURNS numeric LANGUAGE sql AS $$
	SELECT CASE WHEN k > n OR n < 0 THEN 0 ELSE factorial(n) / (factorial(k) * factorial(n - k)) END $$;
CREATE FUNCTION slow_grid(match text, task_set text)
RETURNS TABLE (k bigint, t bigint, pass float8, std_error float8, tasks bigint, tasks_short bigint, rollouts bigint, unscored bigint)
LANGUAGE sql AS $$
	WITH counts AS (
		SELECT task, t,
		       count(*) FILTER (WHERE eligible(success, turns, budget, t, match)) AS n,
		       count(*) FILTER (WHERE eligible(success, turns, budget, t, match) AND success AND turns <= t) AS c,
		       count(*) FILTER (WHERE success IS NULL AND eligible(true, 1, budget, t, match)) AS unscored
		FROM rollouts CROSS JOIN unnest('{1,2,3,5,8}'::int[]) t
		GROUP BY task, t),
	kept AS (
		SELECT *, min(n) OVER (PARTITION BY task) >= 4 OR task_set = 'each' AS kept FROM counts),
	vals AS (
		SELECT k, t, n, unscored, n >= k AND kept AS used,
		       1 - choose((n - c)::int, k) / nullif(choose(n::int, k), 0) AS v
		FROM kept CROSS JOIN unnest('{1,2,4}'::int[]) k)
	SELECT k, t, avg(v) FILTER (WHERE used), stddev_samp(v) FILTER (WHERE used) / sqrt(count(*) FILTER (WHERE used)),
	       count(*) FILTER (WHERE used), count(*) FILTER (WHERE NOT used),
	       coalesce(sum(n) FILTER (WHERE used), 0)::bigint, sum(unscored)::bigint
	FROM vals GROUP BY k, t $$;

CREATE FUNCTION fill(seed int) RETURNS void LANGUAGE sql AS $$
	TRUNCATE rollouts;
	INSERT INTO rollouts
	SELECT 'task ' || h % 7,
	       CASE WHEN h / 7 % 9 = 0 THEN NULL ELSE h / 63 % 2 = 0 END,
	       CASE WHEN h / 126 % 11 = 0 THEN NULL ELSE 1 + h / 1386 % 9 END,
	       (ARRAY[NULL, 2, 5, 8])[1 + h / 12474 % 4]
	FROM (SELECT hashint8extended(i, seed) & 1073741823 AS h FROM generate_series(1, 20 + seed % 40) i) d $$;
CREATE FUNCTION differing(match text, task_set text) RETURNS bigint LANGUAGE sql AS $$
	SELECT count(*)
	FROM pass_grid((SELECT pass_agg(task, success, turns, budget) FROM rollouts), '{1,2,4}', '{1,2,3,5,8}', resamples => 0, match => match, task_set => task_set) fast
	FULL JOIN slow_grid(match, task_set) slow USING (k, t)
	WHERE NOT (fast.tasks = slow.tasks AND fast.tasks_short = slow.tasks_short
	           AND fast.rollouts = slow.rollouts AND fast.unscored = slow.unscored
	           AND (fast.pass IS NULL) = (slow.pass IS NULL) AND coalesce(abs(fast.pass - slow.pass) < 1e-12, true)
	           AND (fast.std_error IS NULL) = (slow.std_error IS NULL)
	           AND coalesce(abs(fast.std_error - slow.std_error) < 1e-7, true)) IS NOT FALSE $$;
CREATE FUNCTION all_differing(seeds int, match text, task_set text) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE total bigint := 0; rows bigint := 0;
BEGIN
	FOR seed IN 1 .. seeds LOOP
		PERFORM fill(seed);
		total := total + differing(match, task_set);
	END LOOP;
	RETURN total;
END $$;
SELECT is(all_differing(300, match, task_set), 0::bigint,
          format('300 random sets agree with the slow definition: match %s, task_set %s', match, task_set))
FROM unnest('{prefix,exact}'::text[]) match, unnest('{each,common}'::text[]) task_set;

-- own budget: every scored rollout, by its recorded success
SELECT fill(3);
SELECT is(pass_at(pass_agg(task, success, turns, budget), 1),
          (SELECT avg(p) FROM (SELECT avg(success::int) AS p FROM rollouts WHERE success IS NOT NULL GROUP BY task) q)::float8,
          't NULL reads each rollout at its own budget') FROM rollouts;

-- pass_tasks
SELECT results_eq(
	$$ SELECT * FROM pass_tasks((SELECT pass_agg(task, success, turns, budget) FROM rollouts)) $$,
	$$ SELECT task, count(*), count(*) FILTER (WHERE success), count(*) FILTER (WHERE success IS NULL),
	          min(turns) FILTER (WHERE success)::bigint
	   FROM rollouts GROUP BY task ORDER BY task COLLATE "C" $$,
	'pass_tasks gives each task''s counts, in key order');

-- pass_bound
SELECT close_to(pass_bound(pass_agg(task, success, turns), 2), 2 / 3.0, 'share of tasks solved within 2 turns by any attempt')
FROM (VALUES ('a', true, 2), ('a', false, 1), ('b', true, 3), ('b', true, 1), ('c', true, 3)) v(task, success, turns);
SELECT is(pass_bound(pass_agg(task, success, turns, budget), 5), NULL, 'no eligible rollout, no bound')
FROM (VALUES ('a', true, 2, 4)) v(task, success, turns, budget);

-- trajectories: truncated without a budget says nothing beyond its turns
CREATE TEMP TABLE trajs AS
SELECT task, traj::trajectory AS traj FROM (VALUES
	('a', '{"success":true,"solved_at":2,"steps":[{},{},{}]}'),
	('a', '{"success":false,"status":"truncated","steps":[{},{},{}]}'),
	('b', '{"success":false,"budget":2,"steps":[{},{}]}'),
	('b', '{"success":null,"status":"infra_error","steps":[]}'),
	('b', '{"success":true}'),
	('c', '{"success":false,"steps":[]}')) v(task, traj);
SELECT results_eq(
	$$ SELECT t, pass, tasks, tasks_short, rollouts, unscored
	   FROM pass_grid((SELECT pass_agg(task, traj) FROM trajs), '{1}', '{1,2,3,4}') $$,
	$$ VALUES (1::bigint, 0::float8, 3::bigint, 0::bigint, 4::bigint, 1::bigint),
	          (2, (0.5 / 3)::float8, 3, 0, 4, 1), (3, 0.25, 2, 1, 3, 1), (4, 0.5, 2, 1, 2, 1) $$,
	'trajectories: cut, budget, unscored, unknown turns, no turn');
SELECT is(pass_at(pass_agg(task, traj), 1), 1 / 3.0::float8, 'trajectories at their own budget') FROM trajs;

SELECT * FROM finish();
ROLLBACK;
