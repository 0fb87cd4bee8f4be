-- What a user can do wrong with Pass@(K,T), and what the edges give.
\set VERBOSITY default

-- no rows, and only unscored rows
SELECT pass_agg(1, true, 1) IS NULL AS no_rows FROM generate_series(1, 0);
SELECT * FROM pass_grid((SELECT pass_agg(1, NULL, NULL)), '{1,2}') \gx
SELECT pass_at(pass_agg(1, NULL, NULL), 1) IS NULL AS unscored_only;
SELECT pass_at(NULL::pass_summary, 1) IS NULL AS of_null;
SELECT count(*) AS rows_of_null FROM pass_grid(NULL, '{1}');

-- rows come in the order that was asked for, repetitions included
SELECT k, t, pass FROM pass_grid((SELECT pass_agg(1, i = 1, i) FROM generate_series(1, 4) i), '{2,1,2}', '{9,1}');

-- all, none, one task, k above n
SELECT k, pass, std_error, round(ci_low::numeric, 6) AS ci_low, round(ci_high::numeric, 6) AS ci_high, tasks, tasks_short, rollouts, method
FROM pass_grid((SELECT pass_agg(i % 3, true, 1) FROM generate_series(1, 9) i), '{1,3,4}', '{1}');
SELECT k, pass, std_error, round(ci_low::numeric, 6) AS ci_low, round(ci_high::numeric, 6) AS ci_high, tasks, tasks_short, rollouts, method
FROM pass_grid((SELECT pass_agg(i % 3, false, 1) FROM generate_series(1, 9) i), '{1,3,4}', '{1}');

-- a budget cut at 10 says nothing about 20
SELECT k, t, pass, tasks, tasks_short, rollouts, unscored FROM pass_grid((SELECT pass_agg(task, success, turns, budget) FROM
	(VALUES (1, true, 4, 10), (1, false, 10, 10), (2, true, 15, 20), (2, true, 3, NULL)) v(task, success, turns, budget)),
	'{1}', '{5,10,20}');
SELECT k, t, pass, tasks, tasks_short, rollouts, unscored FROM pass_grid((SELECT pass_agg(task, success, turns, budget) FROM
	(VALUES (1, true, 4, 10), (1, false, 10, 10), (2, true, 15, 20), (2, true, 3, NULL)) v(task, success, turns, budget)),
	'{1}', '{5,10,20}', match => 'exact');

-- negative and extreme bigint keys, in order
SELECT * FROM pass_tasks((SELECT pass_agg(k, true, 1) FROM
	unnest('{0,-1,9223372036854775807,-9223372036854775808,1}'::bigint[]) k));
SELECT * FROM pass_tasks((SELECT pass_agg(k, true, 9223372036854775807) FROM unnest('{b,"",a,"é",ab}'::text[]) k));

-- arguments that make no sense
SELECT pass_agg(NULL::bigint, true, 1);
SELECT pass_agg(NULL::text, true, 1);
SELECT pass_agg(1, true, 0);
SELECT pass_agg('a', false, 0);
SELECT pass_agg('a', true, -3);
SELECT pass_agg(1, NULL, -1);
SELECT pass_agg(1, true, 3, 0);
SELECT pass_agg('a', NULL::trajectory);
SELECT pass_at(pass_agg(1, true, 1), 0);
SELECT pass_at(pass_agg(1, true, 1), 1, 0);
SELECT pass_hat(pass_agg(1, true, 1), -1);
SELECT pass_bound(pass_agg(1, true, 1), -1);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{}');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), NULL);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1,NULL}');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', '{0}');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', '{}');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', match => 'suffix');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', match => NULL);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', task_set => 'all');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', task_set => NULL);
SELECT count(*) FROM pass_grid((SELECT pass_agg(1, true, 1)), (SELECT array_agg(i) FROM generate_series(1, 10001) i));

SELECT count(*) FROM pass_grid((SELECT pass_agg(1, true, 1)), (SELECT array_agg(i) FROM generate_series(1, 400) i), (SELECT array_agg(i) FROM generate_series(1, 400) i));
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', confidence => 95);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', confidence => NULL);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', confidence => 'NaN');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', resamples => -1);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', resamples => 10000001);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', resamples => NULL);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', resamples => 0, method => 'bca');
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', seed => NULL);
SELECT * FROM pass_grid((SELECT pass_agg(1, true, 1)), '{1}', method => 'wilson');
SELECT * FROM pass_diff((SELECT pass_agg(1, true, 1)), (SELECT pass_agg('1', true, 1)), '{1}');
SELECT * FROM pass_diff((SELECT pass_agg(1, true, 1)), (SELECT pass_agg(2, true, 1)), NULL);

-- differences: no common task, one common task, no difference
SELECT k, pass_treatment, diff, ci_low, p_value, p_adjusted, tasks, tasks_short, method
FROM pass_diff((SELECT pass_agg(1, true, 1)), (SELECT pass_agg(2, true, 1)), '{1}');
SELECT k, diff, round(ci_low::numeric, 6) AS ci_low, round(ci_high::numeric, 6) AS ci_high, tasks, tasks_short, method
FROM pass_diff((SELECT pass_agg(i, true, 1) FROM generate_series(1, 3) i), (SELECT pass_agg(i, false, 1) FROM generate_series(3, 4) i), '{1,2}');
SELECT k, diff, std_error, ci_low = -ci_high AS symmetric, ci_low < 0 AS has_width, p_value, p_adjusted, tasks, tasks_short, method
FROM pass_diff((SELECT pass_agg(i, true, 1) FROM generate_series(1, 30) i), (SELECT pass_agg(i, true, 1) FROM generate_series(1, 30) i), '{1}');
SELECT count(*) AS of_null FROM pass_diff(NULL, (SELECT pass_agg(2, true, 1)), '{1}');

-- keys of two kinds
SELECT rollup(s) FROM (SELECT pass_agg(1, true, 1) AS s UNION ALL SELECT pass_agg('1', true, 1)) v;

-- the text form: the binary form in hexadecimal
SELECT pass_agg(1, true, 1);
SELECT pass_agg('a', i > 1, i, 9) FROM generate_series(1, 3) i;
SELECT pass_at('\x500201011000020102010001'::pass_summary, 1);
SELECT 'nonsense'::pass_summary;
SELECT '{"a": 1}'::pass_summary;
SELECT '\x5'::pass_summary;
SELECT '\xzz'::pass_summary;
SELECT '\x'::pass_summary;
SELECT '\x51'::pass_summary;
SELECT '\x510101'::pass_summary;
SELECT '\x500301'::pass_summary;
SELECT '\x500203'::pass_summary;

-- damaged bytes; whole is \x 50 01 01, 1 cell: 10 00 02, 1 key: 02, 1 entry: 00 01
SELECT '\x5002017f1000'::pass_summary;                                  -- cells
SELECT '\x500201013000020102010001'::pass_summary;                      -- outcome
SELECT '\x5002010111ffffffffffffffffff01020102010001'::pass_summary;    -- budget above 2^63
SELECT '\x500201011005020102010001'::pass_summary;                      -- budget without its kind
SELECT '\x500201011000010102010001'::pass_summary;                      -- success at turn 0
SELECT '\x500201021000031000020102020001'::pass_summary;                -- order of cells
SELECT '\x500201ffffffffffffffffff02'::pass_summary;                    -- number above 2^64
SELECT '\x5002018100'::pass_summary;                                    -- number in long form
SELECT '\x500201011000027f02010001'::pass_summary;                      -- keys
SELECT '\x50020101100002010200'::pass_summary;                          -- no entries
SELECT '\x500201011000020102010101'::pass_summary;                      -- cell beyond the dictionary
SELECT '\x500201011000020102010000'::pass_summary;                      -- count 0
SELECT '\x50020101100002010201000100'::pass_summary;                    -- trailing byte
SELECT '\x5002010110000202feffffffffffffffff0101000100010001'::pass_summary; -- key above 2^63
SELECT '\x5002020110000202016201000101610100'::pass_summary;            -- order of keys
SELECT '\x500201021000021000030102010001'::pass_summary;                -- a cell without rollouts
SELECT '\x5002020110000201'::pass_summary;                              -- no key
SELECT '\x500202011000020102c328010001'::pass_summary;                  -- text key that is not UTF-8
SELECT '\x50020201100002010100010001'::pass_summary;                    -- text key with a NUL
-- what a release before 1.0 wrote: read where it cannot mean something else
SELECT '\x500101011000020102010001'::pass_summary;
SELECT '\x50010201100002010161010001'::pass_summary;
SELECT '\x500102011000020102c3a9010001'::pass_summary;                  -- a text in which encoding?
SELECT '\x50010201100002010100010001'::pass_summary;                    -- text key with a NUL
