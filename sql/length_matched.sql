-- Rollouts of like length: figures that can be had by hand.

-- Within a tenth of the longer: 10 and 10, 20 and 21. 100 and 50 stay alone. The pairs' differences are 1 and 1; their
-- gaps 0 and 1/21, on average 1/42 = .0238095.
CREATE TABLE sums AS SELECT length_matched_agg(task, arm, length, value) AS s FROM (VALUES ('a', true, 10, 1.0), ('a', true, 20, 3), ('a', false, 10, 0), ('a', false, 21, 2),
	('b', true, 100, 5), ('b', false, 50, 5), ('c', true, 7, NULL)) v(task, arm, length, value);
SELECT task, length_treatment, length_reference, round(gap::numeric, 7) AS gap, value_treatment, value_reference, rollouts_treatment, rollouts_reference
FROM sums, length_matched_pairs(s) ORDER BY task, length_treatment;
SELECT pairs, tasks, mean_treatment, mean_reference, diff, unmatched_treatment, unmatched_reference, round(mean_gap::numeric, 7) AS mean_gap, missing_treatment, missing_reference
FROM sums, length_matched_diff(s);
-- with half of the longer allowed, 100 and 50 are a pair, too
SELECT pairs, tasks, diff, unmatched_treatment FROM sums, length_matched_diff(s, 0.5);
-- without any tolerance, equal lengths alone
SELECT pairs, diff FROM sums, length_matched_diff(s, 0);
-- as many pairs as can be: 9 with 10 and 10 with 11, though 10 and 10 are nearest
SELECT length_treatment, length_reference FROM length_matched_pairs((SELECT length_matched_agg(1, arm, length, 0)
	FROM (VALUES (true, 9), (true, 10), (false, 10), (false, 11)) v(arm, length))) ORDER BY 1;
-- rollouts of one task, arm and length are alike: each counts with their mean, (1 + 3) / 2
SELECT value_treatment, value_reference, rollouts_treatment, rollouts_reference FROM length_matched_pairs((SELECT length_matched_agg(1, arm, 5, value)
	FROM (VALUES (true, 1), (true, 3), (false, 7)) v(arm, value)));
SELECT rollup(s) = (SELECT length_matched_agg(i % 2, i % 3 = 0, i, i) FROM generate_series(1, 9) i) AS equal
FROM (SELECT length_matched_agg(i % 2, i % 3 = 0, i, i) AS s FROM generate_series(1, 9) i GROUP BY i % 4) q;
DROP TABLE sums;

-- mistakes
SELECT length_matched_agg(1, NULL, 1, 1);
SELECT length_matched_agg(1, true, -1, 1);
SELECT length_matched_agg(NULL::text, true, 1, 1);
SELECT * FROM length_matched_diff(NULL, -0.1);
