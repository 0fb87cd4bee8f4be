-- After an error: the next move, the way back, the end.
\set section recovery
INSERT INTO section (name, title, paper) VALUES ('recovery', 'Recovery from error states',
	'one wrong action injected: the trained policy''s next action is the better one in 65.7 % (FrozenLake), 67.3 % (DeepCoder-MT) of the states; from identical error states 51.3 % end in success against 38.6 % of the base.');

CREATE TABLE figure_recovery AS
WITH exact_part AS (
	SELECT policy, measure, sum(recovered) AS recovered, sum(eligible) AS eligible FROM lab_errors GROUP BY policy, measure),
exact AS (
	SELECT policy, replace(measure, ' ', '_') AS measure, NULL::bigint AS within, recovered / eligible AS rate FROM exact_part
	UNION ALL  -- within w: by the product of what happens after 1, 2, … error turns
	SELECT policy, 'recovered_within', w, 1 - exp(sum(ln(1 - recovered / eligible)))
	FROM exact_part, generate_series(1, 3) w WHERE measure LIKE 'recovered after %' AND right(measure, 1)::int <= w GROUP BY policy, w)
SELECT policy, r.*, e.rate AS exact
FROM arm JOIN exact e USING (policy), recovery_report(recovery, '{1,2,3}') r
WHERE arm.announced AND e.measure = r.measure AND e.within IS NOT DISTINCT FROM r.within;
INSERT INTO checked
SELECT 'recovery', format('%s of %s%s', measure, policy, ' ' || within), rate, ci_low, ci_high, exact FROM figure_recovery;

CREATE VIEW recovery_states AS
SELECT CASE kind WHEN 'injected' THEN 'next move Q*' ELSE 'success' END AS measure, states, units AS "n",
	pct(mean_reference) AS base, pct(mean_treatment) AS "full",
	points(diff) AS diff, between_points(ci_low, ci_high) AS "interval ", points(exact) || mark(exact, ci_low, ci_high) AS exact,
	pct(win_rate) AS "better %"
FROM states_shown WHERE kind IN ('injected', 'continued') AND depth IS NULL ORDER BY kind DESC, from_both DESC, states;
COMMENT ON VIEW recovery_states IS 'Identical states after one wrong move, from rollouts of either policy; 16 samples of each policy per state; all × 100; paired by state, maps resampled.';

CREATE VIEW recovery_rates AS
SELECT CASE measure WHEN 'recovered_within' THEN 'back within' WHEN 'corrected_next' THEN 'corrected next'
		WHEN 'success_after_error' THEN 'solved after error' ELSE 'solved, no error' END || coalesce(' ' || within, '') AS measure, b.eligible AS "n", pct(b.rate) AS "base %", between_pct(b.ci_low, b.ci_high) AS "interval ",
	pct(b.exact) || mark(b.exact, b.ci_low, b.ci_high) AS "exact ",
	f.eligible AS "n ", pct(f.rate) AS "full %", between_pct(f.ci_low, f.ci_high) AS interval, pct(f.exact) || mark(f.exact, f.ci_low, f.ci_high) AS exact
FROM (SELECT *, coalesce(within, 0) AS w FROM figure_recovery WHERE policy = 'base') b
	JOIN (SELECT measure, coalesce(within, 0) AS w, eligible, rate, ci_low, ci_high, exact FROM figure_recovery WHERE policy = 'full') f USING (measure, w)
ORDER BY measure, w;
COMMENT ON VIEW recovery_rates IS 'back within w: of the episodes of error turns, those that a turn without error ends within w turns. In rollouts of 100 turns; an error is a move that lowers Q*, by however little. n: error turns, episodes of them, or rollouts.';

INSERT INTO seen (section, line)
SELECT 'recovery', format('after an injected error the next move of full is the better one in %s %% of the states (paper: 65.7 %%); from the same states %s %% of its rollouts succeed against %s %% of base (paper: 51.3 against 38.6).',
	trim(pct(i.win_rate)), trim(pct(c.mean_treatment)), trim(pct(c.mean_reference)))
FROM figure_states i, figure_states c
WHERE i.kind = 'injected' AND c.kind = 'continued' AND i.source IS NULL AND i.depth IS NULL AND c.source IS NULL AND c.depth IS NULL;
INSERT INTO seen (section, line)
WITH next AS (
	SELECT policy, rate AS corrected, (SELECT sum(error_turns(traj)) / sum(turns(traj))::float8 FROM rollouts WHERE run = policy || '-100') AS errors
	FROM figure_recovery WHERE measure = 'corrected_next')
SELECT 'recovery', format('errors are common, as any move counts that the best one beats: %s %% of the moves of full, %s %% of those of base. The next turn is a good one after %s %% of them (full) and %s %% (base). An episode that ends in a hole never recovers.',
	trim(pct(f.errors)), trim(pct(b.errors)), trim(pct(f.corrected)), trim(pct(b.corrected)))
FROM next f, next b WHERE (f.policy, b.policy) = ('full', 'base');

\ir heading.sql
\set view recovery_states
\ir show.sql
\set view recovery_rates
\ir show.sql
\ir seen.sql
