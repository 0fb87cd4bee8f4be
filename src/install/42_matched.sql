-- Likelihood: differences between rollouts of like length

CREATE TYPE matched_summary;

CREATE FUNCTION matched_summary_in(cstring) RETURNS matched_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION matched_summary_out(matched_summary) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION matched_summary_recv(internal) RETURNS matched_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION matched_summary_send(matched_summary) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE matched_summary (
	INPUT = matched_summary_in,
	OUTPUT = matched_summary_out,
	RECEIVE = matched_summary_recv,
	SEND = matched_summary_send,
	STORAGE = extended
);
COMMENT ON TYPE matched_summary IS
	'per task, the lengths and values of the rollouts of two arms: what length_matched_agg returns and length_matched_diff reads';

COMMENT ON FUNCTION matched_summary_in(cstring) IS 'I/O';
COMMENT ON FUNCTION matched_summary_out(matched_summary) IS 'I/O';
COMMENT ON FUNCTION matched_summary_recv(internal) IS 'I/O';
COMMENT ON FUNCTION matched_summary_send(matched_summary) IS 'I/O';

CREATE FUNCTION length_matched_add_bigint(matched_summary, task bigint, arm boolean, length bigint, value double precision)
	RETURNS matched_summary AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION length_matched_add_text(matched_summary, task text, arm boolean, length bigint, value double precision)
	RETURNS matched_summary AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION matched_summary_combine(matched_summary, matched_summary) RETURNS matched_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION matched_summary_final(matched_summary) RETURNS matched_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION length_matched_add_bigint(matched_summary, bigint, boolean, bigint, double precision) IS 'transition of length_matched_agg';
COMMENT ON FUNCTION length_matched_add_text(matched_summary, text, boolean, bigint, double precision) IS 'transition of length_matched_agg';
COMMENT ON FUNCTION matched_summary_combine(matched_summary, matched_summary) IS 'combines two states of length_matched_agg; transition of rollup';
COMMENT ON FUNCTION matched_summary_final(matched_summary) IS 'result of length_matched_agg and rollup';

CREATE AGGREGATE length_matched_agg(task bigint, arm boolean, length bigint, value double precision) (
	SFUNC = length_matched_add_bigint, STYPE = matched_summary, SSPACE = 2048,
	FINALFUNC = matched_summary_final, COMBINEFUNC = matched_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE length_matched_agg(task text, arm boolean, length bigint, value double precision) (
	SFUNC = length_matched_add_text, STYPE = matched_summary, SSPACE = 2048,
	FINALFUNC = matched_summary_final, COMBINEFUNC = matched_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary matched_summary) (
	SFUNC = matched_summary_combine, STYPE = matched_summary, SSPACE = 2048,
	FINALFUNC = matched_summary_final, COMBINEFUNC = matched_summary_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE length_matched_agg(bigint, boolean, bigint, double precision) IS
	'summary of rollouts to compare at like length: task, arm (true: treatment), length, value (length or value null: counted apart)';
COMMENT ON AGGREGATE length_matched_agg(text, boolean, bigint, double precision) IS
	'summary of rollouts to compare at like length: task, arm (true: treatment), length, value (length or value null: counted apart)';
COMMENT ON AGGREGATE rollup(matched_summary) IS 'merges summaries of different rollouts';

CREATE FUNCTION length_matched_diff(summary matched_summary, tolerance double precision DEFAULT 0.1,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (pairs bigint, tasks bigint, mean_treatment double precision, mean_reference double precision,
		diff double precision, std_error double precision, ci_low double precision, ci_high double precision,
		unmatched_treatment bigint, unmatched_reference bigint, mean_gap double precision, method text,
		p_value double precision, missing_treatment bigint, missing_reference bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1;
COMMENT ON FUNCTION length_matched_diff(matched_summary, double precision, double precision, integer, bigint, text) IS
	'mean difference of value between treatment and reference rollouts of one task and like length, with its interval over tasks';

CREATE FUNCTION length_matched_pairs(summary matched_summary, tolerance double precision DEFAULT 0.1)
	RETURNS TABLE (task text, length_treatment bigint, length_reference bigint, gap double precision,
		value_treatment double precision, value_reference double precision,
		rollouts_treatment bigint, rollouts_reference bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION length_matched_pairs(matched_summary, double precision) IS
	'a row per pair of rollouts of like length; a value is the mean over the rollouts of that task, arm and length';
