-- Differences of two policies, paired by map, and the budget from which one leads.
\set section difference
INSERT INTO section (name, title, paper) VALUES ('difference', 'What training bought, and from which budget on',
	'the lead of the trained policy collapses or turns when the budget is tight: on FrozenLake at 25 % of T_max base 30.3, full-budget GRPO 28.7 (Pass at K = 8).');

CREATE TABLE pair (treatment text, reference text);
INSERT INTO pair VALUES ('full', 'base'), ('budgetmix', 'base'), ('budgetmix', 'full'), ('process', 'full');

CREATE TABLE figure_diff AS
SELECT p.treatment, p.reference, d.*, et.pass - er.pass AS exact
FROM pair p JOIN arm a ON (a.policy, a.announced) = (p.treatment, true) JOIN arm b ON (b.policy, b.announced) = (p.reference, true),
	pass_diff(a.summary, b.summary, '{1,2,4,8,16}', '{10,15,20,25,30,50,75,100}', match => 'exact') d,
	exact_pass et, exact_pass er
WHERE (et.policy, et.k, et.t, et.budget, et.announced) = (p.treatment, d.k, d.t, d.t, true)
	AND (er.policy, er.k, er.t, er.budget, er.announced) = (p.reference, d.k, d.t, d.t, true);

CREATE TABLE figure_crossover AS
SELECT p.treatment, p.reference, k, c.*,
	-- exactly: the first T from which the difference is positive throughout
	(SELECT min(d.t) FROM figure_diff d WHERE (d.treatment, d.reference, d.k) = (p.treatment, p.reference, ks.k)
		AND d.t > ALL (SELECT n.t FROM figure_diff n
			WHERE (n.treatment, n.reference, n.k) = (p.treatment, p.reference, ks.k) AND n.exact <= 0)) AS exact
FROM pair p JOIN arm a ON (a.policy, a.announced) = (p.treatment, true) JOIN arm b ON (b.policy, b.announced) = (p.reference, true),
	unnest('{1,2,4,8,16}'::bigint[]) ks(k),
	pass_crossover(a.summary, b.summary, k, '{10,15,20,25,30,50,75,100}', match => 'exact') c;

INSERT INTO checked
SELECT 'difference', format('%s − %s, K = %s, T = %s', treatment, reference, k, t), diff, ci_low, ci_high, exact FROM figure_diff;
INSERT INTO checked
SELECT 'difference', format('%s ahead of %s from T, K = %s', treatment, reference, k), t, ci_low, ci_high, exact
FROM figure_crossover WHERE state IN ('crosses', 'ahead at the end') AND ci_high IS NOT NULL AND exact IS NOT NULL;

CREATE VIEW difference_table AS
SELECT k AS "K", t AS "T", points(diff) AS "full - base", between_points(ci_low, ci_high) AS interval,
	between_points(band_low, band_high) AS "band, all cells", CASE WHEN p_adjusted < 0.0005 THEN '< 0.001' ELSE to_char(p_adjusted, '  0.000') END AS "p adjusted",
	points(exact) || mark(exact, ci_low, ci_high) AS exact
FROM figure_diff WHERE (treatment, reference) = ('full', 'base') AND k IN (1, 8) ORDER BY k, t;
COMMENT ON VIEW difference_table IS 'Pass@(K,T) of full less base, in points, paired over {maps} maps; both ran with T turns and were told so. The band and p hold over all 40 cells of the surface at once.';

CREATE VIEW difference_crossover AS
SELECT k AS "K", state, t AS "ahead from T", ci_low AS "at least", ci_high AS "at most",
	exact || mark(exact, ci_low, ci_high) AS exact
FROM figure_crossover WHERE (treatment, reference) = ('full', 'base') ORDER BY k;
COMMENT ON VIEW difference_crossover IS 'The budget of the list from which full leads base throughout, with its bounds (95 %, from the band along T).';

INSERT INTO seen (section, line)
SELECT 'difference', CASE state
	WHEN 'crosses' THEN format('at K = %s the band shows full behind at short budgets and ahead from T = %s on (it leaves %s to %s; exactly: %s).', k, t, ci_low, coalesce(ci_high::text, 'not within 100'), exact)
	WHEN 'ahead at the end' THEN format('at K = %s the band shows full ahead from T = %s on; at shorter budgets it does not say which leads (estimate: ahead from %s on; exactly: %s).', k, coalesce(ci_high::text, '100'), coalesce(t::text, 'none'), exact)
	WHEN 'unresolved' THEN format('at K = %s the band includes 0 at T = 100: which policy leads there is not resolved.', k)
	ELSE format('at K = %s the band shows full %s.', k, CASE state WHEN 'ahead' THEN 'ahead at every budget' WHEN 'behind' THEN 'behind at every budget'
		WHEN 'falls behind' THEN 'ahead at short budgets and behind at long ones' ELSE 'behind at T = 100' END) END
FROM figure_crossover WHERE (treatment, reference) = ('full', 'base') AND k IN (1, 8) ORDER BY k;
INSERT INTO seen (section, line)
SELECT 'difference', format('at K = 8 the band over all cells puts full behind base at %s, ahead at %s, and leaves %s open. The exact values: behind at %s.',
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE band_high < 0), 'no budget'),
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE band_low > 0), 'no budget'),
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE band_low <= 0 AND band_high >= 0), 'none'),
	coalesce('T = ' || string_agg(t::text, ', ' ORDER BY t) FILTER (WHERE exact < 0), 'none'))
FROM figure_diff WHERE (treatment, reference, k) = ('full', 'base', 8);

\ir heading.sql
SELECT replace(pass_heatmap(a.summary, b.summary, '{1,2,4,8,16}', '{10,15,20,25,30,50,75,100}', match => 'exact'), '; shaded', E'\nshaded') AS heat
FROM arm a, arm b WHERE (a.policy, b.policy, a.announced, b.announced) = ('full', 'base', true, true) \gset
\echo :heat
\echo
\set view difference_table
\ir show.sql
\set view difference_crossover
\ir show.sql
\ir seen.sql
