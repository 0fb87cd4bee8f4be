
-- import of rollouts in foreign formats

CREATE FUNCTION import_rollouts(
	doc text,
	format text DEFAULT 'auto',
	task_id text DEFAULT NULL,
	attempt_id text DEFAULT NULL,
	budget bigint DEFAULT NULL,
	reward float8 DEFAULT NULL,
	success_threshold float8 DEFAULT 0.999999,
	error_pattern text DEFAULT NULL,
	outcome text DEFAULT NULL,
	OUT ordinal bigint,
	OUT task_id text,
	OUT attempt_id text,
	OUT traj trajectory,
	OUT meta jsonb,
	OUT warnings text[]
) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 100;
COMMENT ON FUNCTION import_rollouts(text, text, text, text, bigint, float8, float8, text, text)
	IS 'the rollouts of one document of a foreign format, each with its task, attempt, trajectory, metadata and warnings';

CREATE FUNCTION rollout_formats(OUT format text, OUT description text) RETURNS SETOF record
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 16;
COMMENT ON FUNCTION rollout_formats() IS 'the formats that import_rollouts reads';
