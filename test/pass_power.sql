-- pass_power against exact enumeration, values by hand, and simulated evaluations.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, tolerance float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) <= tolerance, false), format('%s: %s, have %s', what, want, have)) $$;
-- tasks with c of n attempts solved at turn 1
CREATE FUNCTION tasks(n int, c int[]) RETURNS pass_summary LANGUAGE sql AS
$$ SELECT pass_agg(i, a <= c[i], 1) FROM generate_subscripts(c, 1) i, generate_series(1, n) a $$;
CREATE FUNCTION choose(n int, k int) RETURNS float8 LANGUAGE sql AS
$$ SELECT CASE WHEN k < 0 OR k > n THEN 0 ELSE coalesce((SELECT round(exp(sum(ln((n - k + i)::float8 / i)))) FROM generate_series(1, k) i), 1) END $$;

-- Two equal tasks, and a reference that always fails: nothing varies between tasks, so
-- 2 std_error^2 is the estimated variance of one task's value at the planned attempts.
CREATE FUNCTION variance(n int, c int, k int, planned int) RETURNS float8 LANGUAGE sql AS $$
	SELECT coalesce(2 * std_error * std_error, 0)
	FROM pass_power(tasks(n, ARRAY[c, c]), tasks(n, '{0,0}'), k, 1, '{2}', ARRAY[planned::bigint]) $$;
SELECT close_to(variance(n, c, k, n), want, 1e-12, format('variance at n %s, c %s, k %s', n, c, k))
FROM (VALUES (10, 3, 2, 23 / 450.0), (8, 2, 4, 9 / 196.0), (4, 2, 2, 1 / 36.0), (16, 1, 8, 0.25), (2000, 2, 1000, (1000 * 999 / (2000 * 1999.0)) ^ 2)) v(n, c, k, want);
-- one success in 2,000: m attempts all fail with chance 1 - m/2000, and two draws share k^2/planned on average
SELECT close_to(variance(2000, 1, 1000, planned), 500.0 / planned, 1e-12, format('variance for %s attempts', planned))
FROM unnest('{1000,1001,1999,2000,4000,1000000}'::int[]) planned;

-- Its mean over all outcomes of n attempts is the variance over all outcomes of the planned ones.
CREATE FUNCTION true_variance(p float8, k int, n int) RETURNS float8 LANGUAGE sql AS $$
	SELECT sum(w * v * v) - sum(w * v) ^ 2 FROM (
		SELECT choose(n, c) * p ^ c * (1 - p) ^ (n - c) AS w, 1 - choose(n - c, k) / choose(n, k) AS v
		FROM generate_series(0, n) c) q $$;
SELECT close_to(sum(choose(n, c) * p ^ c * (1 - p) ^ (n - c) * variance(n, c, k, planned)), true_variance(p, k, planned), 1e-12,
                format('unbiased: p %s, k %s, from %s attempts for %s', p, k, n, planned))
FROM (VALUES (0.3::float8, 2, 6), (0.05, 1, 4), (0.8, 3, 6), (0.5, 4, 9)) v(p, k, n), unnest('{0,1,2,5,12}'::int[]) more,
     LATERAL (SELECT k + more AS planned) l, generate_series(0, n) c
GROUP BY p, k, n, planned ORDER BY p, planned;

-- By hand, k = 1: differences 0, 1/2, 1, 1, whose second task alone varies within, by 1/12 at its 4 attempts and 1/3 at one. Between tasks
-- lies the mean of (d - 5/8)^2 4/3 less that: of 25/48, -3/48, 9/48, 9/48, which is 5/24, with the variance 33/2304; by so much it is shrunk.
CREATE TEMP TABLE by_hand AS SELECT (5 / 24.0) ^ 3 / ((5 / 24.0) ^ 2 + 33 / 2304.0) AS shrunk, 5 / 24.0 + 1.645 * sqrt(33 / 2304.0) AS high;
SELECT close_to(std_error, sqrt((shrunk + within) / m), 1e-12, format('standard error of %s tasks x %s', tasks, attempts)),
       close_to(std_error_high, sqrt((high + within) / m), 1e-12, 'and its upper bound'),
       close_to(detectable_diff, quantiles * std_error, 1e-6, 'detectable difference'), is(note, NULL, 'no note')
FROM by_hand, pass_power(tasks(4, '{0,2,4,4}'), tasks(4, '{0,0,0,0}'), 1, NULL, '{25,10}', '{4,1}')
JOIN (VALUES (25, 4, 1 / 48.0, 2.0638986 + 0.8568555), (25, 1, 1 / 12.0, 2.0638986 + 0.8568555),
             (10, 4, 1 / 48.0, 2.2621572 + 0.8834039), (10, 1, 1 / 12.0, 2.2621572 + 0.8834039))
     v(m, n, within, quantiles) ON m = tasks AND n = attempts;
SELECT results_eq($$ SELECT tasks, attempts FROM pass_power(tasks(4, '{0,2}'), tasks(4, '{0,0}'), 1, NULL, '{25,10}', '{4,1}') $$,
                  $$ VALUES (25::bigint, 4::bigint), (25, 1), (10, 4), (10, 1) $$, 'a row per plan, in the order of the lists');
SELECT close_to(a.detectable_diff / b.detectable_diff, (2.7969395 + 1.3178359) / (1.7108821 + 0.5314381), 1e-6, 'power and alpha')
FROM pass_power(tasks(4, '{0,2,4,4}'), tasks(4, '{0,0,0,0}'), 1, NULL, '{25}', '{4}', power => 0.9, alpha => 0.01) a,
     pass_power(tasks(4, '{0,2,4,4}'), tasks(4, '{0,0,0,0}'), 1, NULL, '{25}', '{4}', power => 0.7, alpha => 0.1) b;

CREATE TEMP TABLE arms AS
SELECT pass_agg(task, h % 1000 < 10 * task, 1 + h / 1000 % 20) AS treatment, pass_agg(task, g % 1000 < 8 * task, 1 + g / 1000 % 20) AS reference
FROM (SELECT i % 60 AS task, hashint8extended(i, 5) & 1073741823 AS h, hashint8extended(i, 6) & 1073741823 AS g FROM generate_series(1, 960) i) d;
SELECT ok(bool_and(a.std_error > b.std_error), 'more attempts, smaller error') FROM arms,
     LATERAL pass_power(treatment, reference, 2, 20, '{60}', '{2,3,4,8,16,100}') a,
     LATERAL pass_power(treatment, reference, 2, 20, '{60}', '{3,4,8,16,100,1000000000000000000}') b
WHERE (a.attempts, b.attempts) IN ((2, 3), (3, 4), (4, 8), (8, 16), (16, 100), (100, 1000000000000000000));

-- What was left out, or could not be known.
SELECT is(note, 'tasks without 2k attempts in both arms left out: 2', 'a task of one arm, and one with too few attempts'),
       close_to(std_error, sqrt((SELECT shrunk + 1 / 48.0 FROM by_hand) / 25), 1e-12, 'over the others')
FROM pass_power((SELECT rollup(s) FROM (VALUES (tasks(4, '{0,2,4,4}')), ((SELECT pass_agg(i, true, 1) FROM unnest('{5,6}'::int[]) i))) v(s)),
                (SELECT rollup(s) FROM (VALUES (tasks(4, '{0,0,0,0}')), ((SELECT pass_agg(5, true, 1)))) v(s)), 1, NULL, '{25}', '{4}');
SELECT is(std_error, NULL, 'no task with 2k attempts'), is(detectable_diff, NULL, 'no difference'),
       is(note, 'tasks without 2k attempts in both arms left out: 2; two tasks with 2k attempts in both arms are needed', 'says so')
FROM pass_power(tasks(3, '{1,2}'), tasks(4, '{1,2}'), 2, NULL, '{25}', '{4}');
SELECT is(std_error, NULL, 'nothing varied'), is(note, 'no difference varies in these summaries', 'says so')
FROM pass_power(tasks(4, '{4,4}'), tasks(4, '{0,0}'), 1, NULL, '{25}', '{4}');
-- differences 0 and 0; within, 1/12 in each arm
SELECT is(note, 'variance between tasks estimated as -0.167, taken as 0', 'negative variance'), close_to(std_error, sqrt(1 / 6.0 / 25), 1e-12, 'taken as 0')
FROM pass_power(tasks(4, '{2,2}'), tasks(4, '{2,2}'), 1, NULL, '{25}', '{4}');
SELECT alike(note, '%no difference exceeds 1: the plan is too small', 'too small a plan')
FROM pass_power(tasks(4, '{0,4,0,4}'), tasks(4, '{4,0,0,0}'), 1, NULL, '{2}', '{1}');
SELECT is(count(*), 0::bigint, 'no rows of a null summary') FROM pass_power(NULL, tasks(4, '{0,2}'), 1, NULL, '{25}', '{4}');

-- What a user can do wrong
CREATE FUNCTION error_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN EXECUTE 'SELECT pass_power(' || call || ')'; RETURN 'none';
EXCEPTION WHEN OTHERS THEN GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL; RETURN SQLSTATE || ' ' || concat_ws(' | ', SQLERRM, nullif(detail, '')); END $$;
SELECT is(error_of(format('tasks(4, ''{0,2}''), tasks(4, ''{0,2}''), %s', call)), want, want) FROM (VALUES
	('0, 1, ''{9}'', ''{4}''', '22023 k must be at least 1, not 0'),
	('NULL, 1, ''{9}'', ''{4}''', '22004 k must not be null'),
	('100001, 1, ''{9}'', ''{100001}''', '54000 k must not be greater than 100000'),
	('1, 0, ''{9}'', ''{4}''', '22023 t must be at least 1, not 0'),
	('1, 1, ''{9,1}'', ''{4}''', '22023 tasks must be at least 2, not 1 | A variance between tasks takes two of them.'),
	('3, 1, ''{9}'', ''{2}''', '22023 attempts must be at least 3, not 2 | Pass@(K,T) takes k attempts per task.'),
	('1, 1, ''{}'', ''{4}''', '22023 tasks must not be empty'),
	('1, 1, NULL, ''{4}''', '22004 tasks must not be null'),
	('1, 1, ''{9}'', NULL', '22004 attempts must not be null'),
	('1, 1, ''{9}'', ''{4,NULL}''', '22004 attempts must not contain nulls'),
	('1, 1, (SELECT array_agg(i) FROM generate_series(2, 401) i), (SELECT array_agg(i) FROM generate_series(1, 300) i)', '54000 there must not be more than 100000 plans'),
	('1, 1, ''{9}'', ''{4}'', 80', '22023 power must be between 0 and 1, not 80'),
	('1, 1, ''{9}'', ''{4}'', ''NaN''', '22023 power must be between 0 and 1, not NaN'),
	('1, 1, ''{9}'', ''{4}'', NULL', '22004 power must not be null'),
	('1, 1, ''{9}'', ''{4}'', 0.8, 0', '22023 alpha must be between 0 and 1, not 0'),
	('1, 1, ''{9}'', ''{4}'', 0.8, NULL', '22004 alpha must not be null')) v(call, want);
SELECT is(error_of('tasks(4, ''{0,2}''), (SELECT pass_agg(''a'', true, 1)), 1, 1, ''{9}'', ''{4}'''),
          '42804 cannot pair a pass_summary keyed by bigint with one keyed by text', 'keys of two kinds');

-- Simulated: a pilot of 4,000 tasks x 16 foretells the standard errors of evaluations of 40 tasks x 6,
-- and a difference that is the detectable one is found in about 80 % of them.
CREATE FUNCTION uniform(key bigint, stream bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS
$$ SELECT ((hashint8extended(key, stream) & 4294967295) + 0.5) / 4294967296 $$;
CREATE FUNCTION simulate(m int, n int, seed bigint) RETURNS TABLE (treatment pass_summary, reference pass_summary) LANGUAGE sql AS $$
	SELECT pass_agg(task, uniform(task * n + a, seed + 2) < p + 0.16 * 4 * p * (1 - p), 1), pass_agg(task, uniform(task * n + a, seed + 3) < p, 1)
	FROM (SELECT task, uniform(task, seed + 1) AS p FROM generate_series(1, m) task OFFSET 0) tasks, generate_series(1, n) a $$;
CREATE TEMP TABLE simulated AS
SELECT d.* FROM generate_series(1, 1000) e, LATERAL simulate(40, 6, e * 10) s, LATERAL pass_diff(s.treatment, s.reference, '{1}', '{1}', resamples => 0) d;
CREATE TEMP TABLE pilot AS SELECT p.* FROM simulate(4000, 16, 7) s, LATERAL pass_power(s.treatment, s.reference, 1, 1, '{40}', '{6}') p;
SELECT ok(stddev(diff) / p.std_error BETWEEN 0.93 AND 1.07, format('standard error foretold: %s, seen: %s', p.std_error, stddev(diff)))
FROM simulated s, LATERAL (SELECT std_error FROM pilot) p GROUP BY p.std_error;
SELECT close_to(detectable_diff, 0.16 * 4 / 6, 0.004, 'the true difference is the detectable one'),
       close_to(found, 0.8, 0.05, 'and is found as often as was asked for')
FROM pilot, (SELECT avg((p_value < 0.05)::int) AS found FROM simulated) f;

SELECT throws_ok($$SELECT * FROM pass_power((SELECT pass_agg(1, true, 1)), (SELECT pass_agg(1, true, 1)), 1, NULL, '{10}', '{2}', 0.01, 0.05)$$,
	'22023', 'power must be greater than alpha', 'a power that chance has');
SELECT ok(detectable_diff < 'Infinity', 'alpha next to 0') FROM pass_power((SELECT pass_agg(i / 4, i % 3 = 0, 1) FROM generate_series(1, 80) i),
	(SELECT pass_agg(i / 4, i % 5 = 0, 1) FROM generate_series(1, 80) i), 1, NULL, '{10}', '{4}', alpha => 1e-200);

SELECT * FROM finish();
ROLLBACK;
