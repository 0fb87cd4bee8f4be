\echo Try next, in a database of your own that agentrl-load filled:
\echo
\echo '  -- the same surface for every run, with what it stands on'
\echo '  SELECT run, g.* FROM (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts GROUP BY run) q,'
\echo '    pass_grid(s, ARRAY[1, 2, 4], ARRAY[5, 10, 20, 30]) g;'
\echo '  -- tasks by how often they were solved'
\echo '  SELECT t.* FROM (SELECT pass_agg(task_id, traj) AS s FROM rollouts) q, pass_tasks(s) t ORDER BY solved;'
\echo '  -- the rollouts that met an error and succeeded all the same'
\echo '  SELECT run, task_id, attempt_id, error_turns(traj) FROM rollouts'
\echo '  WHERE error_turns(traj) > 0 AND success(traj);'
