-- What the estimators themselves say on one batch of maps: where pairs are made of what was sampled,
-- there is no exact value.
\set ON_ERROR_STOP on
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE rollout (policy text, task text, attempt int, success bool, turns bigint, loglik float8, ref_loglik float8, traj trajectory);
\copy rollout FROM pstdin

INSERT INTO parts
SELECT 'length', 'full − base', cell, :batch, diff * pairs, pairs
FROM (SELECT cell, length_matched_agg(task, policy = 'full', turns, length_value(cell, success, loglik, ref_loglik)) AS summary
      FROM rollout, length_cells() cell GROUP BY cell) q, length_matched_diff(summary, method => 't');
INSERT INTO recovery_parts
SELECT :batch, recovery_agg(key, traj) FILTER (WHERE policy = 'full'), recovery_agg(key, traj) FILTER (WHERE policy = 'base')
FROM (SELECT :batch * 10000::bigint + split_part(task, '-', 2)::int AS key, policy, traj FROM rollout) q;
