-- paired_agg and paired_diff; state_pool_agg, matched_states and its report: answers worked out by hand.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) < 1e-12, have IS NULL AND want IS NULL), format('%s: %s, have %s', what, want, have)) $$;

-- REFERENCE: five pairs, 1 1 0 1 .5 against 0 1 0 .5 .5. Differences 1 0 0 .5 0: mean .3, sd sqrt(.2), error .2;
-- t(.975, 4) = 2.776445. Pairs: two won, three level, so P(better) = (1 + .5 + .5 + 1 + .5) / 5.
CREATE TEMP TABLE five (unit int, arm bool, value float8);
INSERT INTO five SELECT u, true, v FROM unnest('{1,1,0,1,.5}'::float8[]) WITH ORDINALITY a(v, u)
UNION ALL SELECT u, false, v FROM unnest('{0,1,0,.5,.5}'::float8[]) WITH ORDINALITY a(v, u);
SELECT is(units, 5::bigint, 'five units'), is(clusters, 5::bigint, 'each a cluster'), is(unpaired, 0::bigint, 'none unpaired'),
       close_to(mean_treatment, 0.7, 'treatment'), close_to(mean_reference, 0.4, 'reference'), close_to(diff, 0.3, 'difference'),
       close_to(std_error, 0.2, 'standard error'), ok(abs(ci_low + 0.25529) < 5e-6 AND abs(ci_high - 0.85529) < 5e-6, 't interval'),
       ok(abs(p_value - 0.208) < 5e-4, 'p value'), is(method, 't', 't was asked for'),
       is(ARRAY[wins, ties, losses], '{2,3,0}', 'wins, ties, losses'), close_to(win_rate, 0.4, 'win rate'),
       close_to(prob_better, 0.7, 'P(better)'), is(missing, 0::bigint, 'none missing')
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM five), method => 't');
SELECT is(method, 'hull', 'auto: a mean of any numbers'), ok(ci_low < 0.3 AND ci_high > 0.3, 'its interval holds the difference')
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM five));

-- DESIGN: nine pairs of 0 in task a and one of 1 in task b: r = .1, residuals -.9 and .9,
-- error sqrt(2/1 * 1.62) / 10 = .18. A mean of the two tasks' means would be .5.
CREATE TEMP TABLE tasks (task text, unit int, arm bool, value float8);
INSERT INTO tasks SELECT 'a', u, arm, 0 FROM generate_series(1, 9) u, (VALUES (true), (false)) a(arm)
UNION ALL VALUES ('b', 1, true, 1), ('b', 1, false, 0);
SELECT is(units, 10::bigint, 'clustered: ten units'), is(clusters, 2::bigint, 'in two tasks'), close_to(diff, 0.1, 'mean over units'),
       close_to(std_error, 0.18, 'error over tasks'), is(ARRAY[wins, ties, losses], '{1,9,0}', 'one win')
FROM paired_diff((SELECT paired_agg(task, unit, arm, value) FROM tasks));
SELECT close_to(std_error, 0.1, 'the same pairs unclustered: sqrt(.1 * .9 * 10/9 / 10)')
FROM paired_diff((SELECT paired_agg(task || unit, arm, value) FROM tasks));

-- One unit, three samples a side: 1 2 3 against 2 2 4. Means 2 and 8/3. Pairs: 1 beats none; 2 ties two: 1;
-- 3 beats two: 2; of nine: 3/9. One cluster: no standard error, and values outside [0,1] give no interval.
SELECT close_to(diff, -2 / 3.0, 'one unit'), close_to(std_error, NULL, 'no error from one cluster'), close_to(ci_low, NULL, 'no interval'),
       close_to(p_value, NULL, 'no p value'), is(method, NULL::text, 'no method'), close_to(prob_better, 3 / 9.0, 'P(better) over pairs of samples'),
       is(ARRAY[wins, ties, losses], '{0,0,1}', 'a loss'), ok(win_low = 0 AND win_high BETWEEN 0.9 AND 0.95, 'a share of one unit')
FROM paired_diff((SELECT paired_agg('u', arm, v) FROM (VALUES (true, 1), (true, 2), (true, 3), (false, 2), (false, 2), (false, 4)) a(arm, v)));

-- one cluster of many units of proportions: its own difference stands for one cluster
SELECT is(clusters, 1::bigint, 'one cluster'), is(units, 4::bigint, 'four units'), close_to(diff, 1, 'each won'), is(method, 'paired', 'a difference of proportions'),
       ok(ci_low < 0.2, 'one cluster says little'), close_to(std_error, NULL, 'no error')
FROM paired_diff((SELECT paired_agg(1, u, arm, arm::int) FROM generate_series(1, 4) u, (VALUES (true), (false)) a(arm)));

-- Units in one arm only, units without any value, NULL values. Unit 1: 1 and NULL against 0. 2: treatment only. 3: reference only.
-- 4: NULL against 1. 5: NULL against NULL.
CREATE TEMP TABLE holes (unit text, arm bool, value float8);
INSERT INTO holes VALUES ('1', true, 1), ('1', true, NULL), ('1', false, 0), ('2', true, 1), ('3', false, 1), ('4', true, NULL), ('4', false, 1),
	('5', true, NULL), ('5', false, NULL);
SELECT is(units, 1::bigint, 'holes: one unit is paired'), is(unpaired, 4::bigint, 'four are not'), is(missing, 4::bigint, 'four values are missing'),
       close_to(mean_treatment, 1, 'missing values are no zeros'), close_to(diff, 1, 'difference'), is(wins, 1::bigint, 'one value each')
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM holes));
SELECT is(row(units, clusters, unpaired, missing)::text, '(0,0,4,3)', 'no unit is paired: the counts stand'),
       ok(num_nulls(mean_treatment, mean_reference, diff, std_error, ci_low, ci_high, wins, ties, losses, win_rate, win_low, win_high,
                    prob_better, p_value, method) = 15, 'and every figure is null')
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM holes WHERE unit <> '1'));
SELECT is(row(units, clusters, unpaired, missing)::text, '(0,0,2,0)', 'clusters without a pair are no clusters')
FROM paired_diff((SELECT paired_agg(1, unit, arm, value) FROM holes WHERE unit IN ('2', '3')));
SELECT is_empty($$ SELECT * FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM holes WHERE false)) $$, 'no rows, no report');
SELECT is((SELECT count(*) FROM paired_diff(NULL)), 0::bigint, 'a null summary, no report');

-- Unequal G: wins are null, the rest stands. Unit 1: 1 0 against 1; unit 2: 0 against 0.
SELECT ok(num_nulls(wins, ties, losses, win_rate, win_low, win_high) = 6, 'unequal G: no wins'), close_to(diff, -0.25, 'yet a difference'),
       close_to(prob_better, (0.25 + 0.5) / 2, 'and P(better)')
FROM paired_diff((SELECT paired_agg(u, arm, v) FROM (VALUES (1, true, 1), (1, true, 0), (1, false, 1), (2, true, 0), (2, false, 0)) a(u, arm, v)));
SELECT is(ARRAY[wins, ties, losses], '{0,2,0}', 'G may differ between units')
FROM paired_diff((SELECT paired_agg(u, arm, v) FROM (VALUES (1, true, 1), (1, true, 0), (1, false, 1), (1, false, 0), (2, true, 0), (2, false, 0)) a(u, arm, v)));

-- Rounding invents no win: equal multisets, equal decimals by another sum, equal means of different counts.
SELECT is(ARRAY[wins, ties, losses], '{0,1,0}', 'a tie: ' || what), ok(diff = 0, 'its difference is 0: ' || what)
FROM (VALUES ('the same values', '{.1,.7,.2}'::float8[], '{.2,.1,.7}'::float8[]), ('.1 + .2 + 0 and .3 + 0 + 0', '{.1,.2,0}', '{.3,0,0}'),
             ('ten tenths and one', '{.1,.1,.1,.1,.1,.1,.1,.1,.1,.1}', '{1,0,0,0,0,0,0,0,0,0}'),
             ('thirds', ARRAY[1/3.0, 1/3.0, 1/3.0], '{1,0,0}')) c(what, t, r),
     LATERAL paired_diff((SELECT paired_agg(1, arm, v) FROM (SELECT true, unnest(t) UNION ALL SELECT false, unnest(r)) a(arm, v)));
SELECT ok(diff = 0, 'three tenths against seven: the means are equal'), is(wins, NULL::bigint, 'no wins at unequal G')
FROM paired_diff((SELECT paired_agg(1, i <= 3, .1) FROM generate_series(1, 10) i));
-- and hides none: what both arms share cancels before anything is rounded (1e16, -1e16 and 1 against 0: 1/3)
SELECT is(wins, 1::bigint, 'a win of 1 among values of 1e16'), close_to(diff, 1 / 3.0, 'its difference')
FROM paired_diff((SELECT paired_agg(1, arm, v) FROM (VALUES (true, 1e16), (true, -1e16), (true, 1), (false, -1e16), (false, 0), (false, 1e16)) a(arm, v)));

-- Two identical policies, right with chance .9, G = 1 against 16: the best of means would "win" most states.
-- 400 states whose samples are in the exact proportion: 360 single samples are right, each state's 16 hold .9 on average.
SELECT ok(abs(diff) < 1e-12, 'identical policies, 1 against 16: no difference'), close_to(prob_better, 0.5, 'no sample is better than the other''s'),
       is(wins, NULL::bigint, 'and wins are not counted'), close_to(p_value, 1, 'p is 1')
FROM paired_diff((SELECT paired_agg(u, arm, ok::int) FROM (
	SELECT u, true AS arm, u % 10 <> 0 AS ok FROM generate_series(1, 400) u
	UNION ALL SELECT u, false, (u / 10 * 16 + g) % 10 <> 0 FROM generate_series(1, 400) u, generate_series(1, 16) g) q));
-- drawn by chance: the count of states where 1 beats the mean of 16 is far from that where it loses, the report is not misled
SELECT ok(p_value > 0.05, 'drawn: p = ' || p_value), ok(prob_better BETWEEN 0.47 AND 0.53, 'drawn: P(better) = ' || prob_better), is(win_rate, NULL::float8, 'drawn: no win rate')
FROM paired_diff((SELECT paired_agg(u, g = 0, (hashint8extended(u * 100 + g, 5) & 1023 < 922)::int)
                  FROM generate_series(1, 2000) u, generate_series(0, 16) g));
SELECT ok(better > 3 * worse, format('though comparing means would have said %s to %s', better, worse)) FROM (
	SELECT count(*) FILTER (WHERE t > r) AS better, count(*) FILTER (WHERE t < r) AS worse FROM (
		SELECT avg((hashint8extended(u * 100 + g, 5) & 1023 < 922)::int) FILTER (WHERE g = 0) AS t, avg((hashint8extended(u * 100 + g, 5) & 1023 < 922)::int) FILTER (WHERE g > 0) AS r
		FROM generate_series(1, 2000) u, generate_series(0, 16) g GROUP BY u) q) c;

-- key kinds: every combination resolves, also with bare literals
SELECT is((paired_diff(s)).units, 1::bigint, what) FROM (
	SELECT 'int' AS what, paired_agg(1, a, 0) AS s FROM unnest('{t,f}'::bool[]) a UNION ALL SELECT 'literal', paired_agg('u', a, 1) FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'varchar', paired_agg('u'::varchar, a, 1.5) FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'int, int', paired_agg(1, 2, a, 1) FROM unnest('{t,f}'::bool[]) a UNION ALL SELECT 'int, literal', paired_agg(1, 'u', a, 1) FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'literal, int', paired_agg('c', 1::smallint, a, 1) FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'literal, literal', paired_agg('c', 'u', a, 1::real) FROM unnest('{t,f}'::bool[]) a) q;
SELECT is((paired_diff(rollup(s))).unpaired, 0::bigint, 'rollup joins the arms') FROM (SELECT paired_agg(unit, arm, value) AS s FROM five GROUP BY arm) q;

-- errors
SELECT throws_ok($$ SELECT paired_agg(NULL::int, true, 1) $$, '22004', 'unit must not be null');
SELECT throws_ok($$ SELECT paired_agg(NULL::text, 1, true, 1) $$, '22004', 'cluster must not be null');
SELECT throws_ok($$ SELECT paired_agg(1, NULL::text, true, 1) $$, '22004', 'unit must not be null');
SELECT throws_ok($$ SELECT paired_agg(1, NULL::bool, 1) $$, '22004', 'arm must not be null');
SELECT throws_ok($$ SELECT paired_agg(1, true, 'NaN') $$, '22023', 'value must be a finite number, not NaN');
SELECT throws_ok($$ SELECT paired_agg(1, true, '-Infinity') $$, '22023', 'value must be a finite number, not -Infinity');
SELECT throws_ok($$ SELECT rollup(s) FROM (SELECT paired_agg(1, true, 1) s UNION ALL SELECT paired_agg(1, 2, true, 1)) q $$,
	'42804', 'a paired_summary cannot hold both units without a cluster and bigint units of clusters');
SELECT throws_ok($$ SELECT rollup(s) FROM (SELECT paired_agg(1, 'u', true, 1) s UNION ALL SELECT paired_agg(1, 2, true, 1)) q $$,
	'42804', 'a paired_summary cannot hold both bigint units of clusters and text units of clusters');
SELECT throws_ok($$ SELECT rollup(s) FROM (SELECT paired_agg('u', true, 1) s UNION ALL SELECT paired_agg(1, true, 1)) q $$,
	'42804', 'cannot combine a paired_summary keyed by text with one keyed by bigint');
SELECT throws_ok($$ SELECT * FROM paired_diff((SELECT paired_agg(i, i > 1, 1e308) FROM generate_series(1, 2) i), confidence => 95) $$,
	'22023', 'confidence must be between 0.01 and 0.9999999999, not 95');
SELECT throws_ok($$ SELECT * FROM paired_diff((SELECT paired_agg(i / 2, i % 2 = 0, (i % 2 - .5) * 3e308) FROM generate_series(1, 9) i)) $$,
	'22003', 'the values are too large for a mean difference and its error');
-- units that gain 1/3 each are as equal as those that gain 1/2; the flips within them are what is uncertain, as Pass@(1,T) has it
SELECT is(a.std_error, 0::float8, 'equal gains'), ok(abs(a.ci_low - d.ci_low) < 1e-12 AND abs(a.ci_high - d.ci_high) < 1e-12 AND abs(a.p_value - d.p_value) < 1e-12, 'as pass_diff')
FROM paired_diff((SELECT paired_agg(task, arm, (f <= task % 3 + arm::int)::int) FROM generate_series(1, 12) task, (VALUES (true), (false)) v(arm), generate_series(1, 3) f)) a,
	pass_diff((SELECT pass_agg(task, f <= task % 3 + 1, 1) FROM generate_series(1, 12) task, generate_series(1, 3) f), (SELECT pass_agg(task, f <= task % 3, 1) FROM generate_series(1, 12) task, generate_series(1, 3) f), '{1}') d;
-- 7 wins and 2 losses of ten: the exact test gives .180
SELECT ok(p_value BETWEEN 0.1 AND 0.2, 'wins and losses: ' || p_value)
FROM paired_diff((SELECT paired_agg(u, arm, CASE WHEN arm THEN (u <= 7)::int ELSE (u IN (8, 9))::int END) FROM generate_series(1, 10) u, (VALUES (true), (false)) v(arm)));
SELECT ok(bool_and((p_value < 0.05) = (ci_low > 0 OR ci_high < 0)), 'p below .05 exactly when 0 is outside: ' || m)
FROM unnest('{auto,t,bca,percentile}'::text[]) m, generate_series(0, 40) shift, LATERAL paired_diff((SELECT paired_agg(u, arm, (hashint8extended(u * 2 + arm::int, 3) & 1023) / 100.0 + arm::int * shift / 10.0) FROM generate_series(1, 25) u, (VALUES (true), (false)) v(arm)), method => m) GROUP BY m;
-- data times a power of two: the interval times it, to the last bit, as long as the mean is a number
SELECT is_empty($$
	WITH d AS (SELECT g, a, CASE WHEN a THEN (g * g % 97) ^ 3 / 7.0 ELSE (g * 31 % 89) / 3.0 END AS x FROM generate_series(1, 40) g, (VALUES (true), (false)) v(a)),
	r AS (SELECT m, e, p.* FROM unnest(ARRAY['auto', 't', 'bca', 'percentile']) m, unnest(ARRAY[0, -300, -400, -900, 335, 500, 980]) e,
		LATERAL (SELECT paired_agg(g, a, x * 2::float8 ^ e) AS s FROM d) q, paired_diff(s, method => m) p)
	SELECT r.m, r.e FROM r JOIN r AS o ON o.m = r.m AND o.e = 0
	WHERE (r.diff, r.std_error, r.ci_low, r.ci_high, r.p_value) IS DISTINCT FROM
		(o.diff * 2::float8 ^ r.e, o.std_error * 2::float8 ^ r.e, o.ci_low * 2::float8 ^ r.e, o.ci_high * 2::float8 ^ r.e, o.p_value)
$$, 'any scale');

-- I/O
CREATE TEMP TABLE kept AS SELECT paired_agg(task, unit, arm, value) AS s FROM tasks;
SELECT is((SELECT s::text::paired_summary::text FROM kept), (SELECT s::text FROM kept), 'text and back');
SELECT throws_ok($$ SELECT 'x'::paired_summary $$, '22P02', 'invalid input syntax for type paired_summary');
-- tag D, version 1, bigint keys (1), no ids (0), no texts, one key: 1 (zigzag 02), one record: arm 1 (02), 1.0 (its bytes
-- reversed, f03f, as a varint), count 1
SELECT is((SELECT paired_agg(1, true, 1)::text), '\x440201000001020102bfe00301', 'the flat form');
SELECT throws_ok(format($$ SELECT %L::paired_summary $$, bytes), '22P02', 'invalid value for type paired_summary') FROM (VALUES
	('\x'), ('\x44'), ('\x53020100000000'), ('\x44030100000000'), ('\x44020300000000'), ('\x44020103000000'), ('\x440201000001')) v(bytes);

-- the pool. Task 1: reference rollouts a (turns 1-3 of 4) and b (1-2 of 4), treatment rollout c (1-4 of 4).
-- Task 2: treatment only. Task 3: reference d with a budget, treatment e without.
CREATE TEMP TABLE states (task int, arm bool, rollout text, turn int, budget int);
INSERT INTO states VALUES (1, false, 'a', 1, 4), (1, false, 'a', 2, 4), (1, false, 'a', 3, 4), (1, false, 'b', 1, 4), (1, false, 'b', 2, 4),
	(1, true, 'c', 1, 4), (1, true, 'c', 2, 4), (1, true, 'c', 3, 4), (1, true, 'c', 4, 4), (2, true, 'f', 1, 4),
	(3, false, 'd', 1, 4), (3, true, 'e', 1, NULL), (3, true, 'e', 2, NULL);
CREATE TEMP TABLE pool AS SELECT state_pool_agg(task, arm, rollout, turn, budget) AS p FROM states;
SELECT results_eq($$ SELECT r.* FROM pool, matched_states_report(p, 5) r $$, $$ VALUES ('1', NULL::int, false, 5::bigint, 4::bigint, 1::bigint),
	('1', NULL, true, 4, 4, 1), ('2', NULL, false, 0, 0, 5), ('2', NULL, true, 1, 0, 5), ('3', NULL, false, 1, 1, 4), ('3', NULL, true, 2, 1, 4) $$,
	'report by task: the arm with fewer states sets the number');
-- halves: turns 1-2 of 4 are bin 1, 3-4 bin 2
SELECT results_eq($$ SELECT r.* FROM pool, matched_states_report(p, 2, 2) r $$, $$ VALUES ('1', 1, false, 4::bigint, 2::bigint, 0::bigint),
	('1', 1, true, 2, 2, 0), ('1', 2, false, 1, 1, 1), ('1', 2, true, 2, 1, 1), ('2', 1, false, 0, 0, 2), ('2', 1, true, 1, 0, 2),
	('3', 1, false, 1, 0, 2), ('3', 1, true, 0, 0, 2), ('3', NULL, false, 0, 0, NULL), ('3', NULL, true, 2, 0, NULL) $$,
	'report by half: a state without a budget has no depth, and is counted');
SELECT results_eq($$ SELECT task, arm, count(*), count(DISTINCT (rollout, turn)) FROM pool, matched_states(p, 3) m GROUP BY 1, 2 ORDER BY 1, 2 $$,
	$$ VALUES ('1', false, 3::bigint, 3::bigint), ('1', true, 3, 3), ('3', false, 1, 1), ('3', true, 1, 1) $$, 'as many states of each arm, none twice');
SELECT is_empty($$ SELECT m.* FROM pool, matched_states(p, 3, 7, 2) m EXCEPT
	SELECT task::text, CASE WHEN turn <= 2 THEN 1 ELSE 2 END, arm, rollout, turn FROM states WHERE budget IS NOT NULL $$, 'each picked state is in the pool, in its bin');
-- the published rule, in SQL
CREATE FUNCTION drawn(per_arm bigint, seed bigint) RETURNS TABLE (task text, arm bool, rollout text, turn int) LANGUAGE sql AS $$
	SELECT task::text, arm, rollout, turn FROM (
		SELECT *, row_number() OVER (PARTITION BY task, arm ORDER BY substr(sha256(convert_to(format('matched_states:1:%s:%s:%s:%s:%s',
			seed, task, arm::int, rollout, turn), 'UTF8')), 1, 8), rollout COLLATE "C", turn) AS rank FROM states) r
	JOIN (SELECT task, least(count(*) FILTER (WHERE arm), count(*) FILTER (WHERE NOT arm), per_arm) AS take FROM states GROUP BY task) t USING (task)
	WHERE rank <= take ORDER BY task, arm, rollout COLLATE "C", turn $$;
SELECT results_eq(format('SELECT task, arm, rollout, turn::int FROM pool, matched_states(p, %s, %s)', n, seed), format('SELECT * FROM drawn(%s, %s)', n, seed),
	format('%s per arm, seed %s: as the rule says', n, seed)) FROM generate_series(1, 5) n, unnest('{0,1,-5,9223372036854775807}'::bigint[]) seed;
SELECT ok(count(DISTINCT picks) > 3, 'seeds pick differently') FROM (
	SELECT string_agg(rollout || turn, ' ') AS picks FROM generate_series(1, 40) seed, pool, matched_states(p, 1, seed) m WHERE m.task = '1' GROUP BY seed) q;

-- a state that comes twice is one; merges and order do not matter
SELECT is((SELECT state_pool_agg(task, arm, rollout, turn, budget)::text FROM (SELECT * FROM states ORDER BY turn, rollout DESC) s), (SELECT p::text FROM pool), 'any order, the same pool');
SELECT results_eq($$ SELECT m.* FROM matched_states((SELECT rollup(p) FROM (SELECT p FROM pool UNION ALL SELECT p FROM pool) q), 3) m $$,
	$$ SELECT m.* FROM pool, matched_states(p, 3) m $$, 'a pool rolled up with itself has the same states');
SELECT results_eq($$ SELECT m.* FROM matched_states((SELECT rollup(p) FROM (SELECT state_pool_agg(task, arm, rollout, turn, budget) p FROM states GROUP BY turn, arm) q), 3) m $$,
	$$ SELECT m.* FROM pool, matched_states(p, 3) m $$, 'split by turn and arm: the same picks');

-- kinds of ids, errors
SELECT is((SELECT count(*) FROM matched_states(p, 1)), 2::bigint, what) FROM (
	SELECT 'int task, int rollout' AS what, state_pool_agg(1, a, 2, 3, 4) AS p FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'text task, int rollout', state_pool_agg('t', a, 2, 3, NULL) FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'int task, text rollout', state_pool_agg(1, a, 'r', 3, NULL) FROM unnest('{t,f}'::bool[]) a
	UNION ALL SELECT 'text task, text rollout', state_pool_agg('t', a, 'r', 3, 4) FROM unnest('{t,f}'::bool[]) a) q;
SELECT throws_ok($$ SELECT state_pool_agg(NULL::int, true, 1, 1, 1) $$, '22004', 'task must not be null');
SELECT throws_ok($$ SELECT state_pool_agg(1, NULL, 1, 1, 1) $$, '22004', 'arm must not be null');
SELECT throws_ok($$ SELECT state_pool_agg(1, true, NULL::int, 1, 1) $$, '22004', 'rollout must not be null');
SELECT throws_ok($$ SELECT state_pool_agg(1, true, 1, NULL, 1) $$, '22004', 'turn must not be null');
SELECT throws_ok($$ SELECT state_pool_agg(1, true, 1, 0, 1) $$, '22023', 'turn must be at least 1, not 0');
SELECT throws_ok($$ SELECT state_pool_agg(1, true, 1, 1, 0) $$, '22023', 'budget must be at least 1, not 0');
SELECT throws_ok($$ SELECT state_pool_agg(1, true, 1, 5, 4) $$, '22023', 'turn 5 lies beyond the budget of 4 turns');
SELECT throws_ok($$ SELECT rollup(p) FROM (SELECT state_pool_agg(1, true, 1, 1, 1) p UNION ALL SELECT state_pool_agg(1, true, '1', 1, 1)) q $$,
	'42804', 'a state_pool cannot hold both bigint rollouts and text rollouts');
SELECT throws_ok($$ SELECT * FROM matched_states((SELECT state_pool_agg(7, true, 'x', 1, b) FROM unnest('{5,NULL}'::int[]) b), 1) $$,
	'22023', 'rollout "x" of task "7" has states under two budgets');
SELECT throws_ok($$ SELECT matched_states(p, 0) FROM pool $$, '22023', 'per_arm must be at least 1, not 0');
SELECT throws_ok($$ SELECT matched_states(p, NULL) FROM pool $$, '22004', 'per_arm must not be null');
SELECT throws_ok($$ SELECT matched_states(p, 1, NULL) FROM pool $$, '22004', 'seed must not be null');
SELECT throws_ok($$ SELECT matched_states(p, 1, 0, 0) FROM pool $$, '22023', 'bins must be at least 1, not 0');
SELECT throws_ok($$ SELECT matched_states_report(p, 1, -1) FROM pool $$, '22023', 'bins must be at least 1, not -1');
SELECT is((SELECT count(*) FROM matched_states(NULL, 1)), 0::bigint, 'a null pool has no states');

-- bins at the ends of bigint: d = 2^62 / (2^63 - 1) is just above a half, and the last turn is in the last bin
SELECT is(array_agg(depth_bin ORDER BY turn), want, format('%s bins of 2^63 - 1 turns', bins)) FROM (VALUES
	(1, '{1,1,1,1}'::int[]), (2, '{1,1,2,2}'), (2147483647, '{1,1073741824,1073741824,2147483647}')) v(bins, want),
	LATERAL matched_states((SELECT state_pool_agg(1, a, t, t, 9223372036854775807)
		FROM unnest('{t,f}'::bool[]) a, unnest('{1,4611686018427387903,4611686018427387904,9223372036854775807}'::bigint[]) t), 9, 0, bins) WHERE arm GROUP BY bins, want;

SELECT * FROM finish();
ROLLBACK;
