-- The tables of the lab (demo/lab-run says what is in them), and what the
-- sections of the story share.
\set QUIET on

CREATE TABLE lab_plan (epoch bigint, task text, attempt bigint, budget bigint);
CREATE TABLE lab_maps (task text PRIMARY KEY, min_turns bigint, map text);
CREATE TABLE lab_truth (policy text, task text, announced boolean, budget bigint, t bigint, success float8);
CREATE TABLE lab_errors (policy text, task text, announced boolean, budget bigint, measure text,
	eligible float8, recovered float8);
CREATE TABLE lab_rewards (policy text, task text, announced boolean, budget bigint, r_multi float8, r_single float8);
CREATE TABLE lab_dynamics (policy text, checkpoint bigint, task text, r_multi float8, r_single float8);
CREATE TABLE lab_states (kind text, task text, unit text, source text, turn bigint, budget bigint, cell text,
	policy text, sample int, action text, error boolean, value float8, exact float8);

-- What is told, so that the terminal and report.html tell the same.
CREATE TABLE section (name text PRIMARY KEY, place serial, title text, paper text);
CREATE TABLE shown (place serial, section text, name text, caption text NOT NULL);  -- views; a comment is the caption
CREATE TABLE seen (place serial, section text, line text NOT NULL);  -- sentences, made of the figures
CREATE TABLE claim (place serial, claim text, paper text, here text NOT NULL, verdict text NOT NULL);
-- Every interval whose true value is known.
CREATE TABLE checked (section text, figure text, estimate float8, ci_low float8, ci_high float8, exact float8);

CREATE FUNCTION padded(figure text, width int) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN lpad(figure, greatest(width, length(figure)));
CREATE FUNCTION pct(x float8) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN padded(to_char(round((100 * x)::numeric, 1), 'FM990.0'), 4);
CREATE FUNCTION points(x float8) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN padded(to_char(round((100 * x)::numeric, 1), 'FMSG990.0'), 5);
CREATE FUNCTION figure(x float8) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN to_char(x, 'FM990.000');
CREATE FUNCTION between_pct(low float8, high float8) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN pct(low) || ' to ' || pct(high);
CREATE FUNCTION between_points(low float8, high float8) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN points(low) || ' to ' || points(high);
-- the mark of an interval that misses the exact value
CREATE FUNCTION mark(exact float8, low float8, high float8) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN CASE WHEN exact < low OR exact > high THEN ' !' ELSE '' END;
CREATE FUNCTION wrapped(line text) RETURNS text IMMUTABLE LANGUAGE sql
	RETURN rtrim(regexp_replace(line, '(.{1,98})( +|$)', E'\\1\n', 'g'), E'\n');
