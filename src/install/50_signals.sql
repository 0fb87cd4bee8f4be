
-- Process signals: advantages over stored rollouts

CREATE FUNCTION grpo_advantage(reward double precision, scale text DEFAULT 'std') RETURNS double precision
	AS 'MODULE_PATHNAME' LANGUAGE C WINDOW IMMUTABLE PARALLEL SAFE COST 5;
COMMENT ON FUNCTION grpo_advantage(double precision, text) IS
	'window function: advantage of a reward in its partition, (r - mean) / std, or r - mean with scale none';

CREATE FUNCTION grpo_advantages(rewards double precision[], scale text DEFAULT 'std') RETURNS double precision[]
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION grpo_advantages(double precision[], text) IS
	'advantages of the rewards of one group, in their places; null rewards stay null and count in no mean';

CREATE FUNCTION gigpo_advantages(trajectories trajectory[], gamma double precision DEFAULT 0.95,
		omega double precision DEFAULT 1, scale text DEFAULT 'std')
	RETURNS TABLE (rollout integer, turn bigint, reward double precision, step_return double precision,
		episode_advantage double precision, step_advantage double precision, advantage double precision,
		group_size bigint)
	AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 3000 ROWS 100;
COMMENT ON FUNCTION gigpo_advantages(trajectory[], double precision, double precision, text) IS
	'GiGPO advantages of every turn of a group of rollouts: episode group plus groups of turns with equal state';

CREATE FUNCTION gae(rewards double precision[], vals double precision[], gamma double precision DEFAULT 0.99,
		lambda double precision DEFAULT 0.95, bootstrap_value double precision DEFAULT 0)
	RETURNS double precision[]
	AS 'MODULE_PATHNAME', 'gae_arrays' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 50;
COMMENT ON FUNCTION gae(double precision[], double precision[], double precision, double precision, double precision) IS
	'generalized advantage estimates of the turns of one rollout from their rewards and values';

CREATE FUNCTION gae(traj trajectory, gamma double precision DEFAULT 0.99, lambda double precision DEFAULT 0.95,
		bootstrap_value double precision DEFAULT 0)
	RETURNS TABLE (turn bigint, reward double precision, value double precision, advantage double precision,
		return_ double precision)
	AS 'MODULE_PATHNAME', 'gae_trajectory' LANGUAGE C IMMUTABLE PARALLEL SAFE COST 200 ROWS 20;
COMMENT ON FUNCTION gae(trajectory, double precision, double precision, double precision) IS
	'generalized advantage estimates of the turns of one rollout from the reward and value of its steps';
