-- Pass@(K,T) of each policy, from the rollouts that ran with T turns.
\set section surface
INSERT INTO section (name, title, paper) VALUES ('surface', 'The surface: solved by any of K attempts within T turns',
	'along K the trained policy stays above the base; along T its lead grows with the budget, and headroom to the structural bound is left everywhere.');

CREATE TABLE figure_surface AS
SELECT arm.policy, g.*, e.pass AS exact, a.pass AS attainable
FROM arm, pass_grid(summary, '{1,2,4,8,16}', '{10,15,20,25,30,50,75,100}', match => 'exact',
		bound => (SELECT structural FROM bound)) g
	JOIN attainable a USING (k, t),
	exact_pass e
WHERE arm.announced AND (e.policy, e.k, e.t, e.budget, e.announced) = (arm.policy, g.k, g.t, g.t, true);

INSERT INTO checked
SELECT 'surface', format('%s, K = %s, T = %s', policy, k, t), pass, ci_low, ci_high, exact FROM figure_surface;

CREATE VIEW surface_table AS
SELECT k AS "K", t AS "T", pct(b.pass) AS "base %", between_pct(b.ci_low, b.ci_high) AS "interval ",
	pct(b.exact) || mark(b.exact, b.ci_low, b.ci_high) AS "exact ",
	pct(f.pass) AS "full %", between_pct(f.ci_low, f.ci_high) AS interval,
	pct(f.exact) || mark(f.exact, f.ci_low, f.ci_high) AS exact
FROM (SELECT * FROM figure_surface WHERE policy = 'base') b JOIN (SELECT * FROM figure_surface WHERE policy = 'full') f USING (k, t)
WHERE k IN (1, 8) ORDER BY k, t;
COMMENT ON VIEW surface_table IS 'Share of {maps} maps solved, in percent; 16 attempts per map and budget; the paper reads K = 8.';

CREATE VIEW surface_headroom AS
SELECT t AS "T", pct(max(bound)) AS "bound", pct(max(attainable)) AS "best policy",
	max(pct(headroom)) FILTER (WHERE policy = 'base') AS "base lacks",
	max(between_pct(headroom_low, headroom_high)) FILTER (WHERE policy = 'base') AS "interval ",
	max(pct(headroom)) FILTER (WHERE policy = 'full') AS "full lacks",
	max(between_pct(headroom_low, headroom_high)) FILTER (WHERE policy = 'full') AS interval
FROM figure_surface WHERE k = 8 GROUP BY t ORDER BY t;
COMMENT ON VIEW surface_headroom IS 'K = 8: the structural bound (maps whose shortest way has at most T moves), exactly what the best possible policy attains on this ice, and what a policy lacks to the bound, in points.';

INSERT INTO seen (section, line)
SELECT 'surface', format('with all 100 turns and one attempt full solves %s %%, base %s %%; with eight attempts %s %% and %s %%. Much of the headroom is ice and no policy closes it: at T = 10 and K = 8 the structural bound is %s %%, and the best policy that there is attains %s %%.',
	trim(pct(f1.pass)), trim(pct(b1.pass)), trim(pct(f8.pass)), trim(pct(b8.pass)), trim(pct(s.bound)), trim(pct(s.attainable)))
FROM figure_surface f1, figure_surface b1, figure_surface f8, figure_surface b8, figure_surface s
WHERE (f1.policy, f1.k, f1.t) = ('full', 1, 100) AND (b1.policy, b1.k, b1.t) = ('base', 1, 100)
	AND (f8.policy, f8.k, f8.t) = ('full', 8, 100) AND (b8.policy, b8.k, b8.t) = ('base', 8, 100)
	AND (s.policy, s.k, s.t) = ('base', 8, 10);

\ir heading.sql
SELECT pass_heatmap(summary, '{1,2,4,8,16}', '{10,15,20,25,30,50,75,100}', match => 'exact') AS heat
FROM arm WHERE announced AND policy = 'base' \gset base_
SELECT pass_heatmap(summary, '{1,2,4,8,16}', '{10,15,20,25,30,50,75,100}', match => 'exact') AS heat
FROM arm WHERE announced AND policy = 'full' \gset full_
\echo base
\echo :base_heat
\echo full
\echo :full_heat
\echo
\set view surface_table
\ir show.sql
\set view surface_headroom
\ir show.sql
\ir seen.sql
