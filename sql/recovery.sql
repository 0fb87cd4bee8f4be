-- What comes after an error: figures that can be had by hand.

-- a errs once and goes on without; b errs twice, then not; c errs at its third and last turn, where it is cut; d never errs.
-- Three error turns have a next one: a's (right), b's first (wrong), b's second (right): 2 of 3. Two episodes are seen after
-- one error, one of them recovers; the other does at its second: .5, and 1 - .5 * 0 = 1. Of three that erred a alone succeeds.
CREATE TABLE runs (task int, name text, traj trajectory);
INSERT INTO runs VALUES
	(1, 'a', '{"success":true,"status":"completed","budget":4,"steps":[{"error":true,"error_kind":"typo"},{"error":false},{"error":false}]}'),
	(1, 'b', '{"success":false,"status":"completed","budget":4,"steps":[{"error":true,"error_kind":"typo"},{"error":true,"error_kind":"path"},{"error":false}]}'),
	(2, 'c', '{"success":false,"status":"truncated","budget":4,"steps":[{"error":false},{"error":false},{"error":true,"error_kind":"path"}]}'),
	(2, 'd', '{"success":true,"status":"completed","budget":4,"steps":[{"error":false},{"error":false}]}');
CREATE TABLE sums AS SELECT recovery_agg(task, traj) AS s FROM runs;
SELECT measure, within, eligible, recovered, rate, tasks, censored, unknown, ended_solved FROM sums, recovery_report(s, '{1,2}');
SELECT recovery_rate(s) AS within_1, recovery_rate(s, 2) AS within_2 FROM sums;
-- episodes of 1 and 2 turns recovered, one was cut
SELECT recovered, mean, median, half_recovered_within, tasks, failed, censored, unknown, ended_solved FROM sums, recovery_turns(s);
-- by the kind of the error: typos are a's and b's first, the path is b's second and c's
SELECT error_kind, measure, eligible, recovered, rate, censored FROM sums, recovery_by_kind(s) ORDER BY error_kind, measure COLLATE "C";
-- by how deep the first error of a rollout, or the error itself, came: of 4 turns, the third is in the second half
SELECT depth_bin, depth_low, depth_high, measure, eligible, recovered, censored FROM sums, recovery_by_depth(s, 2) ORDER BY depth_bin, measure COLLATE "C";
-- against itself nothing differs
SELECT measure, within, rate_treatment = rate_reference AS same, diff, tasks, unpaired FROM sums, recovery_diff(s, s, '{1}');
-- the flag of the turn after the error is not known
SELECT measure, eligible, recovered, rate, censored, unknown FROM recovery_report((SELECT recovery_agg('t', '{"steps":[{"error":true},{}]}'::trajectory)));
-- it ends solved in the midst of an error: in no denominator
SELECT eligible, rate, ended_solved FROM recovery_report((SELECT recovery_agg('t', '{"success":true,"steps":[{"error":true}]}'::trajectory))) WHERE measure = 'recovered_within';
SELECT rollup(s) = (SELECT s FROM sums) AS equal FROM (SELECT recovery_agg(task, traj) AS s FROM runs GROUP BY name) q;

-- d = turn / budget is in (0, 1]: bins are closed above
SELECT turn, depth_bin(turn, 8) AS of_4, depth_bin(turn, 8, 2) AS of_2 FROM generate_series(1, 8) turn;

-- where to take up again: the turns up to each error, and a name for them
SELECT name, p.task, error_turn, error_kind, turns(prefix), length(prefix_id) > 0 AS named FROM runs, error_prefixes(runs.task, traj) p ORDER BY name, error_turn;
SELECT count(DISTINCT prefix_id), count(*) FROM runs, error_prefixes(name, traj) p;
DROP TABLE runs, sums;

-- mistakes
SELECT recovery_agg(1, NULL::trajectory);
SELECT recovery_rate(recovery_agg(1, '{}'::trajectory), 0);
SELECT depth_bin(0, 5);
SELECT depth_bin(6, 5);
SELECT depth_bin(1, 5, 0);
