-- Pass@(K,T): two arms, two budgets, and what is not known

CREATE FUNCTION pass_regressions(treatment pass_summary, reference pass_summary, k bigint, t bigint DEFAULT NULL)
	RETURNS TABLE (task text, pass_treatment double precision, pass_reference double precision, diff double precision)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 1000;
COMMENT ON FUNCTION pass_regressions(pass_summary, pass_summary, bigint, bigint) IS
	'Pass@(K,T) of each task that two summaries share, the largest loss of the treatment first';
