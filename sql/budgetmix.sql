-- BudgetMix: the plan, its rule computed a second time, and what it costs.

SELECT budgetmix_budgets(20), budgetmix_budgets(7, 0.25), budgetmix_budgets(7, 0.25, 'floor') AS floor, budgetmix_budgets(11, 0.2, 'nearest') AS nearest,
	budgetmix_budgets(3) AS few, budgetmix_budgets(10, 1) AS one;
-- the published rule: the first 8 bytes of SHA-256 over "budgetmix:1:seed:epoch:task", modulo the number of candidates
SELECT bool_and(budgetmix_budget(seed, epoch, task, 20) = (budgetmix_budgets(20))[1 + h % 10]) AS by_rule, count(*)
FROM generate_series(-1, 1) seed, generate_series(1, 2) epoch, unnest('{maze,7,tâche}'::text[]) task,
	LATERAL (SELECT sha256(convert_to(format('budgetmix:1:%s:%s:%s', seed, epoch, task), 'UTF8')) AS bytes) b,
	LATERAL (SELECT sum(get_byte(bytes, i) * 256::numeric ^ (7 - i))::numeric(30) AS h FROM generate_series(0, 7) i) s;
SELECT budgetmix_budget(3, 1, 7::bigint, 20) = budgetmix_budget(3, 1, '7'::text, 20) AS a_number_is_its_decimals;
-- a group has one budget, that of the rule
SELECT epoch, task, count(*) AS attempts, min(attempt), max(attempt), count(DISTINCT budget) AS budgets, bool_and(budget = budgetmix_budget(0, epoch, task, 20)) AS by_rule
FROM budgetmix_plan('{a,b}', 20, group_size => 3, epochs => 2) GROUP BY epoch, task ORDER BY epoch, task;
SELECT task, t_max, count(*), bool_and(budget = budgetmix_budget(0, epoch, task, t_max)) AS by_rule
FROM budgetmix_plan_each('{a,b}', '{10,30}', group_size => 2) GROUP BY task, t_max ORDER BY task;
-- stratified: in as many epochs as there are candidates, a task gets each of them once
SELECT task, count(*), count(DISTINCT budget) AS budgets FROM budgetmix_plan('{a,b}', 20, group_size => 1, epochs => 10, mode => 'stratified') GROUP BY task ORDER BY task;
SELECT budgetmix_prompt(9, 9), budgetmix_prompt(9, 1), budgetmix_prompt(9, 0);

-- Two rollouts of task 1 get 5 of 10 turns, one of task 2 all 10: 20 of 30. Task 1 was solved at turn 3, task 2 at turn 8,
-- before any of these budgets: 3 + 3 + 8 either way.
CREATE TABLE plans AS SELECT budget_plan_agg(task, budget, 10) AS plan FROM (VALUES (1, 5), (1, 5), (2, 10)) v(task, budget);
SELECT rollouts, max_turns, full_max_turns, max_share FROM plans, budgetmix_cost(plan);
SELECT expected_turns, full_expected_turns, expected_share, rollouts_unknown FROM plans,
	budgetmix_cost(plan, (SELECT pass_agg(task, true, turns, 10) FROM (VALUES (1, 3), (2, 8)) v(task, turns)));
-- solved at turn 8, task 1 would take all of its 5 turns: 5 + 5 of 8 + 8. Of task 2 nothing is known: its maximum, 10, either way
SELECT expected_turns, full_expected_turns, rollouts_unknown FROM plans, budgetmix_cost(plan, (SELECT pass_agg(1, true, 8, 10)));
SELECT rollup(plan) = (SELECT plan FROM plans) AS equal FROM plans;
-- of a plan that is not kept
SELECT c.rollouts, c.max_turns = p.turns AS as_planned, c.full_max_turns FROM budgetmix_cost('{a,b}', 20, group_size => 4) c,
	(SELECT sum(budget) AS turns FROM budgetmix_plan('{a,b}', 20, group_size => 4)) p;
SELECT c.rollouts, c.max_turns = p.turns AS as_planned, c.full_max_turns FROM budgetmix_cost_each('{a,b}', '{10,30}', group_size => 4) c,
	(SELECT sum(budget) AS turns FROM budgetmix_plan_each('{a,b}', '{10,30}', group_size => 4)) p;
DROP TABLE plans;

-- mistakes
SELECT budgetmix_budgets(0);
SELECT budgetmix_budgets(10, 0.3);
SELECT budgetmix_budgets(10, 0.1, 'up');
SELECT * FROM budgetmix_plan('{a,NULL}', 10);
SELECT * FROM budgetmix_plan_each('{a,b}', '{10}');
SELECT budget_plan_agg(1, NULL, 10);
