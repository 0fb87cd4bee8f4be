-- One setting of bench/coverage: evaluations of `tasks` tasks drawn from `population`. Both arms of
-- a task share its u1 and u2; each attempt is one uniform v, a success when v is below p.
\set ON_ERROR_STOP on
SET jit = off;
SET max_parallel_workers_per_gather = 0;
CREATE TEMP TABLE evaluations AS
SELECT evaluation, s.*
FROM populations, generate_series(1, :evaluations) evaluation, LATERAL (
	SELECT pass_agg(task, v1 < p1, CASE WHEN v1 < p1 THEN turn_of(name, p1, q1, v1) ELSE 1 END) AS treatment,
	       pass_agg(task, v0 < p0, CASE WHEN v0 < p0 THEN turn_of(name, p0, q0, v0) ELSE 1 END) AS reference
	FROM (SELECT task, p0, q0, treatment_p(name, p0, uniform(key, :seed + 3)) AS p1, treatment_q(name, q0) AS q1
	      FROM (SELECT task, key, reference_p(name, uniform(key, :seed + 1)) AS p0, reference_q(name, uniform(key, :seed + 2)) AS q0
	            FROM generate_series(1, :tasks) task, LATERAL (SELECT (evaluation * :tasks + task)::bigint AS key) w OFFSET 0) x
	      OFFSET 0) tasks,
	     LATERAL (SELECT uniform(key, :seed + 4) AS v0, uniform(key, :seed + 5) AS v1
	              FROM (SELECT (evaluation * :tasks + task)::bigint * attempts + attempt AS key
	                    FROM generate_series(1, attempts) attempt OFFSET 0) z OFFSET 0) y) s
WHERE name = :'population';

INSERT INTO cells
SELECT :'population', :tasks, 'pass_grid', evaluation, g.k, g.t, r.reference BETWEEN ci_low AND ci_high, r.reference BETWEEN band_low AND band_high, method
FROM evaluations e, populations p, pass_grid(e.reference, p.k, p.t, resamples => :resamples, seed => evaluation) g JOIN truth r ON r.k = g.k AND r.t = g.t
WHERE p.name = :'population' AND r.population = :'population';
INSERT INTO cells
SELECT :'population', :tasks, 'pass_diff', evaluation, g.k, g.t, r.treatment - r.reference BETWEEN ci_low AND ci_high,
       r.treatment - r.reference BETWEEN band_low AND band_high, method
FROM evaluations e, populations p, pass_diff(e.treatment, e.reference, p.k, p.t, resamples => :resamples, seed => evaluation) g JOIN truth r ON r.k = g.k AND r.t = g.t
WHERE p.name = :'population' AND r.population = :'population';
