-- The audit: a clean plan, played back, has no finding; each planted violation gives its own, with its example.
BEGIN;
SELECT no_plan();

-- 120 groups of 4 with a budget of tenths of 30. A rollout finishes on turn 2 at most, or is cut by its budget and earns nothing.
CREATE TEMP TABLE played AS
SELECT epoch || ':' || task AS g, task, attempt, budget::bigint, budget AS planned, 30 AS t_max,
       CASE WHEN attempt = 4 THEN budget ELSE least(budget, attempt) END::bigint AS turns, attempt < 4 AS success,
       CASE WHEN attempt = 4 THEN 'truncated' ELSE 'completed' END AS status, CASE WHEN attempt = 4 THEN 0 ELSE 1 END::float8 AS reward,
       budgetmix_prompt(budget, budget) AS prompt, NULL::int[] AS told
FROM budgetmix_plan((SELECT array_agg('t' || i) FROM generate_series(10, 69) i), 30, 4, 2, 3);
UPDATE played SET told = (SELECT array_agg(budget - i + 1 ORDER BY i) FROM generate_series(1, turns) i);
CREATE FUNCTION traj(p played) RETURNS trajectory LANGUAGE sql AS $$
	SELECT jsonb_strip_nulls(jsonb_build_object('success', p.success, 'reward', p.reward, 'status', p.status, 'budget', p.budget, 'prompt', p.prompt,
		'steps', (SELECT jsonb_agg(jsonb_build_object('remaining', p.told[i]) ORDER BY i) FROM generate_series(1, p.turns) i)))::trajectory $$;

CREATE FUNCTION audited() RETURNS budget_audit LANGUAGE sql AS $$ SELECT budget_audit_agg(g, task, traj(p), t_max, planned) FROM played p $$;
CREATE FUNCTION found() RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(string_agg(format('%s %s %s/%s of %s %s', severity, rule, groups, rollouts, checked, examples), E'\n'), 'nothing')
	FROM budget_findings(audited(), group_size => 4) $$;
-- What the audit finds after a change, which is then undone.
CREATE FUNCTION after(change text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE change;
	RAISE EXCEPTION USING ERRCODE = 'ZZ999', MESSAGE = found();
EXCEPTION WHEN SQLSTATE 'ZZ999' THEN RETURN SQLERRM;
END $$;

SELECT is((SELECT count(DISTINCT budget) FROM played), 10::bigint, 'all ten budgets are in the plan');
SELECT is(found(), 'nothing', 'a clean plan, played back, has no finding');
SELECT lives_ok('SELECT budget_assert(audited(), group_size => 4)', 'and passes the assertion');

SELECT is(after($$UPDATE played SET (budget, planned, turns, told, prompt) = (33 - budget, 33 - budget, 1, ARRAY[33 - budget], budgetmix_prompt(33 - budget::int, 33 - budget::int))
	WHERE g = '1:t20' AND attempt = 2$$), 'error mixed_budget 1/4 of 120 {1:t20}', 'mixed_budget');
SELECT is(after($$UPDATE played SET (budget, planned, turns, told, prompt) = (7, 7, 1, '{7}', 'You have 7.'), success = true, status = 'completed', reward = 1 WHERE g = '1:t21'$$),
	'error off_grid 1/4 of 480 {1:t21}', 'off_grid');
SELECT is(after($$UPDATE played SET (budget, planned, turns, told, prompt) = (31, 31, 1, '{31}', '31'), success = true, status = 'completed', reward = 1 WHERE g = '1:t22'$$),
	'error over_t_max 1/4 of 480 {1:t22}', 'over_t_max');
SELECT is(after($$UPDATE played SET turns = budget + 1 WHERE g = '2:t23' AND attempt = 4$$), 'error turns_over_budget 1/1 of 480 {2:t23}', 'turns_over_budget');
SELECT is(after($$UPDATE played SET reward = 0.25 WHERE g = '2:t24' AND attempt = 4$$), 'error exhausted_rewarded 1/1 of 480 {2:t24}', 'exhausted_rewarded');
SELECT is(after($$UPDATE played SET reward = -1 WHERE g = '2:t24' AND attempt = 4$$), 'error exhausted_rewarded 1/1 of 480 {2:t24}', 'a penalty is no zero');
SELECT is(after($$UPDATE played SET status = 'completed' WHERE g = '2:t25' AND attempt = 4$$), 'error status_mismatch 1/1 of 480 {2:t25}', 'status_mismatch');
SELECT is(after($$DELETE FROM played WHERE g = '1:t26' AND attempt = 1$$), 'error group_size 1/3 of 120 {1:t26}', 'group_size: one is missing');
SELECT is(after($$INSERT INTO played SELECT * FROM played WHERE g = '1:t26' AND attempt = 1$$), 'error group_size 1/5 of 120 {1:t26}', 'group_size: a retry counts');
SELECT is(after($$UPDATE played SET planned = 33 - planned WHERE g = '1:t27'$$), 'error plan_mismatch 1/4 of 480 {1:t27}', 'plan_mismatch');
SELECT is(after($$UPDATE played SET budget = NULL WHERE g = '1:t28'$$), 'error missing_budget 1/4 of 480 {1:t28}', 'missing_budget');
SELECT is(after($$UPDATE played SET budget = NULL WHERE g = '1:t28' AND attempt = 1$$), 'error missing_budget 1/1 of 480 {1:t28}', 'missing_budget of one attempt');
SELECT is(after($$UPDATE played SET told[turns] = told[turns] - 1 WHERE g = '1:t29' AND attempt = 4$$),
	'error remaining_mismatch 1/1 of 480 {1:t29}', 'remaining_mismatch: the last turn counts from 0');
SELECT is(after($$UPDATE played SET told = array_fill(NULL::int, ARRAY[turns::int - 1]) || told[turns] WHERE budget = 30 AND attempt = 4
	AND g = (SELECT min(g COLLATE "C") FROM played WHERE budget = 30)$$),
	(SELECT format('error remaining_mismatch 1/1 of 480 {%s}', min(g COLLATE "C")) FROM played WHERE budget = 30), 'remaining_mismatch: told on the last turn only');
SELECT is(after($$UPDATE played SET prompt = 'Solve it.' WHERE g = '1:t30' AND attempt = 3$$),
	'error prompt_missing_budget 1/1 of 480 {1:t30}', 'prompt_missing_budget');
-- not_uniform: the groups of budget 3 (or all of them) moved to 30; chi-square far beyond 27.9, the .001 quantile of 9 degrees of freedom
SELECT alike(after($$UPDATE played SET budget = 30, planned = 30, told = '{30}', turns = 1, prompt = '30', success = true, status = 'completed', reward = 1
	WHERE budget < 20$$), 'warning not_uniform 120/480 of 120 {}', 'not_uniform');

-- Prompts: a number stands by itself, in the digits 0 to 9
CREATE FUNCTION stated(what text) RETURNS bool LANGUAGE sql AS $$
	SELECT NOT EXISTS (SELECT FROM budget_findings((SELECT budget_audit_agg(1, 1, jsonb_build_object('budget', 12, 'prompt', what)::trajectory, 30)))
		WHERE rule = 'prompt_missing_budget') $$;
SELECT is(stated(p), yes, format('prompt "%s"', p)) FROM (VALUES ('12', true), ('You have 12.', true), ('12, or less', true), ('x12y', true), ('-12-', true),
	('112 turns', false), ('120 turns', false), ('12.5', false), ('0.12', false), ('1,12', false), ('112, 12', true), ('twelve', false), ('', false), ('1 2', false), ('é12é', true)) v(p, yes);

-- What a table cannot tell is not checked, and said so
SELECT results_eq($$SELECT rule, severity, groups, rollouts, checked, share, detail FROM budget_findings((SELECT budget_audit_agg(g, task, budget, turns, success, reward, t_max) FROM played))$$,
	$$VALUES ('status_mismatch', 'info', 120::bigint, 480::bigint, 0::bigint, NULL::float8, 'not checked: their status, outcome or turns are not known'),
	('remaining_mismatch', 'info', 120, 480, 0, NULL, 'not checked: no turn says what it was told'),
	('prompt_missing_budget', 'info', 120, 480, 0, NULL, 'not checked: the prompt is not known'),
	('group_size', 'info', 120, 480, 0, NULL, 'not checked: no group_size was given'),
	('plan_mismatch', 'info', 120, 480, 0, NULL, 'not checked: the planned budget is not known')$$, 'columns without a plan and a group size');
SELECT is(after($$UPDATE played SET t_max = NULL WHERE g = '1:t31'$$), E'info off_grid 1/4 of 476 {1:t31}\ninfo over_t_max 1/4 of 476 {1:t31}\ninfo not_uniform 1/4 of 119 {}', 'null t_max');
SELECT is(after($$UPDATE played SET planned = NULL WHERE g = '1:t31'$$), 'info plan_mismatch 1/4 of 476 {1:t31}', 'null planned');
SELECT is(after($$UPDATE played SET reward = NULL WHERE g = '1:t31'$$), 'info exhausted_rewarded 1/1 of 479 {1:t31}', 'a null reward matters to who did not finish');
SELECT is(after($$UPDATE played SET status = NULL WHERE g = '1:t31'$$), 'info status_mismatch 1/1 of 479 {1:t31}', 'so does a null status to who used the budget up');
SELECT is(after($$UPDATE played SET status = 'infra_error' WHERE g = '1:t31' AND attempt = 4$$), 'nothing', 'a crash on the last turn is no mismatch');
SELECT is(after($$UPDATE played SET told = NULL, prompt = NULL WHERE g = '1:t31'$$), E'info remaining_mismatch 1/4 of 476 {1:t31}\ninfo prompt_missing_budget 1/4 of 476 {1:t31}', 'nothing announced');
SELECT results_eq($$SELECT DISTINCT severity, groups, detail FROM budget_findings(NULL)$$, $$VALUES ('info', 0::bigint, 'not checked: there are no rollouts')$$, 'no rollouts, nothing checked');
SELECT is((SELECT count(*) FROM budget_findings(NULL)), 12::bigint, 'by any of twelve rules');
SELECT lives_ok('SELECT budget_assert(NULL)', 'but no error');
SELECT results_eq($$SELECT rule, severity, groups, detail FROM budget_findings(audited(), group_size => 4, stratified => true)$$,
	$$VALUES ('not_uniform', 'info', 120::bigint, 'not checked: the plan is stratified')$$, 'a stratified plan');
SELECT results_eq($$SELECT rule, severity, groups, detail FROM budget_findings((SELECT budget_audit_agg(g, task, traj(p), t_max, planned) FROM played p WHERE g < '1:t59'), group_size => 4)$$,
	$$VALUES ('not_uniform', 'info', 49::bigint, 'not checked: 49 groups of t_max 30 are too few for 10 budgets, 5 for each are needed')$$, 'too few groups');
SELECT is_empty($$SELECT * FROM budget_findings((SELECT budget_audit_agg(i, 1, '{"budget": 1, "reward": 0, "status": "truncated", "success": false, "prompt": "1",
	"steps": [{"remaining": 1}]}'::trajectory, 1, 1) FROM generate_series(1, 3) i), group_size => 1)$$, 'one candidate leaves nothing to test');
SELECT results_eq($$SELECT rule FROM budget_findings((SELECT budget_audit_agg(1, 1, 4, 1, true, 1, 10)), step => 0.5) WHERE severity = 'error'$$, $$VALUES ('off_grid')$$, 'another step');
SELECT results_eq($$SELECT rule FROM budget_findings((SELECT budget_audit_agg(1, 1, 4, 1, true, 1, 15)), step => 0.25) WHERE severity = 'error'$$, $$VALUES (NULL::text) LIMIT 0$$, 'a quarter of 15, rounded up');
SELECT results_eq($$SELECT rule FROM budget_findings((SELECT budget_audit_agg(1, 1, 4, 1, true, 1, 15)), step => 0.25, rounding => 'floor') WHERE severity = 'error'$$, $$VALUES ('off_grid')$$, 'not rounded down');
SELECT is((SELECT rule FROM budget_findings((SELECT budget_audit_agg(1, 1, 4, 4, false, 'NaN', 10))) WHERE severity = 'error'), 'exhausted_rewarded', 'a reward of NaN is no zero');

-- Examples: the ten smallest keys, numbers by value and texts by their bytes
SELECT is((SELECT examples FROM budget_findings((SELECT budget_audit_agg(i, 1, 0, 1, true, 1, 10) FROM generate_series(15, -1, -1) i)) WHERE rule = 'off_grid'),
	'{-1,0,1,2,3,4,5,6,7,8}', 'bigint keys');
SELECT is((SELECT examples FROM budget_findings((SELECT budget_audit_agg('k' || i, 1, 0, 1, true, 1, 10) FROM generate_series(15, 1, -1) i)) WHERE rule = 'off_grid'),
	'{k1,k10,k11,k12,k13,k14,k15,k2,k3,k4}', 'text keys');
SELECT is((SELECT detail FROM budget_findings((SELECT budget_audit_agg(g, task, budget, 1, true, 1, 10, 5) FROM (VALUES (2, 'zwei', 5), (2, 'zwei', 3), (2, 'zwei', 4), (3, 'drei', 3)) v(g, task, budget)))
	WHERE rule = 'plan_mismatch'), 'the budget is not the planned one; first: group 2, task zwei, budget 3, t_max 10, planned 5', 'the first example in words');
SELECT is((SELECT detail FROM budget_findings((SELECT budget_audit_agg(2, 'zwei', b, 1, true, 1, 10) FROM generate_series(3, 5) b)) WHERE rule = 'mixed_budget'),
	'a group has more than one budget; first: group 2, 3 budgets from 3 to 5', 'and of a mixed group');
SELECT is((SELECT share FROM budget_findings((SELECT budget_audit_agg(i % 4, 1, i % 4 * 4, 1, true, 1, 10) FROM generate_series(1, 8) i)) WHERE rule = 'over_t_max'), 0.25::float8, 'share of the rollouts');
SELECT is((SELECT share FROM budget_findings((SELECT budget_audit_agg(i % 4, 1, 1, 1, true, 1, 10) FROM generate_series(1, 9) i), group_size => 2) WHERE rule = 'group_size'), 0.25::float8, 'share of the groups');

-- budget_assert
UPDATE played SET reward = 1 WHERE g IN ('2:t24', '1:t30') AND attempt = 4;
CREATE FUNCTION failure(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text;
BEGIN
	EXECUTE statement;
	RETURN 'none';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || SQLERRM || E'\n' || detail;
END $$;
SELECT is(failure('SELECT budget_assert(audited(), group_size => 4)'), E'23514 budget audit found violations of 1 rule\n' ||
	(SELECT format('exhausted_rewarded: groups 2, rollouts 2; a rollout that did not finish within its budget has a reward; first: group 1:t30, task t30, budget %s, t_max 30, planned %s.', budget, budget)
	 FROM played WHERE g = '1:t30' AND attempt = 4), 'the assertion fails and says why');
SELECT alike(failure('SELECT budget_assert(audited(), group_size => 5)'), E'23514 budget audit found violations of 2 rules\nexhausted_rewarded: %\ngroup_size: groups 120, rollouts 480; a group is not of the size that was given; first: group 1:t10, 4 rollouts.', 'two rules');
SELECT is(failure('SELECT budget_assert(budget_audit_agg(i, 1, 1, 1, true, 1, 10)) FROM generate_series(1, 100) i'), 'none', 'a warning is no error');
SELECT is((SELECT severity FROM budget_findings((SELECT budget_audit_agg(i, 1, 1, 1, true, 1, 10) FROM generate_series(1, 100) i)) WHERE rule = 'not_uniform'), 'warning', 'though it is one');
SELECT is(failure('SELECT count(*) FROM (SELECT budget_assert(audited()) OFFSET 0) q'), failure('SELECT budget_assert(audited())'), 'an assertion whose result nobody reads is called');

-- Errors
SELECT throws_ok($$SELECT budget_audit_agg(NULL::bigint, 'a', 1, 1, true, 1, 10)$$, '22004', 'group_key must not be null', 'no group');
SELECT throws_ok($$SELECT budget_audit_agg(NULL::text, 'a', NULL::trajectory, 10)$$, '22004', 'traj must not be null', 'no trajectory');
SELECT throws_ok($$SELECT budget_audit_agg(1, 'a', 1, 1, true, 1, 0)$$, '22023', 't_max must be between 1 and 2147483647, not 0', 't_max 0');
SELECT throws_ok($$SELECT budget_audit_agg(1, 'a', 1, 1, true, 1, 3000000000)$$, '22023', 't_max must be between 1 and 2147483647, not 3000000000', 't_max too large');
SELECT throws_ok($$SELECT budget_audit_agg(1, 'a', 1, -1, true, 1, 10)$$, '22023', 'turns must not be negative, and -1 is', 'negative turns');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, 0)$$, '22023', 'alpha must be between 0 and 1, not 0', 'alpha 0');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, 1)$$, '22023', 'alpha must be between 0 and 1, not 1', 'alpha 1');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, '-Infinity')$$, '22023', 'alpha must be between 0 and 1, not -Infinity', 'alpha below all');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, 'NaN')$$, '22023', 'alpha must be between 0 and 1, not NaN', 'alpha NaN');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, NULL)$$, '22004', 'alpha must not be null', 'no alpha');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, group_size => 0)$$, '22023', 'group_size must be at least 1, not 0', 'groups of nothing');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, step => 0.3)$$, '22023', 'step must divide 1, and 0.3 does not', 'a step that does not divide 1');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, rounding => 'up')$$, '22023', 'unrecognized value for rounding: "up"', 'an unknown rounding');
SELECT throws_ok($$SELECT * FROM budget_findings(NULL, stratified => NULL)$$, '22004', 'stratified must not be null', 'no word on stratification');
SELECT throws_ok($$SELECT rollup(s) FROM (SELECT budget_audit_agg(1, 1, 1, 1, true, 1, 10) UNION ALL SELECT budget_audit_agg('a', 1, 1, 1, true, 1, 10)) q(s)$$, '42804',
	'cannot combine a budget_audit keyed by bigint with one keyed by text', 'groups of two kinds');
SELECT throws_ok($$SELECT budget_audit_add_bigint_text(NULL, 1, 'a', 1, 1, true, 1, 10)$$, '0A000', 'this function may be called only by its aggregate', 'a transition called by hand');

-- Overloads: literals, int and varchar columns
SELECT is((SELECT budget_audit_agg(1, 'a', 1, 1, true, 1, 10)::text), (SELECT budget_audit_agg(g, t, b, b, f, r, m)::text
	FROM (VALUES (1::int, 'a'::varchar, 1::int, true, 1::numeric::float8, 10::smallint)) v(g, t, b, f, r, m)), 'int, smallint and varchar columns');
SELECT is((SELECT budget_audit_agg(1, 7, 1, 1, true, 1, 10)::text), (SELECT budget_audit_agg(1, '7', 1, 1, true, 1, 10)::text), 'a bigint task is its decimal text');
SELECT isnt((SELECT budget_audit_agg('a', 'b', NULL, NULL, NULL, NULL, NULL)::text), NULL, 'nulls everywhere else');

-- Days: a retry replaces its day, and days roll up to the whole
CREATE TEMP TABLE days (day int PRIMARY KEY, audit budget_audit);
INSERT INTO days SELECT attempt % 3, budget_audit_agg(g, task, traj(p), t_max, planned) FROM played p WHERE attempt % 3 < 2 OR g < '1:t3' GROUP BY 1;
INSERT INTO days SELECT attempt % 3, budget_audit_agg(g, task, traj(p), t_max, planned) FROM played p GROUP BY 1 ON CONFLICT (day) DO UPDATE SET audit = excluded.audit;
SELECT is((SELECT rollup(audit)::text FROM days), audited()::text, 'a day again, and the rollup of days is the audit of all');
SELECT is(pg_typeof(rollup(audit))::text, 'budget_audit', 'rollup gives an audit') FROM days;

SELECT * FROM finish();
ROLLBACK;
