
-- These bodies run as whoever calls them, and their names are resolved where the extension is created: so every
-- name of the server's has its schema, and every call of the extension's own has exactly the declared types.

-- Codes, not characters, for a database of another encoding has no such characters; chosen by a
-- stable function, so that the planner does not look up those that the encoding lacks.
CREATE FUNCTION pass_heatmap_cell(value double precision, steps double precision[], figure text) RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE COST 10
BEGIN ATOMIC
	SELECT pg_catalog.repeat(pg_catalog.chr((CASE WHEN pg_catalog.getdatabaseencoding() OPERATOR(pg_catalog.=) 'UTF8' THEN ARRAY[32, 9617, 9618, 9619, 9608]
	                                              ELSE s.ascii_shades END)[s.shade OPERATOR(pg_catalog.+) 1]), 2)
	       OPERATOR(pg_catalog.||) COALESCE(figure, '-')
	FROM (SELECT COALESCE(pg_catalog.width_bucket(value, steps), 0) AS shade,
	             ARRAY[pg_catalog.ascii(' '), pg_catalog.ascii('.'), pg_catalog.ascii(':'), pg_catalog.ascii('+'), pg_catalog.ascii('#')] AS ascii_shades) s;
END;
COMMENT ON FUNCTION pass_heatmap_cell(double precision, double precision[], text) IS
	'part of pass_heatmap: a figure behind a shade that darkens with each step that the value reaches';

CREATE FUNCTION pass_heatmap_table(k bigint[], t bigint[], cells text[]) RETURNS text
	LANGUAGE sql IMMUTABLE PARALLEL SAFE COST 1000
BEGIN ATOMIC
	WITH columns AS (
		SELECT COALESCE(t::pg_catalog.text[], ARRAY['own']) AS heads,
		       GREATEST(3, (SELECT pg_catalog.max(pg_catalog.length(u.x)) FROM pg_catalog.unnest(k::pg_catalog.text[]) u(x))) AS margin),
	widths AS (
		SELECT c.heads, c.margin, pg_catalog.cardinality(c.heads) AS n,
		       2 OPERATOR(pg_catalog.+) (SELECT pg_catalog.max(pg_catalog.length(u.x))
		                                 FROM pg_catalog.unnest(c.heads OPERATOR(pg_catalog.||) cells) u(x)) AS width FROM columns c),
	head AS (
		SELECT pg_catalog.string_agg(pg_catalog.lpad(u.x, w.width), '' ORDER BY u.i) AS line
		FROM widths w, pg_catalog.unnest(w.heads) WITH ORDINALITY u(x, i)),
	lines AS (
		SELECT r.i, pg_catalog.string_agg(pg_catalog.lpad(cells[(r.i OPERATOR(pg_catalog.-) 1) OPERATOR(pg_catalog.*) w.n OPERATOR(pg_catalog.+) c.i],
		                                                  w.width), '' ORDER BY c.i) AS line
		FROM widths w, pg_catalog.generate_series(1, pg_catalog.cardinality(k)) r(i), pg_catalog.generate_series(1, w.n) c(i) GROUP BY r.i)
	SELECT pg_catalog.lpad('K\T', w.margin) OPERATOR(pg_catalog.||) h.line OPERATOR(pg_catalog.||) pg_catalog.chr(10) OPERATOR(pg_catalog.||)
	       (SELECT pg_catalog.string_agg(pg_catalog.lpad(k[l.i]::pg_catalog.text, w.margin) OPERATOR(pg_catalog.||) l.line,
	                                     pg_catalog.chr(10) ORDER BY l.i) FROM lines l) OPERATOR(pg_catalog.||) pg_catalog.chr(10)
	FROM widths w, head h;
END;
COMMENT ON FUNCTION pass_heatmap_table(bigint[], bigint[], text[]) IS
	'part of pass_heatmap: cells under a line of T, each row behind its K';

CREATE FUNCTION pass_heatmap(summary pass_summary, k bigint[], t bigint[] DEFAULT NULL, match text DEFAULT 'prefix') RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT pass_heatmap_table(k, t, pg_catalog.array_agg(pass_heatmap_cell(g.pass, '{0.2,0.4,0.6,0.8}'::double precision[],
	               pg_catalog.lpad(pg_catalog.to_char(pg_catalog.round((100 OPERATOR(pg_catalog.*) g.pass)::numeric, 1), 'FM990.0'), 6)) ORDER BY g.place))
	       OPERATOR(pg_catalog.||)
	       pg_catalog.format('Pass@(K,T) in percent; tasks: %s (left out: %s); shaded from 20, 40, 60, 80',
	                         pg_catalog.max(g.tasks), pg_catalog.max(g.tasks_short))
	FROM (SELECT pg_catalog.row_number() OVER () AS place, c.pass, c.tasks, c.tasks_short
	      FROM pass_grid(summary, k, t, resamples => 0, match => match, task_set => 'common'::pg_catalog.text) c) g;
END;
COMMENT ON FUNCTION pass_heatmap(pass_summary, bigint[], bigint[], text) IS
	'Pass@(K,T) as a shaded table for a terminal, K down and T across, over the tasks that every cell has';

CREATE FUNCTION pass_heatmap(treatment pass_summary, reference pass_summary, k bigint[], t bigint[],
		confidence double precision DEFAULT 0.95, resamples integer DEFAULT 10000, seed bigint DEFAULT 0,
		match text DEFAULT 'prefix') RETURNS text
	LANGUAGE sql STABLE PARALLEL SAFE COST 100000
BEGIN ATOMIC
	SELECT pass_heatmap_table(k, t, pg_catalog.array_agg(pass_heatmap_cell(pg_catalog.abs(d.diff), '{0.05,0.1,0.2,0.4}'::double precision[],
	               pg_catalog.lpad(pg_catalog.to_char(pg_catalog.round((100 OPERATOR(pg_catalog.*) d.diff)::numeric, 1), 'FMSG990.0') OPERATOR(pg_catalog.||)
	                    CASE WHEN d.band_low OPERATOR(pg_catalog.>) 0 OR d.band_high OPERATOR(pg_catalog.<) 0 THEN '*' ELSE ' ' END, 8)) ORDER BY d.place))
	       OPERATOR(pg_catalog.||)
	       pg_catalog.format('treatment less reference in points; tasks: %s (left out: %s); shaded from 5, 10, 20, 40',
	                         pg_catalog.max(d.tasks), pg_catalog.max(d.tasks_short))
	       OPERATOR(pg_catalog.||)
	       CASE WHEN resamples OPERATOR(pg_catalog.>) 0 THEN pg_catalog.format('; * the %s %% band over all cells excludes 0',
	                                                                           (100 OPERATOR(pg_catalog.*) confidence)::numeric) ELSE '' END
	FROM (SELECT pg_catalog.row_number() OVER () AS place, c.diff, c.band_low, c.band_high, c.tasks, c.tasks_short
	      FROM pass_diff(treatment, reference, k, t, confidence, resamples, seed, match => match, task_set => 'common'::pg_catalog.text) c) d;
END;
COMMENT ON FUNCTION pass_heatmap(pass_summary, pass_summary, bigint[], bigint[], double precision, integer, bigint, text) IS
	'the difference of two arms as a shaded table for a terminal; cells whose simultaneous band excludes 0 are marked';
