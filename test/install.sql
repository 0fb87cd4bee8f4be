-- What the catalogs say of every object of the extension; a new function,
-- aggregate, type or operator is held to the same rules without a change here.
BEGIN;
SELECT no_plan();

CREATE TEMP VIEW member AS
SELECT d.classid, d.objid, pg_describe_object(d.classid, d.objid, 0) AS object
FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
WHERE e.extname = 'agentrl' AND d.deptype = 'e';
CREATE TEMP VIEW routine AS
SELECT p.*, m.object FROM member m JOIN pg_proc p ON m.classid = 'pg_proc'::regclass AND m.objid = p.oid;
CREATE TEMP VIEW state AS
SELECT r.object, r.proparallel, a.*, t.typtype, t.typreceive, t.typsend
FROM routine r JOIN pg_aggregate a ON a.aggfnoid = r.oid JOIN pg_type t ON t.oid = a.aggtranstype;

SELECT cmp_ok((SELECT count(*) FROM routine), '>', 50::bigint, 'the extension has functions');
SELECT cmp_ok((SELECT count(*) FROM state), '>', 5::bigint, 'and aggregates');

-- array types, casts, operator classes and families carry no comment by custom
SELECT is_empty($$
	SELECT object FROM member m
	WHERE classid IN ('pg_proc'::regclass, 'pg_operator'::regclass)
		AND obj_description(objid, classid::regclass::name) IS NULL
	UNION ALL
	SELECT object FROM member m JOIN pg_type t ON t.oid = m.objid
	WHERE classid = 'pg_type'::regclass AND typcategory <> 'A' AND obj_description(objid, 'pg_type') IS NULL
$$, 'every function, aggregate, operator and type has a comment');

SELECT is_empty($$SELECT object FROM routine WHERE proparallel <> 's'$$, 'every function and aggregate is parallel safe');
-- a heat map is put together by format(), which the server calls stable; an assertion that a plan drops asserts nothing
SELECT is_empty($$
	SELECT object FROM routine
	WHERE prokind <> 'a' AND ((provolatile = 'v' AND proname <> 'budget_assert') OR
		(provolatile = 's' AND proname NOT LIKE 'pass\_heatmap%'))
$$, 'every function is immutable, a heat map stable, an assertion volatile');
SELECT is_empty($$SELECT object FROM routine WHERE prosecdef OR proconfig IS NOT NULL$$,
	'no function runs as its owner or changes settings');
SELECT is_empty($$SELECT object FROM state WHERE aggcombinefn = 0$$, 'every aggregate can be combined');
SELECT is_empty($$SELECT object FROM state WHERE aggserialfn <> 0 OR aggdeserialfn <> 0$$, 'none needs serial functions');
SELECT is_empty($$SELECT object FROM state WHERE typtype <> 'b' OR typreceive = 0 OR typsend = 0$$,
	'every state is a concrete type that can be sent');
SELECT is_empty($$
	SELECT r.object FROM routine r, unnest(r.proargtypes) a JOIN pg_type t ON t.oid = a
	WHERE r.prokind = 'a' AND t.typtype = 'p'
$$, 'no aggregate takes a polymorphic argument');

-- a transition that is not strict handles NULLs itself, a strict one without a start would skip its first row
SELECT is_empty($$
	SELECT s.object FROM state s JOIN pg_proc f ON f.oid = s.aggtransfn WHERE f.proisstrict AND s.agginitval IS NULL
$$, 'no transition function is strict');

-- Every public name works when no schema is searched.
CREATE SCHEMA "Else Where";
DROP EXTENSION agentrl CASCADE;
CREATE EXTENSION agentrl SCHEMA "Else Where";
CREATE TEMP TABLE got (id int, value text);
SET LOCAL search_path = '';
INSERT INTO pg_temp.got
SELECT 1, "Else Where".pass_at("Else Where".pass_agg(i, i OPERATOR(pg_catalog.>) 1, 3::bigint), 1, 5)
FROM pg_catalog.generate_series(1, 2) i;
INSERT INTO pg_temp.got
SELECT 2, a OPERATOR("Else Where".=) b
FROM (SELECT '{"steps": []}'::pg_catalog.json::"Else Where".trajectory AS a,
	'{"steps": [ ]}'::pg_catalog.jsonb::"Else Where".trajectory AS b) q;
INSERT INTO pg_temp.got SELECT 3, ("Else Where".facts('{"success": true, "steps": [{}]}')).turns;
INSERT INTO pg_temp.got SELECT 4, pg_catalog.count(*) FROM "Else Where".import_rollouts('{"success": true, "steps": [{}]}');
INSERT INTO pg_temp.got
SELECT 5, "Else Where".turns("Else Where".trajectory_agg(i, 'a', 'o', false)) FROM pg_catalog.generate_series(1, 3) i;
RESET search_path;
SELECT results_eq('SELECT value FROM got ORDER BY id', ARRAY['0.5', 'true', '1', '1', '3'],
	'aggregates, operators, casts, records and the importer work in another schema with an empty search_path');
ALTER EXTENSION agentrl SET SCHEMA public;
SELECT is(public.turns('{"steps": [{}]}'), 1::bigint, 'the extension can be moved');

SELECT * FROM finish();
ROLLBACK;
