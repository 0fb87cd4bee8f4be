-- dynamics_*: answers worked out by hand, errors, what is not known, I/O.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) < 1e-12, have IS NULL AND want IS NULL), format('%s: %s, have %s', what, want, have)) $$;

-- a is seen twice at checkpoint 10; b has no r_single there, and two halves of a row at 20; c is not at the first; d only there
CREATE TEMP TABLE training (checkpoint int, task text, r_multi float8, r_single float8);
INSERT INTO training VALUES
	(0, 'a', 0.25, 0.5), (10, 'a', 0.5, 0.5), (10, 'a', 1, 0), (20, 'a', 1, 0.25),
	(0, 'b', 0.5, 0.75), (10, 'b', 1, NULL), (20, 'b', 0.75, NULL), (20, 'b', NULL, 0.5),
	(10, 'c', 0, 1), (20, 'c', 0.5, 1),
	(0, 'd', 0.75, 0.25);
CREATE TEMP VIEW report AS SELECT r.* FROM dynamics_report((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM training)) r;
SELECT results_eq('SELECT checkpoint, r_multi, r_single, d_multi, d_single, gap, tasks, tasks_paired, tasks_missing, missing FROM report',
$$ VALUES
	-- a, b, d
	(0::bigint, 0.5::float8, 0.5::float8, 0::float8, 0::float8, 0::float8, 3::bigint, 3::bigint, 1::bigint, 0::bigint),
	-- a (.75, .25), c (0, 1); only a was at 0: + .5, - .25
	(10, 0.375, 0.625, 0.5, -0.25, 0.75, 2, 1, 2, 1),
	-- a (1, .25), b (.75, .5), c (.5, 1); a + .75, - .25, b + .25, - .25
	(20, 0.75, 1.75 / 3, 0.5, -0.25, 0.75, 3, 2, 1, 2) $$, 'means over tasks, changes over those of both checkpoints');
SELECT is(string_agg(concat_ws(' ', r_multi_method, r_single_method, d_multi_method, d_single_method, method), ', ' ORDER BY checkpoint),
	'beta beta, beta beta paired paired paired, beta beta paired paired paired', 'methods for proportions') FROM report;
SELECT ok(bool_and(CASE WHEN checkpoint = 0 THEN num_nulls(d_multi_low, d_multi_high, d_single_low, d_single_high, gap_low, gap_high, band_low, band_high) = 8
		ELSE d_multi_low < d_multi AND d_multi < d_multi_high AND d_single_low < d_single AND d_single < d_single_high
			AND gap_low < gap AND gap < gap_high AND band_low <= gap_low AND gap_high <= band_high END), 'intervals hold their figure, bands the interval; none at the first checkpoint') FROM report;
SELECT ok(bool_and(NOT diverged), 'two tasks have not diverged') FROM report;

-- numbers that are no proportions: 40 tasks, changes at 1: i/10; at 2: 5 + i/10; r_single does not move
CREATE TEMP VIEW plain AS SELECT c AS checkpoint, t AS task, CASE c WHEN 0 THEN 3 WHEN 1 THEN 3 + (t - 20.5) / 10 ELSE 8 + (t - 20.5) / 10 END AS r_multi, 7.0 AS r_single
	FROM generate_series(0, 2) c, generate_series(1, 40) t;
SELECT close_to(r_multi, (ARRAY[3, 3, 8])[checkpoint + 1], 'mean'), close_to(d_multi, (ARRAY[0, 0, 5])[checkpoint + 1], 'change'),
	-- the hull of t's and Hall's intervals by test/rules.py; sd of 1..40 is sqrt(40 * 41 / 12), and there is no skewness
	ok(coalesce(abs(d_multi_high - d_multi - 0.37388277731) < 1e-8, checkpoint = 0), 'half its interval'),
	close_to(gap_high, d_multi_high, 'the gap is that change'), is(diverged, checkpoint = 2, 'diverged at the last alone'),
	is(d_single_low, NULL, 'what never moves has no interval'), is(d_single_method, NULL, 'and no method'), is(d_multi_method, CASE WHEN checkpoint > 0 THEN 'hull' END, 'a mean of any numbers: hull')
FROM dynamics_report((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM plain));
-- both cells deviate alike, so the band is as wide as one cell's, but for resampling
SELECT ok(abs((band_high - band_low) / (gap_high - gap_low) - 1) < 0.05, 'the band of cells that move together is hardly wider than one interval')
FROM dynamics_report((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM plain)) WHERE checkpoint > 0;
SELECT is(dynamics_diverged((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM plain)), 2::bigint, 'dynamics_diverged');
SELECT is(dynamics_diverged((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM training)), NULL, 'never');
-- ever after: it is apart at 1 and 2, together at 3, apart at 4 and 5
SELECT is(string_agg(checkpoint::text, ' ' ORDER BY checkpoint) FILTER (WHERE diverged), '4 5', 'diverged is ever after'), is(min(dynamics_diverged), 4::bigint, 'and so is dynamics_diverged')
FROM (SELECT dynamics_agg(c, t, (ARRAY[0, 5, 5, 0, -5, -5])[c + 1] + sin(t * (c + 1)), 0) AS s FROM generate_series(0, 5) c, generate_series(1, 30) t) q,
	dynamics_report(s), dynamics_diverged(s);

-- proportions, all tasks alike: every change is 1 in 20 tasks; bands exclude 0
SELECT is(row(gap, method, diverged)::text, '(2,paired,t)', 'all change alike'), ok(gap_low > 0 AND gap_low < 2 AND gap_high = 2 AND band_low > 0 AND band_high = 2, 'the interval has a width')
FROM dynamics_report((SELECT dynamics_agg(c, t, c, 1 - c) FROM generate_series(0, 1) c, generate_series(1, 20) t)) WHERE checkpoint = 1;

-- one checkpoint only, one task only, nothing
SELECT is(row(checkpoint, r_multi, d_multi, gap, band_low, tasks, tasks_paired, diverged)::text, '(7,0.5,0,0,,2,2,f)', 'one checkpoint')
FROM dynamics_report((SELECT dynamics_agg(7, t, t, 1 - t) FROM generate_series(0, 1) t));
SELECT is(string_agg(row(checkpoint, r_multi, r_multi_low, d_multi, d_multi_low, band_low, tasks, diverged)::text, ' ' ORDER BY checkpoint),
	'(1,5,,0,,,1,f) (2,6,,1,,,1,f)', 'one task of any numbers has no interval')
FROM dynamics_report((SELECT dynamics_agg(c, 'x', 4 + c, 0) FROM generate_series(1, 2) c));
SELECT is(string_agg(row(checkpoint, r_multi, d_multi, gap, tasks, tasks_paired, tasks_missing, missing, diverged)::text, ' ' ORDER BY checkpoint),
	'(1,,,,0,0,2,4,f) (2,0.5,,,2,0,0,0,f)', 'nothing known at the first checkpoint: no change')
FROM dynamics_report((SELECT dynamics_agg(c, t, CASE c WHEN 2 THEN t END, CASE c WHEN 2 THEN t END) FROM generate_series(1, 2) c, generate_series(0, 1) t));
SELECT is_empty($$ SELECT * FROM dynamics_report(NULL) $$, 'no summary, no rows');
SELECT is_empty($$ SELECT * FROM dynamics_slopes(NULL) $$, 'and no slopes');
SELECT is(dynamics_diverged(NULL), NULL, 'nor a checkpoint');
SELECT is(bool_or(diverged), NULL, 'without resamples there is no band, so nothing is said of it'), is(count(band_low), 0::bigint, 'no band')
FROM dynamics_report((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM plain), resamples => 0);

-- slopes. a: (0, 0), (1, 1), (3, 2): mean x 4/3, slope (-4/3 * 0 - 1/3 * 1 + 5/3 * 2) / (16/9 + 1/9 + 25/9) = 3 / (42/9) = 9/14;
-- b: (0, 0), (2, 4): 2; c: one point. r_single: a falls by 1 each, b rests.
CREATE TEMP VIEW lines AS SELECT * FROM (VALUES (0, 'a', 0, 9), (1, 'a', 1, 8), (3, 'a', 2, 6), (0, 'b', 0, 3), (2, 'b', 4, 3), (1, 'b', NULL, 3), (5, 'c', 5, 5)) v(c, t, m, s);
SELECT close_to(slope, want, measure || ' slope'), is(row(tasks, tasks_short, method)::text, '(2,1,hull)', 'two tasks, one short'), close_to(std_error, error, 'its standard error'),
	ok(abs((ci_high - ci_low) / (2 * 12.706204736174698 * error) - 1) < 2e-4, 'its interval, t(.975, 1), for two values have no skewness')
FROM dynamics_slopes((SELECT dynamics_agg(c, t, m, s) FROM lines)) JOIN (VALUES
	('r_multi', (9 / 14.0 + 2) / 2, (2 - 9 / 14.0) / 2), ('r_single', -0.5, 0.5), ('gap', (9 / 14.0 + 1 + 2) / 2, (2 - 9 / 14.0 - 1) / 2)) v(measure, want, error) USING (measure);
SELECT results_eq($$ SELECT measure FROM dynamics_slopes((SELECT dynamics_agg(c, t, m, s) FROM lines)) $$, ARRAY['r_multi', 'r_single', 'gap'], 'slopes come in this order');
SELECT is(string_agg(row(slope, std_error, ci_low, tasks, tasks_short)::text, ' '), '(,,,0,1) (,,,0,1) (,,,0,1)', 'no task with two points')
FROM dynamics_slopes((SELECT dynamics_agg(1, 1, 1, 1)));
SELECT is(slope, 2 ^ -62::float8, 'checkpoints far apart') FROM dynamics_slopes((SELECT dynamics_agg(c, 1, m, 0) FROM (VALUES
	(-9223372036854775807 - 1, NULL, NULL), (4611686018427387903, 0, 0), (9223372036854775807, 1, 0)) v(c, m, s))) WHERE measure = 'r_multi';
SELECT is(slope, 1::float8, 'and next to each other, far from 0') FROM dynamics_slopes((SELECT dynamics_agg(9223372036854775805 + i, 1, i, 0) FROM generate_series(0, 2) i)) WHERE measure = 'r_multi';

-- methods
SELECT is(row(r_multi_method, d_multi_method, method)::text, want, format('method %s', asked))
FROM (VALUES ('auto', '(hull,hull,hull)'), ('t', '(t,t,t)'), ('bca', '(bca,bca,bca)'), ('percentile', '(percentile,percentile,percentile)')) v(asked, want),
	dynamics_report((SELECT dynamics_agg(checkpoint, task, r_multi, r_single) FROM plain), method => asked) WHERE checkpoint = 2;

-- many tasks: bands from sums over them
SELECT ok(diverged AND band_low < gap_low AND band_low > gap_low - 0.2 * (gap - gap_low), 'many tasks')
FROM dynamics_report((SELECT dynamics_agg(c, t, 0.1 * c * (t % 3) + (t * 7 % 11) / 100.0, (t + c) % 5 / 5.0) FROM generate_series(0, 1) c, generate_series(1, 20010) t))
WHERE checkpoint = 1;

-- errors
SELECT throws_ok($$ SELECT dynamics_agg(NULL, 'a', 1, 1) $$, '22004', 'checkpoint must not be null');
SELECT throws_ok($$ SELECT dynamics_agg(1, NULL::text, 1, 1) $$, '22004', 'task must not be null');
SELECT throws_ok($$ SELECT dynamics_agg(1, 1, 'NaN', 1) $$, '22023', 'r_multi must be a finite number, not NaN');
SELECT throws_ok($$ SELECT dynamics_agg(1, 1, 1, 'Infinity') $$, '22023', 'r_single must be a finite number, not Infinity');
SELECT throws_ok($$ SELECT dynamics_diverged((SELECT dynamics_agg(1, 1, 1, 1)), resamples => 0) $$, '22023', 'resamples must be at least 1, not 0');
SELECT throws_ok($$ SELECT * FROM dynamics_report((SELECT dynamics_agg(1, 1, 1, 1)), confidence => 0) $$, '22023', 'confidence must be between 0.01 and 0.9999999999, not 0');
SELECT throws_ok($$ SELECT * FROM dynamics_slopes((SELECT dynamics_agg(1, 1, 1, 1)), method => 'wilson') $$, '22023', 'unrecognized value for method: "wilson"');
SELECT throws_ok($$ SELECT * FROM dynamics_report((SELECT dynamics_agg(1, t, 1e308, 1) FROM generate_series(1, 2) t)) $$, '22003', 'the values are too large to be summed');
SELECT throws_ok($$ SELECT * FROM dynamics_slopes((SELECT dynamics_agg(c, t, 1e308 * (2 * c - 1), 1) FROM generate_series(0, 1) c, generate_series(1, 2) t)) $$, '22003', 'the values are too large to be summed');
SELECT throws_ok($$ SELECT * FROM dynamics_report((SELECT dynamics_agg(c, 1, 1, 1) FROM generate_series(1, 10001) c)) $$, '54000', 'cannot compare more than 10000 checkpoints');
SELECT throws_ok($$ SELECT * FROM dynamics_report((SELECT dynamics_agg(c, c % 5000, 1, 1) FROM generate_series(1, 9000) c)) $$, '54000', 'too many checkpoints and tasks to compare');
SELECT throws_ok($$ SELECT rollup(s) FROM (SELECT dynamics_agg(1, 1, 1, 1) UNION ALL SELECT dynamics_agg(1, 'a', 1, 1)) q(s) $$,
	'42804', 'cannot combine a dynamics_summary keyed by bigint with one keyed by text');

-- text form
SELECT is(dynamics_agg(-1, 1, 0, NULL)::text, '\x590201' || '00' || '01' || '02' || '01' || '01' || '00' || 'ffffffffffffffffff01' || '01',
	'no texts, one key, 1, one record: checkpoint -1, 0, no value, once');
SELECT throws_ok(format('SELECT %L::dynamics_summary', v), '22P02', 'invalid value for type dynamics_summary', why)
FROM (VALUES ('\x', 'empty'), ('\x59', 'cut'), ('\x4c02010000', 'another type'), ('\x5902010001020101000000', 'no rows'), ('\x59020100010201010080000001', 'a long zero'),
	('\x590201000102020100000101000001', 'records out of order')) v(v, why);
SELECT throws_ok($$ SELECT dynamics_add_text(NULL, 1, 'a', 1, 1) $$, '0A000', 'this function may be called only by its aggregate');

SELECT * FROM finish();
ROLLBACK;
