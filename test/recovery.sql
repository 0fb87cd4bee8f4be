-- Recovery after errors: hand-made sets whose answers are worked out beside them, and every error.
\set ON_ERROR_STOP on
\pset pager off
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT CASE WHEN want IS NULL THEN ok(have IS NULL, what || ': null')
	ELSE ok(abs(have - want) < 1e-12, format('%s: %s, wanted %s', what, have, want)) END $$;

-- a rollout from its flags: E error, . none, ? not known; NULL: its turns are not known
CREATE FUNCTION run(flags text, success bool DEFAULT false, status text DEFAULT 'completed', budget int DEFAULT NULL,
	kinds text[] DEFAULT NULL) RETURNS trajectory LANGUAGE sql AS
$$ SELECT json_strip_nulls(json_build_object('success', success, 'status', status, 'budget', budget,
	'steps', CASE WHEN flags = '' THEN '[]'::json WHEN flags IS NOT NULL THEN
		(SELECT json_agg(json_build_object('action', 'act ' || i, 'observation', 'saw ' || i,
				'error', CASE substr(flags, i, 1) WHEN 'E' THEN true WHEN '.' THEN false END, 'error_kind', kinds[i]) ORDER BY i)
			FROM generate_series(1, length(flags)) i) END))::trajectory $$;

-- 80 episodes: 40 recover after one error; of the 40 that err again 20 are cut, 10 recover, 10 fail for good.
-- After one error 40 of 80 recover, after two 10 of the 20 whose next turn is known: 1 - 1/2 * 1/2 = .75.
-- Without the 20 it would be (40 + 10) / 60 = .83; taking them for failures, 50 / 80.
CREATE TEMP TABLE eighty AS
SELECT i AS task, CASE WHEN i <= 40 THEN run('.E.') WHEN i <= 60 THEN run('EE', status => 'truncated', budget => 2)
	WHEN i <= 70 THEN run('EE.') ELSE run('EE') END AS traj FROM generate_series(1, 80) i;
SELECT is(recovery_rate(recovery_agg(task, traj), 2), 0.75::float8, 'cut episodes are allowed for, not dropped') FROM eighty;
SELECT is(recovery_rate(recovery_agg(task, traj)), 0.5::float8, 'the horizon is one turn unless given') FROM eighty;
SELECT is(recovery_rate(recovery_agg(task, traj), 3), 0.75::float8, 'those that failed stay at risk at every later turn') FROM eighty;
SELECT results_eq($$SELECT measure, within, eligible, recovered, censored, unknown, ended_solved, tasks
		FROM recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2,1}')$$,
	-- error turns: 40 + 2 * 40 = 120; last turns of their rollouts: 20 + 10; the others followed by no error: 50
	$$VALUES ('corrected_next', NULL::bigint, 90::bigint, 50::bigint, 30::bigint, 0::bigint, NULL::bigint, 80::bigint),
		('recovered_within', 2, 80, 50, 20, 0, 0, 80), ('recovered_within', 1, 80, 40, 0, 0, 0, 80),
		('success_after_error', NULL, 80, 0, 0, 0, NULL, 80), ('success_without_error', NULL, 0, 0, 0, 0, NULL, 0)$$,
	'counts of the report, horizons in the order given');

-- Every way that an episode can end: one rollout each, a row with
-- corrected_next: eligible recovered censored unknown; recovered within 1 and 2: eligible recovered rate censored unknown solved
CREATE TEMP TABLE ways (id int, traj trajectory, what text, corrected text, one text, two text);
INSERT INTO ways VALUES
(1, run('E.'), 'recovers', '1 1 0 0', '1 1 1 0 0 0', '1 1 1 0 0 0'),
(2, run('EE.'), 'a burst of two recovers', '2 1 0 0', '1 0 0 0 0 0', '1 1 1 0 0 0'),
(3, run('EEE.'), 'a burst of three', '3 1 0 0', '1 0 0 0 0 0', '1 0 0 0 0 0'),
(4, run('E'), 'an error on the last turn of a completed rollout: at risk for good', '0 0 1 0', '1 0 0 0 0 0', '1 0 0 0 0 0'),
(5, run('.EE', status => 'agent_error'), 'so of an agent that crashed', '1 0 1 0', '1 0 0 0 0 0', '1 0 0 0 0 0'),
(6, run('E', NULL, 'unscored'), 'so of an unscored rollout', '0 0 1 0', '1 0 0 0 0 0', '1 0 0 0 0 0'),
(7, run('E', status => 'truncated'), 'cut by the budget', '0 0 1 0', '0 0 - 1 0 0', '0 0 - 1 0 0'),
(8, run('EE', status => 'infra_error'), 'cut by a crash of the harness, in the second turn', '1 0 1 0', '1 0 0 0 0 0', '1 0 - 1 0 0'),
(9, run('EE', status => NULL), 'status not known: taken as cut', '1 0 1 0', '1 0 0 0 0 0', '1 0 - 1 0 0'),
(10, run('E', true), 'ends with success: apart', '0 0 1 0', '0 0 - 0 0 1', '0 0 - 0 0 1'),
(11, run('EE', true, NULL), 'a burst that ends with success: in no denominator at all', '1 0 1 0', '0 0 - 0 0 1', '0 0 - 0 0 1'),
(12, run('E?'), 'not known whether the next turn is an error', '0 0 0 1', '0 0 - 0 1 0', '0 0 - 0 1 0'),
(13, run('EE?.'), 'not known in the second turn', '1 0 0 1', '1 0 0 0 0 0', '1 0 - 0 1 0'),
(14, run('E?E.'), 'what is not known parts episodes', '1 1 0 1', '1 1 1 0 1 0', '1 1 1 0 1 0'),
(15, run('E.EE.'), 'two episodes', '3 2 0 0', '2 1 0.5 0 0 0', '2 2 1 0 0 0'),
(16, run('...'), 'no error', '0 0 0 0', '0 0 - 0 0 0', '0 0 - 0 0 0'),
(17, run('?.?'), 'no known error', '0 0 0 0', '0 0 - 0 0 0', '0 0 - 0 0 0'),
(18, run(''), 'no turn', '0 0 0 0', '0 0 - 0 0 0', '0 0 - 0 0 0'),
(19, run(NULL), 'turns not known', '0 0 0 0', '0 0 - 0 0 0', '0 0 - 0 0 0');
CREATE FUNCTION report_line(id int, wanted_measure text, wanted_within bigint) RETURNS text LANGUAGE sql AS
$$ SELECT concat_ws(' ', r.eligible, r.recovered, CASE WHEN wanted_within IS NOT NULL THEN coalesce(r.rate::text, '-') END,
		r.censored, r.unknown, r.ended_solved)
	FROM recovery_report((SELECT recovery_agg(1, w.traj) FROM ways w WHERE w.id = report_line.id), '{1,2}') r
	WHERE r.measure = wanted_measure AND r.within IS NOT DISTINCT FROM wanted_within $$;
SELECT is(report_line(id, 'corrected_next', NULL), corrected, what || ': corrected next') FROM ways ORDER BY id;
SELECT is(report_line(id, 'recovered_within', 1), one, what || ': within 1') FROM ways ORDER BY id;
SELECT is(report_line(id, 'recovered_within', 2), two, what || ': within 2') FROM ways ORDER BY id;
SELECT is(recovery_rate(recovery_agg(1, traj), 9), CASE WHEN id IN (1, 2, 3, 14, 15) THEN 1::float8 WHEN id IN (4, 5, 6) THEN 0::float8 END,
	what || ': within 9') FROM ways GROUP BY id, what ORDER BY id;

-- Terminal success: each rollout is in one measure, scored or unknown.
CREATE TEMP TABLE outcomes (task text, traj trajectory);
INSERT INTO outcomes VALUES ('a', run('E.', true)), ('a', run('E?', true)), ('a', run('.E')), ('b', run('E.', NULL)),
	('b', run('..', true)), ('b', run('', false)), ('b', run('.', NULL)), ('c', run('.?', true)), ('c', run(NULL, true)), ('c', run('?', NULL));
SELECT results_eq($$SELECT measure, eligible, recovered, unknown, tasks FROM recovery_report((SELECT recovery_agg(task, traj) FROM outcomes), '{}')
		WHERE measure LIKE 'success%'$$,
	$$VALUES ('success_after_error', 3::bigint, 2::bigint, 1::bigint, 1::bigint), ('success_without_error', 2, 1, 4, 1)$$,
	'success after error and without; unscored and not fully flagged rollouts are counted apart');
SELECT is((SELECT count(*) FROM recovery_report((SELECT recovery_agg(task, traj) FROM outcomes), '{}')), 3::bigint, 'no horizon, no row');

-- Intervals, against the rule written out in Python (test/rules.py). One task is one coin, however many episodes it has.
CREATE FUNCTION within(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) < 1e-7, false), format('%s: %s, wanted %s', what, have, want)) $$;
SELECT unnest(ARRAY[is(method, 'beta', 'one task: ' || measure), within(ci_low, low, 'low'), within(ci_high, high, 'high'),
	ok(std_error IS NULL AND tasks = 1 AND at_risk_tasks = 1, 'no standard error of one task')])
FROM recovery_report((SELECT recovery_agg(1, traj) FROM eighty), '{1,2}') JOIN (VALUES ('corrected_next', NULL::bigint, 0.008492191885, 0.996331741135),
	('recovered_within', 1, 0.005734531133, 0.994265468867), ('recovered_within', 2, 0.093144751946, 0.999893722639), ('success_after_error', NULL, 0, 0.932543155477)) v(measure, w, low, high)
	USING (measure) WHERE within IS NOT DISTINCT FROM w;
SELECT unnest(ARRAY[is(method, 'beta', 'few successes'), close_to(rate, 0.05, 'their rate'), within(ci_low, 0.015426153843, 'low'), within(ci_high, 0.118817040518, 'high'),
	within(tasks_effective, 80, 'one coin a task')])
FROM recovery_report((SELECT recovery_agg(i, run('E.', i <= 4)) FROM generate_series(1, 80) i), '{}') WHERE measure = 'success_after_error';
SELECT unnest(ARRAY[is(method, 'beta', 'a product of two stages'), within(ci_low, 0.614807349277, 'low'), within(ci_high, 0.864061240012, 'high'),
	is(at_risk_tasks, 20::bigint, 'tasks with somebody at risk at the last')])
FROM recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}') WHERE within = 2;
-- few left at risk: twelve tasks, four after the first error turn, three after the second; nobody is taken out of the interval
SELECT unnest(ARRAY[close_to(rate, 1 - 4 / 12.0 * 3 / 4.0, 'few left at risk'), ok(ci_low < 0.5 AND ci_high > 0.9, 'and little known: ' || ci_low), is(at_risk_tasks, 4::bigint, 'of four tasks')])
FROM recovery_report((SELECT recovery_agg(task, run(CASE WHEN task <= 8 THEN 'E.' WHEN task <= 11 THEN 'EE' ELSE 'EE..' END, status => CASE WHEN task BETWEEN 9 AND 11 THEN 'completed' ELSE 'truncated' END))
	FROM generate_series(1, 12) task), '{2}') WHERE within = 2;
-- delta method: d/dh1 = d/dh2 = 1/2. A task's part is (r1 - h1 n1)/80 * 1/2 + (r2 - h2 n2)/20 * 1/2.
-- 40 recover at once: 1/320; 20 cut: -1/320; 10 recover second: -1/320 + 1/80; 10 fail: -1/320 - 1/80
SELECT close_to(std_error, sqrt(80 / 79.0 * (40 * power(1 / 320.0, 2) + 20 * power(1 / 320.0, 2) + 10 * power(3 / 320.0, 2) + 10 * power(5 / 320.0, 2))),
	'standard error of a product limit')
FROM recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}') WHERE within = 2;
SELECT ok(abs(ci_low - (rate - 1.990450210230 * std_error)) < 1e-9 AND abs(ci_high - (rate + 1.990450210230 * std_error)) < 1e-9 AND method = 't',
	'method t: 79 degrees of freedom')
FROM recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}', method => 't') WHERE within = 2;
SELECT unnest(ARRAY[ok(bool_and(a.ci_low = b.ci_low), 'the same seed, the same interval'),
	ok(bool_or(a.ci_low <> c.ci_low), 'another seed, another')])
FROM recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}', method => 'bca') a JOIN recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}', method => 'bca') b USING (measure)
	JOIN recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}', method => 'bca', seed => 1) c USING (measure);
SELECT ok(a.ci_low < b.ci_low AND b.ci_high < a.ci_high, 'more confidence, a wider interval')
FROM recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}', confidence => 0.99) a
	JOIN recovery_report((SELECT recovery_agg(task, traj) FROM eighty), '{2}') b USING (measure) WHERE a.measure = 'recovered_within';

-- Turns to recovery: 40 of one turn, 10 of two.
SELECT results_eq($$SELECT recovered, mean, median, half_recovered_within, tasks, failed, censored, unknown, ended_solved
		FROM recovery_turns((SELECT recovery_agg(task, traj) FROM eighty))$$,
	$$VALUES (50::bigint, 1.2::float8, 1::float8, 1::bigint, 50::bigint, 10::bigint, 20::bigint, 0::bigint, 0::bigint)$$, 'turns to recovery');
SELECT is(median, 2.5::float8, 'the median of 1, 2, 3, 4') FROM recovery_turns((SELECT recovery_agg(i, run(repeat('E', i) || '.')) FROM generate_series(1, 4) i));
SELECT is(median, 2::float8, 'the median of 1, 2, 4') FROM recovery_turns((SELECT recovery_agg(i, run(repeat('E', i) || '.')) FROM unnest('{1,2,4}'::int[]) i));
SELECT is(median, 3::float8, 'the median of 1, 5') FROM recovery_turns((SELECT recovery_agg(i, run(repeat('E', i) || '.')) FROM unnest('{1,5}'::int[]) i));
SELECT is((mean, std_error, ci_low, ci_high, median, half_recovered_within, method)::text, '(,,,,,,)', 'nothing recovered: null')
FROM recovery_turns((SELECT recovery_agg(i, run('E')) FROM generate_series(1, 4) i));
SELECT is((mean, std_error, ci_low, ci_high, method)::text, '(1,0,,,)', 'all alike: a mean without interval')
FROM recovery_turns((SELECT recovery_agg(i, run('E.')) FROM generate_series(1, 4) i));
SELECT is(half_recovered_within, 3::bigint, 'half of all, failures among them') FROM recovery_turns((SELECT recovery_agg(i, run(f)) FROM
	unnest('{E.,EE.,EEE.,E,E,EEEE.}'::text[]) WITH ORDINALITY u(f, i)));

-- By depth: first error turn / budget in four bins: 1/4 and 1/8 lie in the first, 3/8 in the second, 8/8 in the fourth.
CREATE TEMP TABLE deep (task int, traj trajectory);
INSERT INTO deep VALUES (1, run('E.', true, budget => 4)), (1, run('E.E.', budget => 8)), (2, run('..E', budget => 8)),
	(2, run('.......E', budget => 8)), (3, run('..EE', budget => 2)), (3, run('E.')), (4, run('....', budget => 4));
SELECT results_eq($$SELECT depth_bin, depth_low, depth_high, measure, eligible, recovered, censored
		FROM recovery_by_depth((SELECT recovery_agg(task, traj) FROM deep)) WHERE measure <> 'success_after_error'$$,
	$$VALUES (1, 0::float8, 0.25::float8, 'corrected_next', 3::bigint, 3::bigint, 0::bigint), (1, 0, 0.25, 'recovered_within', 3, 3, 0),
		(2, 0.25, 0.5, 'corrected_next', 0, 0, 1), (2, 0.25, 0.5, 'recovered_within', 1, 0, 0),
		(3, 0.5, 0.75, 'corrected_next', 0, 0, 0), (3, 0.5, 0.75, 'recovered_within', 0, 0, 0),
		(4, 0.75, 1, 'corrected_next', 0, 0, 1), (4, 0.75, 1, 'recovered_within', 1, 0, 0),
		(NULL, 1, NULL, 'corrected_next', 1, 0, 1), (NULL, 1, NULL, 'recovered_within', 1, 0, 0),
		(NULL, NULL, NULL, 'corrected_next', 1, 1, 0), (NULL, NULL, NULL, 'recovered_within', 1, 1, 0)$$,
	'by depth: an empty bin, an error beyond the budget, a rollout without budget');
SELECT results_eq($$SELECT depth_bin, eligible, recovered FROM recovery_by_depth((SELECT recovery_agg(task, traj) FROM deep), 1) WHERE measure = 'success_after_error'$$,
	$$VALUES (1, 4::bigint, 1::bigint), (NULL, 1, 0), (NULL, 1, 0)$$, 'success after a first error, by depth; rollouts without error are not in it');

-- By kind: turns count with their own kind, episodes and rollouts with that of their first error.
CREATE TEMP TABLE kinds (task int, traj trajectory);
INSERT INTO kinds VALUES (1, run('EE.', true, kinds => '{syntax,timeout}')), (1, run('EEE.', kinds => '{syntax,syntax,syntax}')),
	(2, run('EEEE', kinds => ARRAY['timeout', 'timeout', NULL, ''])), (2, run('E.E', kinds => ARRAY[NULL, NULL, 'syntax'])), (3, run('..', kinds => '{syntax}'));
SELECT results_eq($$SELECT error_kind, measure, eligible, recovered, censored FROM recovery_by_kind((SELECT recovery_agg(task, traj) FROM kinds), '{2}')$$,
	-- syntax turns: E->E | E->E E->E E->. | last; timeout: E->. | E->E E->E; none: E->E (to '') E->.; '': last
	$$VALUES ('', 'corrected_next', 0::bigint, 0::bigint, 1::bigint), ('', 'recovered_within', 0, 0, 0), ('', 'success_after_error', 0, 0, 0),
		('syntax', 'corrected_next', 4, 1, 1), ('syntax', 'recovered_within', 3, 1, 0), ('syntax', 'success_after_error', 2, 1, 0),
		('timeout', 'corrected_next', 3, 1, 0), ('timeout', 'recovered_within', 1, 0, 0), ('timeout', 'success_after_error', 1, 0, 0),
		(NULL, 'corrected_next', 2, 1, 0), (NULL, 'recovered_within', 1, 1, 0), (NULL, 'success_after_error', 1, 0, 0)$$,
	'by kind; no kind comes last and is not the empty kind');

-- Differences, paired by task. Within each task one treatment and one reference rollout; task 4 and 5 have one arm only.
-- corrected next: treatment 1, 0, 1 of 1, 1, 1 (task 5: 1); reference 0, 0, 1 of 1, 1, 2 (task 4: 0).
-- d_i = s_i/3 - s_i'/4: 1/3, 0, 1/3 - 1/4; rates 2/3 and 1/4.
CREATE TEMP TABLE arms (trained bool, task int, traj trajectory);
INSERT INTO arms VALUES (true, 1, run('E.')), (true, 2, run('EE', status => 'truncated')), (true, 3, run('E.')), (true, 5, run('E.')),
	(false, 1, run('EE')), (false, 2, run('EE')), (false, 3, run('EE.')), (false, 4, run('EE'));
CREATE TEMP TABLE two AS SELECT recovery_agg(task, traj) FILTER (WHERE trained) AS t, recovery_agg(task, traj) FILTER (WHERE NOT trained) AS r FROM arms;
SELECT results_eq($$SELECT measure, rate_treatment, rate_reference, diff, tasks, unpaired, eligible_treatment, eligible_reference, method
		FROM two, recovery_diff(t, r, '{1}')$$,
	$$VALUES ('corrected_next', 2 / 3.0::float8, 0.25::float8, 2 / 3.0::float8 - 0.25, 3::bigint, 2::bigint, 3::bigint, 4::bigint, 'mover'),
		('recovered_within', 2 / 3.0::float8, 0, 2 / 3.0::float8, 3, 2, 3, 3, 'mover'),
		('success_after_error', 0, 0, 0, 3, 2, 3, 3, 'mover'), ('success_without_error', NULL, NULL, NULL, 0, 0, 0, 0, NULL)$$,
	'paired by task: both rates over the common tasks');
-- influences of corrected next: (1 - 2/3)/3 - (0 - 1/4)/4, (0 - 2/3)/3 - (0 - 1/4)/4, (1 - 2/3)/3 - (1 - 2/4)/4
SELECT close_to(std_error, sqrt(1.5 * (power(1 / 9.0 + 1 / 16.0, 2) + power(-2 / 9.0 + 1 / 16.0, 2) + power(1 / 9.0 - 1 / 8.0, 2))), 'standard error of a difference of ratios')
FROM two, recovery_diff(t, r, '{1}') WHERE measure = 'corrected_next';
SELECT unnest(ARRAY[within(ci_low, -0.156730176, 'three tasks: low'), within(ci_high, 0.701499393, 'high')])
FROM two, recovery_diff(t, r, '{1}') WHERE measure = 'corrected_next';
SELECT unnest(ARRAY[close_to(a.diff, -b.diff, 'exchanged arms: ' || measure),
	close_to(a.std_error, b.std_error, 'standard error'),
	close_to(a.ci_low, -b.ci_high, 'bounds'),
	close_to(a.p_value, b.p_value, 'p')])
FROM two, recovery_diff(t, r, '{1}') a JOIN recovery_diff(r, t, '{1}') b USING (measure) WHERE a.tasks > 0;
SELECT is((diff, std_error, ci_low = -ci_high, p_value, unpaired)::text, '(0,0,t,1,0)', 'an arm against itself: ' || measure)
FROM recovery_diff((SELECT recovery_agg(task, traj) FROM eighty), (SELECT recovery_agg(task, traj) FROM eighty), '{1,2}') WHERE tasks > 0;
-- p inverts the interval: with confidence 1 - p a bound is 0
CREATE TEMP TABLE forty AS SELECT recovery_agg(i % 40, run(repeat('E', 1 + i % 2) || '.', i % 3 = 0)) AS t,
	recovery_agg(i % 40, run(repeat('E', 1 + i % 5 % 3) || CASE WHEN i % 7 > 0 THEN '.' ELSE '' END, i % 4 = 0)) AS r FROM generate_series(1, 200) i;
SELECT ok(d.method = 'mover' AND abs(CASE WHEN e.diff > 0 THEN e.ci_low ELSE e.ci_high END) < 1e-9, format('p inverts: %s within %s, p %s', d.measure, d.within, d.p_value))
FROM forty, recovery_diff(t, r, '{1,2}') d, recovery_diff(t, r, '{1,2}', confidence => 1 - d.p_value) e
WHERE e.measure = d.measure AND e.within IS NOT DISTINCT FROM d.within AND d.tasks > 0 AND d.p_value > 1e-9;
SELECT is(count(*), 4::bigint, 'and four measures were there') FROM forty, recovery_diff(t, r, '{1,2}') d WHERE d.tasks > 0;
SELECT is(method, 'percentile', 'as asked: ' || measure) FROM forty, recovery_diff(t, r, '{2}', method => 'percentile') WHERE std_error > 0;

-- Nothing and NULL.
SELECT ok((SELECT recovery_agg(task, traj) FROM eighty WHERE false) IS NULL, 'no row, no summary');
SELECT is(recovery_rate(NULL), NULL, 'no summary, no rate');
SELECT is_empty('SELECT * FROM recovery_report(NULL)', 'nor report');
SELECT is_empty('SELECT * FROM recovery_by_depth(NULL)', 'nor by depth');
SELECT is_empty('SELECT * FROM recovery_by_kind(NULL)', 'nor by kind');
SELECT is_empty('SELECT * FROM recovery_diff(NULL, (SELECT recovery_agg(task, traj) FROM eighty))', 'nor difference');
SELECT is_empty('SELECT * FROM recovery_turns(NULL)', 'nor turns');
SELECT is_empty($$SELECT * FROM recovery_by_kind((SELECT recovery_agg(1, run('..'))))$$, 'no error, no kind');
SELECT is((SELECT count(*) FROM recovery_by_depth((SELECT recovery_agg(1, run('..'))), 2)), 6::bigint, 'no error, empty bins');

-- Kinds of arguments
SELECT lives_ok($$SELECT recovery_agg(1, '{}'), recovery_agg('a', '{}'), recovery_agg(1::smallint, '{}'), recovery_agg('a'::varchar, '{}')$$, 'literals and small types resolve');
SELECT lives_ok($$SELECT recovery_rate(recovery_agg(1, '{}'), 2), recovery_rate(recovery_agg(1, '{}'), (SELECT count(*) FROM eighty))$$, 'and count(*)');
SELECT lives_ok($$SELECT * FROM recovery_report((SELECT recovery_agg(1, '{}')), ARRAY[1, 2])$$, 'an int array is a list of horizons');

-- Errors
SELECT throws_ok($$SELECT recovery_agg(NULL::bigint, '{}')$$, '22004', 'task must not be null');
SELECT throws_ok($$SELECT recovery_agg(NULL::text, '{}')$$, '22004', 'task must not be null');
SELECT throws_ok($$SELECT recovery_agg(1, NULL)$$, '22004', 'trajectory must not be null');
SELECT throws_ok($$SELECT recovery_rate(recovery_agg(1, '{}'), 0)$$, '22023', 'within must be at least 1, not 0');
SELECT throws_ok($$SELECT recovery_rate(recovery_agg(1, '{}'), NULL)$$, '22004', 'within must not be null');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, '{1,-1}')$$, '22023', 'within must be at least 1, not -1');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, '{1,NULL}')$$, '22004', 'within must not contain nulls');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, '{{1,2},{3,4}}')$$, '2202E', 'within must have one dimension, not 2');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, '{9223372036854775807}')$$, '54000', 'within must not be more than 1000 turns');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, NULL)$$, '22004', 'within must not be null');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, '{1001}')$$, '54000', 'within must not be more than 1000 turns');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, (SELECT array_agg(1) FROM generate_series(1, 101)))$$, '54000', 'within must not have more than 100 elements');
SELECT throws_ok($$SELECT * FROM recovery_report(NULL, confidence => 1)$$, '22023', 'confidence must be between 0.01 and 0.9999999999, not 1');
SELECT throws_ok($$SELECT * FROM recovery_diff(NULL, NULL, method => 'z')$$, '22023', 'unrecognized value for method: "z"');
SELECT throws_ok($$SELECT * FROM recovery_by_kind(NULL, resamples => 0, method => 'bca')$$, '22023', 'method "bca" needs resamples');
SELECT throws_ok($$SELECT * FROM recovery_by_depth(NULL, 0)$$, '22023', 'bins must be at least 1, not 0');
SELECT throws_ok($$SELECT * FROM recovery_by_depth(NULL, NULL)$$, '22004', 'bins must not be null');
SELECT throws_ok($$SELECT * FROM recovery_by_depth(NULL, 1001)$$, '54000', 'bins must not be more than 1000');
SELECT throws_ok($$SELECT * FROM recovery_turns(NULL, seed => NULL)$$, '22004', 'seed must not be null');
SELECT throws_ok($$SELECT * FROM recovery_by_depth((SELECT recovery_agg(1, run(repeat('E', 300)))), 1000, '{1000}')$$, '54000', 'too many groups for one report: 1002');
SELECT throws_ok($$SELECT rollup(s) FROM (SELECT recovery_agg(1, '{}') UNION ALL SELECT recovery_agg('a', '{}')) q(s)$$, '42804');
SELECT throws_ok($$SELECT * FROM recovery_diff((SELECT recovery_agg(1, '{}')), (SELECT recovery_agg('a', '{}')))$$, '42804',
	'cannot pair a recovery_summary keyed by bigint with one keyed by text');
SELECT throws_ok($$SELECT 'hello'::recovery_summary$$, '22P02', 'invalid input syntax for type recovery_summary');
SELECT throws_ok($$SELECT '\x52'::recovery_summary$$, '22P02', 'invalid value for type recovery_summary');
SELECT throws_ok($$SELECT recovery_add_bigint(NULL, 1, '{}')$$, '0A000');

-- depth_bin: ceil(turn * bins / budget)
SELECT is(array_agg(depth_bin(t, 10) ORDER BY t), '{1,1,2,2,2,3,3,4,4,4}', 'a budget of 10 in four bins') FROM generate_series(1, 10) t;
SELECT is(array_agg(depth_bin(t, 3, 5) ORDER BY t), '{2,4,5}', 'fewer turns than bins') FROM generate_series(1, 3) t;
SELECT is((depth_bin(NULL, 10), depth_bin(1, NULL), depth_bin(1, 10, NULL))::text, '(,,)', 'null in, null out');
SELECT is(depth_bin(9223372036854775807, 9223372036854775807, 2147483647), 2147483647, 'no overflow');
SELECT ok(bool_and(depth_bin(t, b, n) = ceil(t::numeric * n / b)), 'exact over 63 bits')
FROM (SELECT 1 + (random() * 9.2e18)::bigint % b AS t, b, n FROM (SELECT (random() * 9.2e18)::bigint + 1 AS b, 1 + (random() * 2e9)::int AS n FROM generate_series(1, 3000)) p) q;
SELECT throws_ok('SELECT depth_bin(11, 10)', '22023', 'turn 11 lies beyond the budget of 10 turns');
SELECT throws_ok('SELECT depth_bin(0, 10)', '22023', 'turn must be at least 1, not 0');
SELECT throws_ok('SELECT depth_bin(1, 0)', '22023', 'budget must be at least 1, not 0');
SELECT throws_ok('SELECT depth_bin(1, 10, 0)', '22023', 'bins must be at least 1, not 0');

-- Prefixes that end in an error
CREATE TEMP TABLE replay AS SELECT p.* FROM error_prefixes('t1', run('E.E?E', true, budget => 9, kinds => '{a,NULL,c}')) p;
SELECT is(array_agg(error_turn ORDER BY error_turn), '{1,3,5}', 'a row for each error turn') FROM replay;
SELECT is(array_agg(error_kind ORDER BY error_turn), ARRAY['a', 'c', NULL], 'with its kind') FROM replay;
SELECT ok(bool_and(prefix = truncate(run('E.E?E', true, budget => 9, kinds => '{a,NULL,c}'), error_turn)), 'each is what truncate() gives') FROM replay;
SELECT ok(count(DISTINCT prefix_id) = 3 AND bool_and(prefix_id ~ ('^t1:' || error_turn || ':[0-9a-f]{16}$')), 'and has an id of its own') FROM replay;
SELECT is(a.prefix_id, b.prefix_id, 'the same place of another rollout is the same place')
FROM replay a, error_prefixes('t1', run('E.E', false, 'truncated')) b WHERE a.error_turn = 3 AND b.error_turn = 3;
SELECT isnt(a.prefix_id, b.prefix_id, 'another task is another place') FROM replay a, error_prefixes('t2', run('E.E')) b WHERE a.error_turn = 3 AND b.error_turn = 3;
SELECT is(count(DISTINCT prefix_id), 5::bigint, 'so are other texts, and where one ends and the next begins') FROM unnest(ARRAY[
	'{"steps":[{"action":"ab","observation":"c","error":true}]}', '{"steps":[{"action":"a","observation":"bc","error":true}]}',
	'{"prompt":"","steps":[{"action":"ab","observation":"c","error":true}]}', '{"steps":[{"action":"ab","state":"c","error":true}]}',
	'{"steps":[{"action":"","observation":"","error":true}]}']::trajectory[]) t, error_prefixes(1, t);
-- SHA-256 of 32 zero bytes and the prompt, then of that and the texts, each after its length: worked out by the server's sha256
SELECT is(prefix_id, '7:1:' || left(encode(sha256(sha256(decode(repeat('00', 32), 'hex') || int8send(1) || 'p') || int8send(2) || 'go' || int8send(-1) || int8send(0)), 'hex'), 16),
	'the id follows its published rule')
FROM error_prefixes(7, '{"prompt":"p","steps":[{"action":"go","state":"","error":true}]}');
SELECT is(task, '7', 'a task is given back as text') FROM error_prefixes(7::bigint, run('E'));
SELECT is(prefix, run('.E', false, 'truncated'), 'cut by a budget that nobody wrote down: unchanged at its end') FROM error_prefixes(7, run('.E', false, 'truncated'));
SELECT is_empty($$SELECT * FROM error_prefixes(1, run('.?'))$$, 'no error, no prefix');
SELECT is_empty($$SELECT * FROM error_prefixes(1, '{}')$$, 'no turns, no prefix');
SELECT is_empty($$SELECT * FROM error_prefixes(NULL::text, run('E'))$$, 'null in, nothing out');

SELECT * FROM finish();
ROLLBACK;
