\echo
\echo Try next: make demo DATA=path/to/rollouts, or a database of your own:
\echo
\echo '  createdb lab'
\echo '  psql -d lab -c "CREATE EXTENSION agentrl"'
\echo '  agentrl-load -d lab path/to/rollouts'
\echo
\echo '  -- a turn-budget curve at K = 8, for each run'
\echo '  SELECT run, g.* FROM (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts GROUP BY run) q,'
\echo '    pass_grid(s, ARRAY[8], ARRAY[10, 20, 30, 100]) g;'
\echo '  -- one rollout, turn by turn'
\echo '  SELECT s.* FROM rollouts, steps(traj) s LIMIT 20;'
\echo
\echo The SQL of each section above: demo/story/. What the lab is: doc/lab.md.
