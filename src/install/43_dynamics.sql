-- Training dynamics: what a run changes from checkpoint to checkpoint

CREATE TYPE dynamics_summary;

CREATE FUNCTION dynamics_summary_in(cstring) RETURNS dynamics_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dynamics_summary_out(dynamics_summary) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dynamics_summary_recv(internal) RETURNS dynamics_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION dynamics_summary_send(dynamics_summary) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE dynamics_summary (
	INPUT = dynamics_summary_in,
	OUTPUT = dynamics_summary_out,
	RECEIVE = dynamics_summary_recv,
	SEND = dynamics_summary_send,
	STORAGE = extended
);
COMMENT ON TYPE dynamics_summary IS
	'per task and checkpoint, rewards with many turns and with one: what dynamics_agg returns and dynamics_report reads';

COMMENT ON FUNCTION dynamics_summary_in(cstring) IS 'I/O';
COMMENT ON FUNCTION dynamics_summary_out(dynamics_summary) IS 'I/O';
COMMENT ON FUNCTION dynamics_summary_recv(internal) IS 'I/O';
COMMENT ON FUNCTION dynamics_summary_send(dynamics_summary) IS 'I/O';

CREATE FUNCTION dynamics_add_bigint(dynamics_summary, checkpoint bigint, task bigint, r_multi double precision, r_single double precision)
	RETURNS dynamics_summary AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dynamics_add_text(dynamics_summary, checkpoint bigint, task text, r_multi double precision, r_single double precision)
	RETURNS dynamics_summary AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dynamics_summary_combine(dynamics_summary, dynamics_summary) RETURNS dynamics_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION dynamics_summary_final(dynamics_summary) RETURNS dynamics_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION dynamics_add_bigint(dynamics_summary, bigint, bigint, double precision, double precision) IS 'transition of dynamics_agg';
COMMENT ON FUNCTION dynamics_add_text(dynamics_summary, bigint, text, double precision, double precision) IS 'transition of dynamics_agg';
COMMENT ON FUNCTION dynamics_summary_combine(dynamics_summary, dynamics_summary) IS 'combines two states of dynamics_agg; transition of rollup';
COMMENT ON FUNCTION dynamics_summary_final(dynamics_summary) IS 'result of dynamics_agg and rollup';

CREATE AGGREGATE dynamics_agg(checkpoint bigint, task bigint, r_multi double precision, r_single double precision) (
	SFUNC = dynamics_add_bigint, STYPE = dynamics_summary, SSPACE = 2048,
	FINALFUNC = dynamics_summary_final, COMBINEFUNC = dynamics_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE dynamics_agg(checkpoint bigint, task text, r_multi double precision, r_single double precision) (
	SFUNC = dynamics_add_text, STYPE = dynamics_summary, SSPACE = 2048,
	FINALFUNC = dynamics_summary_final, COMBINEFUNC = dynamics_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary dynamics_summary) (
	SFUNC = dynamics_summary_combine, STYPE = dynamics_summary, SSPACE = 2048,
	FINALFUNC = dynamics_summary_final, COMBINEFUNC = dynamics_summary_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dynamics_agg(bigint, bigint, double precision, double precision) IS
	'summary of a training run: checkpoint, task, reward with many turns, reward with a single one (null: counted apart)';
COMMENT ON AGGREGATE dynamics_agg(bigint, text, double precision, double precision) IS
	'summary of a training run: checkpoint, task, reward with many turns, reward with a single one (null: counted apart)';
COMMENT ON AGGREGATE rollup(dynamics_summary) IS 'merges summaries of different rows';

CREATE FUNCTION dynamics_report(summary dynamics_summary,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (checkpoint bigint,
		r_multi double precision, r_multi_low double precision, r_multi_high double precision,
		r_single double precision, r_single_low double precision, r_single_high double precision,
		d_multi double precision, d_multi_low double precision, d_multi_high double precision,
		d_single double precision, d_single_low double precision, d_single_high double precision,
		gap double precision, gap_low double precision, gap_high double precision,
		band_low double precision, band_high double precision,
		tasks bigint, tasks_paired bigint, tasks_missing bigint, missing bigint, diverged boolean,
		r_multi_method text, r_single_method text, d_multi_method text, d_single_method text, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 20;
COMMENT ON FUNCTION dynamics_report(dynamics_summary, double precision, integer, bigint, text) IS
	'a row per checkpoint: mean rewards, their changes since the first, paired by task, and from where on the two changes have diverged';

CREATE FUNCTION dynamics_diverged(summary dynamics_summary,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0)
	RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000;
COMMENT ON FUNCTION dynamics_diverged(dynamics_summary, double precision, integer, bigint) IS
	'the first checkpoint from which on the band of d_multi - d_single excludes 0; null when there is none';

CREATE FUNCTION dynamics_slopes(summary dynamics_summary,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (measure text, slope double precision, std_error double precision, ci_low double precision,
		ci_high double precision, p_value double precision, tasks bigint, tasks_short bigint, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 3;
COMMENT ON FUNCTION dynamics_slopes(dynamics_summary, double precision, integer, bigint, text) IS
	'change of r_multi, r_single and their difference per unit of checkpoint: least-squares slopes of the tasks, averaged';
