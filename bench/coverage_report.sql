-- The tables of doc/coverage.md, from the cells of bench/coverage. In percent; ± is the Monte-Carlo
-- standard error of one cell whose coverage is 95 %. A cell is of class "fallback" when most evaluations
-- fell back there, else "middle" when the truth (of both arms) is .1 to .9.
\set ON_ERROR_STOP on
CREATE FUNCTION percent(x float8, digits int DEFAULT 1) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(to_char(100 * x, 'FM990.' || repeat('0', digits)), '-') $$;

CREATE TABLE by_cell AS
SELECT c.population, c.tasks, c.figure, c.k, c.t, avg(ci::int) AS ci, avg((method IN ('wilson', 'mover'))::int) AS fallback, count(*) AS n,
       CASE WHEN avg((method IN ('wilson', 'mover'))::int) >= 0.5 THEN 'fallback'
            WHEN r.reference BETWEEN 0.1 AND 0.9 AND (c.figure = 'pass_grid' OR r.treatment BETWEEN 0.1 AND 0.9) THEN 'middle'
            ELSE 'edge' END AS class
FROM cells c JOIN truth r USING (population, k, t) GROUP BY 1, 2, 3, 4, 5, r.reference, r.treatment;

\echo '| figure | cells | tasks | population | number of cells | fallback used | coverage: mean | lowest | highest | ± |'
\echo '|---|---|---|---|---|---|---|---|---|---|'
SELECT '| ' || concat_ws(' | ', figure, class, tasks, population, count(*), percent(avg(fallback)), percent(avg(ci)), percent(min(ci)),
	percent(max(ci)), percent(sqrt(0.05 * 0.95 / min(n)), 2)) || ' |'
FROM by_cell GROUP BY figure, class, tasks, population
ORDER BY figure DESC, array_position('{middle,edge,fallback}', class), tasks, population;

\echo
\echo '| figure | tasks | population | whole band | ± |'
\echo '|---|---|---|---|---|'
SELECT '| ' || concat_ws(' | ', figure, tasks, population, percent(avg(held::int)), percent(sqrt(0.05 * 0.95 / count(*)), 2)) || ' |'
FROM (SELECT figure, tasks, population, evaluation, bool_and(band) AS held FROM cells GROUP BY 1, 2, 3, 4) q
GROUP BY figure, tasks, population ORDER BY figure DESC, tasks, population;
