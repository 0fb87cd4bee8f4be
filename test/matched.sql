-- length_matched_*: answers worked out by hand, errors, what is not known, I/O.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) < 1e-12, have IS NULL AND want IS NULL), format('%s: %s, have %s', what, want, have)) $$;

CREATE TEMP TABLE runs (task text, arm bool, length int, value float8);
INSERT INTO runs VALUES
	-- a: 91 with 100 takes the gap .09, 100 with 110 .0909; two pairs beat 100 with 100 alone
	('a', true, 100, 5), ('a', true, 110, 7), ('a', false, 91, 1), ('a', false, 100, 2),
	-- b: three treatment rollouts of length 50 stand for their mean, 4; two are matched
	('b', true, 50, 1), ('b', true, 50, 4), ('b', true, 50, 7), ('b', false, 50, 3), ('b', false, 54, 2),
	-- c: one arm only
	('c', true, 10, 99), ('c', true, 11, 99),
	-- d: nothing within 10 percent
	('d', true, 10, 99), ('d', false, 20, 99),
	-- e: what is not known
	('e', true, NULL, 1), ('e', true, 10, NULL), ('e', NULL, 10, 1), ('e', false, NULL, NULL), ('e', true, 0, 8), ('e', false, 0, 7);
DELETE FROM runs WHERE arm IS NULL;
SELECT results_eq($$ SELECT task, length_treatment, length_reference, round(gap::numeric, 6), value_treatment, value_reference,
		rollouts_treatment, rollouts_reference FROM length_matched_pairs((SELECT length_matched_agg(task, arm, length, value) FROM runs)) $$,
$$ VALUES ('a', 100::bigint, 91::bigint, 0.090000, 5::float8, 1::float8, 1::bigint, 1::bigint), ('a', 110, 100, 0.090909, 7, 2, 1, 1),
	('b', 50, 50, 0, 4, 3, 3, 1), ('b', 50, 54, 0.074074, 4, 2, 3, 1), ('e', 0, 0, 0, 8, 7, 1, 1) $$,
'pairs: as many as can be, like lengths by their mean, 0 with 0');

-- sums of a, b, e: 4 + 5, 1 + 2, 1 over 2, 2, 1 pairs; r = 13 / 5; residuals 9 - 5.2, 3 - 5.2, 1 - 2.6
SELECT is(row(pairs, tasks, unmatched_treatment, unmatched_reference, missing_treatment, missing_reference, method)::text,
	'(5,3,4,1,2,1,hull)', 'denominators: b, c, c, d unmatched; d; e missing'),
	close_to(mean_treatment, (5 + 7 + 4 + 4 + 8) / 5.0, 'mean of the treatment'), close_to(mean_reference, (1 + 2 + 3 + 2 + 7) / 5.0, 'mean of the reference'),
	close_to(diff, 13 / 5.0, 'difference'), close_to(mean_gap, (9 / 100.0 + 10 / 110.0 + 4 / 54.0) / 5, 'mean gap'),
	close_to(std_error, sqrt(1.5 * (3.8 ^ 2 + 2.2 ^ 2 + 1.6 ^ 2)) / 5, 'standard error over tasks')
FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs));
-- t(.975, 2) = 4.302652729749464; its p value is 1 - t / sqrt(2 + t^2)
SELECT close_to(ci_low, 2.6 - 4.302652729749464 * std_error, 'interval by t from'), close_to(ci_high, 2.6 + 4.302652729749464 * std_error, 'to'),
	close_to(p_value, 1 - (2.6 / std_error) / sqrt(2 + (2.6 / std_error) ^ 2), 'p value')
FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs), method => 't');
-- the hull over tasks of unequal numbers of pairs, by test/rules.py
SELECT ok(abs(ci_low + 3.84151962193156) < 1e-6 AND abs(ci_high - 21.334863331551556) < 1e-6, format('hull: %s to %s', ci_low, ci_high))
FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs));
-- b: 4 - 3, e: 8 - 7; unmatched b, b, c, c, d; b, d
SELECT is(row(d.*)::text, '(2,2,6,5,1,0,,,5,2,0,,,2,1)', 'tolerance 0: equal lengths alone')
FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs WHERE task <> 'a'), 0) d;

-- which lengths: the pairs themselves
CREATE FUNCTION matched(treatment bigint[], reference bigint[], tolerance float8) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(length_treatment || '~' || length_reference, ' '), '') FROM length_matched_pairs((
		SELECT length_matched_agg(1, arm, length, 0) FROM (
			SELECT true AS arm, unnest(treatment) AS length UNION ALL SELECT false, unnest(reference)) q), tolerance) $$;
SELECT is(matched(t, r, tolerance), want, format('%s against %s at %s: %s', t, r, tolerance, why))
FROM (VALUES
	('{10}'::bigint[], '{7}'::bigint[], 0.3::float8, '10~7', 'a gap of just the tolerance, in decimals'),
	('{10}', '{6}', 0.3, '', 'just above'),
	('{10}', '{9}', 0.1, '10~9', 'a tenth'), ('{100}', '{89}', 0.1, '', 'more than a tenth'),
	('{1}', '{2}', 0.5, '1~2', 'a half'), ('{0}', '{0}', 0, '0~0', '0 and 0 have no gap'), ('{0}', '{1}', 0.5, '', '0 and 1 have one of 1'),
	('{19,21}', '{20}', 0.1, '21~20', 'the gap is a share of the longer length: 1/21 is below 1/20'),
	('{20,30}', '{21,31}', 0.1, '20~21 30~31', 'in order'),
	('{10,20}', '{11,22,9,18}', 0.1, '10~11 20~22', 'the smallest sum of squares'),
	('{95,100,105}', '{100}', 0.1, '100~100', 'the nearest'),
	('{9223372036854775807}', '{9223372036854775806}', 1e-18, '9223372036854775807~9223372036854775806', 'the longest there are'),
	('{9223372036854775807}', '{9223372036854775806}', 1e-19, '', 'and a tolerance below their gap'),
	('{9223372036854775807}', '{9223372036854775807}', 5e-324, '9223372036854775807~9223372036854775807', 'the smallest tolerance')
	) v(t, r, tolerance, want, why);
SELECT is(matched('{10,20}', '{11}', 0.1), '10~11', 'one in reach'),
	-- gaps to 100: 95 and 105 differ (5/100, 5/105); 190 and 210 to 200 likewise, so 105~100, 210~200
	is(matched('{95,105,190,210}', '{100,200}', 0.1), '105~100 210~200', 'two of four'),
	is(matched('{3,12}', '{4,16}', 0.25), '3~4 12~16', 'pairs far apart'),
	-- {60,65} on 63? 60~63 has 3/63 = 1/21, 63~66 has 3/66; 63~66 is nearer
	is(matched('{60,66}', '{63}', 0.1), '66~63', 'the longer side has the smaller gap'),
	-- squares of hundredths: 93 and 99 cost 49 + 1, 95 and 99 cost 25 + 1
	is(matched('{100,100}', '{93,95,99}', 0.1), '100~95 100~99', 'the two nearest'),
	-- a tie to break: 2/6 = 3/9
	is(matched('{6}', '{4,9}', 0.5), '6~4', 'equal gaps, the smaller reference'), is(matched('{4,9}', '{6}', 0.5), '4~6', 'equal gaps, the smaller treatment'),
	-- costs that doubles cannot tell apart: 2^62 with itself + 3 or - 3
	is(matched('{4611686018427387904}', '{4611686018427387901,4611686018427387907}', 0.1),
		'4611686018427387904~4611686018427387907', '3 / (2^62 + 3) is below 3 / 2^62');

-- nothing to say
SELECT is(row(d.*)::text, '(0,0,,,,,,,2,0,,,,0,0)', 'one arm only: no figure, all unmatched')
FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs WHERE task = 'c')) d;
SELECT is(row(d.*)::text, '(2,1,6,1.5,4.5,,,,0,0,0.09045454545454545,,,0,0)', 'one task: no interval')
FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs WHERE task = 'a'), method => 'bca') d;
SELECT is_empty($$ SELECT * FROM length_matched_diff(NULL) $$, 'no summary, no row');
SELECT is_empty($$ SELECT * FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM runs WHERE false)) $$, 'no rows, no row');
SELECT is_empty($$ SELECT * FROM length_matched_pairs(NULL) $$, 'and no pairs');
SELECT is(row(pairs, tasks, diff, std_error, method)::text, '(3,3,1,0,)', 'equal differences: no interval of zero width')
FROM length_matched_diff((SELECT length_matched_agg(t, a, 7, a::int) FROM generate_series(1, 3) t, (VALUES (true), (false)) v(a)));

-- arguments that psql sends as int, and untyped texts
SELECT is(pairs, 1::bigint, 'an int task') FROM length_matched_diff((SELECT length_matched_agg(1, i > 1, 5, 1) FROM generate_series(1, 2) i));
SELECT is(pairs, 1::bigint, 'an untyped task') FROM length_matched_diff((SELECT length_matched_agg('a', i > 1, 5, 1) FROM generate_series(1, 2) i));

-- methods
SELECT is(method, want, format('method %s', asked))
FROM (VALUES ('auto', 'hull'), ('t', 't'), ('bca', 'bca'), ('percentile', 'percentile')) v(asked, want),
	length_matched_diff((SELECT length_matched_agg(t, a, 7, t * t * a::int) FROM generate_series(1, 30) t, (VALUES (true), (false)) v(a)), method => asked);
SELECT ok(a.ci_low <> b.ci_low AND a.diff = b.diff, 'the seed moves a resampled interval, and nothing else'), ok(a.ci_low < a.diff AND a.diff < a.ci_high AND a.p_value < 0.05, 'which holds the difference')
FROM (SELECT length_matched_agg(t, a, 7, t * t * a::int) AS s FROM generate_series(1, 30) t, (VALUES (true), (false)) v(a)) q,
	length_matched_diff(s, method => 'percentile') a, length_matched_diff(s, method => 'percentile', seed => 1) b;

-- errors
SELECT throws_ok($$ SELECT length_matched_agg(NULL::bigint, true, 1, 1) $$, '22004', 'task must not be null');
SELECT throws_ok($$ SELECT length_matched_agg('a', NULL, 1, 1) $$, '22004', 'arm must not be null');
SELECT throws_ok($$ SELECT length_matched_agg(1, true, -1, 1) $$, '22023', 'length must not be negative, but is -1');
SELECT throws_ok($$ SELECT length_matched_agg(1, true, 1, 'NaN') $$, '22023', 'value must be a finite number, not NaN');
SELECT throws_ok($$ SELECT length_matched_agg(1, true, 1, '-Infinity') $$, '22023', 'value must be a finite number, not -Infinity');
SELECT throws_ok(format('SELECT * FROM %s((SELECT length_matched_agg(1, true, 1, 1)), %s)', f, t), '22023',
	format('tolerance must be between 0 and 0.5, not %s', want))
FROM (VALUES ('length_matched_diff'), ('length_matched_pairs')) f(f), (VALUES ('0.6', '0.6'), ('-0.1', '-0.1'), ('''NaN''', 'NaN'), ('10', '10')) t(t, want);
SELECT throws_ok($$ SELECT * FROM length_matched_diff((SELECT length_matched_agg(1, true, 1, 1)), NULL) $$, '22004', 'tolerance must not be null');
SELECT throws_ok($$ SELECT * FROM length_matched_diff((SELECT length_matched_agg(1, true, 1, 1)), confidence => 95) $$, '22023', 'confidence must be between 0.01 and 0.9999999999, not 95');
SELECT throws_ok($$ SELECT * FROM length_matched_diff((SELECT length_matched_agg(1, true, 1, 1)), method => 'mover') $$, '22023', 'unrecognized value for method: "mover"');
SELECT throws_ok($$ SELECT * FROM length_matched_diff((SELECT length_matched_agg(t, a, 1, CASE WHEN a THEN 1e308 ELSE -1e308 END)
	FROM generate_series(1, 2) t, (VALUES (true), (false)) v(a))) $$, '22003', 'the values are too large to be summed');
SELECT throws_ok($$ SELECT rollup(s) FROM (SELECT length_matched_agg(1, true, 1, 1) UNION ALL SELECT length_matched_agg('1', true, 1, 1)) q(s) $$,
	'42804', 'cannot combine a matched_summary keyed by bigint with one keyed by text');
CREATE FUNCTION doubled(s matched_summary, times int) RETURNS matched_summary LANGUAGE plpgsql AS $$
	BEGIN FOR i IN 1 .. times LOOP s := (SELECT rollup(s) FROM generate_series(1, 2)); END LOOP; RETURN s; END $$;
SELECT throws_ok($$ SELECT * FROM length_matched_diff(doubled((SELECT length_matched_agg(1, true, 1, 1)), 20)) $$,
	'54000', 'a task with more than 1000000 rollouts of one arm cannot be matched by length');

-- text form: what the binary form is is said in summary/summary.h; damaged values are errors
SELECT is(length_matched_agg(1, true, 5, NULL)::text, '\x4c0201' || '00' || '01' || '02' || '01' || '02' || '01' || 'ffffffffffffffffff01' || '01',
	'no texts, one key, 1, one record: arm 1, length -1, no value, once');
SELECT throws_ok(format('SELECT %L::matched_summary', v), '22P02', 'invalid value for type matched_summary', why)
FROM (VALUES ('\x', 'empty'), ('\x4c', 'cut'), ('\x4d02010000', 'another type'), ('\x4c03010000', 'another version'), ('\x4c020100010201020100' || '01', 'a value with a length below 0'),
	('\x4c0201000102010400' || '0001', 'arm 2'), ('\x4c020100010201020affffffffffffffffff0101', 'a length without a value'),
	('\x4c02010001020102' || '0a' || '0000', 'no rollouts'), ('\x4c0201000102020000' || '0001' || '000000' || '01', 'a record twice')) v(v, why);
SELECT throws_ok($$ SELECT 'x'::matched_summary $$, '22P02', 'invalid input syntax for type matched_summary');
SELECT throws_ok($$ SELECT length_matched_add_bigint(NULL, 1, true, 1, 1) $$, '0A000', 'this function may be called only by its aggregate');

-- a trajectory's sum is null as soon as one turn lacks its log-probability, never a part of it or 0
SELECT is(row(loglik(t), ref_loglik(t), log_ratio(t), tokens(t), nll_per_token(t))::text, want, why)
FROM (VALUES
	('{"steps": [{"tokens": 3, "logprob": -1.5, "ref_logprob": -2}, {"tokens": 2, "logprob": -0.5, "ref_logprob": -1}]}'::trajectory, '(-2,-3,1,5,0.6)', 'all turns known'),
	('{"steps": [{"tokens": 3, "logprob": -1.5, "ref_logprob": -2}, {"tokens": 2, "logprob": -0.5}]}', '(-2,,,5,)', 'one turn without ref_logprob'),
	('{"steps": [{"tokens": 3, "ref_logprob": -2}, {"tokens": 2, "logprob": -0.5, "ref_logprob": -1}]}', '(,-3,,5,0.6)', 'one turn without logprob'),
	('{"steps": [{"logprob": -1.5, "ref_logprob": -2}, {"tokens": 2, "logprob": -0.5, "ref_logprob": -1}]}', '(-2,-3,1,,)', 'one turn without tokens')) v(t, want, why);
SELECT is(row(pairs, diff, missing_treatment, missing_reference)::text, '(1,-1,0,1)', 'accessors joined into the aggregate')
FROM length_matched_diff((SELECT length_matched_agg(1, arm, tokens(t), log_ratio(t)) FROM (VALUES
	(true, '{"steps": [{"tokens": 10, "logprob": -3, "ref_logprob": -3}]}'::trajectory),
	(false, '{"steps": [{"tokens": 10, "logprob": -3, "ref_logprob": -4}]}'),
	(false, '{"steps": [{"tokens": 10, "logprob": -3}]}')) v(arm, t)));

SELECT * FROM finish();
ROLLBACK;
