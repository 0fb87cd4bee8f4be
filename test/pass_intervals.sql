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

-- Shares by the rule for them: values of a program of its own (K 1 unless said)
SELECT close_to(pass, v, 5e-7, what), close_to(ci_low, low, 5.1e-7, 'low'), close_to(ci_high, high, 5.1e-7, 'high'), close_to(tasks_effective / flips, 1, 1e-5, 'effective sample size'),
	is(method, 'beta', 'method')
FROM (VALUES ('50 tasks, none solved', array_fill(1, ARRAY[50]), array_fill(0, ARRAY[50]), 1, 0.95, 0, 0, .060681, 50),
	('50 tasks, one solved', array_fill(1, ARRAY[50]), 1 || array_fill(0, ARRAY[49]), 1, 0.95, .02, .001189, .098240, 50),
	('8 tasks, 4 solved', array_fill(1, ARRAY[8]), '{1,1,1,1,0,0,0,0}', 1, 0.95, .5, .177497, .822503, 8),
	('100 tasks, all 3 of 64', array_fill(64, ARRAY[100]), array_fill(3, ARRAY[100]), 1, 0.95, .046875, .041122, .053179, 4808.61),
	('100 tasks, 20 of them 4 of 64, others 3', array_fill(64, ARRAY[100]), array_fill(4, ARRAY[20]) || array_fill(3, ARRAY[80]), 1, 0.95, .05, .044058, .056490, 4805.09),
	('one more of them', array_fill(64, ARRAY[100]), array_fill(4, ARRAY[21]) || array_fill(3, ARRAY[79]), 1, 0.95, .050156, .044205, .056656, 4804.99),
	('100 tasks, none of 64', array_fill(64, ARRAY[100]), array_fill(0, ARRAY[100]), 1, 0.95, 0, 0, .030854, 100),
	('one of 6,400', array_fill(64, ARRAY[100]), 1 || array_fill(0, ARRAY[99]), 1, 0.95, .000156, 0, .028389, 110.224),
	('20 tasks, 0 to 4 of 4', array_fill(4, ARRAY[20]), '{0,1,2,3,4,0,1,2,3,4,0,1,2,3,4,0,1,2,3,4}', 1, 0.95, .5, .325865, .674135, 31.9649),
	('the same, K 2', array_fill(4, ARRAY[20]), '{0,1,2,3,4,0,1,2,3,4,0,1,2,3,4,0,1,2,3,4}', 2, 0.95, .666667, .465313, .830633, 25.8797),
	('the same as before, 99 %', array_fill(4, ARRAY[20]), '{0,1,2,3,4,0,1,2,3,4,0,1,2,3,4,0,1,2,3,4}', 1, 0.99, .5, .274760, .725240, 30.8542),
	('three tasks of unequal attempts', '{3,3,4}', '{1,1,4}', 1, 0.95, .555556, .083251, .953765, 3)) w(what, n, c, kk, level, v, low, high, flips),
	LATERAL pass_grid(tasks(n, c), ARRAY[kk], confidence => level) g;
-- and differences
SELECT close_to(diff, v, 5.1e-7, what), close_to(ci_low, low, 5.1e-7, 'low'), close_to(ci_high, high, 5.1e-7, 'high'), close_to(p_value, p, 5.1e-7, 'p value'), is(method, 'paired', 'method')
FROM (VALUES ('8 tasks, 6 wins, 2 losses', array_fill(1, ARRAY[8]), '{1,1,1,1,1,1,0,0}', array_fill(1, ARRAY[8]), '{0,0,0,0,0,0,1,1}', .5, -.307258, 1, .207071),
	('8 tasks, 7 wins, 1 loss', array_fill(1, ARRAY[8]), '{1,1,1,1,1,1,1,0}', array_fill(1, ARRAY[8]), '{0,0,0,0,0,0,0,1}', .75, .032519, 1, .0417396),
	('50 tasks that agree', array_fill(1, ARRAY[50]), array_fill(0, ARRAY[50]), array_fill(1, ARRAY[50]), array_fill(0, ARRAY[50]), 0, -.055551, .055551, 1),
	('100 tasks, 9 wins', array_fill(1, ARRAY[100]), array_fill(1, ARRAY[9]) || array_fill(0, ARRAY[91]), array_fill(1, ARRAY[100]), array_fill(0, ARRAY[100]), .09, .032242, .147434, .00255934),
	('0 of 50 against 12 of 800', array_fill(1, ARRAY[50]), array_fill(0, ARRAY[50]), array_fill(16, ARRAY[50]), array_fill(1, ARRAY[12]) || array_fill(0, ARRAY[38]), -.015, -.051475, .021537, .413932),
	('100 tasks that agree on 32 of 64', array_fill(64, ARRAY[100]), array_fill(32, ARRAY[100]), array_fill(64, ARRAY[100]), array_fill(32, ARRAY[100]), 0, -.032761, .032761, 1),
	('10 of them win one more', array_fill(64, ARRAY[100]), array_fill(33, ARRAY[10]) || array_fill(32, ARRAY[90]), array_fill(64, ARRAY[100]), array_fill(32, ARRAY[100]), .001563, -.017614, .020734, .872064),
	('20 equal gains', array_fill(4, ARRAY[20]), array_fill(3, ARRAY[20]), array_fill(4, ARRAY[20]), array_fill(2, ARRAY[20]), .25, .069291, .426249, .00906635))
	w(what, n1, c1, n0, c0, v, low, high, p), LATERAL pass_diff(tasks(n1, c1), tasks(n0, c0), '{1}') d;
-- 7 wins and 2 losses of 10 tasks: the exact test gives .180, its mid-p .109
SELECT ok(p_value BETWEEN .10 AND .20, 'near the exact test: ' || p_value)
FROM pass_diff(tasks(array_fill(1, ARRAY[10]), '{1,1,1,1,1,1,1,0,0,0}'), tasks(array_fill(1, ARRAY[10]), '{0,0,0,0,0,0,0,1,1,0}'), '{1}');
-- twelve gains of 1/3 are equal, whatever floats make of thirds
SELECT is(std_error, 0::float8, 'equal gains have no spread'), ok(ci_low > 0.05 AND ci_low < 0.1 AND ci_high > 0.5, 'but an interval')
FROM pass_diff(tasks(array_fill(3, ARRAY[12]), '{1,2,3,1,2,3,1,2,3,1,2,3}'), tasks(array_fill(3, ARRAY[12]), '{0,1,2,0,1,2,0,1,2,0,1,2}'), '{1}');
-- what a gain may be carried by, unseen: 1 - .05 ^ (1 / 100)
SELECT close_to(unseen, 1 - 0.05 ^ 0.01, 1e-12, 'unseen') FROM pass_diff(tasks(array_fill(1, ARRAY[100]), array_fill(0, ARRAY[100])), tasks(array_fill(1, ARRAY[100]), array_fill(0, ARRAY[100])), '{1}');

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

-- bands hold the intervals of all cells, and the p value of a band is at least the pointwise one, whatever the method
CREATE TEMP TABLE arms AS
SELECT pass_agg(task, h % 3 = 0, 1 + h / 3 % 20) AS treatment, pass_agg(task, h % 4 = 0, 1 + h / 4 % 20) AS reference
FROM (SELECT i % 60 AS task, hashint8extended(i, 5) & 1073741823 AS h FROM generate_series(1, 960) i) d;
SELECT ok(bool_and(band_low <= ci_low AND band_high >= ci_high), 'bands of a grid hold its intervals: ' || how)
FROM arms, unnest('{auto,t,bca,percentile}'::text[]) how, LATERAL pass_grid(treatment, '{1,2,4,8}', '{1,2,5,10,15,20}', method => how) GROUP BY how;
SELECT ok(bool_and(band_low <= ci_low AND band_high >= ci_high AND p_adjusted >= p_value), 'and those of a difference: ' || how)
FROM arms, unnest('{auto,t,bca,percentile}'::text[]) how, LATERAL pass_diff(treatment, reference, '{1,2,4,8}', '{1,2,5,10,15,20}', method => how) GROUP BY how;
SELECT ok(bool_and((p_value < 0.05) = (ci_low > 0 OR ci_high < 0)), 'a p value agrees with its interval: ' || how)
FROM arms, unnest('{auto,t,bca,percentile}'::text[]) how,
     LATERAL pass_diff(treatment, reference, '{1,2,4,8}', '{1,2,5,10,15,20}', method => how) d GROUP BY how;
SELECT is(a.diff, -b.diff, 'exchanging the arms changes the sign') FROM arms,
     pass_diff(treatment, reference, '{2}', '{10}') a, pass_diff(reference, treatment, '{2}', '{10}') b;

-- the band of a cell is its own interval at one level for all cells: 20 tasks x 4 at three T, whose level another program found
CREATE TEMP TABLE banded AS
SELECT g.* FROM (SELECT pass_agg(task, a <= c16, CASE WHEN a <= c4 THEN 4 WHEN a <= c8 THEN 8 ELSE 16 END) AS s
	FROM (SELECT i AS task, i % 5 AS c4, least(4, i % 5 + (i % 3 = 0)::int) AS c8, least(4, least(4, i % 5 + (i % 3 = 0)::int) + i % 2) AS c16 FROM generate_series(0, 19) i) t,
		generate_series(1, 4) a GROUP BY ()) q, pass_grid(s, '{1}', '{4,8,16}', resamples => 2000) g;
SELECT close_to(b.band_low, i.ci_low, 1e-6, 'band at T ' || b.t), close_to(b.band_high, i.ci_high, 1e-6, 'to')
FROM banded b JOIN (SELECT g.* FROM (SELECT pass_agg(task, a <= c16, CASE WHEN a <= c4 THEN 4 WHEN a <= c8 THEN 8 ELSE 16 END) AS s
	FROM (SELECT i AS task, i % 5 AS c4, least(4, i % 5 + (i % 3 = 0)::int) AS c8, least(4, least(4, i % 5 + (i % 3 = 0)::int) + i % 2) AS c16 FROM generate_series(0, 19) i) t,
		generate_series(1, 4) a GROUP BY ()) q, pass_grid(s, '{1}', '{4,8,16}', confidence => 1 - .036638) g) i USING (t);

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

-- where no task falls short of its bound, the headroom is itself a share: the oracle solves every task, so headroom is 1 - pass
SELECT close_to(headroom_low, 1 - hi, 1e-12, 'headroom, low: ' || how), close_to(headroom_high, 1 - lo, 1e-12, 'headroom, high')
FROM airline, unnest('{auto,t}'::text[]) how, LATERAL pass_grid(s, '{1}', method => how, bound => (SELECT pass_agg(i, true, 1) FROM generate_series(1, 50) i)),
     LATERAL (SELECT ci_low AS lo, ci_high AS hi FROM pass_grid(s, '{1}', method => how)) own;

-- no cliff in the number of tasks: one rule on all sides of 1,000 and 20,000, the band a little wider than the interval
SELECT ok(bool_and(method = 'beta' AND band_low < ci_low AND band_high > ci_high AND band_high - band_low < 1.4 * (ci_high - ci_low)), 'tasks: ' || m)
FROM unnest('{999,1001,19999,20001}'::int[]) m, LATERAL pass_grid((SELECT pass_agg(i % m, hashint8extended(i, 9) % 3 = 0, 1 + i % 5) FROM generate_series(1, m * 2) i), '{1,2}', '{3}') GROUP BY m;

-- nothing is resampled for an interval
SELECT ok(bool_and(a.ci_low = b.ci_low AND a.ci_high = b.ci_high AND b.band_low IS NULL), 'an interval needs no resamples')
FROM arms, pass_grid(treatment, '{1,2,4,8}', '{1,2,5,10}') a JOIN LATERAL pass_grid(treatment, '{1,2,4,8}', '{1,2,5,10}', resamples => 0) b USING (k, t);

-- a row speaks of one set of tasks: 80 at T = 10, 40 of them at T = 30, none at K = 16
CREATE TEMP TABLE uneven AS
SELECT pass_agg(task, a <= task % 7, 5, CASE WHEN task <= 40 THEN 10 ELSE 30 END) AS s, pass_agg(task, a <= task % 5, 5, CASE WHEN task <= 40 THEN 10 ELSE 30 END) AS r
FROM generate_series(1, 80) task, generate_series(1, 8) a;
SELECT results_eq($$SELECT k, t, tasks, band_low < pass AND pass < band_high FROM uneven, pass_grid(s, '{1,16}', '{10,30}')$$,
	$$VALUES (1::bigint, 10::bigint, 80::bigint, true), (1, 30, 40, true), (16, 10, 0, NULL), (16, 30, 0, NULL)$$, 'a cell without tasks empties no other band');
SELECT results_eq($$SELECT k, t, tasks, band_low < diff AND diff < band_high, p_adjusted >= p_value, note FROM uneven, pass_diff(s, r, '{1,16}', '{10,30}')$$,
	$$VALUES (1::bigint, 10::bigint, 80::bigint, true, true, NULL::text), (1, 30, 40, true, true, NULL),
	(16, 10, 0, NULL, NULL, 'no task has k eligible attempts in both arms'), (16, 30, 0, NULL, NULL, 'no task has k eligible attempts in both arms')$$, 'nor of a difference');

-- summaries that are null, and arms without a task in common
SELECT results_eq($$SELECT k, t, pass, ci_low, tasks, rollouts, note FROM pass_grid(NULL, '{1,2}', '{5}')$$,
	$$VALUES (1::bigint, 5::bigint, NULL::float8, NULL::float8, 0::bigint, 0::bigint, 'the summary is null'), (2, 5, NULL, NULL, 0, 0, 'the summary is null')$$, 'no summary: the rows, with 0 tasks');
SELECT results_eq($$SELECT tasks, tasks_short, note FROM uneven, pass_diff(s, NULL, '{1}', '{5}') UNION ALL SELECT tasks, tasks_short, note FROM uneven, pass_diff(NULL, r, '{1}', '{5}')
	UNION ALL SELECT tasks, tasks_short, note FROM pass_diff((SELECT pass_agg('a', true, 1)), (SELECT pass_agg('b', true, 1)), '{1}')$$,
	$$VALUES (0::bigint, 80::bigint, 'the reference is null'), (0, 80, 'the treatment is null'), (0, 2, 'no common task')$$, 'a difference says why there is none');

-- one more solved rollout at a time: no end of an interval jumps
SELECT cmp_ok(max(greatest(abs(low - last_low), abs(high - last_high)) / width), '<', 0.35::float8, 'ends move little: ' || n || ' attempts')
FROM (SELECT n, s, ci_low AS low, ci_high AS high, lag(ci_low) OVER w AS last_low, lag(ci_high) OVER w AS last_high, ci_high - ci_low AS width
	FROM (VALUES (4), (16), (64)) v(n), generate_series(0, 60) s,
		LATERAL pass_grid((SELECT pass_agg(i, a <= s / 20 + (i < s % 20)::int, 1) FROM generate_series(0, 19) i, generate_series(1, n) a), '{1}', resamples => 0) WHERE s / 20 < n
	WINDOW w AS (PARTITION BY n ORDER BY s)) q WHERE last_low IS NOT NULL GROUP BY n ORDER BY n;

SELECT * FROM finish();
ROLLBACK;
