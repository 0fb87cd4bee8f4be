
-- BudgetMix: the plan

CREATE FUNCTION budgetmix_budgets(t_max integer, step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil') RETURNS integer[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10;
COMMENT ON FUNCTION budgetmix_budgets(integer, double precision, text) IS
	'candidate budgets: each step''s share of t_max in whole turns, ascending, without repetition';

CREATE FUNCTION budgetmix_budget(seed bigint, epoch integer, task bigint, t_max integer, step double precision DEFAULT 0.1,
		rounding text DEFAULT 'ceil', mode text DEFAULT 'independent') RETURNS integer
	AS 'MODULE_PATHNAME', 'budgetmix_budget_bigint' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
CREATE FUNCTION budgetmix_budget(seed bigint, epoch integer, task text, t_max integer, step double precision DEFAULT 0.1,
		rounding text DEFAULT 'ceil', mode text DEFAULT 'independent') RETURNS integer
	AS 'MODULE_PATHNAME', 'budgetmix_budget_text' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 50;
COMMENT ON FUNCTION budgetmix_budget(bigint, integer, bigint, integer, double precision, text, text) IS
	'the budget that all rollouts of a task share in an epoch, by the published rule';
COMMENT ON FUNCTION budgetmix_budget(bigint, integer, text, integer, double precision, text, text) IS
	'the budget that all rollouts of a task share in an epoch, by the published rule';

CREATE FUNCTION budgetmix_plan(tasks text[], t_max integer, group_size integer DEFAULT 16, epochs integer DEFAULT 1,
		seed bigint DEFAULT 0, step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil', mode text DEFAULT 'independent')
	RETURNS TABLE (epoch integer, task text, attempt integer, budget integer)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION budgetmix_plan(text[], integer, integer, integer, bigint, double precision, text, text) IS
	'a row per epoch, task and attempt, with the budget that the group shares';

CREATE FUNCTION budgetmix_plan_each(tasks text[], t_max integer[], group_size integer DEFAULT 16, epochs integer DEFAULT 1,
		seed bigint DEFAULT 0, step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil', mode text DEFAULT 'independent')
	RETURNS TABLE (epoch integer, task text, attempt integer, budget integer, t_max integer)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 10000;
COMMENT ON FUNCTION budgetmix_plan_each(text[], integer[], integer, integer, bigint, double precision, text, text) IS
	'a row per epoch, task and attempt, with the budget that the group shares; each task has a t_max of its own';

CREATE FUNCTION budgetmix_prompt(total integer, remaining integer) RETURNS text
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 5;
COMMENT ON FUNCTION budgetmix_prompt(integer, integer) IS 'the line that tells a policy its budget before a turn';

-- What a plan costs

CREATE TYPE budget_plan;

CREATE FUNCTION budget_plan_in(cstring) RETURNS budget_plan
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION budget_plan_out(budget_plan) RETURNS cstring
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION budget_plan_recv(internal) RETURNS budget_plan
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
CREATE FUNCTION budget_plan_send(budget_plan) RETURNS bytea
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;

CREATE TYPE budget_plan (
	INPUT = budget_plan_in,
	OUTPUT = budget_plan_out,
	RECEIVE = budget_plan_recv,
	SEND = budget_plan_send,
	STORAGE = extended
);
COMMENT ON TYPE budget_plan IS
	'per task, how many rollouts are planned with which budget: what budget_plan_agg returns and budgetmix_cost reads';
COMMENT ON FUNCTION budget_plan_in(cstring) IS 'I/O';
COMMENT ON FUNCTION budget_plan_out(budget_plan) IS 'I/O';
COMMENT ON FUNCTION budget_plan_recv(internal) IS 'I/O';
COMMENT ON FUNCTION budget_plan_send(budget_plan) IS 'I/O';

CREATE FUNCTION budget_plan_combine(budget_plan, budget_plan) RETURNS budget_plan
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_plan_final(budget_plan) RETURNS budget_plan
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION budget_plan_combine(budget_plan, budget_plan) IS 'combines two states of budget_plan_agg; transition of rollup';
COMMENT ON FUNCTION budget_plan_final(budget_plan) IS 'result of budget_plan_agg and rollup';

CREATE FUNCTION budget_plan_add_bigint(budget_plan, task bigint, budget bigint, t_max bigint) RETURNS budget_plan
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
CREATE FUNCTION budget_plan_add_text(budget_plan, task text, budget bigint, t_max bigint) RETURNS budget_plan
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION budget_plan_add_bigint(budget_plan, bigint, bigint, bigint) IS 'transition of budget_plan_agg';
COMMENT ON FUNCTION budget_plan_add_text(budget_plan, text, bigint, bigint) IS 'transition of budget_plan_agg';

CREATE AGGREGATE budget_plan_agg(task bigint, budget bigint, t_max bigint) (
	SFUNC = budget_plan_add_bigint, STYPE = budget_plan, SSPACE = 2048,
	FINALFUNC = budget_plan_final, COMBINEFUNC = budget_plan_combine, PARALLEL = SAFE
);
CREATE AGGREGATE budget_plan_agg(task text, budget bigint, t_max bigint) (
	SFUNC = budget_plan_add_text, STYPE = budget_plan, SSPACE = 2048,
	FINALFUNC = budget_plan_final, COMBINEFUNC = budget_plan_combine, PARALLEL = SAFE
);
CREATE AGGREGATE rollup(summary budget_plan) (
	SFUNC = budget_plan_combine, STYPE = budget_plan, SSPACE = 2048,
	FINALFUNC = budget_plan_final, COMBINEFUNC = budget_plan_combine, PARALLEL = SAFE
);
COMMENT ON AGGREGATE budget_plan_agg(bigint, bigint, bigint) IS
	'summary of a plan''s rows, for budgetmix_cost';
COMMENT ON AGGREGATE budget_plan_agg(text, bigint, bigint) IS
	'summary of a plan''s rows, for budgetmix_cost';
COMMENT ON AGGREGATE rollup(budget_plan) IS
	'merges plans';

CREATE FUNCTION budgetmix_cost(plan budget_plan, earlier pass_summary DEFAULT NULL)
	RETURNS TABLE (rollouts bigint, max_turns bigint, full_max_turns bigint, max_share double precision,
		expected_turns double precision, full_expected_turns double precision, expected_share double precision,
		rollouts_unknown bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 ROWS 1;
COMMENT ON FUNCTION budgetmix_cost(budget_plan, pass_summary) IS
	'turns that a plan spends at most, and as earlier rollouts of its tasks lead to expect, beside the same with t_max for all';

CREATE FUNCTION budgetmix_cost(tasks text[], t_max integer, group_size integer DEFAULT 16, epochs integer DEFAULT 1,
		seed bigint DEFAULT 0, step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil', mode text DEFAULT 'independent',
		earlier pass_summary DEFAULT NULL)
	RETURNS TABLE (rollouts bigint, max_turns bigint, full_max_turns bigint, max_share double precision,
		expected_turns double precision, full_expected_turns double precision, expected_share double precision,
		rollouts_unknown bigint)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	SELECT c.* FROM budgetmix_cost((
		SELECT budget_plan_agg(p.task, p.budget::bigint, t_max::bigint)
		FROM budgetmix_plan(tasks, t_max, group_size, epochs, seed, step, rounding, mode) p), earlier) c;
END;
COMMENT ON FUNCTION budgetmix_cost(text[], integer, integer, integer, bigint, double precision, text, text, pass_summary) IS
	'budgetmix_cost of the plan that budgetmix_plan makes of the same arguments';
CREATE FUNCTION budgetmix_cost_each(tasks text[], t_max integer[], group_size integer DEFAULT 16, epochs integer DEFAULT 1,
		seed bigint DEFAULT 0, step double precision DEFAULT 0.1, rounding text DEFAULT 'ceil', mode text DEFAULT 'independent',
		earlier pass_summary DEFAULT NULL)
	RETURNS TABLE (rollouts bigint, max_turns bigint, full_max_turns bigint, max_share double precision,
		expected_turns double precision, full_expected_turns double precision, expected_share double precision,
		rollouts_unknown bigint)
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1
BEGIN ATOMIC
	SELECT c.* FROM budgetmix_cost((
		SELECT budget_plan_agg(p.task, p.budget::bigint, p.t_max::bigint)
		FROM budgetmix_plan_each(tasks, t_max, group_size, epochs, seed, step, rounding, mode) p), earlier) c;
END;
COMMENT ON FUNCTION budgetmix_cost_each(text[], integer[], integer, integer, bigint, double precision, text, text, pass_summary) IS
	'budgetmix_cost of the plan that budgetmix_plan_each makes of the same arguments';
