-- The tables of doc/lab_coverage.md. Coverage in percent; ± is the Monte-Carlo standard error of one
-- cell whose coverage is 95 %. A cell is sparse when most evaluations fell back there to Wilson or MOVER.
\set ON_ERROR_STOP on
CREATE FUNCTION percent(x float8, digits int DEFAULT 1) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(to_char(100 * x, 'FM990.' || repeat('0', digits)), '-') $$;
CREATE FUNCTION short(x float8, digits int DEFAULT 5) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(to_char(x, 'FM990.' || repeat('0', digits)), '-') $$;

-- Batch null: all of them.
CREATE TABLE rates AS
SELECT quantity, arms, cell, batch, sum(sum) / nullif(sum(size), 0) AS value FROM parts
GROUP BY GROUPING SETS ((quantity, arms, cell, batch), (quantity, arms, cell));
INSERT INTO rates
SELECT 'recovery', arms, format('recovered_within %s', w), batch, 1 - product(1 - value)
FROM rates, generate_series(1, 4) w WHERE cell LIKE 'recovered_after_%' AND right(cell, 1)::int <= w GROUP BY arms, w, batch;

-- ± from the spread of the batches.
CREATE TABLE truth AS
SELECT figure, arms, cell, sum(value) FILTER (WHERE batch IS NULL) AS value,
       stddev(value) FILTER (WHERE batch IS NOT NULL) / sqrt(count(batch)) AS std_error
FROM (SELECT CASE quantity WHEN 'pass' THEN 'pass_grid' WHEN 'recovery' THEN 'recovery_report' WHEN 'paired' THEN 'paired_diff'
                           ELSE 'length_matched_diff' END AS figure, arms, cell, batch, value FROM rates
      UNION ALL
      SELECT 'pass_diff', 'full − base', t.cell, t.batch, t.value - r.value
      FROM rates t JOIN rates r ON r.quantity = t.quantity AND r.cell = t.cell AND r.batch IS NOT DISTINCT FROM t.batch
      WHERE t.quantity = 'pass' AND t.arms = 'full' AND r.arms = 'base') q
WHERE cell NOT LIKE 'recovered_after_%'
GROUP BY figure, arms, cell
-- pairs the tasks that have something to recover from in both arms, so it depends on what was sampled
UNION ALL
SELECT 'recovery_diff', 'full − base', concat_ws(' ', measure, within), diff, std_error
FROM (SELECT rollup(treatment) AS treatment, rollup(reference) AS reference FROM recovery_parts) q,
     recovery_diff(treatment, reference, '{1,2,3,4}', method => 't');

-- An estimate without an interval holds nothing; where there was nothing to estimate from, no claim was made.
CREATE TABLE held AS
SELECT figure, arms, cell, evaluation, coalesce(value BETWEEN ci_low AND ci_high, false) AS ci, value BETWEEN band_low AND band_high AS band,
       coalesce(value > ci_high, false) AS above, coalesce(value < ci_low, false) AS below, estimate - value AS error, i.std_error, (ci_high - ci_low) / 2 / nullif(i.std_error, 0) AS reach, coalesce(method IN ('wilson', 'mover'), true) AS fallback
FROM intervals i JOIN truth t USING (figure, arms, cell) WHERE estimate IS NOT NULL;
CREATE TABLE by_cell AS
SELECT figure, arms, cell, avg(ci::int) AS ci, avg(fallback::int) AS fallback, avg(fallback::int) >= 0.5 AS sparse, avg(above::int) AS above, avg(below::int) AS below, count(*) AS n,
       1 - count(*) / (SELECT count(DISTINCT evaluation) FROM intervals)::float8 AS none,
       avg(error) AS bias, stddev(error) AS spread, avg(h.std_error) / stddev(error) AS std_error_share, avg(reach) AS reach,
       stddev(error) / sqrt(count(*)) AS bias_error, t.value, t.std_error
FROM held h JOIN truth t USING (figure, arms, cell) GROUP BY figure, arms, cell, t.value, t.std_error;
DO $$ BEGIN
	ASSERT (SELECT count(*) = (SELECT count(*) FROM intervals WHERE estimate IS NOT NULL) FROM held), 'an interval has no truth';
END $$;
CREATE FUNCTION figure_rank(figure text) RETURNS int LANGUAGE sql AS $$
	SELECT array_position('{pass_grid,pass_diff,recovery_report,recovery_diff,paired_diff,length_matched_diff}', figure) $$;

\echo '| figure | of | cells | number of cells | fallback used | coverage: mean | lowest | highest | ± | asked | met |'
\echo '|---|---|---|---|---|---|---|---|---|---|---|'
SELECT '| ' || concat_ws(' | ', figure, arms, CASE WHEN sparse THEN 'sparse' ELSE 'not sparse' END, count(*), percent(avg(fallback)), percent(avg(ci)), percent(min(ci)),
	percent(max(ci)), percent(sqrt(0.05 * 0.95 / min(n)), 2), CASE WHEN sparse THEN '≥ 90' ELSE '92–98' END,
	CASE WHEN min(ci) >= CASE WHEN sparse THEN 0.90 ELSE 0.92 END AND (sparse OR max(ci) <= 0.98) THEN 'yes' ELSE 'no' END) || ' |'
FROM by_cell GROUP BY figure, arms, sparse ORDER BY figure_rank(figure), arms, sparse;

\echo
\echo '| figure | of | whole band | ± | asked | met |'
\echo '|---|---|---|---|---|---|'
SELECT '| ' || concat_ws(' | ', figure, arms, percent(avg(whole::int)), percent(sqrt(0.05 * 0.95 / count(*)), 2), '≥ 92',
	CASE WHEN avg(whole::int) >= 0.92 THEN 'yes' ELSE 'no' END) || ' |'
FROM (SELECT figure, arms, evaluation, bool_and(band) AS whole FROM held WHERE band IS NOT NULL GROUP BY 1, 2, 3) q
GROUP BY figure, arms ORDER BY figure_rank(figure), arms;

\echo
\echo '| figure | of | cell | truth | ± | mean estimate less truth | ± | spread of the estimates | mean std_error, in spreads | mean half width, in std_errors | fallback used | coverage | truth above | truth below | no estimate |'
\echo '|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|'
SELECT '| ' || concat_ws(' | ', figure, arms, replace(cell, '_', ' '), short(value), short(std_error), short(bias), short(bias_error), short(spread), short(std_error_share, 3), short(reach, 2), percent(fallback),
	percent(ci), percent(above), percent(below), percent(none)) || ' |'
FROM by_cell WHERE figure NOT LIKE 'pass%' OR ci NOT BETWEEN 0.935 AND 0.965 ORDER BY figure_rank(figure), arms, cell;

-- The exact sums of the lab against recovery_agg, on maps of which neither saw the other's.
\echo
\echo '| recovery_report of | measure | rollouts'' rate | ± | exact | ± | apart, in standard errors |'
\echo '|---|---|---|---|---|---|---|'
SELECT '| ' || concat_ws(' | ', arms, replace(cell, '_', ' '), short(rate), short(r.std_error), short(value), short(t.std_error),
	coalesce(to_char((rate - value) / sqrt(r.std_error ^ 2 + t.std_error ^ 2), 'FMSG990.0'), '-')) || ' |'
FROM (SELECT arms, concat_ws(' ', measure, within) AS cell, rate, std_error
      FROM (SELECT 'base' AS arms, rollup(reference) AS summary FROM recovery_parts UNION ALL SELECT 'full', rollup(treatment) FROM recovery_parts) q,
           recovery_report(summary, '{1,2,3,4}', method => 't')) r JOIN truth t USING (arms, cell)
WHERE figure = 'recovery_report' ORDER BY arms, cell;

\echo
SELECT format('The truth is surer than an estimate: its standard error is at most %s %% of the spread of the estimates of a cell that is not sparse, for %s it is %s %%.',
	percent(max(std_error / spread) FILTER (WHERE figure !~ 'length|recovery_diff')), 'length_matched_diff and recovery_diff',
	percent(max(std_error / spread) FILTER (WHERE figure ~ 'length|recovery_diff'))) FROM by_cell WHERE NOT sparse;
