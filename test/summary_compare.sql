-- Comparison and hashing of summaries: by their bytes, so that equal contents are equal values.
BEGIN;
SELECT no_plan();

CREATE TEMP VIEW summary_type AS
SELECT t.oid, t.typname::text AS name
FROM pg_type t JOIN pg_depend d ON d.classid = 'pg_type'::regclass AND d.objid = t.oid AND d.deptype = 'e'
	JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl'
WHERE t.typtype = 'b' AND t.typcategory <> 'A' AND t.typname NOT IN ('trajectory', 'trajectory_parts');
SELECT is((SELECT array_agg(name ORDER BY name) FROM summary_type), ARRAY['budget_audit', 'budget_plan', 'dynamics_summary',
	'matched_summary', 'paired_summary', 'pass_summary', 'recovery_summary', 'state_pool'], 'the types that aggregates return');
SELECT is_empty($$
	SELECT name, a.amname FROM summary_type t, pg_am a
	WHERE a.amname IN ('btree', 'hash')
		AND NOT EXISTS (SELECT FROM pg_opclass c WHERE c.opcmethod = a.oid AND c.opcintype = t.oid AND c.opcdefault)
$$, 'each has default classes for btree and hash');
SELECT ok(amvalidate(c.oid), format('%s of %s is whole', a.amname, t.name))
FROM pg_opclass c JOIN summary_type t ON t.oid = c.opcintype JOIN pg_am a ON a.oid = c.opcmethod ORDER BY t.name, a.amname;

-- values of each type: small and large, doubled, made in different ways
CREATE TEMP TABLE rollouts AS
SELECT g AS part, i, i % 7 AS task, i % 3 = 0 AS success, 1 + i % 5 AS turns FROM generate_series(0, 5) g, generate_series(1, 10 + g % 4 * 2000) i;
CREATE TEMP TABLE traj AS SELECT part, i, task, '{"success":true,"budget":3,"steps":[{"error":true,"error_kind":"k"},{"error":false}]}'::trajectory AS traj FROM rollouts;
CREATE TEMP TABLE made AS
SELECT part, v, pass_agg(task, success, turns) AS pass_summary, paired_agg(task, i, success, turns) AS paired_summary,
	state_pool_agg(task, success, i, turns, 9) AS state_pool, recovery_agg(task, traj) AS recovery_summary,
	length_matched_agg(task, success, turns, i) AS matched_summary, dynamics_agg(turns, task, i, i) AS dynamics_summary,
	budget_plan_agg(task, turns, 9) AS budget_plan, budget_audit_agg(i, task, 9, turns, success, 0, 9) AS budget_audit
FROM generate_series(1, 2) v, rollouts JOIN traj USING (part, i, task) GROUP BY part, v;

-- what = says against what the texts say, and the rest against =, for every pair of values
CREATE FUNCTION pg_temp.wrong(type text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format($q$
		SELECT a.part || ' ' || b.part FROM made a, made b, LATERAL (SELECT a.%1$I AS x, b.%1$I AS y) q
		WHERE (x = y) IS DISTINCT FROM (x::text = y::text) OR (x <> y) = (x = y) OR (x <= y) <> (x < y OR x = y) OR (x >= y) <> (x > y OR x = y)
			OR (x < y)::int + (x = y)::int + (x > y)::int <> 1 OR (x < y) <> (y > x) OR sign(summary_cmp(x, y)) <> (x > y)::int - (x < y)::int
			OR (x = y AND summary_hash(x) <> summary_hash(y)) OR (x = y AND summary_hash_extended(x, 5) <> summary_hash_extended(y, 5))$q$, type);
END $$;
SELECT is_empty(format('SELECT pg_temp.wrong(%L)', name), name || ': each operator agrees with the texts') FROM summary_type ORDER BY name;

CREATE FUNCTION pg_temp.used(type text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result bigint[];
	n bigint;
BEGIN
	FOREACH n IN ARRAY ARRAY[1, 2, 3, 4, 5, 6] LOOP
		EXECUTE format(CASE n WHEN 1 THEN 'SELECT count(*) FROM (SELECT DISTINCT %1$I FROM made) q'
			WHEN 2 THEN 'SELECT count(*) FROM (SELECT %1$I FROM made UNION SELECT %1$I FROM made) q'
			WHEN 3 THEN 'SELECT count(*) FROM made a JOIN made b ON a.%1$I = b.%1$I'
			WHEN 4 THEN 'SELECT count(*) FROM made a WHERE ROW(a.%1$I) IS DISTINCT FROM (SELECT ROW(b.%1$I) FROM made b WHERE b.part = 1 AND b.v = 1)'
			WHEN 5 THEN 'SELECT max(r) FROM (SELECT dense_rank() OVER (ORDER BY %1$I) r FROM made) q'
			ELSE 'SELECT count(*) FROM (SELECT %1$I FROM made EXCEPT SELECT %1$I FROM made WHERE part = 0) q' END, type) INTO n;
		result := result || n;
	END LOOP;
	RETURN result::text;
END $$;
-- six parts, of which 0 and 4, 1 and 5 have the same rows; each was made twice
SELECT is(pg_temp.used(name), '{4,4,40,8,4,3}', name || ': DISTINCT, UNION, a join, IS DISTINCT FROM, ORDER BY, EXCEPT') FROM summary_type ORDER BY name;
SET LOCAL enable_hashagg = off; SET LOCAL enable_hashjoin = off; SET LOCAL enable_nestloop = off;
SELECT is(pg_temp.used(name), '{4,4,40,8,4,3}', name || ': the same by sorting and merging') FROM summary_type ORDER BY name;
RESET enable_hashagg; RESET enable_hashjoin; RESET enable_nestloop;

-- a key, partitions by hash, MERGE
CREATE TEMP TABLE keyed (s pass_summary PRIMARY KEY);
INSERT INTO keyed SELECT pass_summary FROM made WHERE part IN (0, 4) ON CONFLICT DO NOTHING;
SELECT is((SELECT count(*) FROM keyed), 1::bigint, 'a primary key takes a summary once');
SELECT throws_ok('INSERT INTO keyed SELECT pass_summary FROM made WHERE part = 0 AND v = 1', '23505', NULL, 'and refuses it the second time');
CREATE TABLE spread (s pass_summary) PARTITION BY HASH (s);
CREATE TABLE spread0 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 0);
CREATE TABLE spread1 PARTITION OF spread FOR VALUES WITH (MODULUS 2, REMAINDER 1);
INSERT INTO spread SELECT pass_agg(i, true, i) FROM generate_series(1, 40) i GROUP BY i;
INSERT INTO spread SELECT s FROM spread;
SELECT is_empty('SELECT s FROM spread GROUP BY s HAVING count(DISTINCT tableoid) > 1', 'equal values lie in one partition');
SELECT cmp_ok((SELECT count(DISTINCT tableoid) FROM spread), '=', 2::bigint, 'and values are spread');
CREATE TEMP TABLE days (d int PRIMARY KEY, s pass_summary);
INSERT INTO days SELECT part, pass_summary FROM made WHERE v = 1;
MERGE INTO days t USING (SELECT part, CASE WHEN part < 2 THEN pass_agg_other ELSE pass_summary END AS s
	FROM made, (SELECT pass_agg(1, true, 1) AS pass_agg_other) o WHERE v = 2) x ON t.d = x.part
	WHEN MATCHED AND t.s IS DISTINCT FROM x.s THEN UPDATE SET s = x.s, d = t.d + 100;
SELECT is((SELECT array_agg(d ORDER BY d) FROM days), ARRAY[2, 3, 4, 5, 100, 101], 'MERGE changes the rows that differ');

-- a growing state is compared as the value that it would become
SELECT ok(bool_and(s = t), 'a state that still grows')
FROM (SELECT pass_agg(i, true, i) OVER (ORDER BY i) AS s, (SELECT pass_agg(j, true, j) FROM generate_series(1, i) j) AS t FROM generate_series(1, 5) i) q;
-- the version of the release that wrote a value is no part of what it says
SELECT ok('\x500101011000020102010001'::pass_summary = '\x500201011000020102010001'::pass_summary, 'read from a release before 1.0');

SELECT * FROM finish();
ROLLBACK;
