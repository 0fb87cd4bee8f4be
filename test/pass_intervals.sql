-- Intervals, bands and paired differences against published values and exact enumerations.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, tolerance float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) <= tolerance, false), format('%s: %s, have %s', what, want, have)) $$;
-- tasks with c of n attempts solved at turn 1
CREATE FUNCTION tasks(n int[], c int[]) RETURNS pass_summary LANGUAGE sql AS
$$ SELECT pass_agg(i, a <= c[i], 1) FROM generate_subscripts(n, 1) i, generate_series(1, n[i]) a $$;

-- Wilson on tasks where nothing, or everything, happened
SELECT close_to(ci_low, 0.72247, 5e-6, '10 of 10, low'), close_to(ci_high, 1, 0, 'high'), is(method, 'wilson', 'method')
FROM pass_grid(tasks(array_fill(1, ARRAY[10]), array_fill(1, ARRAY[10])), '{1}');
SELECT close_to(ci_low, 0, 0, '0 of 50, low'), close_to(ci_high, 0.071348, 5e-7, 'high'), is(method, 'wilson', 'method')
FROM pass_grid(tasks(array_fill(1, ARRAY[50]), array_fill(0, ARRAY[50])), '{1}');

-- Percentile and BCa: all n^n resamples of two small sets are known. The number
-- of resamples below an end point is binomial, so with 10,000 of them an end
-- point of the exact distribution is met within its neighbouring values.
CREATE FUNCTION exact_resamples(v float8[]) RETURNS TABLE (mean float8, p float8) LANGUAGE sql AS $$
	WITH RECURSIVE r (i, total) AS (
		SELECT 0, 0::numeric UNION ALL SELECT i + 1, total + x::numeric FROM r, unnest(v) x WHERE i < cardinality(v))
	SELECT (total / cardinality(v))::float8, count(*) / power(cardinality(v), cardinality(v))
	FROM r WHERE i = cardinality(v) GROUP BY total $$;
CREATE FUNCTION within_sampling(have float8, q float8, v float8[], resamples int, what text) RETURNS text LANGUAGE sql AS $$
	WITH c AS (SELECT mean, sum(p) OVER (ORDER BY mean) AS upto FROM exact_resamples(v)),
	     e AS (SELECT 4 * sqrt(q * (1 - q) / resamples) AS e)
	SELECT ok(have BETWEEN (SELECT min(mean) FROM c, e WHERE upto >= q - e) - 1e-12
	               AND (SELECT min(mean) FROM c, e WHERE upto >= q + e) + 1e-12, format('%s: %s', what, have)) $$;

SELECT within_sampling(ci_low, 0.025, '{0,.5,.5,1}', 10000, 'percentile of {0,.5,.5,1}, low'),
       within_sampling(ci_high, 0.975, '{0,.5,.5,1}', 10000, 'high'), is(method, 'percentile', 'method')
FROM pass_grid(tasks('{2,2,2,2}', '{0,1,1,2}'), '{1}', method => 'percentile');
SELECT within_sampling(ci_low, 0.025, '{.2,.4,.9,1,.6}', 10000, 'percentile of {.2,.4,.9,1,.6}, low'),
       within_sampling(ci_high, 0.975, '{.2,.4,.9,1,.6}', 10000, 'high')
FROM pass_grid(tasks('{10,10,10,10,10}', '{2,4,9,10,6}'), '{1}', method => 'percentile');
-- BCa with z0 = -.00360955, a = -.00440207 reads the quantiles at these levels
SELECT within_sampling(ci_low, levels.low, '{.2,.4,.9,1,.6}', 10000, 'BCa of {.2,.4,.9,1,.6}, low'),
       within_sampling(ci_high, levels.high, '{.2,.4,.9,1,.6}', 10000, 'high'), is(method, 'bca', 'method')
FROM pass_grid(tasks('{10,10,10,10,10}', '{2,4,9,10,6}'), '{1}', method => 'bca'),
     (VALUES (0.02361099, 0.97356869)) levels(low, high);

-- clustered: a difference at K = 1 paired by task, values [1,1,0,1,.5] and [0,1,0,.5,.5]
SELECT close_to(diff, 0.3, 1e-12, 'paired difference'), close_to(std_error, 0.2, 1e-12, 'its standard error'),
       close_to(ci_low, -0.25529, 5e-6, 't interval, low'), close_to(ci_high, 0.85529, 5e-6, 'high'),
       close_to(p_value, 0.208, 5e-4, 'p value'), is(tasks, 5::bigint, 'tasks'), is(method, 't', 'method')
FROM pass_diff(tasks('{2,2,2,2,2}', '{2,2,0,2,1}'), tasks('{2,2,2,2,2}', '{0,2,0,1,1}'), '{1}', method => 't');
SELECT is(method, 'mover', 'fewer than 10 differences: MOVER')
FROM pass_diff(tasks('{2,2,2,2,2}', '{2,2,0,2,1}'), tasks('{2,2,2,2,2}', '{0,2,0,1,1}'), '{1}');

-- unbiased variance of one task's pass@k
SELECT close_to(std_error_fixed * std_error_fixed, want, 1e-12, format('variance at n %s, c %s, k %s', n, c, v.k))
FROM (VALUES (10, 3, 2, 23 / 450.0), (8, 2, 4, 9 / 196.0), (4, 2, 2, 1 / 36.0), (16, 1, 8, 0.25)) v(n, c, k, want),
     LATERAL pass_grid(tasks(ARRAY[n], ARRAY[c]), ARRAY[v.k::bigint]) g;
SELECT is(std_error_fixed, NULL, 'a task with fewer than 2k attempts has no such variance')
FROM pass_grid(tasks('{4,3}', '{1,1}'), '{2}');

-- t interval: tau-bench's distribution of successes by task, 0:14, 1:12, 2:10, 3:4, 4:10
CREATE TEMP TABLE airline AS
SELECT tasks(array_fill(4, ARRAY[50]), array_fill(0, ARRAY[14]) || array_fill(1, ARRAY[12]) || array_fill(2, ARRAY[10])
             || array_fill(3, ARRAY[4]) || array_fill(4, ARRAY[10])) AS s;
SELECT close_to(pass, 0.42, 1e-12, 'pass@1'), close_to(std_error, 0.05221619, 5e-9, 'standard error'),
       close_to(ci_low, 0.315068, 5e-7, 't(49), low'), close_to(ci_high, 0.524932, 5e-7, 'high')
FROM airline, pass_grid(s, '{1}', method => 't');
SELECT close_to(std_error, want, 5e-9, format('standard error at k %s', kk))
FROM airline, pass_grid(s, '{2,3,4}') JOIN (VALUES (2, 0.05674464), (3, 0.06050805), (4, 0.06414270)) v(kk, want) ON k = kk;

-- bands hold the intervals of all cells, and the p value of a band is at least the pointwise one
CREATE TEMP TABLE arms AS
SELECT pass_agg(task, h % 3 = 0, 1 + h / 3 % 20) AS treatment, pass_agg(task, h % 4 = 0, 1 + h / 4 % 20) AS reference
FROM (SELECT i % 60 AS task, hashint8extended(i, 5) & 1073741823 AS h FROM generate_series(1, 960) i) d;
SELECT ok(bool_and(band_low <= ci_low + 0.02 AND band_high >= ci_high - 0.02), 'bands of a grid are wider than its intervals')
FROM arms, pass_grid(treatment, '{1,2,4,8}', '{2,5,10,15,20}');
SELECT ok(bool_and(band_low <= ci_low AND band_high >= ci_high AND p_adjusted >= least(p_value, 1)), 'bands of a difference are wider')
FROM arms, pass_diff(treatment, reference, '{1,2,4,8}', '{2,5,10,15,20}') WHERE method = 't';
SELECT ok(bool_and((p_value < 0.05) = (ci_low > 0 OR ci_high < 0)), 'a p value agrees with its interval: ' || how)
FROM arms, unnest('{auto,t,bca,percentile}'::text[]) how,
     LATERAL pass_diff(treatment, reference, '{1,2,4,8}', '{1,2,5,10,15,20}', method => how) d GROUP BY how;
SELECT is(a.diff, -b.diff, 'exchanging the arms changes the sign') FROM arms,
     pass_diff(treatment, reference, '{2}', '{10}') a, pass_diff(reference, treatment, '{2}', '{10}') b;

-- the rule of a grid's band, by Wilson's equation (p - b)^2 n = z^2 b (1 - b) for its bounds b: one z for all cells that are not
-- sparse, where n = p (1 - p) / std_error^2; sparse ones have n = 60 tasks and a z that is t(59)/1.96 sqrt(60/59) times smaller
CREATE TEMP TABLE implied AS
SELECT method = 'wilson' AS sparse, (pass - b) ^ 2 * CASE WHEN method = 'wilson' THEN tasks ELSE pass * (1 - pass) / std_error ^ 2 END / (b * (1 - b)) AS zz
FROM arms, pass_grid(treatment, '{1,2,4,8}', '{1,2,5,10,15,20}') g, unnest(ARRAY[band_low, band_high]) b WHERE std_error > 0;
SELECT cmp_ok(min(cells), '>', 3::bigint, 'cells of both kinds') FROM (SELECT count(*) AS cells FROM implied GROUP BY sparse) q;
SELECT close_to(max(zz) / min(zz), 1, 1e-9, 'one critical value for all cells, sparse: ' || sparse) FROM implied GROUP BY sparse ORDER BY sparse;
SELECT close_to(sqrt(max(zz) FILTER (WHERE NOT sparse) / max(zz) FILTER (WHERE sparse)), 2.0009953780882688 / 1.959963984540054 * sqrt(60.0 / 59), 1e-9,
                'and its factor') FROM implied;

-- one draw serves all cells: a cell has the same interval alone and in a grid
SELECT ok(bool_and(a.ci_low = b.ci_low AND a.ci_high = b.ci_high), 'a cell alone has the same bits as in a grid')
FROM arms, pass_grid(treatment, '{1,2,4,8}', '{5,10,20}', method => 'bca') a, LATERAL pass_grid(treatment, ARRAY[a.k], ARRAY[a.t], method => 'bca') b;
SELECT ok(bool_or(a.ci_low <> b.ci_low), 'another seed, other resamples')
FROM arms, pass_grid(treatment, '{1,2,4,8}', '{5,10,20}', seed => 1, method => 'percentile') a
     JOIN LATERAL pass_grid(treatment, '{1,2,4,8}', '{5,10,20}', seed => 2, method => 'percentile') b USING (k, t);

-- headroom to a bound: the oracle solves tasks 1 to 4 within 3 turns, task 5 only in 9
SELECT close_to(bound, 0.8, 1e-12, 'bound at T = 5'), close_to(headroom, 0.8 - 0.4, 1e-12, 'headroom')
FROM pass_grid((SELECT pass_agg(i, i <= 2, 4) FROM generate_series(1, 5) i), '{1}', '{5}',
     bound => (SELECT pass_agg(i, true, CASE WHEN i = 5 THEN 9 ELSE 3 END) FROM generate_series(1, 5) i));

-- its interval is that of the paired difference: the oracle solves every task, so headroom is 1 - pass
SELECT close_to(headroom_low, 1 - hi, 1e-12, 'headroom, low'), close_to(headroom_high, 1 - lo, 1e-12, 'headroom, high')
FROM airline, pass_grid(s, '{1}', method => 't', bound => (SELECT pass_agg(i, true, 1) FROM generate_series(1, 50) i)),
     LATERAL (SELECT ci_low AS lo, ci_high AS hi FROM pass_grid(s, '{1}', method => 't')) own;

-- tasks x cells x resamples above 2^32: intervals by t, bands through blocks of tasks; the tasks alone decide nothing
SELECT is(method, 't', 'too much to resample by default: t'), ok(band_low < ci_low AND band_high > ci_high, 'with a band')
FROM pass_grid((SELECT pass_agg(i % 25000, hashint8extended(i, 9) % 3 = 0, 1 + i % 5) FROM generate_series(1, 50000) i), '{1,2}', '{3}', resamples => 100000);
SELECT is(method, 'bca', 'less is resampled')
FROM pass_grid((SELECT pass_agg(i % 25000, hashint8extended(i, 9) % 3 = 0, 1 + i % 5) FROM generate_series(1, 50000) i), '{1}', '{3}', resamples => 1000);

SELECT * FROM finish();
ROLLBACK;
