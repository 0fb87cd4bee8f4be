-- What a user can do wrong with the comparisons, and what NULL gives.
\set VERBOSITY default
CREATE TEMP TABLE s AS SELECT pass_agg(i % 4, i % 3 = 0, i % 5 + 1, 10) AS a, pass_agg('t' || i % 4, true, 1) AS b FROM generate_series(1, 40) i;

SELECT count(*) FROM s, pass_regressions(NULL, a, 1);
SELECT pass_regressions(a, a, NULL) FROM s;
SELECT pass_regressions(a, a, 0) FROM s;
SELECT pass_regressions(a, a, 1, 0) FROM s;
SELECT pass_regressions(a, b, 1) FROM s;

SELECT count(*) FROM pass_bracket(NULL, '{1}');
SELECT pass_bracket(a, NULL) FROM s;
SELECT pass_bracket(a, '{}') FROM s;
SELECT pass_bracket(a, '{1}', '{0}') FROM s;

SELECT count(*) FROM s, pass_crossover(a, NULL, 1, '{1}');
SELECT pass_crossover(a, a, NULL, '{1}') FROM s;
SELECT pass_crossover(a, a, 1, NULL) FROM s;
SELECT pass_crossover(a, a, 0, '{1}') FROM s;
SELECT pass_crossover(a, a, 1, '{}') FROM s;
SELECT pass_crossover(a, a, 1, '{1}', resamples => 0) FROM s;
SELECT pass_crossover(a, a, 1, '{1}', match => 'suffix') FROM s;
SELECT pass_crossover(a, b, 1, '{1}') FROM s;
-- no difference anywhere; one task in common
SELECT c.* FROM s, pass_crossover(a, a, 1, '{1,3,5}') c;
SELECT * FROM pass_crossover((SELECT pass_agg(1, true, 1)), (SELECT pass_agg(1, false, 1)), 1, '{1,2}');

SELECT count(*) FROM pass_truncation_gap(NULL, '{1}', '{1}');
SELECT pass_truncation_gap(a, NULL, '{1}') FROM s;
SELECT pass_truncation_gap(a, '{1}', NULL) FROM s;
SELECT pass_truncation_gap(a, '{1}', '{1}', confidence => 1) FROM s;
SELECT pass_truncation_gap(a, '{1}', '{1}', method => 'exact') FROM s;
-- a cell without paired tasks
SELECT g.k, g.t, source_budget, gap, ci_low, tasks, method FROM s, pass_truncation_gap(a, '{1}', '{5}') g;
