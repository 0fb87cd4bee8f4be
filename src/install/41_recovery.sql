-- Recovery after errors

CREATE TYPE recovery_summary;

CREATE FUNCTION recovery_summary_in(cstring) RETURNS recovery_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION recovery_summary_out(recovery_summary) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION recovery_summary_recv(internal) RETURNS recovery_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION recovery_summary_send(recovery_summary) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE recovery_summary (
	INPUT = recovery_summary_in,
	OUTPUT = recovery_summary_out,
	RECEIVE = recovery_summary_recv,
	SEND = recovery_summary_send,
	STORAGE = extended
);
COMMENT ON TYPE recovery_summary IS
	'per task, what its rollouts did after their errors: what recovery_agg returns and recovery_rate, recovery_report and others read';

COMMENT ON FUNCTION recovery_summary_in(cstring) IS 'I/O';
COMMENT ON FUNCTION recovery_summary_out(recovery_summary) IS 'I/O';
COMMENT ON FUNCTION recovery_summary_recv(internal) IS 'I/O';
COMMENT ON FUNCTION recovery_summary_send(recovery_summary) IS 'I/O';

CREATE FUNCTION recovery_add_bigint(recovery_summary, task bigint, traj trajectory) RETURNS recovery_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION recovery_add_text(recovery_summary, task text, traj trajectory) RETURNS recovery_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10;
CREATE FUNCTION recovery_summary_combine(recovery_summary, recovery_summary) RETURNS recovery_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION recovery_summary_final(recovery_summary) RETURNS recovery_summary
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;

COMMENT ON FUNCTION recovery_add_bigint(recovery_summary, bigint, trajectory) IS 'transition of recovery_agg';
COMMENT ON FUNCTION recovery_add_text(recovery_summary, text, trajectory) IS 'transition of recovery_agg';
COMMENT ON FUNCTION recovery_summary_combine(recovery_summary, recovery_summary) IS
	'combines two states of recovery_agg; transition of rollup';
COMMENT ON FUNCTION recovery_summary_final(recovery_summary) IS 'result of recovery_agg and rollup';

CREATE AGGREGATE recovery_agg(task bigint, traj trajectory) (
	SFUNC = recovery_add_bigint, STYPE = recovery_summary, SSPACE = 4096,
	FINALFUNC = recovery_summary_final, COMBINEFUNC = recovery_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE recovery_agg(task text, traj trajectory) (
	SFUNC = recovery_add_text, STYPE = recovery_summary, SSPACE = 4096,
	FINALFUNC = recovery_summary_final, COMBINEFUNC = recovery_summary_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary recovery_summary) (
	SFUNC = recovery_summary_combine, STYPE = recovery_summary, SSPACE = 4096,
	FINALFUNC = recovery_summary_final, COMBINEFUNC = recovery_summary_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE recovery_agg(bigint, trajectory) IS 'summary of trajectories for recovery after errors';
COMMENT ON AGGREGATE recovery_agg(text, trajectory) IS 'summary of trajectories for recovery after errors';
COMMENT ON AGGREGATE rollup(recovery_summary) IS 'merges summaries of different rollouts';

CREATE FUNCTION recovery_rate(summary recovery_summary, within bigint DEFAULT 1) RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000;
COMMENT ON FUNCTION recovery_rate(recovery_summary, bigint) IS
	'share of episodes of errors that end with a turn without error within so many turns, cut ones allowed for (product limit)';

CREATE FUNCTION recovery_report(summary recovery_summary, within bigint[] DEFAULT '{1}',
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (measure text, eligible bigint, recovered bigint, rate double precision, std_error double precision,
		ci_low double precision, ci_high double precision, tasks bigint, censored bigint, unknown bigint,
		method text, within bigint, ended_solved bigint, tasks_effective double precision,
		at_risk_tasks bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5;
COMMENT ON FUNCTION recovery_report(recovery_summary, bigint[], double precision, integer, bigint, text) IS
	'error turns corrected by the next, episodes recovered within so many turns, success after errors and without, with intervals and all denominators';

CREATE FUNCTION recovery_by_depth(summary recovery_summary, bins integer DEFAULT 4, within bigint[] DEFAULT '{1}',
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (depth_bin integer, depth_low double precision, depth_high double precision,
		measure text, eligible bigint, recovered bigint, rate double precision, std_error double precision,
		ci_low double precision, ci_high double precision, tasks bigint, censored bigint, unknown bigint,
		method text, within bigint, ended_solved bigint, tasks_effective double precision,
		at_risk_tasks bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 12;
COMMENT ON FUNCTION recovery_by_depth(recovery_summary, integer, bigint[], double precision, integer, bigint, text) IS
	'recovery_report of rollouts by how deep in their budget the first error came';

CREATE FUNCTION recovery_by_kind(summary recovery_summary, within bigint[] DEFAULT '{1}',
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (error_kind text, measure text, eligible bigint, recovered bigint, rate double precision, std_error double precision,
		ci_low double precision, ci_high double precision, tasks bigint, censored bigint, unknown bigint,
		method text, within bigint, ended_solved bigint, tasks_effective double precision,
		at_risk_tasks bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 30;
COMMENT ON FUNCTION recovery_by_kind(recovery_summary, bigint[], double precision, integer, bigint, text) IS
	'recovery_report by kind of error';

CREATE FUNCTION recovery_turns(summary recovery_summary,
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (recovered bigint, mean double precision, std_error double precision, ci_low double precision,
		ci_high double precision, median double precision, half_recovered_within bigint, tasks bigint,
		failed bigint, censored bigint, unknown bigint, ended_solved bigint, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1;
COMMENT ON FUNCTION recovery_turns(recovery_summary, double precision, integer, bigint, text) IS
	'turns that episodes of errors took to recover, and how many did not';

CREATE FUNCTION recovery_diff(treatment recovery_summary, reference recovery_summary, within bigint[] DEFAULT '{1}',
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (measure text, within bigint, rate_treatment double precision, rate_reference double precision,
		diff double precision, std_error double precision, ci_low double precision, ci_high double precision,
		p_value double precision, tasks bigint, unpaired bigint, eligible_treatment bigint,
		eligible_reference bigint, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 5;
COMMENT ON FUNCTION recovery_diff(recovery_summary, recovery_summary, bigint[], double precision, integer, bigint, text) IS
	'recovery of a treatment less that of a reference, paired by task';

CREATE FUNCTION depth_bin(turn bigint, budget bigint, bins integer DEFAULT 4) RETURNS integer
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION depth_bin(bigint, bigint, integer) IS
	'how deep a turn lies in its budget: turn / budget in (0, 1] in bins of equal width, from 1';

CREATE FUNCTION error_prefixes(task bigint, traj trajectory)
	RETURNS TABLE (task text, error_turn bigint, error_kind text, prefix trajectory, prefix_id text)
	AS 'MODULE_PATHNAME', 'error_prefixes_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200 ROWS 3;
CREATE FUNCTION error_prefixes(task text, traj trajectory)
	RETURNS TABLE (task text, error_turn bigint, error_kind text, prefix trajectory, prefix_id text)
	AS 'MODULE_PATHNAME', 'error_prefixes_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 200 ROWS 3;
COMMENT ON FUNCTION error_prefixes(bigint, trajectory) IS
	'the rollout up to each of its error turns, with an id that outcomes of replays join on';
COMMENT ON FUNCTION error_prefixes(text, trajectory) IS
	'the rollout up to each of its error turns, with an id that outcomes of replays join on';
