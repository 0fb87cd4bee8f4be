
-- BudgetMix: the audit

CREATE TYPE budget_audit;

CREATE FUNCTION budget_audit_in(cstring) RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION budget_audit_out(budget_audit) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION budget_audit_recv(internal) RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION budget_audit_send(budget_audit) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE budget_audit (
	INPUT = budget_audit_in,
	OUTPUT = budget_audit_out,
	RECEIVE = budget_audit_recv,
	SEND = budget_audit_send,
	STORAGE = extended
);
COMMENT ON TYPE budget_audit IS
	'per group, its rollouts by budget, task and the rules of BudgetMix that they keep or break: what budget_audit_agg returns and budget_findings reads';
COMMENT ON FUNCTION budget_audit_in(cstring) IS 'I/O';
COMMENT ON FUNCTION budget_audit_out(budget_audit) IS 'I/O';
COMMENT ON FUNCTION budget_audit_recv(internal) IS 'I/O';
COMMENT ON FUNCTION budget_audit_send(budget_audit) IS 'I/O';

CREATE FUNCTION budget_audit_combine(budget_audit, budget_audit) RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_final(budget_audit) RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION budget_audit_combine(budget_audit, budget_audit) IS 'combines two states of budget_audit_agg; transition of rollup';
COMMENT ON FUNCTION budget_audit_final(budget_audit) IS 'result of budget_audit_agg and rollup';

CREATE FUNCTION budget_audit_add_bigint_bigint(budget_audit, group_key bigint, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_bigint(budget_audit, group_key bigint, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_bigint_trajectory(budget_audit, group_key bigint, task bigint, traj trajectory, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_bigint_trajectory(budget_audit, group_key bigint, task bigint, traj trajectory, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_text(budget_audit, group_key bigint, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_text(budget_audit, group_key bigint, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_text_trajectory(budget_audit, group_key bigint, task text, traj trajectory, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_bigint_text_trajectory(budget_audit, group_key bigint, task text, traj trajectory, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_bigint(budget_audit, group_key text, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_bigint(budget_audit, group_key text, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_bigint_trajectory(budget_audit, group_key text, task bigint, traj trajectory, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_bigint_trajectory(budget_audit, group_key text, task bigint, traj trajectory, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_text(budget_audit, group_key text, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_text(budget_audit, group_key text, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_text_trajectory(budget_audit, group_key text, task text, traj trajectory, t_max bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_audit_add_text_text_trajectory(budget_audit, group_key text, task text, traj trajectory, t_max bigint, planned bigint)
	RETURNS budget_audit
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION budget_audit_add_bigint_bigint(budget_audit, bigint, bigint, bigint, bigint, boolean, double precision, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_bigint(budget_audit, bigint, bigint, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_bigint_trajectory(budget_audit, bigint, bigint, trajectory, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_bigint_trajectory(budget_audit, bigint, bigint, trajectory, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_text(budget_audit, bigint, text, bigint, bigint, boolean, double precision, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_text(budget_audit, bigint, text, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_text_trajectory(budget_audit, bigint, text, trajectory, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_bigint_text_trajectory(budget_audit, bigint, text, trajectory, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_bigint(budget_audit, text, bigint, bigint, bigint, boolean, double precision, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_bigint(budget_audit, text, bigint, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_bigint_trajectory(budget_audit, text, bigint, trajectory, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_bigint_trajectory(budget_audit, text, bigint, trajectory, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_text(budget_audit, text, text, bigint, bigint, boolean, double precision, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_text(budget_audit, text, text, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_text_trajectory(budget_audit, text, text, trajectory, bigint) IS
	'transition of budget_audit_agg';
COMMENT ON FUNCTION budget_audit_add_text_text_trajectory(budget_audit, text, text, trajectory, bigint, bigint) IS
	'transition of budget_audit_agg';

CREATE AGGREGATE budget_audit_agg(group_key bigint, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint) (
	SFUNC = budget_audit_add_bigint_bigint, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_bigint_bigint, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task bigint, traj trajectory, t_max bigint) (
	SFUNC = budget_audit_add_bigint_bigint_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task bigint, traj trajectory, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_bigint_bigint_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint) (
	SFUNC = budget_audit_add_bigint_text, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_bigint_text, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task text, traj trajectory, t_max bigint) (
	SFUNC = budget_audit_add_bigint_text_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key bigint, task text, traj trajectory, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_bigint_text_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint) (
	SFUNC = budget_audit_add_text_bigint, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task bigint, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_text_bigint, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task bigint, traj trajectory, t_max bigint) (
	SFUNC = budget_audit_add_text_bigint_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task bigint, traj trajectory, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_text_bigint_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint) (
	SFUNC = budget_audit_add_text_text, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task text, budget bigint, turns bigint, finished boolean, reward double precision, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_text_text, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task text, traj trajectory, t_max bigint) (
	SFUNC = budget_audit_add_text_text_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_audit_agg(group_key text, task text, traj trajectory, t_max bigint, planned bigint) (
	SFUNC = budget_audit_add_text_text_trajectory, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary budget_audit) (
	SFUNC = budget_audit_combine, STYPE = budget_audit, SSPACE = 2048,
	FINALFUNC = budget_audit_final, COMBINEFUNC = budget_audit_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE budget_audit_agg(bigint, bigint, bigint, bigint, boolean, double precision, bigint) IS
	'audit of rollouts by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(bigint, bigint, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'audit of rollouts by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(bigint, bigint, trajectory, bigint) IS
	'audit of trajectories by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(bigint, bigint, trajectory, bigint, bigint) IS
	'audit of trajectories by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(bigint, text, bigint, bigint, boolean, double precision, bigint) IS
	'audit of rollouts by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(bigint, text, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'audit of rollouts by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(bigint, text, trajectory, bigint) IS
	'audit of trajectories by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(bigint, text, trajectory, bigint, bigint) IS
	'audit of trajectories by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(text, bigint, bigint, bigint, boolean, double precision, bigint) IS
	'audit of rollouts by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(text, bigint, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'audit of rollouts by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(text, bigint, trajectory, bigint) IS
	'audit of trajectories by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(text, bigint, trajectory, bigint, bigint) IS
	'audit of trajectories by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(text, text, bigint, bigint, boolean, double precision, bigint) IS
	'audit of rollouts by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(text, text, bigint, bigint, boolean, double precision, bigint, bigint) IS
	'audit of rollouts by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE budget_audit_agg(text, text, trajectory, bigint) IS
	'audit of trajectories by the rules of BudgetMix';
COMMENT ON AGGREGATE budget_audit_agg(text, text, trajectory, bigint, bigint) IS
	'audit of trajectories by the rules of BudgetMix, each with its planned budget';
COMMENT ON AGGREGATE rollup(budget_audit) IS
	'merges audits of different rollouts';

CREATE FUNCTION budget_findings(audit budget_audit, alpha double precision DEFAULT 0.001, group_size bigint DEFAULT NULL,
		step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil', stratified boolean DEFAULT false)
	RETURNS TABLE (rule text, severity text, groups bigint, rollouts bigint, p_value double precision,
		examples text[], detail text, checked bigint, share double precision)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 12;
COMMENT ON FUNCTION budget_findings(budget_audit, double precision, bigint, double precision, text, boolean) IS
	'a row per rule that rollouts break, and one of severity info per rule that could not be checked';

-- volatile, so that no plan leaves it out or calls it early
CREATE FUNCTION budget_assert(audit budget_audit, alpha double precision DEFAULT 0.001, group_size bigint DEFAULT NULL,
		step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil', stratified boolean DEFAULT false) RETURNS void
	AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE COST 10000;
COMMENT ON FUNCTION budget_assert(budget_audit, double precision, bigint, double precision, text, boolean) IS
	'raises an error when budget_findings has a finding of severity error';
