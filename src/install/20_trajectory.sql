
-- The type trajectory

CREATE TYPE trajectory;

CREATE FUNCTION trajectory_in(cstring) RETURNS trajectory
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION trajectory_out(trajectory) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION trajectory_recv(internal) RETURNS trajectory
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION trajectory_send(trajectory) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

CREATE TYPE trajectory (
	INPUT = trajectory_in,
	OUTPUT = trajectory_out,
	RECEIVE = trajectory_recv,
	SEND = trajectory_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = external
);
COMMENT ON TYPE trajectory IS 'one rollout of an agent: its outcome and its turns';
COMMENT ON FUNCTION trajectory_in(cstring) IS 'I/O';
COMMENT ON FUNCTION trajectory_out(trajectory) IS 'I/O';
COMMENT ON FUNCTION trajectory_recv(internal) IS 'I/O';
COMMENT ON FUNCTION trajectory_send(trajectory) IS 'I/O';

CREATE CAST (json AS trajectory) WITH INOUT AS ASSIGNMENT;
CREATE CAST (jsonb AS trajectory) WITH INOUT AS ASSIGNMENT;
CREATE CAST (trajectory AS json) WITH INOUT AS ASSIGNMENT;
CREATE CAST (trajectory AS jsonb) WITH INOUT AS ASSIGNMENT;
COMMENT ON CAST (json AS trajectory) IS 'the strict text form';
COMMENT ON CAST (jsonb AS trajectory) IS 'the strict text form';
COMMENT ON CAST (trajectory AS json) IS 'the canonical text form';
COMMENT ON CAST (trajectory AS jsonb) IS 'the canonical text form';

-- Comparison

CREATE FUNCTION trajectory_eq(trajectory, trajectory) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_ne(trajectory, trajectory) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_lt(trajectory, trajectory) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_le(trajectory, trajectory) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_gt(trajectory, trajectory) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_ge(trajectory, trajectory) RETURNS bool
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_cmp(trajectory, trajectory) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
CREATE FUNCTION trajectory_hash(trajectory) RETURNS int4
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION trajectory_hash_extended(trajectory, int8) RETURNS int8
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION trajectory_eq(trajectory, trajectory) IS 'implementation of = operator';
COMMENT ON FUNCTION trajectory_ne(trajectory, trajectory) IS 'implementation of <> operator';
COMMENT ON FUNCTION trajectory_lt(trajectory, trajectory) IS 'implementation of < operator';
COMMENT ON FUNCTION trajectory_le(trajectory, trajectory) IS 'implementation of <= operator';
COMMENT ON FUNCTION trajectory_gt(trajectory, trajectory) IS 'implementation of > operator';
COMMENT ON FUNCTION trajectory_ge(trajectory, trajectory) IS 'implementation of >= operator';
COMMENT ON FUNCTION trajectory_cmp(trajectory, trajectory) IS 'less-equal-greater';
COMMENT ON FUNCTION trajectory_hash(trajectory) IS 'hash';
COMMENT ON FUNCTION trajectory_hash_extended(trajectory, int8) IS 'hash';

CREATE OPERATOR = (
	LEFTARG = trajectory, RIGHTARG = trajectory, FUNCTION = trajectory_eq,
	COMMUTATOR = =, NEGATOR = <>, RESTRICT = eqsel, JOIN = eqjoinsel, HASHES, MERGES
);
CREATE OPERATOR <> (
	LEFTARG = trajectory, RIGHTARG = trajectory, FUNCTION = trajectory_ne,
	COMMUTATOR = <>, NEGATOR = =, RESTRICT = neqsel, JOIN = neqjoinsel
);
CREATE OPERATOR < (
	LEFTARG = trajectory, RIGHTARG = trajectory, FUNCTION = trajectory_lt,
	COMMUTATOR = >, NEGATOR = >=, RESTRICT = scalarltsel, JOIN = scalarltjoinsel
);
CREATE OPERATOR <= (
	LEFTARG = trajectory, RIGHTARG = trajectory, FUNCTION = trajectory_le,
	COMMUTATOR = >=, NEGATOR = >, RESTRICT = scalarlesel, JOIN = scalarlejoinsel
);
CREATE OPERATOR > (
	LEFTARG = trajectory, RIGHTARG = trajectory, FUNCTION = trajectory_gt,
	COMMUTATOR = <, NEGATOR = <=, RESTRICT = scalargtsel, JOIN = scalargtjoinsel
);
CREATE OPERATOR >= (
	LEFTARG = trajectory, RIGHTARG = trajectory, FUNCTION = trajectory_ge,
	COMMUTATOR = <=, NEGATOR = <, RESTRICT = scalargesel, JOIN = scalargejoinsel
);
COMMENT ON OPERATOR = (trajectory, trajectory) IS 'same content';
COMMENT ON OPERATOR <> (trajectory, trajectory) IS 'not the same content';
COMMENT ON OPERATOR < (trajectory, trajectory) IS 'less than, field by field in canonical order';
COMMENT ON OPERATOR <= (trajectory, trajectory) IS 'at most, field by field in canonical order';
COMMENT ON OPERATOR > (trajectory, trajectory) IS 'greater than, field by field in canonical order';
COMMENT ON OPERATOR >= (trajectory, trajectory) IS 'at least, field by field in canonical order';

CREATE OPERATOR CLASS trajectory_ops DEFAULT FOR TYPE trajectory USING btree AS
	OPERATOR 1 <, OPERATOR 2 <=, OPERATOR 3 =, OPERATOR 4 >=, OPERATOR 5 >,
	FUNCTION 1 trajectory_cmp(trajectory, trajectory);
CREATE OPERATOR CLASS trajectory_ops DEFAULT FOR TYPE trajectory USING hash AS
	OPERATOR 1 =,
	FUNCTION 1 trajectory_hash(trajectory),
	FUNCTION 2 trajectory_hash_extended(trajectory, int8);
COMMENT ON OPERATOR CLASS trajectory_ops USING btree IS 'trajectories, field by field in canonical order';
COMMENT ON OPERATOR CLASS trajectory_ops USING hash IS 'trajectories by content';

-- Accessors

CREATE FUNCTION success(traj trajectory) RETURNS bool
	AS 'MODULE_PATHNAME', 'trajectory_success' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION reward(traj trajectory) RETURNS float8
	AS 'MODULE_PATHNAME', 'trajectory_reward' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION status(traj trajectory) RETURNS text
	AS 'MODULE_PATHNAME', 'trajectory_status' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION stop_reason(traj trajectory) RETURNS text
	AS 'MODULE_PATHNAME', 'trajectory_stop_reason' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION budget(traj trajectory) RETURNS bigint
	AS 'MODULE_PATHNAME', 'trajectory_budget' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION prompt(traj trajectory) RETURNS text
	AS 'MODULE_PATHNAME', 'trajectory_prompt' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION turns(traj trajectory) RETURNS bigint
	AS 'MODULE_PATHNAME', 'trajectory_turns' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION solved_at(traj trajectory) RETURNS bigint
	AS 'MODULE_PATHNAME', 'trajectory_solved_at' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION error_turns(traj trajectory) RETURNS bigint
	AS 'MODULE_PATHNAME', 'trajectory_error_turns' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION tokens(traj trajectory) RETURNS bigint
	AS 'MODULE_PATHNAME', 'trajectory_tokens' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION loglik(traj trajectory) RETURNS float8
	AS 'MODULE_PATHNAME', 'trajectory_loglik' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION ref_loglik(traj trajectory) RETURNS float8
	AS 'MODULE_PATHNAME', 'trajectory_ref_loglik' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION log_ratio(traj trajectory) RETURNS float8
	AS 'MODULE_PATHNAME', 'trajectory_log_ratio' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
CREATE FUNCTION nll_per_token(traj trajectory) RETURNS float8
	AS 'MODULE_PATHNAME', 'trajectory_nll_per_token' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;

COMMENT ON FUNCTION success(trajectory) IS 'whether the rollout succeeded; null: unscored';
COMMENT ON FUNCTION reward(trajectory) IS 'reward of the rollout';
COMMENT ON FUNCTION status(trajectory) IS 'how the rollout ended: completed, truncated, agent_error, infra_error or unscored';
COMMENT ON FUNCTION stop_reason(trajectory) IS 'why the rollout ended, in the words of its harness';
COMMENT ON FUNCTION budget(trajectory) IS 'turns that the rollout was allowed; null: no limit, or not known';
COMMENT ON FUNCTION prompt(trajectory) IS 'prompt of the rollout';
COMMENT ON FUNCTION turns(trajectory) IS 'number of turns; null: not known';
COMMENT ON FUNCTION solved_at(trajectory) IS 'turn at which the rollout had succeeded; null unless it did';
COMMENT ON FUNCTION error_turns(trajectory) IS 'number of turns known to be errors';
COMMENT ON FUNCTION tokens(trajectory) IS 'tokens of all actions; null when a turn lacks the count';
COMMENT ON FUNCTION loglik(trajectory) IS 'log-likelihood in nats under the policy that acted; null when a turn lacks it';
COMMENT ON FUNCTION ref_loglik(trajectory) IS 'log-likelihood in nats under the base policy; null when a turn lacks it';
COMMENT ON FUNCTION log_ratio(trajectory) IS 'loglik - ref_loglik';
COMMENT ON FUNCTION nll_per_token(trajectory) IS 'negative log-likelihood per token under the base policy, in nats';

CREATE FUNCTION facts(
	traj trajectory,
	OUT success bool, OUT reward float8, OUT status text, OUT stop_reason text, OUT budget bigint,
	OUT turns bigint, OUT solved_at bigint, OUT error_turns bigint, OUT error_unknown_turns bigint,
	OUT first_error_turn bigint, OUT tokens bigint, OUT loglik float8, OUT ref_loglik float8,
	OUT log_ratio float8, OUT nll_per_token float8
) RETURNS record
	AS 'MODULE_PATHNAME', 'trajectory_facts' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION facts(trajectory) IS 'all scalars of the rollout in one read';

CREATE FUNCTION steps(
	traj trajectory,
	OUT turn bigint, OUT action text, OUT observation text, OUT error bool, OUT error_kind text,
	OUT state text, OUT reward float8, OUT value float8, OUT tokens bigint, OUT logprob float8,
	OUT ref_logprob float8, OUT remaining bigint
) RETURNS SETOF record
	AS 'MODULE_PATHNAME', 'trajectory_steps' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20;
COMMENT ON FUNCTION steps(trajectory) IS 'one row per turn';

CREATE FUNCTION truncate(traj trajectory, turns bigint) RETURNS trajectory
	AS 'MODULE_PATHNAME', 'trajectory_truncate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION truncate(trajectory, bigint) IS 'what a budget of that many turns would have left';

CREATE FUNCTION with_outcome(
	traj trajectory, success bool DEFAULT NULL, reward float8 DEFAULT NULL,
	status text DEFAULT NULL, stop_reason text DEFAULT NULL, budget bigint DEFAULT NULL,
	solved_at bigint DEFAULT NULL, prompt text DEFAULT NULL
) RETURNS trajectory
	AS 'MODULE_PATHNAME', 'trajectory_with_outcome' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION with_outcome(trajectory, bool, float8, text, text, bigint, bigint, text)
	IS 'the trajectory with these scalars set; null leaves what it has';

-- From a table with a row per turn

CREATE TYPE trajectory_parts;

CREATE FUNCTION trajectory_parts_in(cstring) RETURNS trajectory_parts
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
CREATE FUNCTION trajectory_parts_out(trajectory_parts) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION trajectory_parts_recv(internal) RETURNS trajectory_parts
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION trajectory_parts_send(trajectory_parts) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;

CREATE TYPE trajectory_parts (
	INPUT = trajectory_parts_in,
	OUTPUT = trajectory_parts_out,
	RECEIVE = trajectory_parts_recv,
	SEND = trajectory_parts_send,
	INTERNALLENGTH = VARIABLE,
	ALIGNMENT = double,
	STORAGE = extended
);
COMMENT ON TYPE trajectory_parts IS 'turns of one rollout that trajectory_agg has seen';
COMMENT ON FUNCTION trajectory_parts_in(cstring) IS 'I/O';
COMMENT ON FUNCTION trajectory_parts_out(trajectory_parts) IS 'I/O';
COMMENT ON FUNCTION trajectory_parts_recv(internal) IS 'I/O';
COMMENT ON FUNCTION trajectory_parts_send(trajectory_parts) IS 'I/O';

CREATE FUNCTION trajectory_agg_transfn(trajectory_parts, bigint, text, text, bool) RETURNS trajectory_parts
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
CREATE FUNCTION trajectory_agg_transfn(
	trajectory_parts, bigint, text, text, bool, text, text, float8, float8, bigint, float8, float8, bigint
) RETURNS trajectory_parts
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
CREATE FUNCTION trajectory_agg_combinefn(trajectory_parts, trajectory_parts) RETURNS trajectory_parts
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 5;
CREATE FUNCTION trajectory_agg_finalfn(trajectory_parts) RETURNS trajectory
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100;
COMMENT ON FUNCTION trajectory_agg_transfn(trajectory_parts, bigint, text, text, bool) IS 'aggregate transition function';
COMMENT ON FUNCTION trajectory_agg_transfn(trajectory_parts, bigint, text, text, bool, text, text, float8, float8, bigint, float8, float8, bigint)
	IS 'aggregate transition function';
COMMENT ON FUNCTION trajectory_agg_combinefn(trajectory_parts, trajectory_parts) IS 'aggregate combine function';
COMMENT ON FUNCTION trajectory_agg_finalfn(trajectory_parts) IS 'aggregate final function';

CREATE AGGREGATE trajectory_agg(turn bigint, action text, observation text, error bool) (
	SFUNC = trajectory_agg_transfn,
	STYPE = trajectory_parts,
	SSPACE = 8192,
	COMBINEFUNC = trajectory_agg_combinefn,
	FINALFUNC = trajectory_agg_finalfn,
	PARALLEL = SAFE
);
CREATE AGGREGATE trajectory_agg(
	turn bigint, action text, observation text, error bool, error_kind text, state text,
	reward float8, value float8, tokens bigint, logprob float8, ref_logprob float8, remaining bigint
) (
	SFUNC = trajectory_agg_transfn,
	STYPE = trajectory_parts,
	SSPACE = 8192,
	COMBINEFUNC = trajectory_agg_combinefn,
	FINALFUNC = trajectory_agg_finalfn,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE trajectory_agg(bigint, text, text, bool) IS 'a trajectory from rows of one turn each';
COMMENT ON AGGREGATE trajectory_agg(bigint, text, text, bool, text, text, float8, float8, bigint, float8, float8, bigint)
	IS 'a trajectory from rows of one turn each';
