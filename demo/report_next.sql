\echo Try next, in a database of your own:
\echo
\echo '  createdb lab'
\echo '  psql -d lab -c "CREATE EXTENSION agentrl"'
\echo '  agentrl-load -d lab path/to/rollouts'
\echo
\echo '  -- the surface of every run, with what it stands on'
\echo '  SELECT run, g.* FROM (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts GROUP BY run) q,'
\echo '    pass_grid(s, ARRAY[1, 2, 4], ARRAY[5, 10, 20, 30]) g;'
\echo '  -- how often each task was solved, and in how few turns'
\echo '  SELECT run, t.* FROM (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts GROUP BY run) q,'
\echo '    pass_tasks(s) t;'
\echo '  -- rollouts that met an error and succeeded all the same'
\echo '  SELECT run, task_id, attempt_id, error_turns(traj) FROM rollouts'
\echo '  WHERE error_turns(traj) > 0 AND success(traj);'
