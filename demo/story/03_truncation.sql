-- A rollout of 100 turns that is cut at T is not a rollout that had T turns.
\set section truncation
INSERT INTO section (name, title, paper) VALUES ('truncation', 'Cut at T, run with T, told or not told',
	'budgets were announced throughout; the timeout of a deployment often is not.');

CREATE TABLE figure_gap AS
SELECT arm.policy, g.*, er.pass - ep.pass AS exact
FROM arm, pass_truncation_gap(summary, '{1,8}', '{10,15,20,25,30,50,75}') g, exact_pass er, exact_pass ep
WHERE arm.announced AND source_budget = 100
	AND (er.policy, er.k, er.t, er.budget, er.announced) = (arm.policy, g.k, g.t, g.t, true)
	AND (ep.policy, ep.k, ep.t, ep.budget, ep.announced) = (arm.policy, g.k, g.t, 100, true);
INSERT INTO checked
SELECT 'truncation', format('gap of %s, K = %s, T = %s', policy, k, t), gap, ci_low, ci_high, exact FROM figure_gap;

-- full less base, read in three ways; run with T is figure_diff
CREATE TABLE figure_reading AS
SELECT 'run with T, told'::text AS reading, k, t, diff, ci_low, ci_high, exact FROM figure_diff
WHERE (treatment, reference) = ('full', 'base') AND k IN (1, 8)
UNION ALL
SELECT CASE WHEN f.announced THEN '100 turns, told, cut at T' ELSE '100 turns, not told, cut at T' END, d.k, d.t, d.diff, d.ci_low, d.ci_high, ef.pass - eb.pass
FROM arm f JOIN arm b USING (announced),
	pass_diff(f.long, b.long, '{1,8}', '{10,15,20,25,30,50,75,100}') d, exact_pass ef, exact_pass eb
WHERE (f.policy, b.policy) = ('full', 'base')
	AND (ef.policy, ef.k, ef.t, ef.budget, ef.announced) = ('full', d.k, d.t, 100, f.announced)
	AND (eb.policy, eb.k, eb.t, eb.budget, eb.announced) = ('base', d.k, d.t, 100, f.announced);
INSERT INTO checked
SELECT 'truncation', format('full − base, K = %s, T = %s: %s', k, t, reading), diff, ci_low, ci_high, exact
FROM figure_reading WHERE reading LIKE '100%';

CREATE TABLE figure_told AS
SELECT told.policy, d.*, et.pass - eu.pass AS exact
FROM arm told JOIN arm untold USING (policy), pass_diff(told.long, untold.long, '{1,8}', '{100}') d, exact_pass et, exact_pass eu
WHERE told.announced AND NOT untold.announced
	AND (et.policy, et.k, et.t, et.budget, et.announced) = (told.policy, d.k, 100, 100, true)
	AND (eu.policy, eu.k, eu.t, eu.budget, eu.announced) = (told.policy, d.k, 100, 100, false);
INSERT INTO checked
SELECT 'truncation', format('told − not told, %s, K = %s', policy, k), diff, ci_low, ci_high, exact FROM figure_told;

CREATE VIEW truncation_gap AS
SELECT policy, t AS "T", pct(prefix) AS "cut %", pct(rerun) AS "run %", points(gap) AS gap, between_points(ci_low, ci_high) AS interval,
	points(exact) || mark(exact, ci_low, ci_high) AS exact
FROM figure_gap WHERE k = 8 AND policy IN ('base', 'full', 'budgetmix') AND t IN (10, 15, 25, 50) ORDER BY array_position('{base,full,budgetmix}', policy), t;
COMMENT ON VIEW truncation_gap IS 'K = 8: rollouts of 100 turns cut at T, rollouts run with T turns and told so, and the gap (run − cut) in points, paired over {maps} maps.';

CREATE VIEW truncation_reading AS
SELECT reading, t AS "T", points(diff) AS "full - base", between_points(ci_low, ci_high) AS interval,
	points(exact) || mark(exact, ci_low, ci_high) AS exact
FROM figure_reading WHERE k = 8 AND t IN (10, 15, 20, 25) ORDER BY array_position('{"run with T, told","100 turns, told, cut at T","100 turns, not told, cut at T"}', reading), t;
COMMENT ON VIEW truncation_reading IS 'K = 8: does full trail base at short budgets? The answer of each reading, in points.';

CREATE VIEW truncation_told AS
SELECT policy, k AS "K", pct(pass_treatment) AS "told %", pct(pass_reference) AS "not told %", points(diff) AS difference,
	between_points(ci_low, ci_high) AS interval, points(exact) || mark(exact, ci_low, ci_high) AS exact
FROM figure_told ORDER BY array_position('{base,full,budgetmix,process}', policy), k;
COMMENT ON VIEW truncation_told IS 'All 100 turns, with the budget announced and without.';

INSERT INTO seen (section, line)
SELECT 'truncation', format('at K = 8 and T = 15, full − base is %s points when both run with 15 turns, %s when told runs of 100 are cut, %s when untold ones are: exactly %s, %s, %s. A cut run would have %s.',
	trim(points(r.diff)), trim(points(c.diff)), trim(points(u.diff)), trim(points(r.exact)), trim(points(c.exact)), trim(points(u.exact)),
	CASE WHEN c.exact > 0 AND r.exact < 0 THEN 'hidden the reversal' WHEN c.exact > r.exact THEN 'understated what a short budget costs' ELSE 'told the same' END)
FROM figure_reading r, figure_reading c, figure_reading u
WHERE (r.reading, r.k, r.t) = ('run with T, told', 8, 15) AND (c.reading, c.k, c.t) = ('100 turns, told, cut at T', 8, 15)
	AND (u.reading, u.k, u.t) = ('100 turns, not told, cut at T', 8, 15);

\ir heading.sql
\set view truncation_gap
\ir show.sql
\set view truncation_reading
\ir show.sql
\set view truncation_told
\ir show.sql
\ir seen.sql
