-- Two arms sampled from the same places, and the states to sample from

CREATE TYPE paired_summary;

CREATE FUNCTION paired_summary_in(cstring) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION paired_summary_out(paired_summary) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION paired_summary_recv(internal) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION paired_summary_send(paired_summary) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE paired_summary (
	INPUT = paired_summary_in,
	OUTPUT = paired_summary_out,
	RECEIVE = paired_summary_recv,
	SEND = paired_summary_send,
	STORAGE = extended
);
COMMENT ON TYPE paired_summary IS
	'per unit, the values that each arm''s samples got: what paired_agg returns and paired_diff reads';

COMMENT ON FUNCTION paired_summary_in(cstring) IS 'I/O';
COMMENT ON FUNCTION paired_summary_out(paired_summary) IS 'I/O';
COMMENT ON FUNCTION paired_summary_recv(internal) IS 'I/O';
COMMENT ON FUNCTION paired_summary_send(paired_summary) IS 'I/O';

CREATE FUNCTION paired_add_bigint(paired_summary, unit bigint, arm boolean, value double precision) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_add_text(paired_summary, unit text, arm boolean, value double precision) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_add_bigint_bigint(paired_summary, cluster bigint, unit bigint, arm boolean, value double precision) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_add_bigint_text(paired_summary, cluster bigint, unit text, arm boolean, value double precision) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_add_text_bigint(paired_summary, cluster text, unit bigint, arm boolean, value double precision) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_add_text_text(paired_summary, cluster text, unit text, arm boolean, value double precision) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_summary_combine(paired_summary, paired_summary) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION paired_summary_final(paired_summary) RETURNS paired_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION paired_add_bigint(paired_summary, bigint, boolean, double precision) IS 'transition of paired_agg';
COMMENT ON FUNCTION paired_add_text(paired_summary, text, boolean, double precision) IS 'transition of paired_agg';
COMMENT ON FUNCTION paired_add_bigint_bigint(paired_summary, bigint, bigint, boolean, double precision) IS 'transition of paired_agg';
COMMENT ON FUNCTION paired_add_bigint_text(paired_summary, bigint, text, boolean, double precision) IS 'transition of paired_agg';
COMMENT ON FUNCTION paired_add_text_bigint(paired_summary, text, bigint, boolean, double precision) IS 'transition of paired_agg';
COMMENT ON FUNCTION paired_add_text_text(paired_summary, text, text, boolean, double precision) IS 'transition of paired_agg';
COMMENT ON FUNCTION paired_summary_combine(paired_summary, paired_summary) IS 'combines two states of paired_agg; transition of rollup';
COMMENT ON FUNCTION paired_summary_final(paired_summary) IS 'result of paired_agg and rollup';

CREATE AGGREGATE paired_agg(unit bigint, arm boolean, value double precision) (
	SFUNC = paired_add_bigint, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE paired_agg(unit text, arm boolean, value double precision) (
	SFUNC = paired_add_text, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE paired_agg(cluster bigint, unit bigint, arm boolean, value double precision) (
	SFUNC = paired_add_bigint_bigint, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE paired_agg(cluster bigint, unit text, arm boolean, value double precision) (
	SFUNC = paired_add_bigint_text, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE paired_agg(cluster text, unit bigint, arm boolean, value double precision) (
	SFUNC = paired_add_text_bigint, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE paired_agg(cluster text, unit text, arm boolean, value double precision) (
	SFUNC = paired_add_text_text, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary paired_summary) (
	SFUNC = paired_summary_combine, STYPE = paired_summary, SSPACE = 2048,
	FINALFUNC = paired_summary_final, COMBINEFUNC = paired_summary_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE paired_agg(bigint, boolean, double precision) IS
	'samples of two arms: unit, arm (true: treatment), value (null: not known, counted apart)';
COMMENT ON AGGREGATE paired_agg(text, boolean, double precision) IS
	'samples of two arms: unit, arm (true: treatment), value (null: not known, counted apart)';
COMMENT ON AGGREGATE paired_agg(bigint, bigint, boolean, double precision) IS
	'samples of two arms, their units in clusters, which are what is resampled: cluster, unit, arm (true: treatment), value';
COMMENT ON AGGREGATE paired_agg(bigint, text, boolean, double precision) IS
	'samples of two arms, their units in clusters, which are what is resampled: cluster, unit, arm (true: treatment), value';
COMMENT ON AGGREGATE paired_agg(text, bigint, boolean, double precision) IS
	'samples of two arms, their units in clusters, which are what is resampled: cluster, unit, arm (true: treatment), value';
COMMENT ON AGGREGATE paired_agg(text, text, boolean, double precision) IS
	'samples of two arms, their units in clusters, which are what is resampled: cluster, unit, arm (true: treatment), value';
COMMENT ON AGGREGATE rollup(paired_summary) IS 'merges summaries of different samples';

CREATE FUNCTION paired_diff(summary paired_summary, confidence double precision DEFAULT 0.95,
		resamples integer DEFAULT 10000, seed bigint DEFAULT 0, method text DEFAULT 'auto')
	RETURNS TABLE (units bigint, clusters bigint, unpaired bigint, mean_treatment double precision,
		mean_reference double precision, diff double precision, std_error double precision, ci_low double precision,
		ci_high double precision, wins bigint, ties bigint, losses bigint, win_rate double precision,
		win_low double precision, win_high double precision, prob_better double precision, p_value double precision,
		method text, missing bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1;
COMMENT ON FUNCTION paired_diff(paired_summary, double precision, integer, bigint, text) IS
	'treatment less reference over the units that both were sampled from: difference of means, wins, chance that a sample is better, with intervals';

CREATE TYPE state_pool;

CREATE FUNCTION state_pool_in(cstring) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION state_pool_out(state_pool) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION state_pool_recv(internal) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION state_pool_send(state_pool) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE state_pool (
	INPUT = state_pool_in,
	OUTPUT = state_pool_out,
	RECEIVE = state_pool_recv,
	SEND = state_pool_send,
	STORAGE = extended
);
COMMENT ON TYPE state_pool IS
	'per task, the states that each arm''s rollouts went through: what state_pool_agg returns and matched_states reads';

COMMENT ON FUNCTION state_pool_in(cstring) IS 'I/O';
COMMENT ON FUNCTION state_pool_out(state_pool) IS 'I/O';
COMMENT ON FUNCTION state_pool_recv(internal) IS 'I/O';
COMMENT ON FUNCTION state_pool_send(state_pool) IS 'I/O';

CREATE FUNCTION state_pool_add_bigint_bigint(state_pool, task bigint, arm boolean, rollout bigint, turn bigint, budget bigint) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION state_pool_add_bigint_text(state_pool, task bigint, arm boolean, rollout text, turn bigint, budget bigint) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION state_pool_add_text_bigint(state_pool, task text, arm boolean, rollout bigint, turn bigint, budget bigint) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION state_pool_add_text_text(state_pool, task text, arm boolean, rollout text, turn bigint, budget bigint) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION state_pool_combine(state_pool, state_pool) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION state_pool_final(state_pool) RETURNS state_pool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION state_pool_add_bigint_bigint(state_pool, bigint, boolean, bigint, bigint, bigint) IS 'transition of state_pool_agg';
COMMENT ON FUNCTION state_pool_add_bigint_text(state_pool, bigint, boolean, text, bigint, bigint) IS 'transition of state_pool_agg';
COMMENT ON FUNCTION state_pool_add_text_bigint(state_pool, text, boolean, bigint, bigint, bigint) IS 'transition of state_pool_agg';
COMMENT ON FUNCTION state_pool_add_text_text(state_pool, text, boolean, text, bigint, bigint) IS 'transition of state_pool_agg';
COMMENT ON FUNCTION state_pool_combine(state_pool, state_pool) IS 'combines two states of state_pool_agg; transition of rollup';
COMMENT ON FUNCTION state_pool_final(state_pool) IS 'result of state_pool_agg and rollup';

CREATE AGGREGATE state_pool_agg(task bigint, arm boolean, rollout bigint, turn bigint, budget bigint) (
	SFUNC = state_pool_add_bigint_bigint, STYPE = state_pool, SSPACE = 2048,
	FINALFUNC = state_pool_final, COMBINEFUNC = state_pool_combine, PARALLEL = SAFE
);
CREATE AGGREGATE state_pool_agg(task bigint, arm boolean, rollout text, turn bigint, budget bigint) (
	SFUNC = state_pool_add_bigint_text, STYPE = state_pool, SSPACE = 2048,
	FINALFUNC = state_pool_final, COMBINEFUNC = state_pool_combine, PARALLEL = SAFE
);
CREATE AGGREGATE state_pool_agg(task text, arm boolean, rollout bigint, turn bigint, budget bigint) (
	SFUNC = state_pool_add_text_bigint, STYPE = state_pool, SSPACE = 2048,
	FINALFUNC = state_pool_final, COMBINEFUNC = state_pool_combine, PARALLEL = SAFE
);
CREATE AGGREGATE state_pool_agg(task text, arm boolean, rollout text, turn bigint, budget bigint) (
	SFUNC = state_pool_add_text_text, STYPE = state_pool, SSPACE = 2048,
	FINALFUNC = state_pool_final, COMBINEFUNC = state_pool_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(pool state_pool) (
	SFUNC = state_pool_combine, STYPE = state_pool, SSPACE = 2048,
	FINALFUNC = state_pool_final, COMBINEFUNC = state_pool_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE state_pool_agg(bigint, boolean, bigint, bigint, bigint) IS
	'states of two arms'' rollouts: task, arm (true: treatment), rollout, turn, turn budget of the rollout (null: none, or not known)';
COMMENT ON AGGREGATE state_pool_agg(bigint, boolean, text, bigint, bigint) IS
	'states of two arms'' rollouts: task, arm (true: treatment), rollout, turn, turn budget of the rollout (null: none, or not known)';
COMMENT ON AGGREGATE state_pool_agg(text, boolean, bigint, bigint, bigint) IS
	'states of two arms'' rollouts: task, arm (true: treatment), rollout, turn, turn budget of the rollout (null: none, or not known)';
COMMENT ON AGGREGATE state_pool_agg(text, boolean, text, bigint, bigint) IS
	'states of two arms'' rollouts: task, arm (true: treatment), rollout, turn, turn budget of the rollout (null: none, or not known)';
COMMENT ON AGGREGATE rollup(state_pool) IS 'merges pools; a state that is in both is one';

CREATE FUNCTION matched_states(pool state_pool, per_arm bigint, seed bigint DEFAULT 0, bins integer DEFAULT NULL)
	RETURNS TABLE (task text, depth_bin integer, arm boolean, rollout text, turn bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION matched_states(state_pool, bigint, bigint, integer) IS
	'for each task, or task and depth bin, equally many states of either arm, at most per_arm, drawn by a published rule';

CREATE FUNCTION matched_states_report(pool state_pool, per_arm bigint, bins integer DEFAULT NULL)
	RETURNS TABLE (task text, depth_bin integer, arm boolean, available bigint, picked bigint, short bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION matched_states_report(state_pool, bigint, integer) IS
	'for each task, or task and depth bin, and arm: how many states there are, how many matched_states picks, and how many it lacks';
