-- A run is what was loaded under one label: a file, unless every file holds one
-- rollout, as with a folder of trials; then they are one run.
CREATE VIEW report_rollout AS
SELECT CASE WHEN single THEN 'all files' ELSE run END AS run, task_id, traj
FROM rollouts,
	(SELECT count(*) > 1 AND max(n) = 1 AS single
	 FROM (SELECT count(*) AS n FROM rollouts GROUP BY run) q) s;

CREATE VIEW report_run AS
SELECT run, count(*) AS rollouts FROM report_rollout GROUP BY run;
