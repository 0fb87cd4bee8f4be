
CREATE FUNCTION pass_power(treatment pass_summary, reference pass_summary, k bigint, t bigint,
		tasks bigint[], attempts bigint[], power double precision DEFAULT 0.8, alpha double precision DEFAULT 0.05)
	RETURNS TABLE (tasks bigint, attempts bigint, std_error double precision, std_error_high double precision,
		detectable_diff double precision, note text)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 ROWS 10;
COMMENT ON FUNCTION pass_power(pass_summary, pass_summary, bigint, bigint, bigint[], bigint[], double precision, double precision) IS
	'what a planned evaluation of two arms would find: standard error and detectable difference by tasks and attempts per task';
