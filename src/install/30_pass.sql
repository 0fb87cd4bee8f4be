-- Pass@(K,T)

CREATE TYPE pass_summary;

CREATE FUNCTION pass_summary_in(cstring) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pass_summary_out(pass_summary) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pass_summary_recv(internal) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION pass_summary_send(pass_summary) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE pass_summary (
	INPUT = pass_summary_in,
	OUTPUT = pass_summary_out,
	RECEIVE = pass_summary_recv,
	SEND = pass_summary_send,
	STORAGE = extended
);
COMMENT ON TYPE pass_summary IS
	'per task, how often and at which turn its rollouts succeeded: what pass_agg returns and pass_at, pass_grid and others read';

COMMENT ON FUNCTION pass_summary_in(cstring) IS 'I/O';
COMMENT ON FUNCTION pass_summary_out(pass_summary) IS 'I/O';
COMMENT ON FUNCTION pass_summary_recv(internal) IS 'I/O';
COMMENT ON FUNCTION pass_summary_send(pass_summary) IS 'I/O';

CREATE FUNCTION pass_add_smallint(pass_summary, task smallint, success boolean, turns bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_smallint(pass_summary, task smallint, success boolean, turns bigint, budget bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_integer(pass_summary, task integer, success boolean, turns bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_integer(pass_summary, task integer, success boolean, turns bigint, budget bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_bigint(pass_summary, task bigint, success boolean, turns bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_bigint(pass_summary, task bigint, success boolean, turns bigint, budget bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_text(pass_summary, task text, success boolean, turns bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_text(pass_summary, task text, success boolean, turns bigint, budget bigint) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_bigint_trajectory(pass_summary, task bigint, traj trajectory) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_add_text_trajectory(pass_summary, task text, traj trajectory) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_summary_combine(pass_summary, pass_summary) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION pass_summary_final(pass_summary) RETURNS pass_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION pass_add_smallint(pass_summary, smallint, boolean, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_smallint(pass_summary, smallint, boolean, bigint, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_integer(pass_summary, integer, boolean, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_integer(pass_summary, integer, boolean, bigint, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_bigint(pass_summary, bigint, boolean, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_bigint(pass_summary, bigint, boolean, bigint, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_text(pass_summary, text, boolean, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_text(pass_summary, text, boolean, bigint, bigint) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_bigint_trajectory(pass_summary, bigint, trajectory) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_add_text_trajectory(pass_summary, text, trajectory) IS 'transition of pass_agg';
COMMENT ON FUNCTION pass_summary_combine(pass_summary, pass_summary) IS 'combines two states of pass_agg; transition of rollup';
COMMENT ON FUNCTION pass_summary_final(pass_summary) IS 'result of pass_agg and rollup';

-- A column of integers is taken as it is: a cast per row would cost more than the aggregate.
CREATE AGGREGATE pass_agg(task smallint, success boolean, turns bigint) (
	SFUNC = pass_add_smallint, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task integer, success boolean, turns bigint) (
	SFUNC = pass_add_integer, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task bigint, success boolean, turns bigint) (
	SFUNC = pass_add_bigint, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task text, success boolean, turns bigint) (
	SFUNC = pass_add_text, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task smallint, success boolean, turns bigint, budget bigint) (
	SFUNC = pass_add_smallint, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task integer, success boolean, turns bigint, budget bigint) (
	SFUNC = pass_add_integer, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task bigint, success boolean, turns bigint, budget bigint) (
	SFUNC = pass_add_bigint, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task text, success boolean, turns bigint, budget bigint) (
	SFUNC = pass_add_text, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task bigint, traj trajectory) (
	SFUNC = pass_add_bigint_trajectory, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE pass_agg(task text, traj trajectory) (
	SFUNC = pass_add_text_trajectory, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary pass_summary) (
	SFUNC = pass_summary_combine, STYPE = pass_summary, SSPACE = 2048,
	FINALFUNC = pass_summary_final, COMBINEFUNC = pass_summary_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE pass_agg(smallint, boolean, bigint) IS
	'summary of rollouts for Pass@(K,T): task, success (null: unscored), turn of success or turns taken (null: not known)';
COMMENT ON AGGREGATE pass_agg(integer, boolean, bigint) IS
	'summary of rollouts for Pass@(K,T): task, success (null: unscored), turn of success or turns taken (null: not known)';
COMMENT ON AGGREGATE pass_agg(bigint, boolean, bigint) IS
	'summary of rollouts for Pass@(K,T): task, success (null: unscored), turn of success or turns taken (null: not known)';
COMMENT ON AGGREGATE pass_agg(text, boolean, bigint) IS
	'summary of rollouts for Pass@(K,T): task, success (null: unscored), turn of success or turns taken (null: not known)';
COMMENT ON AGGREGATE pass_agg(smallint, boolean, bigint, bigint) IS
	'summary of rollouts for Pass@(K,T), each with the turn budget it ran under (null: no limit, or not known)';
COMMENT ON AGGREGATE pass_agg(integer, boolean, bigint, bigint) IS
	'summary of rollouts for Pass@(K,T), each with the turn budget it ran under (null: no limit, or not known)';
COMMENT ON AGGREGATE pass_agg(bigint, boolean, bigint, bigint) IS
	'summary of rollouts for Pass@(K,T), each with the turn budget it ran under (null: no limit, or not known)';
COMMENT ON AGGREGATE pass_agg(text, boolean, bigint, bigint) IS
	'summary of rollouts for Pass@(K,T), each with the turn budget it ran under (null: no limit, or not known)';
COMMENT ON AGGREGATE pass_agg(bigint, trajectory) IS 'summary of trajectories for Pass@(K,T)';
COMMENT ON AGGREGATE pass_agg(text, trajectory) IS 'summary of trajectories for Pass@(K,T)';
COMMENT ON AGGREGATE rollup(pass_summary) IS 'merges summaries of different rollouts';

CREATE FUNCTION pass_at(summary pass_summary, k bigint, t bigint DEFAULT NULL) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pass_at(pass_summary, bigint, bigint) IS
	'Pass@(K,T): chance that at least one of k rollouts succeeds within t turns, mean over tasks with k eligible rollouts';
CREATE FUNCTION pass_hat(summary pass_summary, k bigint, t bigint DEFAULT NULL) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pass_hat(pass_summary, bigint, bigint) IS
	'pass^k: chance that all of k rollouts succeed within t turns, mean over tasks with k eligible rollouts';
CREATE FUNCTION pass_bound(summary pass_summary, t bigint) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION pass_bound(pass_summary, bigint) IS
	'share of tasks that any rollout solved within t turns; the structural bound when the summary holds an oracle''s shortest solutions';

CREATE FUNCTION pass_tasks(summary pass_summary)
	RETURNS TABLE (task text, attempts bigint, solved bigint, unscored bigint, first_solved_at bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 ROWS 1000;
COMMENT ON FUNCTION pass_tasks(pass_summary) IS
	'a row per task: all attempts, those solved, those unscored, and the earliest turn of success';

CREATE FUNCTION pass_grid(summary pass_summary, k bigint[], t bigint[] DEFAULT NULL,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto', match text DEFAULT 'prefix', task_set text DEFAULT 'each',
		bound pass_summary DEFAULT NULL)
	RETURNS TABLE (k bigint, t bigint, pass double precision, std_error double precision,
		std_error_fixed double precision, ci_low double precision, ci_high double precision,
		band_low double precision, band_high double precision, tasks bigint, tasks_short bigint,
		rollouts bigint, unscored bigint, bound double precision, headroom double precision,
		headroom_low double precision, headroom_high double precision, tasks_effective double precision,
		note text, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION pass_grid(pass_summary, bigint[], bigint[], double precision, integer, bigint, text, text, text, pass_summary) IS
	'Pass@(K,T) for each k and t, with standard errors, intervals, simultaneous bands, headroom to a bound, and all denominators';

CREATE FUNCTION pass_diff(treatment pass_summary, reference pass_summary, k bigint[], t bigint[] DEFAULT NULL,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto', match text DEFAULT 'prefix', task_set text DEFAULT 'each')
	RETURNS TABLE (k bigint, t bigint, pass_treatment double precision, pass_reference double precision,
		diff double precision, std_error double precision, ci_low double precision, ci_high double precision,
		band_low double precision, band_high double precision, p_value double precision,
		p_adjusted double precision, tasks bigint, tasks_short bigint, unseen double precision, note text, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION pass_diff(pass_summary, pass_summary, bigint[], bigint[], double precision, integer, bigint, text, text, text) IS
	'Pass@(K,T) of a treatment less that of a reference, paired by task, with intervals, simultaneous bands and p values';
