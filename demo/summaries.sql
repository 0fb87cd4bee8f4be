-- One summary per policy, and the exact values that they estimate.

CREATE TABLE arm AS
SELECT meta->>'policy' AS policy, (meta->>'announced')::boolean AS announced,
	pass_agg(task_id, traj) AS summary,                                    -- every budget; read with match => 'exact'
	pass_agg(task_id, traj) FILTER (WHERE budget(traj) = 100) AS long,    -- 100 turns, to be cut at T
	recovery_agg(task_id, traj) FILTER (WHERE budget(traj) = 100) AS recovery,
	count(*) AS rollouts
FROM rollouts WHERE run <> 'budgetmix-plan' GROUP BY 1, 2;

-- no rollout can succeed in fewer turns than the shortest way has moves
CREATE TABLE bound AS
SELECT pass_agg(task, true, frozenlake_min_turns(map)) AS structural FROM lab_maps;

-- what the training took of the plan
CREATE VIEW trained_plan AS
SELECT * FROM lab_plan WHERE epoch <= (SELECT max(checkpoint) FROM lab_dynamics)
	AND replace(task, 'train', 'test') IN (SELECT task FROM lab_maps);

-- exactly: K attempts of which each succeeds with a known probability
CREATE TABLE exact_pass AS
SELECT policy, announced, budget, t, k, avg(1 - (1 - success) ^ k) AS pass
FROM lab_truth, unnest(ARRAY[1, 2, 4, 8, 16]) k GROUP BY policy, announced, budget, t, k;

-- and of the best policy that there is
CREATE TABLE attainable AS
SELECT t, k, avg(1 - (1 - best) ^ k) AS pass
FROM (SELECT task, steps_left AS t, max(q) AS best
	FROM lab_maps, frozenlake_q(map, 100, gamma => 1) WHERE grid_row = 0 AND grid_col = 0
	GROUP BY task, steps_left) q, unnest(ARRAY[1, 2, 4, 8, 16]) k
GROUP BY t, k;
