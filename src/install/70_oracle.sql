
CREATE FUNCTION frozenlake_q(map text, horizon bigint, gamma double precision DEFAULT 0.95, slippery boolean DEFAULT true)
	RETURNS TABLE (grid_row integer, grid_col integer, steps_left bigint, action text, q double precision)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 ROWS 5000;
COMMENT ON FUNCTION frozenlake_q(text, bigint, double precision, boolean) IS
	'exact value of every move on a FrozenLake map under best play, by the turns that are left: what a policy can attain';

CREATE FUNCTION frozenlake_min_turns(map text) RETURNS bigint
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100;
COMMENT ON FUNCTION frozenlake_min_turns(text) IS
	'moves on the shortest way to the goal of a FrozenLake map, a structural bound; null when no way leads there';
