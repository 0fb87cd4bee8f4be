-- Two arms from the same places: figures that can be had by hand.

-- five places, one sample an arm: treatment 1,1,0,1,.5, reference 0,1,0,.5,.5. Differences 1,0,0,.5,0: mean .3, and
-- with mean .3 their squares add to .8, so the standard error is sqrt(.8 / 4 / 5) = .2. Two wins, three ties; a
-- treatment's sample is above in 2 places and equal in 3: (2 + 1.5) / 5 = .7.
SELECT units, clusters, unpaired, missing, mean_treatment, mean_reference, diff, round(std_error::numeric, 12) AS std_error, wins, ties, losses, win_rate, prob_better
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM (VALUES (1, true, 1.0), (1, false, 0), (2, true, 1), (2, false, 1),
	(3, true, 0), (3, false, 0), (4, true, 1), (4, false, .5), (5, true, .5), (5, false, .5)) v(unit, arm, value)));

-- two samples an arm. Place a: 1,1 against 0,1: above in 2 of 4 pairs, equal in 2: .75, a win. Place b: all 0: .5, a tie.
-- Place c: 0,1 against 1,1: .25, a loss. Only the treatment has been to place d. The value of e is missing.
SELECT units, unpaired, missing, diff, wins, ties, losses, win_rate, prob_better
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM (VALUES ('a', true, 1.0), ('a', true, 1), ('a', false, 0), ('a', false, 1),
	('b', true, 0), ('b', true, 0), ('b', false, 0), ('b', false, 0), ('c', true, 0), ('c', true, 1), ('c', false, 1), ('c', false, 1),
	('d', true, 1), ('e', false, NULL)) v(unit, arm, value)));

-- unlike numbers of samples: a mean of many beats a mean of one by noise alone, so nothing is won
SELECT units, diff, wins, ties, losses, win_rate, prob_better
FROM paired_diff((SELECT paired_agg(unit, arm, value) FROM (VALUES (1, true, 1.0), (1, true, 0), (1, false, 0)) v(unit, arm, value)));

-- 20 places in 4 clusters, differences 0 to 19: the clustered standard error is .6454972243679028
SELECT units, clusters, diff, abs(std_error - 0.6454972243679028) < 1e-15 AS std_error
FROM paired_diff((SELECT paired_agg(i % 4, i, arm, CASE WHEN arm THEN i ELSE 0 END) FROM generate_series(0, 19) i, unnest('{true,false}'::bool[]) arm));

-- a unit is one of its cluster: unit 1 of two clusters is two units
SELECT units, clusters FROM paired_diff((SELECT paired_agg(c, 1, arm, 1) FROM unnest('{x,y}'::text[]) c, unnest('{true,false}'::bool[]) arm));
-- rows apart and merged are the summary of all rows
SELECT rollup(s) = (SELECT paired_agg(i, i % 2 = 0, i) FROM generate_series(1, 9) i) AS equal
FROM (SELECT paired_agg(i, i % 2 = 0, i) AS s FROM generate_series(1, 9) i GROUP BY i % 3) q;
-- nothing
SELECT paired_agg(1, true, 1) IS NULL AS no_rows FROM generate_series(1, 0);

-- States to sample from, as many of either arm. Task 1 has three of the treatment and two of the reference, task 2 one
-- of the treatment alone, so nothing is picked there.
CREATE TABLE pools AS SELECT state_pool_agg(task, arm, rollout, turn, 10) AS pool FROM (VALUES (1, true, 11, 1), (1, true, 11, 2), (1, true, 12, 1),
	(1, false, 21, 4), (1, false, 22, 9), (2, true, 13, 1)) v(task, arm, rollout, turn);
SELECT task, depth_bin, arm, available, picked, short FROM pools, matched_states_report(pool, 2) ORDER BY task, arm;
SELECT task, arm, count(*), count(*) FILTER (WHERE (arm, rollout, turn) NOT IN ((true, '11', 1), (true, '11', 2), (true, '12', 1), (false, '21', 4), (false, '22', 9))) AS strange
FROM pools, matched_states(pool, 2) GROUP BY task, arm ORDER BY task, arm;
-- in two bins of depth, turn / budget up to .5 and beyond: in the first are three against one, in the second none against one
SELECT task, depth_bin, arm, picked FROM pools, matched_states_report(pool, 2, bins => 2) ORDER BY task, depth_bin, arm;
SELECT rollup(pool) = (SELECT pool FROM pools) AS equal FROM pools;
DROP TABLE pools;

-- mistakes
SELECT paired_agg(NULL::bigint, true, 1);
SELECT paired_agg(1, NULL, 1);
SELECT paired_agg(1, true, 'NaN');
SELECT state_pool_agg(1, true, 1, 0, 10);
SELECT * FROM matched_states(NULL, 0);
