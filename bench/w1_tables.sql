-- 10 million rollouts of 156,250 tasks, 64 attempts each; rollouts in task
-- order, arrivals in the order in which a harness would write them: attempt by
-- attempt, each over the tasks in the same pseudo-random order; shuffled, each
-- in another.
CREATE UNLOGGED TABLE rollouts (policy text, task_id int, attempt int, turns int, success bool, reward float8);
INSERT INTO rollouts
SELECT CASE WHEN trained THEN 'grpo-step-400' ELSE 'sft-base' END, task_id, attempt,
       least(30, 1 + floor(-ln(u2 + 1e-10) * CASE WHEN u1 < p THEN 9 - 6 * p ELSE 14 END))::int,
       u1 < p,
       CASE WHEN u1 < p THEN 1 - 0.1 * u2 ELSE 0.2 * u2 END
FROM (SELECT task_id, task_id > :tasks / 2 AS trained,
             power((hashint8extended(task_id, 1) & 1048575) / 1048576.0, 1.6)
             + CASE WHEN task_id > :tasks / 2 THEN 0.04 ELSE 0 END AS p
      FROM generate_series(1, :tasks) task_id) task
CROSS JOIN generate_series(1, 64) attempt
CROSS JOIN LATERAL (
    SELECT (hashint8extended(task_id * 64::int8 + attempt, 2) & 1048575) / 1048576.0::float8 AS u1,
           (hashint8extended(task_id * 64::int8 + attempt, 3) & 1048575) / 1048576.0::float8 AS u2
) draw
ORDER BY task_id, attempt;
CREATE UNLOGGED TABLE arrivals AS
SELECT * FROM rollouts ORDER BY attempt, hashint4(task_id);
CREATE UNLOGGED TABLE shuffled AS
SELECT * FROM rollouts ORDER BY attempt, hashint8extended(task_id, attempt);
VACUUM (FREEZE, ANALYZE) rollouts;
VACUUM (FREEZE, ANALYZE) arrivals;
VACUUM (FREEZE, ANALYZE) shuffled;

-- tasks with names, a third of the rows: those of a task together, and in no order
CREATE UNLOGGED TABLE texts AS
SELECT 'repository__issue-' || task_id AS task, attempt, turns, success, reward FROM rollouts WHERE task_id % 3 = 0;
CREATE UNLOGGED TABLE texts_shuffled AS
SELECT * FROM texts ORDER BY attempt, hashtextextended(task, attempt);
VACUUM (FREEZE, ANALYZE) texts;
VACUUM (FREEZE, ANALYZE) texts_shuffled;

-- keys and turns as bigint, and many small groups
CREATE UNLOGGED TABLE bigints AS
SELECT policy, task_id::bigint AS task, attempt, turns::bigint AS turn, success, reward FROM rollouts;
CREATE UNLOGGED TABLE small_groups AS
SELECT i % 100000 AS g, i / 100000 AS task, i % 3 = 0 AS success, 1 + i % 7 AS turns FROM generate_series(1, 1000000) i;
VACUUM (FREEZE, ANALYZE) bigints;
VACUUM (FREEZE, ANALYZE) small_groups;
