
-- Codes, not characters, for a database of another encoding has no such characters; chosen by a
-- stable function, so that the planner does not look up those that the encoding lacks.
CREATE FUNCTION pass_heatmap_cell(value double precision, steps double precision[], figure text) RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE COST 10
BEGIN ATOMIC
	SELECT repeat(chr((CASE WHEN getdatabaseencoding() = 'UTF8' THEN ARRAY[32, 9617, 9618, 9619, 9608]
	                        ELSE ascii_shades END)[shade + 1]), 2) || coalesce(figure, '-')
	FROM (SELECT coalesce(width_bucket(value, steps), 0) AS shade, ARRAY[ascii(' '), ascii('.'), ascii(':'), ascii('+'), ascii('#')] AS ascii_shades) s;
END;
COMMENT ON FUNCTION pass_heatmap_cell(double precision, double precision[], text) IS
	'part of pass_heatmap: a figure behind a shade that darkens with each step that the value reaches';

CREATE FUNCTION pass_heatmap_table(k bigint[], t bigint[], cells text[]) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH columns AS (
		SELECT coalesce(t::text[], ARRAY['own']) AS heads, greatest(3, (SELECT max(length(x)) FROM unnest(k::text[]) x)) AS margin),
	widths AS (
		SELECT heads, margin, cardinality(heads) AS n,
		       2 + (SELECT max(length(x)) FROM unnest(heads || cells) x) AS width FROM columns)
	SELECT lpad('K\T', margin) || (SELECT string_agg(lpad(x, width), '' ORDER BY i) FROM unnest(heads) WITH ORDINALITY u(x, i)) || chr(10) ||
	       (SELECT string_agg(lpad(k[row]::text, margin) ||
	               (SELECT string_agg(lpad(cells[(row - 1) * n + i], width), '' ORDER BY i) FROM generate_series(1, n) i), chr(10) ORDER BY row)
	        FROM generate_series(1, cardinality(k)) row) || chr(10)
	FROM widths;
END;
COMMENT ON FUNCTION pass_heatmap_table(bigint[], bigint[], text[]) IS
	'part of pass_heatmap: cells under a line of T, each row behind its K';

CREATE FUNCTION pass_heatmap(summary pass_summary, k bigint[], t bigint[] DEFAULT NULL, match text DEFAULT 'prefix') RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT pass_heatmap_table(k, t, array_agg(pass_heatmap_cell(g.pass, '{0.2,0.4,0.6,0.8}',
	               lpad(to_char(round((100 * g.pass)::numeric, 1), 'FM990.0'), 6)) ORDER BY g.place)) ||
	       format('Pass@(K,T) in percent; tasks: %s (left out: %s); shaded from 20, 40, 60, 80', max(g.tasks), max(g.tasks_short))
	FROM (SELECT row_number() OVER () AS place, c.pass, c.tasks, c.tasks_short
	      FROM pass_grid(summary, k, t, resamples => 0, match => match, task_set => 'common') c) g;
END;
COMMENT ON FUNCTION pass_heatmap(pass_summary, bigint[], bigint[], text) IS
	'Pass@(K,T) as a shaded table for a terminal, K down and T across, over the tasks that every cell has';

CREATE FUNCTION pass_heatmap(treatment pass_summary, reference pass_summary, k bigint[], t bigint[],
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		match text DEFAULT 'prefix') RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT pass_heatmap_table(k, t, array_agg(pass_heatmap_cell(abs(d.diff), '{0.05,0.1,0.2,0.4}',
	               lpad(to_char(round((100 * d.diff)::numeric, 1), 'FMSG990.0') ||
	                    CASE WHEN d.band_low > 0 OR d.band_high < 0 THEN '*' ELSE ' ' END, 8)) ORDER BY d.place)) ||
	       format('treatment less reference in points; tasks: %s (left out: %s); shaded from 5, 10, 20, 40', max(d.tasks), max(d.tasks_short)) ||
	       CASE WHEN resamples > 0 THEN format('; * the %s %% band over all cells excludes 0', (100 * confidence)::numeric) ELSE '' END
	FROM (SELECT row_number() OVER () AS place, c.diff, c.band_low, c.band_high, c.tasks, c.tasks_short
	      FROM pass_diff(treatment, reference, k, t, confidence, resamples, seed, match => match, task_set => 'common') c) d;
END;
COMMENT ON FUNCTION pass_heatmap(pass_summary, pass_summary, bigint[], bigint[], double precision, integer, bigint, text) IS
	'the difference of two arms as a shaded table for a terminal; cells whose simultaneous band excludes 0 are marked';
