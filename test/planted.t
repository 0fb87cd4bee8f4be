#!/usr/bin/env python3
"""The extension is trusted: its script runs as superuser in a schema that its installer owns. Of the operators, functions and types that the
installer planted there, none is bound into the extension, and none runs when a superuser then calls every function of it.

What is planted is what would win over the objects that the script means: every operator and function whose name is in the script, for all
argument types that the server accepts by a conversion, and types of the server's names. Exact argument types are not the planter's to take:
the server's own schema comes first, and an object of the script's own is made, not found."""
import atexit
import glob
import itertools
import os
import re
import subprocess

from calls import Calls
from tap import done, ok, psql, rows, same, sql, use_database

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALLS = int(os.environ.get("PLANTED_CALLS", "5"))
DATABASE, PLANTER = "agentrl_planted", "agentrl_planter"
# what the grammar makes of IN, BETWEEN, NULLIF, LIKE and the like
IMPLIED_OPERATORS = {"=", "<>", "<", "<=", ">", ">=", "~~", "!~~", "~~*", "~"}
POOL = ["smallint", "integer", "bigint", "numeric", "real", "double precision", "text", "name", "boolean", "jsonb",
        "integer[]", "bigint[]", "double precision[]", "text[]"]
TRIPLES = ["integer", "bigint", "numeric", "double precision", "text", "name", "boolean"]
# what the server converts to a type without being asked
CONVERTED = {"integer": ["smallint"], "bigint": ["smallint", "integer"], "double precision": ["integer", "bigint", "numeric", "real"],
             "text": ["name"], "bigint[]": ["integer[]"], "double precision[]": ["integer[]", "numeric[]"], "text[]": ["name[]"]}

HELPERS = """
SET SESSION AUTHORIZATION {planter};
SET client_min_messages = error;
SET check_function_bodies = off;
CREATE FUNCTION pg_temp.plant(name text, kinds text[], result text, returns_set boolean = false) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    EXECUTE format('CREATE FUNCTION theirs.%I(%s) RETURNS %s LANGUAGE plpgsql AS %L', name, array_to_string(kinds, ', '),
        CASE WHEN returns_set THEN 'SETOF ' ELSE '' END || result,
        format('BEGIN RAISE WARNING %L; RETURN%s; END', format('planted: %s(%s)', name, array_to_string(kinds, ', ')),
            CASE WHEN returns_set THEN '' ELSE ' NULL' END));
END $$;
-- The type of an expression, NULL: no row; an error: the server has no such operator or function.
CREATE FUNCTION pg_temp.type_of(expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    result text;
BEGIN
    EXECUTE 'SELECT pg_typeof(' || expression || ')' INTO result;
    RETURN coalesce(result, 'SETOF');
EXCEPTION WHEN OTHERS THEN RETURN NULL;
END $$;
CREATE FUNCTION pg_temp.plant_function(name text, kinds text[]) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    result text := pg_temp.type_of(format('pg_catalog.%I(%s)', name, (SELECT string_agg('NULL::' || k, ', ' ORDER BY i) FROM unnest(kinds) WITH ORDINALITY u(k, i))));
BEGIN
    IF result = 'SETOF' THEN
        PERFORM pg_temp.plant(name, kinds, 'text', true);
    ELSIF result IS NOT NULL THEN
        PERFORM pg_temp.plant(name, kinds, result);
    END IF;
END $$;
CREATE FUNCTION pg_temp.plant_operator(name text, left_kind text, right_kind text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    kinds text[] := array_remove(ARRAY[left_kind, right_kind], NULL);
    result text := pg_temp.type_of(coalesce('NULL::' || left_kind, '') || format(' OPERATOR(pg_catalog.%s) NULL::%s', name, right_kind));
BEGIN
    IF result IS NULL THEN RETURN; END IF;
    PERFORM pg_temp.plant('operator ' || name, kinds, result);
    EXECUTE format('CREATE OPERATOR theirs.%s (FUNCTION = theirs.%I, RIGHTARG = %s%s)', name, 'operator ' || name, right_kind,
        coalesce(', LEFTARG = ' || left_kind, ''));
END $$;
"""


def plants(script, functions, own_types):
    """The calls that plant, for an install script and the functions that it makes."""
    named = sql(f"SELECT DISTINCT proname FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace "
                f"AND proname IN ({', '.join(map(literal, words_of(script)))}) ORDER BY 1").splitlines()
    operators = sql("SELECT DISTINCT oprname FROM pg_operator WHERE oprnamespace = 'pg_catalog'::regnamespace ORDER BY 1").splitlines()
    runs = set(re.findall(r"[-+*/<>=~!@#%^&|`?]+", script)) | IMPLIED_OPERATORS
    for name in operators:
        if name in runs:
            yield from (("operator", name, [left, right]) for left in POOL + [None] for right in POOL)
    for name in named:
        yield from (("function", name, kinds) for count in (1, 2) for kinds in itertools.product(POOL, repeat=count))
        yield from (("function", name, kinds) for kinds in itertools.product(TRIPLES, repeat=3))
    taken = {(f[0], f[1]) for f in functions}
    for name, kinds in sorted(taken):
        kinds = [kind for kind in kinds.split(";") if kind]
        if {"cstring", "internal"} & set(kinds):
            continue
        for other in near(["anyarray" if kind.endswith("[]") and kind[:-2] in own_types else "anyelement" if kind in own_types else kind
                           for kind in kinds]):
            if (name, ";".join(other)) not in taken:
                taken.add((name, ";".join(other)))
                yield "own", name, other


def near(kinds):
    """Argument types that differ from these in none, one or two places, by a conversion that the server makes unasked."""
    yield kinds
    for count in (1, 2):
        for places in itertools.combinations(range(len(kinds)), count):
            for others in itertools.product(*(CONVERTED.get(kinds[place], []) for place in places)):
                changed = list(kinds)
                for place, other in zip(places, others):
                    changed[place] = other
                yield changed


def words_of(script):
    return sorted(set(re.findall(r"[a-z]\w+", script)))


def literal(text):
    return "NULL" if text is None else "'" + text.replace("'", "''") + "'"


def planting(kind, name, kinds):
    if kind == "operator":
        return f"SELECT pg_temp.plant_operator({literal(name)}, {literal(kinds[0])}, {literal(kinds[1])});"
    array = "ARRAY[" + ", ".join(map(literal, kinds)) + "]::text[]"
    if kind == "function":
        return f"SELECT pg_temp.plant_function({literal(name)}, {array});"
    result = "anyelement" if "anyelement" in kinds or "anyarray" in kinds else "text"
    return f"SELECT pg_temp.plant({literal(name)}, {array}, {literal(result)});"


atexit.register(lambda: subprocess.run(["dropuser", "--if-exists", PLANTER], capture_output=True))
use_database(DATABASE)
script = "".join(open(part).read() for part in sorted(glob.glob(os.path.join(ROOT, "src", "install", "*.sql"))))
functions = rows("""
SELECT p.proname, array_to_string(p.proargtypes::regtype[], ';') FROM pg_proc p
JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' ORDER BY p.oid""")
own_types = set(sql("""
SELECT t.oid::regtype FROM pg_type t JOIN pg_depend d ON d.objid = t.oid AND d.classid = 'pg_type'::regclass AND d.deptype = 'e'""").splitlines())
sql(f"""
DROP EXTENSION agentrl;
DROP ROLE IF EXISTS {PLANTER};
CREATE ROLE {PLANTER};
GRANT CREATE ON DATABASE {DATABASE} TO {PLANTER};
SET SESSION AUTHORIZATION {PLANTER};
CREATE SCHEMA theirs""")

calls = [planting(*plant) for plant in plants(script, functions, own_types)]
types = sql("SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'p') "
            f"AND typname IN ({', '.join(map(literal, words_of(script)))}) ORDER BY 1").splitlines()
calls += [f'CREATE DOMAIN theirs."{name}" AS pg_catalog.text;' for name in types]
out, errors = psql(HELPERS.format(planter=PLANTER) + "BEGIN;\n" + "\n".join(calls) + "\nCOMMIT;")
same(errors, "", "the planter's own objects are made")
counts = [int(n) for n in rows(f"""
SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid), (SELECT count(*) FROM pg_operator WHERE oprnamespace = n.oid),
    (SELECT count(*) FROM pg_type WHERE typnamespace = n.oid AND typtype = 'd') FROM pg_namespace n WHERE nspname = 'theirs'""")[0]]
ok(counts[0] > 2000 and counts[1] > 500 and counts[2] > 5, "{} functions, {} operators and {} types are planted".format(*counts), counts)
same(psql("SELECT 1 OPERATOR(theirs.-) 1e-6")[1], "WARNING:  planted: operator -(integer, numeric)", "one that runs says so")

out, errors = psql(f"SET SESSION AUTHORIZATION {PLANTER}; SET client_min_messages = warning; CREATE EXTENSION agentrl SCHEMA theirs")
same(errors, "", "an ordinary user installs the extension among them")
same(rows("""
WITH member AS (
    SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'agentrl' AND d.deptype = 'e')
SELECT pg_describe_object(d.classid, d.objid, d.objsubid), pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM member m JOIN pg_depend d USING (classid, objid)
WHERE d.deptype <> 'e' AND (pg_identify_object(d.refclassid, d.refobjid, 0)).schema = 'theirs'
    AND (d.refclassid, d.refobjid) NOT IN (
        SELECT classid, objid FROM member
        UNION ALL SELECT 'pg_type'::regclass, t.typarray FROM pg_type t JOIN member ON objid = t.oid AND classid = 'pg_type'::regclass) LIMIT 20"""), [], "no object of it depends on a planted one")

# Moved to where nothing is planted, so that what the callers write below means the extension's own: bodies stay bound as they are.
sql("ALTER EXTENSION agentrl SET SCHEMA public")
made = Calls(1)
made.make_summaries(4)
calls = [made.call(f._replace(kinds=f.kinds[:len(f.kinds) - left_out]))
         for f in made.functions for left_out in range(f.defaults + 1) for _ in range(CALLS)]
calls.append("SELECT grpo_advantage(i) OVER () FROM generate_series(1, 3) i;")
out, errors = psql("SET statement_timeout = '2s';\n" + "\n".join(calls), stop=False)
found = re.findall("planted: .*", errors)
same(sorted(set(found)), [], f"none runs in {len(calls)} calls of {len(made.functions)} functions by a superuser")
ok(len(out.splitlines()) > len(calls) / 10, "one call in ten gives a value", out)
done()
