-- The budgets of the BudgetMix run: one per map and epoch, by the published rule.
INSERT INTO lab_plan
SELECT * FROM budgetmix_plan(ARRAY(SELECT format('train-%s', to_char(i, 'FM000')) FROM generate_series(1, 100) i),
	t_max => 100, group_size => 16, epochs => 30);
