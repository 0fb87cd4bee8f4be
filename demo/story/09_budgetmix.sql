-- Training on a mix of budgets.
\set section budgetmix
INSERT INTO section (name, title, paper) VALUES ('budgetmix', 'BudgetMix',
	'budgets drawn at each tenth of T_max, one per group, announced: at K = 8 a gain over full-budget RL of 7.5, 5.3 and 4.0 points at 25, 50 and 75 % of T_max, parity at 100 %.');

CREATE TABLE figure_cost AS
SELECT c.* FROM budgetmix_cost((SELECT budget_plan_agg(task, budget, 100) FROM trained_plan)) c;

CREATE VIEW budgetmix_table AS
SELECT t AS "T = % of T_max", pct(b.pass) || ' ' || pct(b.exact) || mark(b.exact, b.ci_low, b.ci_high) AS "base   exact", pct(f.pass) || ' ' || pct(f.exact) || mark(f.exact, f.ci_low, f.ci_high) AS "full   exact",
	pct(m.pass) || ' ' || pct(m.exact) || mark(m.exact, m.ci_low, m.ci_high) AS "mix    exact",
	points(d.diff) AS "mix - full", between_points(d.ci_low, d.ci_high) AS interval, points(d.exact) || mark(d.exact, d.ci_low, d.ci_high) AS exact
FROM (SELECT * FROM figure_surface WHERE policy = 'base') b JOIN (SELECT * FROM figure_surface WHERE policy = 'full') f USING (k, t)
	JOIN (SELECT * FROM figure_surface WHERE policy = 'budgetmix') m USING (k, t)
	JOIN (SELECT * FROM figure_diff WHERE (treatment, reference) = ('budgetmix', 'full')) d USING (k, t)
WHERE k = 8 ORDER BY t;
COMMENT ON VIEW budgetmix_table IS 'Pass at K = 8 in percent with T turns, run and told, and its exact value; the difference in points, paired over 100 maps. The paper reports 25, 50, 75 and 100.';

CREATE VIEW budgetmix_plan_table AS
SELECT rollouts AS "rollouts planned", max_turns AS "turns at most", full_max_turns AS "turns at most, full", round(max_share::numeric, 3) AS share FROM figure_cost;
COMMENT ON VIEW budgetmix_plan_table IS 'What the plan costs at most, beside full-budget training.';

INSERT INTO seen (section, line)
SELECT 'budgetmix', format('at 25 %% of T_max BudgetMix less full is %s points (exactly %s), at 50 %% %s (%s), at 75 %% %s (%s), at 100 %% %s (%s). By the intervals it leads at %s and trails at %s; exactly it leads at %s.',
	max(trim(points(diff))) FILTER (WHERE t = 25), max(trim(points(exact))) FILTER (WHERE t = 25), max(trim(points(diff))) FILTER (WHERE t = 50), max(trim(points(exact))) FILTER (WHERE t = 50),
	max(trim(points(diff))) FILTER (WHERE t = 75), max(trim(points(exact))) FILTER (WHERE t = 75), max(trim(points(diff))) FILTER (WHERE t = 100), max(trim(points(exact))) FILTER (WHERE t = 100),
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE ci_low > 0), 'no budget'),
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE ci_high < 0), 'no budget'),
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE exact > 0), 'no budget'))
FROM figure_diff WHERE (treatment, reference, k) = ('budgetmix', 'full', 8);
INSERT INTO seen (section, line)
SELECT 'budgetmix', format('after equally many epochs BudgetMix %s at 100 %%: %s. It saw at most %s %% of the turns, and a short budget seldom ends in a success to learn from.',
	CASE WHEN ci_high < 0 THEN 'is behind full' WHEN ci_low > 0 THEN 'is ahead of full' ELSE 'is level with full' END,
	CASE WHEN ci_high < 0 THEN 'no parity as in the paper' WHEN ci_low > 0 THEN 'more than the parity of the paper' ELSE 'parity, as in the paper' END,
	round(100 * max_share::numeric))
FROM figure_diff, figure_cost WHERE (treatment, reference, k, t) = ('budgetmix', 'full', 8, 100);

\ir heading.sql
\set view budgetmix_table
\ir show.sql
\set view budgetmix_plan_table
\ir show.sql
\ir seen.sql
