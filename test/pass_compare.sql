-- pass_regressions, pass_bracket, pass_crossover and pass_truncation_gap: answers worked out
-- by hand, and a slow definition in SQL over random rollouts.
\set ON_ERROR_STOP on
\pset pager off
\pset fieldsep '\n'
BEGIN;
SELECT no_plan();

CREATE FUNCTION close_to(have float8, want float8, what text) RETURNS text LANGUAGE sql AS
$$ SELECT ok(coalesce(abs(have - want) < 1e-12, have IS NULL AND want IS NULL), format('%s: %s, have %s', what, want, have)) $$;

-- Regressions. Solved by T = 5 of 2 attempts: a 2 -> 0, b 1 -> 2, c 2 -> 1, d 2 -> 1; e only in one arm.
CREATE TEMP TABLE two (arm text, task text, success bool, turns int);
INSERT INTO two VALUES
	('r', 'a', true, 1), ('r', 'a', true, 5), ('t', 'a', true, 6), ('t', 'a', false, 3),
	('r', 'b', true, 2), ('r', 'b', false, 9), ('t', 'b', true, 2), ('t', 'b', true, 3),
	('r', 'c', true, 2), ('r', 'c', true, 4), ('t', 'c', true, 2), ('t', 'c', true, 9),
	('r', 'd', true, 2), ('r', 'd', true, 4), ('t', 'd', true, 2), ('t', 'd', false, 9),
	('r', 'e', true, 1), ('r', 'e', true, 1);
SELECT results_eq($$
	SELECT task, pass_treatment, pass_reference, diff FROM pass_regressions(
		(SELECT pass_agg(task, success, turns) FROM two WHERE arm = 't'),
		(SELECT pass_agg(task, success, turns) FROM two WHERE arm = 'r'), 1, 5)
$$, $$ VALUES ('a', 0::float8, 1::float8, -1::float8), ('c', 0.5, 1, -0.5), ('d', 0.5, 1, -0.5), ('b', 1, 0.5, 0.5) $$,
'regressions: the largest loss first, ties in key order, only tasks of both arms');
SELECT is_empty($$ SELECT * FROM pass_regressions((SELECT pass_agg(task, success, turns) FROM two WHERE arm = 't'),
	(SELECT pass_agg(task, success, turns) FROM two WHERE arm = 'r'), 3, 5) $$, 'regressions: no task has 3 attempts');

-- Bracket at K = 1. Task a: one success, one failure, two unscored. Task b: one failure, one unscored.
CREATE TEMP TABLE crashed (task text, success bool, turns int, budget int);
INSERT INTO crashed VALUES ('a', true, 2, 10), ('a', false, 10, 10), ('a', NULL, 3, 10), ('a', NULL, NULL, 5),
	('b', false, 10, 10), ('b', NULL, 1, 10);
SELECT close_to(all_fail, (1 / 4.0 + 0) / 2, 'bracket at T = 5, all fail'), close_to(scored_only, 0.25, 'scored only'),
       close_to(all_pass, (3 / 4.0 + 1 / 2.0) / 2, 'all pass'), is(unscored, 3::bigint, 'three unscored')
FROM pass_bracket((SELECT pass_agg(task, success, turns, budget) FROM crashed), '{1}', '{5}');
SELECT close_to(all_fail, (1 / 3.0 + 0) / 2, 'bracket at T = 10, all fail'), close_to(scored_only, 0.25, 'scored only'),
       close_to(all_pass, (2 / 3.0 + 1 / 2.0) / 2, 'all pass'), is(unscored, 2::bigint, 'one was allowed only 5 turns')
FROM pass_bracket((SELECT pass_agg(task, success, turns, budget) FROM crashed), '{1}', '{10}');
SELECT ok(a.all_fail = a.all_pass AND a.all_fail = a.scored_only AND a.unscored = 0, 'no unscored rollout, no bracket')
FROM pass_bracket((SELECT pass_agg(task, success, turns) FROM two WHERE arm = 'r'), '{1,2}', '{3,5}') a;

-- Truncation gap at K = 1, T = 10. Task a: budget 20 solved at 5 and 15: .5 by turn 10; budget 10: 1 and 1.
-- Task b: budget 20 unsolved twice; budget 10: 1 of 2. Task c: no rerun. Budget NULL: nowhere.
CREATE TEMP TABLE budgets (task text, success bool, turns int, budget int);
INSERT INTO budgets VALUES
	('a', true, 5, 20), ('a', true, 15, 20), ('a', true, 7, 10), ('a', true, 10, 10),
	('b', false, 20, 20), ('b', false, 20, 20), ('b', true, 1, 10), ('b', false, 10, 10),
	('c', true, 1, 20), ('a', true, 1, NULL), ('b', true, 1, NULL), ('a', false, 30, 30), ('a', true, 30, 30);
SELECT results_eq($$
	SELECT k, t, source_budget, prefix, rerun, gap, tasks FROM pass_truncation_gap((SELECT pass_agg(task, success, turns, budget) FROM budgets), '{1}', '{10}')
$$, $$ VALUES (1::bigint, 10::bigint, 20::bigint, 0.25::float8, 0.75::float8, 0.5::float8, 2::bigint), (1, 10, 30, 0, 1, 1, 1) $$,
'gap: a row per longer budget, over the tasks that have both');
SELECT close_to(std_error, 0, 'gap: both tasks gain .5'), is(method, 'paired', 'its interval is not made of that'), ok(ci_low < 0.5 AND ci_high > 0.5, 'and has a width')
FROM pass_truncation_gap((SELECT pass_agg(task, success, turns, budget) FROM budgets), '{1}', '{10}') WHERE source_budget = 20;
SELECT is_empty($$ SELECT * FROM pass_truncation_gap((SELECT pass_agg(task, success, turns, budget) FROM budgets), '{1}', '{30}') $$,
	'gap: no budget above 30');

-- Crossover over 200 tasks, one attempt each, at T = 1..4. The arms differ in the share of tasks solved by T.
CREATE FUNCTION arm(by_turn int[]) RETURNS pass_summary LANGUAGE sql AS $$
	SELECT pass_agg(task, solved_at IS NOT NULL, coalesce(solved_at, 4))
	FROM (SELECT task, (SELECT min(t) FROM generate_subscripts(by_turn, 1) t WHERE task <= by_turn[t]) AS solved_at
	      FROM generate_series(1, 200) task) q $$;
SELECT is(row(c.*)::text, want, what) FROM (VALUES
	-- behind by 50 tasks at T = 1, equal at 2, ahead by 50 from 3 on: the band at 1 is below 0, those at 3 and 4 above
	('{0,60,150,160}'::int[], '{50,60,100,110}'::int[], '(3,2,3,crosses)', 'crosses'),
	('{50,60,150,160}', '{50,60,100,110}', '(3,1,3,"ahead at the end")', 'nothing is shown before the last'),
	('{60,70,80,90}', '{10,20,30,40}', '(1,1,1,ahead)', 'ahead throughout'),
	('{60,70,80,90}', '{10,20,140,150}', '(,,,"falls behind")', 'falls behind'),
	('{10,20,30,40}', '{60,70,80,90}', '(,,,behind)', 'behind throughout'),
	('{50,60,100,110}', '{50,60,150,160}', '(,,,"behind at the end")', 'behind at the last alone'),
	('{0,0,150,160}', '{0,0,100,110}', '(3,1,3,ahead)', 'where no task is solved by either arm there is nothing to show'),
	('{0,70,80,90}', '{0,20,79,90}', '(,1,,unresolved)', 'ahead in between alone'),
	('{0,60,100,111}', '{50,60,100,110}', '(4,2,,unresolved)', 'the band at the last T holds 0: unresolved'))
	v(treatment, reference, want, what), LATERAL pass_crossover(arm(treatment), arm(reference), 1, '{1,2,3,4}') c;
SELECT is(row(c.*)::text, '(3,2,3,crosses)', 'the order and repetition of t[] do not matter')
FROM pass_crossover(arm('{0,60,150,160}'), arm('{50,60,100,110}'), 1, '{4,3,1,2,3}') c;

-- a slow definition over random rollouts: each task's success rate by T at K = 1
CREATE TEMP TABLE random_rollouts AS
SELECT h % 2 = 0 AS arm, 'task ' || h / 2 % 12 AS task, CASE WHEN h / 24 % 7 = 0 THEN NULL ELSE h / 168 % 2 = 0 END AS success,
       (1 + h / 336 % 9)::int AS turns, (ARRAY[4, 8, 12])[1 + h / 3024 % 3] AS budget
FROM (SELECT hashint8extended(i, 11) & 1073741823 AS h FROM generate_series(1, 600) i) d;
CREATE FUNCTION rate(a bool, t int, unscored text) RETURNS TABLE (task text, n bigint, p float8) LANGUAGE sql AS $$
	SELECT task, count(*), avg(CASE WHEN success IS NULL THEN (unscored = 'pass')::int ELSE (success AND turns <= t)::int END)::float8
	FROM random_rollouts WHERE arm = a AND budget >= t AND (success IS NOT NULL OR unscored <> 'out') GROUP BY task $$;
CREATE TEMP TABLE random_arms AS
SELECT pass_agg(task, success, turns, budget) FILTER (WHERE arm) AS treatment, pass_agg(task, success, turns, budget) FILTER (WHERE NOT arm) AS reference
FROM random_rollouts;
SELECT is((SELECT count(*) FROM pass_regressions(treatment, reference, 1, t) f
           FULL JOIN (SELECT a.task, a.p AS pa, b.p AS pb FROM rate(true, t, 'out') a JOIN rate(false, t, 'out') b USING (task)) s USING (task)
           WHERE (abs(f.pass_treatment - s.pa) < 1e-12 AND abs(f.pass_reference - s.pb) < 1e-12 AND abs(f.diff - (s.pa - s.pb)) < 1e-12) IS NOT TRUE),
          0::bigint, 'regressions agree with the slow definition at T = ' || t)
FROM random_arms, unnest('{2,4,8,12}'::int[]) t;
SELECT close_to(all_fail, (SELECT avg(p) FROM rate(true, t::int, 'fail')), 'all_fail agrees'),
       close_to(scored_only, (SELECT avg(p) FROM rate(true, t::int, 'out')), 'scored_only agrees'),
       close_to(all_pass, (SELECT avg(p) FROM rate(true, t::int, 'pass')), 'all_pass agrees')
FROM random_arms, pass_bracket(treatment, '{1}', '{2,4,8,12}');
SELECT close_to(gap, (SELECT avg(r.p - l.p) FROM
           (SELECT task, avg((success AND turns <= g.t)::int)::float8 AS p FROM random_rollouts WHERE arm AND budget = g.t AND success IS NOT NULL GROUP BY task) r
           JOIN (SELECT task, avg((success AND turns <= g.t)::int)::float8 AS p FROM random_rollouts WHERE arm AND budget = source_budget AND success IS NOT NULL GROUP BY task) l
           USING (task)), format('the gap agrees at T = %s from %s', t, source_budget))
FROM random_arms, pass_truncation_gap(treatment, '{1}', '{4,8}') g;

SELECT * FROM finish();
ROLLBACK;
