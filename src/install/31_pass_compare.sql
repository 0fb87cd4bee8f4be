-- Pass@(K,T): two arms, two budgets, and what is not known

CREATE FUNCTION pass_regressions(treatment pass_summary, reference pass_summary, k bigint, t bigint DEFAULT NULL)
	RETURNS TABLE (task text, pass_treatment double precision, pass_reference double precision, diff double precision)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION pass_regressions(pass_summary, pass_summary, bigint, bigint) IS
	'Pass@(K,T) of each task that two summaries share, the largest loss of the treatment first';

CREATE FUNCTION pass_bracket(summary pass_summary, k bigint[], t bigint[] DEFAULT NULL)
	RETURNS TABLE (k bigint, t bigint, all_fail double precision, scored_only double precision,
		all_pass double precision, unscored bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 3000 ROWS 100;
COMMENT ON FUNCTION pass_bracket(pass_summary, bigint[], bigint[]) IS
	'Pass@(K,T) with unscored rollouts counted as failures, left out, and counted as successes';

CREATE FUNCTION pass_crossover(treatment pass_summary, reference pass_summary, k bigint, t bigint[],
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		match text DEFAULT 'prefix')
	RETURNS TABLE (t bigint, ci_low bigint, ci_high bigint, state text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 1;
COMMENT ON FUNCTION pass_crossover(pass_summary, pass_summary, bigint, bigint[], double precision, integer, bigint, text) IS
	'the turn budget from which a treatment is ahead of a reference in Pass@(K,T), with bounds, and whether it is at all';

CREATE FUNCTION pass_truncation_gap(summary pass_summary, k bigint[], t bigint[],
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		method text DEFAULT 'auto')
	RETURNS TABLE (k bigint, t bigint, source_budget bigint, prefix double precision, rerun double precision,
		gap double precision, std_error double precision, ci_low double precision, ci_high double precision,
		tasks bigint, method text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100;
COMMENT ON FUNCTION pass_truncation_gap(pass_summary, bigint[], bigint[], double precision, integer, bigint, text) IS
	'Pass@(K,T) of rollouts run with budget T less that of longer rollouts read up to turn T, paired by task';
