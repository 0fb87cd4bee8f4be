-- Exact sums over one batch of maps.
\set ON_ERROR_STOP on
CREATE TEMP TABLE success (policy text, task text, announced bool, budget int, t bigint, success float8);
\copy success FROM pstdin
CREATE TEMP TABLE error (policy text, task text, announced bool, budget int, measure text, eligible float8, recovered float8);
\copy error FROM pstdin
CREATE TEMP TABLE sampled (kind text, task text, unit text, source text, turn int, budget int, cell text, policy text, sample int,
	action text, error bool, value float8, exact float8);
\copy sampled FROM pstdin

INSERT INTO parts
SELECT 'pass', policy, cell, :batch, sum(1 - (1 - success) ^ k), count(*) FROM success JOIN grid USING (t) GROUP BY policy, cell;
INSERT INTO parts
SELECT 'recovery', policy, replace(measure, ' ', '_'), :batch, sum(recovered), sum(eligible)
FROM error WHERE measure IN ('corrected next', 'success after error', 'success without error') OR measure LIKE 'recovered after%' GROUP BY 2, 3;
INSERT INTO parts
SELECT 'paired', 'full − base', kind, :batch, sum(CASE policy WHEN 'full' THEN exact ELSE -exact END), count(*) / 2.0
FROM sampled WHERE sample = 1 GROUP BY kind;
