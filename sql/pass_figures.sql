-- Pass@(K,T) beyond the grid: figures that can be had by hand.

-- Task 1: solved at turns 2 and 6 of 4 rollouts; task 2: at turn 1 of 4. pass@2 of c = 2, n = 4: 1 - C(2,2) / C(4,2) = 5/6; of c = 1: 1/2.
-- pass^2: 1/6 and 0. Within 3 turns both have one success: 1/2.
CREATE TABLE sums AS SELECT pass_agg(task, success, turns) AS s FROM (VALUES (1, true, 2), (1, true, 6), (1, false, 9), (1, false, 9),
	(2, true, 1), (2, false, 9), (2, false, 9), (2, false, 9)) v(task, success, turns);
SELECT round(pass_at(s, 2)::numeric, 6) AS pass_2, round(pass_hat(s, 2)::numeric, 6) AS hat_2, pass_at(s, 2, 3) AS within_3, pass_bound(s, 1) AS bound_1, pass_bound(s, 2) AS bound_2 FROM sums;
SELECT task, attempts, solved, unscored, first_solved_at FROM sums, pass_tasks(s);
-- the worst loss first: at turn 1 task 2 alone was solved, one time in four, and never in the treatment
SELECT task, pass_treatment, pass_reference, diff FROM sums, pass_regressions((SELECT pass_agg(task, false, 9) FROM generate_series(1, 2) task, generate_series(1, 2)), s, 1, 1);
SELECT k, t, pass_treatment, pass_reference, diff, tasks, tasks_short FROM sums, pass_diff(s, s, '{1,2}', '{3}');
-- two unscored of four, one solved: 1/4 if they failed, 1/2 of those scored, 3/4 if they succeeded
SELECT * FROM pass_bracket((SELECT pass_agg(1, CASE WHEN i > 2 THEN i = 3 END, 1) FROM generate_series(1, 4) i), '{1}');
-- rollouts run with a budget of 5 solve half, those of 10 when cut there a quarter: the gap of one task
SELECT k, t, source_budget, prefix, rerun, gap, tasks FROM pass_truncation_gap((SELECT pass_agg(1, success, turns, budget) FROM
	(VALUES (true, 5, 5), (false, 5, 5), (true, 4, 10), (true, 8, 10), (false, 10, 10), (false, 10, 10)) v(success, turns, budget)), '{1}', '{5}');
-- the treatment solves at turn 5 what the reference solves at turn 1 three times in four: ahead from 5 on
SELECT t FROM pass_crossover((SELECT pass_agg(i / 4, true, 5) FROM generate_series(0, 39) i), (SELECT pass_agg(i / 4, i % 4 > 0, 1) FROM generate_series(0, 39) i), 1, '{1,5,9}');
SELECT tasks, attempts, std_error > 0 AS some, detectable_diff > std_error AS more FROM sums, pass_power((SELECT pass_agg(i / 4, i % 3 = 0, 1) FROM generate_series(0, 39) i),
	(SELECT pass_agg(i / 4, i % 5 = 0, 1) FROM generate_series(0, 39) i), 1, 1, '{100,400}', '{4}');
DROP TABLE sums;
