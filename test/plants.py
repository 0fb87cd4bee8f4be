"""Objects planted in the schema "theirs": whatever would win over the objects of the server's that a text means, of an owner who wants it run.

That is every operator and function whose name is in the text, for all argument types that the server accepts by a conversion, and types of the
server's names. One that runs says so; a warning outlives a rollback."""
import itertools
import re

from tap import psql, rows, sql

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


def members():
    """(name, argument types) of each function of the extension."""
    return rows("""
SELECT p.proname, array_to_string(p.proargtypes::regtype[], ';') FROM pg_proc p
JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e' ORDER BY p.oid""")


def member_types():
    return set(sql("""
SELECT t.oid::regtype FROM pg_type t JOIN pg_depend d ON d.objid = t.oid AND d.classid = 'pg_type'::regclass AND d.deptype = 'e'""").splitlines())


def plant(text, functions, own_types, planter):
    """Plants, as that user; returns the errors, and the numbers of functions, operators and types."""
    calls = [planting(*plant) for plant in plants(text, functions, own_types)]
    types = sql("SELECT typname FROM pg_type WHERE typnamespace = 'pg_catalog'::regnamespace AND typtype IN ('b', 'p') "
                f"AND typname IN ({', '.join(map(literal, words_of(text)))}) ORDER BY 1").splitlines()
    calls += [f'CREATE DOMAIN theirs."{name}" AS pg_catalog.text;' for name in types]
    errors = psql(HELPERS.format(planter=planter) + "BEGIN;\n" + "\n".join(calls) + "\nCOMMIT;")[1]
    return errors, [int(n) for n in rows("""
SELECT (SELECT count(*) FROM pg_proc WHERE pronamespace = n.oid), (SELECT count(*) FROM pg_operator WHERE oprnamespace = n.oid),
    (SELECT count(*) FROM pg_type WHERE typnamespace = n.oid AND typtype = 'd') FROM pg_namespace n WHERE nspname = 'theirs'""")[0]]


def ran(errors):
    """The planted ones that ran."""
    return sorted(set(re.findall("planted: .*", errors)))
