-- The intervals of a few evaluations: from `first` on, of `tasks` maps each.
\set ON_ERROR_STOP on
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE rollout (policy text, task text, attempt int, success bool, turns bigint, loglik float8, ref_loglik float8, traj trajectory);
\copy rollout FROM pstdin
CREATE TEMP TABLE sampled (kind text, task text, unit text, policy text, samples float8[]);
\copy sampled FROM pstdin
CREATE FUNCTION pg_temp.evaluation(task text, first int, tasks int) RETURNS int IMMUTABLE LANGUAGE sql AS $$
	SELECT first + (split_part(task, '-', 2)::int - 1) / tasks $$;

CREATE TEMP TABLE arm AS
SELECT pg_temp.evaluation(task, :first, :tasks) AS evaluation, policy, pass_agg(task, traj) AS pass, recovery_agg(task, traj) AS recovery
FROM rollout GROUP BY 1, 2;
CREATE TEMP TABLE pair AS
SELECT t.evaluation, t.pass AS treatment, r.pass AS reference, t.recovery AS treatment_recovery, r.recovery AS reference_recovery
FROM arm t JOIN arm r USING (evaluation) WHERE t.policy = 'full' AND r.policy = 'base';

CREATE TEMP TABLE asked AS SELECT array_agg(DISTINCT k) AS ks, array_agg(DISTINCT t) AS ts FROM grid;
INSERT INTO intervals
SELECT 'pass_grid', policy, cell, evaluation, g.pass, std_error, ci_low, ci_high, band_low, band_high, method
FROM arm, asked, pass_grid(arm.pass, ks, ts, resamples => :resamples, seed => evaluation) g JOIN grid USING (k, t);
INSERT INTO intervals
SELECT 'pass_diff', 'full − base', cell, evaluation, diff, std_error, ci_low, ci_high, band_low, band_high, method
FROM pair, asked, pass_diff(treatment, reference, ks, ts, resamples => :resamples, seed => evaluation) g JOIN grid USING (k, t);
INSERT INTO intervals
SELECT 'recovery_report', policy, concat_ws(' ', measure, within), evaluation, rate, std_error, ci_low, ci_high, NULL, NULL, method
FROM arm, recovery_report(recovery, '{1,2,3,4}', resamples => :resamples, seed => evaluation);
INSERT INTO intervals
SELECT 'recovery_diff', 'full − base', concat_ws(' ', measure, within), evaluation, diff, std_error, ci_low, ci_high, NULL, NULL, method
FROM pair, recovery_diff(treatment_recovery, reference_recovery, '{1,2,3,4}', resamples => :resamples, seed => evaluation);
INSERT INTO intervals
SELECT 'paired_diff', 'full − base', kind, evaluation, diff, std_error, ci_low, ci_high, NULL, NULL, method
FROM (SELECT kind, pg_temp.evaluation(task, :first, :tasks) AS evaluation, paired_agg(task, unit, policy = 'full', value) AS summary
      FROM sampled, unnest(samples) value GROUP BY 1, 2) q, paired_diff(summary, resamples => :resamples, seed => evaluation);
INSERT INTO intervals
SELECT 'length_matched_diff', 'full − base', cell, evaluation, diff, std_error, ci_low, ci_high, NULL, NULL, method
FROM (SELECT cell, pg_temp.evaluation(task, :first, :tasks) AS evaluation,
             length_matched_agg(task, policy = 'full', turns, length_value(cell, success, loglik, ref_loglik)) AS summary
      FROM rollout, length_cells() cell GROUP BY 1, 2) q, length_matched_diff(summary, resamples => :resamples, seed => evaluation);
