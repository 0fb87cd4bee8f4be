-- The planner, what a plan costs, and the messages of every error: answers worked out by hand.
BEGIN;
SELECT no_plan();

-- Candidates. Tenths of 10 in floating point would be 3.0000000000000004 and 6.000000000000001, which round up to 4 and 7.
SELECT is(budgetmix_budgets(10), '{1,2,3,4,5,6,7,8,9,10}', 'all ten tenths of 10');
SELECT is(budgetmix_budgets(30), '{3,6,9,12,15,18,21,24,27,30}', 'tenths of 30 are the multiples of three');
SELECT is(budgetmix_budgets(1), '{1}', 'one turn has one budget');
SELECT is(budgetmix_budgets(4), '{1,2,3,4}', 'no budget twice, none below 1');
-- sevenths of ten: 10/7 = 1.43, 20/7 = 2.86, 30/7 = 4.29, 40/7 = 5.71, 50/7 = 7.14, 60/7 = 8.57, 10
SELECT is(budgetmix_budgets(10, 1.0 / 7), '{2,3,5,6,8,9,10}', 'sevenths of 10, rounded up');
SELECT is(budgetmix_budgets(10, 1.0 / 7, 'floor'), '{1,2,4,5,7,8,10}', 'rounded down');
SELECT is(budgetmix_budgets(10, 1.0 / 7, 'nearest'), '{1,3,4,6,7,9,10}', 'rounded to the nearest');
SELECT is(budgetmix_budgets(10, 0.25, 'nearest'), '{3,5,8,10}', 'a half is rounded up');
SELECT is(budgetmix_budgets(3, 0.1, 'floor'), '{1,2,3}', 'rounded down, at least 1');
SELECT is(budgetmix_budgets(9, 1), '{9}', 'a step of 1 is the full budget');
SELECT is(cardinality(budgetmix_budgets(2147483647)), 10, 'the largest t_max');
SELECT is((budgetmix_budgets(2147483647, 1e-5))[100000], 2147483647, 'and its last candidate with a small step');
SELECT is(budgetmix_budgets(NULL), NULL, 'null in, null out');

-- The same candidates from exact fractions, for every t_max to 200 and several steps.
SELECT is_empty($$
	SELECT t, n FROM generate_series(1, 200) t, unnest(ARRAY[1, 2, 3, 4, 5, 7, 8, 10, 16, 20, 25, 50, 100, 1000]) n
	WHERE budgetmix_budgets(t, 1.0 / n) IS DISTINCT FROM
		(SELECT array_agg(DISTINCT b ORDER BY b) FROM (SELECT ceil(i * t / n::numeric)::int AS b FROM generate_series(1, n) i) c)
	OR budgetmix_budgets(t, 1.0 / n, 'floor') IS DISTINCT FROM
		(SELECT array_agg(DISTINCT b ORDER BY b) FROM (SELECT greatest(1, (i * t) / n) AS b FROM generate_series(1, n) i) c)
	OR budgetmix_budgets(t, 1.0 / n, 'nearest') IS DISTINCT FROM
		(SELECT array_agg(DISTINCT b ORDER BY b) FROM (SELECT greatest(1, (2 * i * t + n) / (2 * n)) AS b FROM generate_series(1, n) i) c)
$$, 'candidates are the distinct rounded shares, whatever the rounding');
SELECT is_empty($$
	SELECT t FROM generate_series(1, 200) t, LATERAL (SELECT budgetmix_budgets(t) AS b) q
	WHERE b[1] < 1 OR b[cardinality(b)] <> t OR EXISTS (SELECT FROM generate_subscripts(b, 1) i WHERE b[i] >= b[i + 1])
$$, 'for t_max 1 to 200: ascending, within 1..t_max, the last t_max itself');

SELECT throws_ok($$SELECT budgetmix_budgets(10, 0.3)$$, '22023', 'step must divide 1, and 0.3 does not', 'a step that does not divide 1');
SELECT throws_ok($$SELECT budgetmix_budgets(10, 0)$$, '22023', 'step must divide 1, and 0 does not', 'a step of 0');
SELECT throws_ok($$SELECT budgetmix_budgets(10, -0.1)$$, '22023', 'step must divide 1, and -0.1 does not', 'a negative step');
SELECT throws_ok($$SELECT budgetmix_budgets(10, 2)$$, '22023', 'step must divide 1, and 2 does not', 'a step above 1');
SELECT throws_ok($$SELECT budgetmix_budgets(10, 'NaN')$$, '22023', 'step must divide 1, and NaN does not', 'a step that is no number');
SELECT throws_ok($$SELECT budgetmix_budgets(10, 1e-10)$$, '54000', 'step must be at least 1e-9, not 1e-10', 'a step too small');
SELECT throws_ok($$SELECT budgetmix_budgets(2000000000, 1e-8)$$, '54000', 'there are more than 1000000 candidate budgets', 'too many candidates');
SELECT is((SELECT array_agg((budgetmix_budgets(2147483647, 1e-3, r))[1000]) FROM unnest(ARRAY['ceil', 'floor', 'nearest']) r), '{2147483647,2147483647,2147483647}',
	'the last candidate is t_max, the largest of its type too');
SELECT throws_ok($$SELECT budgetmix_budgets(10, 1e-320)$$, '22023', 'step must divide 1, and 9.99989e-321 does not', 'a step whose inverse is infinite');
SELECT throws_ok($$SELECT budgetmix_budgets(0)$$, '22023', 't_max must be at least 1, not 0', 't_max 0');
SELECT throws_ok($$SELECT budgetmix_budgets(10, 0.1, 'up')$$, '22023', 'unrecognized value for rounding: "up"', 'an unknown rounding');

-- The draw. SHA-256 of "budgetmix:1:0:1:maze-7" begins with 0ac5201e49d1ff7a (coreutils' sha256sum), which is 776061825250885498: index 8 of 10.
SELECT is(budgetmix_budget(0, 1, 'maze-7', 30), 27, 'the published draw');
SELECT is(budgetmix_budget(5, 3, 41, 30), budgetmix_budget(5, 3, '41', 30), 'a bigint task is its decimal text');
SELECT is(budgetmix_budget(5, 3, -41, 30), budgetmix_budget(5, 3, '-41', 30), 'a negative one too');
SELECT is(budgetmix_budget(5, 3, 'x', 1), 1, 'a t_max of 1 leaves no choice');
SELECT is(budgetmix_budget(5, -3, 'x', 30) IN (3,6,9,12,15,18,21,24,27,30), true, 'an epoch may be anything when draws are independent');
SELECT is(budgetmix_budget(0, 1, NULL::text, 30), NULL, 'null in, null out');
SELECT throws_ok($$SELECT budgetmix_budget(0, 1, 'a', 0)$$, '22023', 't_max must be at least 1, not 0', 'a draw with t_max 0');
SELECT throws_ok($$SELECT budgetmix_budget(0, 0, 'a', 9, mode => 'stratified')$$, '22023', 'epoch must be at least 1, not 0', 'a stratified draw of epoch 0');
SELECT throws_ok($$SELECT budgetmix_budget(0, 0, 'a', 9, mode => 'even')$$, '22023', 'unrecognized value for mode: "even"', 'an unknown mode');
SELECT throws_ok($$SELECT budgetmix_budget(0, 1, 'a', 2000000000, 1e-8, mode => 'stratified')$$, '54000',
	'there are more than 1000000 candidate budgets', 'a permutation of too many');

-- Plans
SELECT results_eq($$SELECT epoch, task, attempt FROM budgetmix_plan(ARRAY['b', 'a'], 30, 2, 2)$$,
	$$VALUES (1, 'b', 1), (1, 'b', 2), (1, 'a', 1), (1, 'a', 2), (2, 'b', 1), (2, 'b', 2), (2, 'a', 1), (2, 'a', 2)$$,
	'a row per epoch, task and attempt, in this order');
SELECT is((SELECT count(*) FROM budgetmix_plan(ARRAY['a', 'b', 'c'], 30)), 48::bigint, 'one epoch of groups of 16');
CREATE TEMP TABLE planned AS
SELECT * FROM budgetmix_plan((SELECT array_agg('t' || i) FROM generate_series(1, 40) i), 30, 3, 25, 7);
SELECT is_empty($$SELECT * FROM planned WHERE budget <> budgetmix_budget(7, epoch, task, 30)$$, 'a plan holds the published draws');
SELECT is_empty($$SELECT epoch, task FROM planned GROUP BY 1, 2 HAVING min(budget) <> max(budget) OR count(*) <> 3$$,
	'every attempt of a group shares its budget');
SELECT is((SELECT count(*) FROM budgetmix_plan('{}', 30)), 0::bigint, 'no tasks, no rows');
SELECT results_eq($$SELECT task, budget, t_max FROM budgetmix_plan_each(ARRAY['a', 'b', 'c'], ARRAY[30, 5, 1], 1)$$,
	$$VALUES ('a', budgetmix_budget(0, 1, 'a', 30), 30), ('b', budgetmix_budget(0, 1, 'b', 5), 5), ('c', 1, 1)$$,
	'each task draws from its own t_max');

-- Stratified: 10 candidates, 25 epochs: each budget two or three times for each task, and once in every block of ten.
CREATE TEMP TABLE even AS
SELECT * FROM budgetmix_plan((SELECT array_agg('t' || i) FROM generate_series(1, 40) i), 30, 2, 25, 7, mode => 'stratified');
SELECT is_empty($$SELECT epoch, task FROM even WHERE budget <> budgetmix_budget(7, epoch, task, 30, mode => 'stratified')$$,
	'a stratified plan holds the stratified draws');
SELECT is_empty($$SELECT task, b FROM unnest(budgetmix_budgets(30)) b, (SELECT DISTINCT task FROM even) t LEFT JOIN LATERAL
	(SELECT count(*) FROM even e WHERE e.task = t.task AND e.budget = b AND attempt = 1) n ON true WHERE count NOT BETWEEN 2 AND 3$$,
	'over 25 epochs each task meets each of 10 budgets two or three times');
SELECT is_empty($$SELECT task, (epoch - 1) / 10 FROM even WHERE epoch <= 20 AND attempt = 1 GROUP BY 1, 2 HAVING count(DISTINCT budget) <> 10$$,
	'and each once in a block of ten');
SELECT cmp_ok((SELECT count(DISTINCT o) FROM (SELECT task, (epoch - 1) / 10 AS block, array_agg(budget ORDER BY epoch) AS o FROM even
	WHERE epoch <= 20 AND attempt = 1 GROUP BY 1, 2) q), '>', 75::bigint, 'the 80 blocks differ in their order');
SELECT is_empty($$SELECT epoch FROM even WHERE attempt = 1 GROUP BY 1 HAVING count(DISTINCT budget) < 5$$, 'an epoch holds many budgets');
SELECT isnt((SELECT array_agg(budget) FROM even), (SELECT array_agg(budget) FROM budgetmix_plan((SELECT array_agg('t' || i)
	FROM generate_series(1, 40) i), 30, 2, 25, 8, mode => 'stratified')), 'the seed matters');

SELECT throws_ok($$SELECT * FROM budgetmix_plan(NULL, 30)$$, '22004', 'tasks must not be null', 'no tasks');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a', NULL], 30)$$, '22004', 'tasks must not contain nulls', 'a null task');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a', 'b', 'a'], 30)$$, '22023', 'tasks must not contain "a" twice', 'a task twice');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], NULL)$$, '22004', 't_max must not be null', 'no t_max');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], -1)$$, '22023', 't_max must be at least 1, not -1', 'a negative t_max');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], 30, 0)$$, '22023', 'group_size must be at least 1, not 0', 'an empty group');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], 30, 1, 0)$$, '22023', 'epochs must be at least 1, not 0', 'no epoch');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], 30, 1, 1, NULL)$$, '22004', 'seed must not be null', 'no seed');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], 30, step => NULL)$$, '22004', 'step must not be null', 'no step');
SELECT throws_ok($$SELECT * FROM budgetmix_plan(ARRAY['a'], 30, mode => NULL)$$, '22004', 'mode must not be null', 'no mode');
SELECT throws_ok($$SELECT * FROM budgetmix_plan_each(ARRAY['a', 'b'], ARRAY[30])$$, '2202E', 't_max must have an element for each task', 'too few t_max');
SELECT throws_ok($$SELECT * FROM budgetmix_plan_each(ARRAY['a', 'b'], ARRAY[30, NULL])$$, '22004', 't_max must not contain nulls', 'a null t_max');
SELECT throws_ok($$SELECT * FROM budgetmix_plan_each(ARRAY['a', 'b'], ARRAY[30, 0])$$, '22023', 't_max must be at least 1, not 0', 'a t_max of 0');
SELECT throws_ok($$SELECT * FROM budgetmix_plan_each(ARRAY['a', 'b'], NULL)$$, '22004', 't_max must not be null', 'no array of t_max');
SELECT throws_ok($$SELECT * FROM budgetmix_plan('{{a,b},{c,d}}', 30)$$, '2202E', 'tasks must have one dimension, not 2', 'a table of tasks');
SELECT throws_ok($$SELECT * FROM budgetmix_plan_each('{a,b,c,d}', '{{1,2},{3,4}}')$$, '2202E', 't_max must have one dimension, not 2', 'a table of t_max');

-- The prompt
SELECT is(budgetmix_prompt(8, 3), 'You have 8 turns in total. 3 turns remain, this one included.', 'what a policy is told');
SELECT is(budgetmix_prompt(8, 1), 'You have 8 turns in total. 1 turn remains, this one included.', 'on its last turn');
SELECT is(budgetmix_prompt(1, 1), 'You have 1 turn in total. 1 turn remains, this one included.', 'on its only turn');
SELECT is(budgetmix_prompt(8, 0), 'You have 8 turns in total. 0 turns remain.', 'and after the last');
SELECT throws_ok($$SELECT budgetmix_prompt(8, 9)$$, '22023', 'remaining must be between 0 and total, not 9', 'more than all');
SELECT throws_ok($$SELECT budgetmix_prompt(8, -1)$$, '22023', 'remaining must be between 0 and total, not -1', 'less than nothing');
SELECT throws_ok($$SELECT budgetmix_prompt(0, 0)$$, '22023', 'total must be at least 1, not 0', 'no budget');

-- Cost. Plan: task a with budget 4, twice; task b with budget 10, twice; t_max 10. At most 28 of 40 turns.
-- Earlier rollouts of a: solved at 3 of 10, failed at 10 of 10, failed at 5 of 5 (says nothing of 10), one unscored, one of unknown turns.
-- a with 4: (3 + 4 + 4) / 3; a with 10: (3 + 10) / 2; b is unknown and taken at 10.
CREATE TEMP TABLE rows_planned (task text, budget int, t_max int);
INSERT INTO rows_planned VALUES ('a', 4, 10), ('a', 4, 10), ('b', 10, 10), ('b', 10, 10);
CREATE TEMP TABLE ended (task text, success bool, turns int, budget int);
INSERT INTO ended VALUES ('a', true, 3, 10), ('a', false, 10, 10), ('a', false, 5, 5), ('a', NULL, 1, 10), ('a', true, NULL, 10), ('c', true, 1, 10);
PREPARE cost AS SELECT rollouts, max_turns, full_max_turns, max_share, round(expected_turns::numeric, 9), round(full_expected_turns::numeric, 9),
	round(expected_share::numeric, 9), rollouts_unknown
	FROM budgetmix_cost((SELECT budget_plan_agg(task, budget, t_max) FROM rows_planned), (SELECT pass_agg(task, success, turns, budget) FROM ended));
SELECT results_eq('cost', $$VALUES (4::bigint, 28::bigint, 40::bigint, 0.7::float8, round(82 / 3.0, 9), 33.000000000, round(82 / 99.0, 9), 2::bigint)$$,
	'a plan''s turns at most and as expected');
SELECT results_eq($$SELECT max_turns, expected_turns, full_expected_turns, expected_share, rollouts_unknown
	FROM budgetmix_cost((SELECT budget_plan_agg(task, budget, t_max) FROM rows_planned))$$,
	$$VALUES (28::bigint, NULL::float8, NULL::float8, NULL::float8, 4::bigint)$$, 'without earlier rollouts nothing is expected');
SELECT results_eq($$SELECT expected_turns, rollouts_unknown FROM budgetmix_cost((SELECT budget_plan_agg(task, budget, t_max) FROM rows_planned),
	(SELECT pass_agg('z', true, 1::bigint)))$$, $$VALUES (NULL::float8, 4::bigint)$$, 'nor from rollouts of other tasks');
SELECT results_eq($$SELECT c::text FROM budgetmix_cost(ARRAY['a', 'b'], 30, 16, 3, 5) c$$,
	$$SELECT c::text FROM budgetmix_cost((SELECT budget_plan_agg(task, budget, 30) FROM budgetmix_plan(ARRAY['a', 'b'], 30, 16, 3, 5))) c$$,
	'the cost of a plan by its parameters');
SELECT results_eq($$SELECT c::text FROM budgetmix_cost_each(ARRAY['a', 'b'], ARRAY[30, 7], 16, 3, 5, earlier => (SELECT pass_agg(task, success, turns) FROM ended)) c$$,
	$$SELECT c::text FROM budgetmix_cost((SELECT budget_plan_agg(task, budget, t_max) FROM budgetmix_plan_each(ARRAY['a', 'b'], ARRAY[30, 7], 16, 3, 5)),
	(SELECT pass_agg(task, success, turns) FROM ended)) c$$, 'and by those of a plan with a t_max for each');
SELECT is((SELECT max_share FROM budgetmix_cost(ARRAY['a', 'b', 'c', 'd'], 30, 16, 10, mode => 'stratified')), 0.55::float8,
	'ten stratified epochs take 55 % of the full budget');
SELECT is_empty($$SELECT * FROM budgetmix_cost(NULL::budget_plan)$$, 'no plan, no row');
SELECT is((SELECT rollup(s)::text FROM (SELECT budget_plan_agg(task, budget, t_max) AS s FROM rows_planned GROUP BY task) q),
	(SELECT budget_plan_agg(task, budget, t_max)::text FROM rows_planned), 'plans merge');
SELECT is((SELECT s::text::budget_plan::text = s::text FROM (SELECT budget_plan_agg(task, budget, t_max) AS s FROM rows_planned) q), true, 'and travel as text');
SELECT throws_ok($$SELECT budget_plan_agg('a', 0, 10)$$, '22023', 'budget must be at least 1, not 0', 'a budget of 0 in a plan');
SELECT throws_ok($$SELECT budget_plan_agg('a', NULL, 10)$$, '22004', 'budget must not be null', 'no budget in a plan');
SELECT throws_ok($$SELECT budget_plan_agg('a', 1, 3000000000)$$, '22023', 't_max must be at most 2147483647, not 3000000000', 'a t_max too large');
SELECT throws_ok($$SELECT budget_plan_agg(NULL::text, 1, 10)$$, '22004', 'task must not be null', 'no task in a plan');
SELECT throws_ok($$SELECT * FROM budgetmix_cost((SELECT budget_plan_agg(1, 1, 10)), (SELECT pass_agg('a', true, 1::bigint)))$$, '42804',
	'cannot pair a budget_plan keyed by bigint with one keyed by text', 'tasks of two kinds');
SELECT throws_ok($$SELECT '\x620101'::budget_plan$$, '22P02', 'invalid value for type budget_plan', 'damaged bytes');
-- one key 1 with one record (budget -1, t_max 1): zigzag 1 and 2
SELECT throws_ok($$SELECT '\x620101000102010102 01'::budget_plan$$, '22P02', 'invalid value for type budget_plan', 'a budget below 1 in bytes');

-- What a plan or an audit of a wrong kind gives
SELECT throws_ok($$SELECT rollup(s) FROM (SELECT budget_plan_agg(1, 1, 1) UNION ALL SELECT budget_plan_agg('a', 1, 1)) q(s)$$, '42804',
	'cannot combine a budget_plan keyed by bigint with one keyed by text', 'plans of two kinds of tasks');

SELECT * FROM finish();
ROLLBACK;
