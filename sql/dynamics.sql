-- Training dynamics: figures that can be had by hand.

-- Two tasks at two checkpoints. From the first to the second r_multi goes up by .5 and .25, r_single by .125 and .125:
-- d_multi .375, d_single .125, the gap .25. A line through two checkpoints has those slopes.
CREATE TABLE sums AS SELECT dynamics_agg(checkpoint, task, r_multi, r_single) AS s FROM (VALUES (0, 'a', .25, .125), (0, 'b', .5, .25), (1, 'a', .75, .25), (1, 'b', .75, .375))
	v(checkpoint, task, r_multi, r_single);
SELECT checkpoint, r_multi, r_single, d_multi, d_single, gap, tasks, tasks_paired, tasks_missing, missing FROM sums, dynamics_report(s);
SELECT measure, slope, tasks, tasks_short FROM sums, dynamics_slopes(s);
-- a task that a checkpoint lacks, and a value that is missing, are counted
SELECT checkpoint, r_multi, tasks, tasks_paired, tasks_missing, missing FROM dynamics_report((SELECT dynamics_agg(checkpoint, task, r_multi, 0)
	FROM (VALUES (5, 1, 1.0), (5, 2, .5), (10, 1, 1), (10, 3, NULL)) v(checkpoint, task, r_multi)));
-- arms that move alike never come apart
SELECT dynamics_diverged(dynamics_agg(i % 4, i / 4, i / 8.0, i / 8.0)) IS NULL AS together FROM generate_series(0, 39) i;
-- all tasks gain 1 a checkpoint with many turns and nothing with one, but for a little: they are apart from the second on
SELECT dynamics_diverged(dynamics_agg(checkpoint, task, checkpoint + task % 3 / 100.0 * checkpoint, task % 2)) AS diverged
FROM generate_series(10, 12) checkpoint, generate_series(1, 20) task;
SELECT rollup(s) = (SELECT dynamics_agg(i % 2, i / 2, i, -i) FROM generate_series(0, 9) i) AS equal
FROM (SELECT dynamics_agg(i % 2, i / 2, i, -i) AS s FROM generate_series(0, 9) i GROUP BY i % 3) q;
DROP TABLE sums;

-- mistakes
SELECT dynamics_agg(NULL, 1, 1, 1);
SELECT dynamics_agg(1, NULL::text, 1, 1);
SELECT dynamics_agg(1, 1, 'Infinity', 1);
