-- What bench/lab_coverage asks for, and where it keeps the truth and what intervals held of it.
\set ON_ERROR_STOP on
CREATE TABLE grid (k bigint, t bigint, cell text GENERATED ALWAYS AS ('K=' || k || ' T=' || t) STORED);
INSERT INTO grid SELECT k, t FROM unnest('{1,2,4,8,16}'::int[]) k, unnest('{8,10,12,15,20,30,50,100}'::int[]) t WHERE k <= :attempts;

-- Of each batch of maps, the numerators and denominators of what is estimated: exact sums, or those of
-- the estimator itself.
CREATE TABLE parts (quantity text, arms text, cell text, batch int, sum float8, size float8);
CREATE TABLE recovery_parts (batch int, treatment recovery_summary, reference recovery_summary);

-- Each interval of each evaluation.
CREATE TABLE intervals (figure text, arms text, cell text, evaluation int, estimate float8, std_error float8,
	ci_low float8, ci_high float8, band_low float8, band_high float8, method text);

-- Per evaluation, or batch, what the rollouts of both policies say at like length.
CREATE FUNCTION length_cells() RETURNS SETOF text IMMUTABLE LANGUAGE sql AS $$
	VALUES ('log ratio'), ('log-likelihood under base'), ('log-likelihood under base, of successes') $$;
CREATE FUNCTION length_value(cell text, success bool, loglik float8, ref_loglik float8) RETURNS float8 IMMUTABLE LANGUAGE sql AS $$
	SELECT CASE WHEN cell = 'log ratio' THEN loglik - ref_loglik WHEN success OR cell NOT LIKE '%successes' THEN ref_loglik END $$;

CREATE AGGREGATE product(float8) (SFUNC = float8mul, STYPE = float8, INITCOND = 1);
