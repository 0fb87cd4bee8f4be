-- The exact probability that a policy has reached the goal of a map within t turns.
CREATE TABLE lake_truth (
	policy text, task_id text, t bigint, success float8,
	PRIMARY KEY (policy, task_id, t));
