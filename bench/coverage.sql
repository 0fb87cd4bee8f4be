-- The populations of bench/coverage, what is true of them, and how evaluations are drawn.
-- A task is a point (u1, u2, u3) of the unit cube; of an arm it has p, the chance of success in
-- unlimited turns, and q, the chance per turn from the first turn on at which it can happen.
\set ON_ERROR_STOP on

CREATE TABLE populations (name text PRIMARY KEY, attempts int, k bigint[], t bigint[] DEFAULT '{1,2,3,4,6,8,12,20}');
INSERT INTO populations VALUES
	('mixed', 16, '{1,2,3,4,6,8,16}'), -- p ~ Beta(1/2, 1); the treatment better and later
	('split', 8, '{1,2,3,4,5,6,8}'),   -- p ~ Beta(1/2, 1/2): tasks are easy or hard
	('late', 16, '{1,2,3,4,6,8,16}'),  -- one success in a hundred at turn 1; equal arms
	('rare', 16, '{1,2,3,4,6,8,16}');  -- p below 0.04

CREATE FUNCTION reference_p(population text, u1 float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE population WHEN 'split' THEN sin(pi() / 2 * u1) ^ 2 WHEN 'rare' THEN 0.04 * u1 * u1 ELSE u1 * u1 END $$;
CREATE FUNCTION reference_q(population text, u2 float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE population WHEN 'split' THEN 0.05 + 0.3 * u2 ELSE 0.1 + 0.4 * u2 END $$;
CREATE FUNCTION treatment_p(population text, p float8, u3 float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE population WHEN 'late' THEN p ELSE p ^ (0.4 + 0.8 * u3) END $$;
CREATE FUNCTION treatment_q(population text, q float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE population WHEN 'late' THEN q ELSE 0.7 * q END $$;

-- The chance of success by turn t, and its inverse at v below p: the turn of success.
CREATE FUNCTION by_turn(population text, p float8, q float8, t float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT p * CASE population WHEN 'late' THEN 0.01 + 0.99 * (1 - (1 - q) ^ (t - 1)) ELSE 1 - (1 - q) ^ t END $$;
CREATE FUNCTION turn_of(population text, p float8, q float8, v float8) RETURNS bigint IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN population <> 'late' THEN 1 + floor(ln(1 - v / p) / ln(1 - q))::bigint
	            WHEN v < 0.01 * p THEN 1
	            ELSE 2 + floor(ln((1 - v / p) / 0.99) / ln(1 - q))::bigint END $$;

-- The mean over the population, by the midpoint rule in u1, u2 and u3.
CREATE TABLE truth AS
SELECT name AS population, each AS k, t, avg(1 - (1 - reference) ^ each) AS reference, avg(1 - (1 - treatment) ^ each) AS treatment
FROM (SELECT name, k AS ks, t, by_turn(name, p, q, t) AS reference,
             by_turn(name, treatment_p(name, p, (w - 0.5) / 25), treatment_q(name, q), t) AS treatment
      FROM (SELECT name, k, at AS t, reference_p(name, (u - 0.5) / 200) AS p, reference_q(name, (v - 0.5) / 40) AS q
            FROM populations, unnest(t) at, generate_series(1, 200) u, generate_series(1, 40) v OFFSET 0) x,
           generate_series(1, 25) w OFFSET 0) y, unnest(ks) each
GROUP BY 1, 2, 3;

-- Some of it is known in closed form.
DO $$ BEGIN
	ASSERT (SELECT count(*) = 6 AND max(abs(have - want)) < 2e-5 FROM (
		SELECT reference, want FROM truth JOIN (VALUES ('mixed', 1, 0.1), ('mixed', 2, 0.2 - (0.09 + 0.16 / 12) / 5), ('split', 1, 0.1),
			('late', 1, 0.01 / 3), ('rare', 1, 0.004)) v(population, k, want) USING (population, k) WHERE t = 1
		UNION ALL SELECT treatment, 0.21 * ln(3.4 / 1.8) / 1.6 FROM truth WHERE population = 'mixed' AND k = 1 AND t = 1) q(have, want)),
		'the midpoint rule is off';
END $$;

-- Uniform on the open unit interval. The low word of the hash alone: the bits above it are not
-- independent between neighbouring keys.
CREATE FUNCTION uniform(key bigint, stream bigint) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT ((hashint8extended(key, stream) & 4294967295) + 0.5) / 4294967296 $$;

-- What the intervals of each evaluation covered.
CREATE TABLE cells (population text, tasks int, figure text, evaluation int, k bigint, t bigint, ci bool, band bool, method text);
