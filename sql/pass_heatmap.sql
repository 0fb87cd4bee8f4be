-- Heat maps of Pass@(K,T) for a terminal.
\pset format unaligned
\pset tuples_only on

-- Four tasks of 4 attempts with 1, 2, 3 and 4 solved, by turn 5, 10, 20: K = 1 at T = 20 is 62.5
CREATE TEMP TABLE runs AS
SELECT task, attempt <= task AS success, CASE task WHEN 1 THEN 5 WHEN 2 THEN 10 ELSE 20 END AS turns
FROM generate_series(1, 4) task, generate_series(1, 4) attempt;
SELECT pass_heatmap(pass_agg(task, success, turns), '{1,2,4}', '{4,5,10,20}') FROM runs;

-- the order and the repetitions of the lists, wide labels, one column of own budgets
SELECT pass_heatmap(pass_agg(task, success, turns), '{4,1,4}', '{20,1000000000000000000}') FROM runs;
SELECT pass_heatmap(pass_agg(task, success, turns), '{1,4}') FROM runs;

-- over the tasks that every cell has: task 9 has one attempt
SELECT pass_heatmap(pass_agg(task, success, turns), '{1,2}', '{20}') FROM (TABLE runs UNION ALL VALUES (9, true, 1)) r;
-- none has
SELECT pass_heatmap(pass_agg(task, success, turns), '{1,5}', '{20}') FROM runs;
-- only rollouts of exactly that budget: task 2 has two of four, solved by turn 10
SELECT pass_heatmap(pass_agg(task, success, turns, task * 10), '{1,4}', '{20}', match => 'exact') FROM runs;
SELECT pass_heatmap(NULL::pass_summary, '{1}', '{1}') IS NULL AS of_null;

-- Twelve tasks of 8 attempts: the treatment solves 6 (tasks 1 to 6) or 8 of them at turn 9, the
-- reference 2 at turn 3. Differences in points at K = 1: -25 at T = 3, then +62.5 on average.
CREATE TEMP TABLE arms AS
SELECT pass_agg(task, attempt <= CASE WHEN task <= 6 THEN 6 ELSE 8 END, 9) AS treatment, pass_agg(task, attempt <= 2, 3) AS reference
FROM generate_series(1, 12) task, generate_series(1, 8) attempt;
SELECT pass_heatmap(treatment, reference, '{1,7}', '{2,3,9}') FROM arms;
SELECT pass_heatmap(treatment, reference, '{1,7}', '{2,3,9}', confidence => 0.995, resamples => 500) FROM arms;
SELECT pass_heatmap(treatment, reference, '{1,7}', '{2,3,9}', resamples => 0) FROM arms;
-- the marks are those of pass_diff
SELECT k, t, 'marked' FROM arms, pass_diff(treatment, reference, '{1,7}', '{2,3,9}') WHERE band_low > 0 OR band_high < 0;
SELECT pass_heatmap(treatment, treatment, '{1}', NULL) FROM arms;
SELECT pass_heatmap(treatment, NULL::pass_summary, '{1}', '{1}') IS NULL AS of_null FROM arms;

-- errors are those of pass_grid and pass_diff
SELECT pass_heatmap(treatment, '{0}', '{1}') FROM arms;
SELECT pass_heatmap(treatment, NULL, '{1}') FROM arms;
SELECT pass_heatmap(treatment, '{1}', '{1}', match => 'suffix') FROM arms;
SELECT pass_heatmap(treatment, reference, '{1}', '{1}', confidence => 95) FROM arms;

-- a database without block characters
\set own :DBNAME
CREATE DATABASE agentrl_latin1 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0;
\c agentrl_latin1
\pset format unaligned
\pset tuples_only on
SET client_min_messages = warning;
CREATE EXTENSION agentrl;
SELECT pass_heatmap(pass_agg(task, attempt <= task, 1), '{1,2,4}', '{1}') FROM generate_series(1, 4) task, generate_series(1, 4) attempt;
SELECT pass_heatmap(pass_agg(1, i <= c, 1), '{1}', '{1}') FROM generate_series(0, 8, 2) c, generate_series(1, 10) i GROUP BY c ORDER BY c;
\c :own
DROP DATABASE agentrl_latin1;
