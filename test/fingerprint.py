#!/usr/bin/env python3
"""Prints a line "name md5" for the values of every type of the extension and for what every function reads in them, from rows that are
the same everywhere: equal lines from two servers or two builds are equal bits. Calls are made from the catalogue, so a new function is
among them at once; a call that fails ends the script. With --read NAME it reads the database of that name as it stands, and computes
nothing anew: what was moved there must be what it was."""
import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import psql, rows, sql  # noqa: E402

# Rows from md5 alone, which every server computes alike.
ROWS = r"""
CREATE FUNCTION draw(bigint, bigint) RETURNS int LANGUAGE sql IMMUTABLE AS $$ SELECT ('x' || substr(md5($1 || ':' || $2), 1, 6))::bit(24)::int $$;
CREATE TABLE data AS
SELECT id, id % 2 = 0 AS arm, id / 16 AS task, id / 16 - 100 AS group_key, id / 4 AS unit, id / 16 % 20 AS cluster, id AS rollout,
       CASE WHEN draw(id, 1) % 50 > 0 THEN draw(id, 2) % 3 = 0 END AS success, (1 + draw(id, 3) % 10)::bigint AS turns, 20::bigint AS t_max,
       CASE WHEN draw(id, 4) % 10 > 0 THEN (ARRAY[10, 15, 20])[1 + draw(id / 16, 5) % 3] END::bigint AS budget,
       draw(id, 6) / 16777216.0::float8 AS value, draw(id, 7) / 3e6::float8 AS r_multi, draw(id, 8) / 7e6::float8 AS r_single,
       (id % 8)::bigint AS checkpoint, (draw(id, 9) % 400)::bigint AS length, draw(id, 10) % 4 > 0 AS finished, 15::bigint AS planned,
       draw(id, 11) / 16777216.0::float8 AS reward
FROM generate_series(0::bigint, 3999) id;
CREATE TABLE trajs AS
SELECT d.*, jsonb_build_object('success', success, 'reward', reward, 'budget', budget, 'stop_reason', 'stop ' || id % 7, 'prompt', 'You have ' || budget || ' turns. Dö ' || task,
       'status', CASE WHEN success IS NULL THEN 'infra_error' WHEN success THEN 'completed' ELSE 'truncated' END, 'steps',
       (SELECT jsonb_agg(jsonb_build_object('action', 'a' || draw(id, 100 + i), 'observation', repeat('seen ' || draw(id, 200 + i), draw(id, 12) % 40),
                'error', draw(id, 300 + i) % 4 = 0, 'error_kind', 'kind' || draw(id, 13) % 3, 'state', 's' || draw(id, 400 + i) % 30, 'remaining', budget - i + 1,
                'reward', draw(id, 500 + i) / 7e6::float8, 'value', draw(id, 600 + i) / 3e6::float8, 'tokens', 1 + draw(id, 700 + i) % 500,
                'logprob', -draw(id, 800 + i) / 1e4::float8, 'ref_logprob', -draw(id, 900 + i) / 1e4::float8) ORDER BY i)
        FROM generate_series(1, turns) i))::trajectory AS traj
FROM data d WHERE id < 1600;
CREATE TABLE turns AS SELECT id, arm, s.* FROM trajs, steps(traj) s;
"""
# arguments of functions, by name and type, that no column of the rows gives
CONSTANTS = {
    "bigint": "2", "integer": "2", "double precision": "0.5", "boolean": "true", "bigint[]": "'{1,2,5}'", "integer[]": "'{1,2,5}'",
    "double precision[]": "'{0.5,1,0.25}'", "text[]": "(SELECT array_agg('task ' || i) FROM generate_series(1, 40) i)", "text": "'text'",
    "smallint": "2", "trajectory[]": "(SELECT array_agg(traj ORDER BY id) FROM trajs WHERE id < 16)",
    "k bigint[]": "'{1,2,4,8}'", "t bigint[]": "'{1,2,3,5,8,10}'", "t bigint": "8", "tasks bigint[]": "'{100,1000}'", "attempts bigint[]": "'{8,16}'",
    "t_max integer": "30", "t_max bigint": "30", "t_max integer[]": "(SELECT array_agg(10 + i) FROM generate_series(1, 40) i)",
    "t_max bigint[]": "(SELECT array_agg(10 + i) FROM generate_series(1, 40) i)", "map text": r"E'SFFF\nFHFH\nFFFH\nHFFG'", "horizon bigint": "30",
    "total integer": "20", "total bigint": "20", "cells text[]": "'{a,b,c,d,e,f}'", "budget bigint": "10", "turns bigint": "3",
    "doc text": """'[{"task_id": 3, "reward": 1.0, "trial": 0, "info": {}, "traj": [{"role": "user", "content": "u"}, {"role": "assistant", "content": "a"}]}]'""",
    "turns_ bigint": "3", "steps double precision[]": "'{0.2,0.4,0.6,0.8}'", "figure text": "'f'",
}
FUNCTIONS = """
SELECT p.prokind, p.proname, p.oid::regprocedure, p.prorettype::regtype, p.pronargdefaults, array_to_string(p.proargtypes::regtype[], ';'),
       array_to_string(p.proargnames[1:p.pronargs], ';')
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl'
WHERE NOT p.proargtypes::regtype[] && '{cstring,internal,trajectory_parts}' AND p.prorettype NOT IN ('void'::regtype, 'cstring'::regtype)
  AND p.oid NOT IN (SELECT unnest(ARRAY[aggtransfn, aggcombinefn, aggfinalfn]::oid[]) FROM pg_aggregate) ORDER BY p.oid::regprocedure::text COLLATE "C"
"""
TYPES = """
SELECT t.typname FROM pg_type t JOIN pg_depend d ON d.objid = t.oid AND d.classid = 'pg_type'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl' WHERE t.typtype = 'b' AND t.typelem = 0 AND t.typname <> 'trajectory_parts' ORDER BY 1
"""
KEYS = ("task", "group_key", "unit", "cluster", "rollout")


def columns(table):
    return {name: kind for name, kind in rows(f"SELECT attname, atttypid::regtype FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0")}


def row_argument(name, kind, have):
    """An argument of an aggregate: the column of its name, as a key of its kind, or one that has its type."""
    if name in KEYS and kind == "text":
        return f"'{name} é ' || {name}"
    if name in have and have[name] == kind or name in KEYS:
        return f"{name}::{kind}" if name in KEYS else name
    others = {"bigint": "turns", "double precision": "value", "boolean": "success", "text": "'k' || task", "trajectory": "traj"}
    return others.get(kind, CONSTANTS.get(kind))


def fill(functions, types):
    """A table values_TYPE for every type: a row per aggregate that makes such values, with one of either arm."""
    for kind in types:
        sql(f"CREATE TABLE values_{kind} (maker text, v {kind}, w {kind})")
    sql("INSERT INTO values_trajectory SELECT 'row ' || id, traj, lead(traj) OVER (ORDER BY id) FROM trajs WHERE id < 200")
    for prokind, name, signature, result, _, kinds, names in functions:
        if prokind != "a" or result not in types or name == "rollup":
            continue
        kinds, names = kinds.split(";"), names.split(";")
        table = "trajs" if "trajectory" in kinds else "turns" if result == "trajectory" else "data"
        have = columns(table)
        # a wrong order of success and turns would be refused: the rows' turns are within their budgets
        call = f"{name}({', '.join(row_argument(n, k, have) for n, k in zip(names, kinds))})"
        where = " AND id < 1" if result == "trajectory" else " AND budget IS NOT NULL" if "plan" in name else ""
        one, other = (f"(SELECT {call} FROM {table} WHERE {half}{where.replace('id < 1', one_rollout)})"
                      for half, one_rollout in (("arm", "id = 6"), ("NOT arm", "id = 7")))
        sql(f"INSERT INTO values_{result} SELECT '{signature}', {one}, {other}")
    for kind in types:
        if any(name == "rollup" and result == kind for _, name, _, result, *_ in functions):
            sql(f"INSERT INTO values_{kind} SELECT 'rollup ' || maker, (SELECT rollup(x) FROM unnest(ARRAY[v, w]) x), w FROM values_{kind}")


def argument(name, kind, types, seen):
    """An argument of a function: a value of the type's table, the first of its kind or the other, else a constant."""
    if kind in types:
        seen.append(kind)
        return "b.w" if seen.count(kind) > 1 else "b.v"
    if name == "task":
        return f"'7'::{kind}"
    return CONSTANTS.get(f"{name} {kind}", CONSTANTS.get(kind, "NULL")) + f"::{kind}"


def call(function, types):
    """A query of one md5 over what the function gives for every value that it reads."""
    prokind, name, _, _, defaults, kinds, names = function
    kinds, names = kinds.split(";") if kinds else [], names.split(";")
    names += [""] * (len(kinds) - len(names))
    required = len(kinds) - int(defaults)
    seen = []
    arguments = ", ".join(argument(n, k, types, seen) for n, k in list(zip(names, kinds))[:required])
    if prokind == "w":
        return f"SELECT md5(string_agg(a::text, ' ' ORDER BY id)) FROM (SELECT id, {name}(value) OVER (PARTITION BY task) AS a FROM data) q"
    source = f"values_{seen[0]} b, " if seen else ""
    maker = "b.maker" if seen else "''"
    return (f"SELECT md5(string_agg(x, ' ' ORDER BY x COLLATE \"C\")) FROM (SELECT format('%s %s', {maker}, q) AS x FROM {source}LATERAL {name}({arguments}) q) y")


def main():
    reading = sys.argv[1:2] == ["--read"]
    if reading:
        os.environ["PGDATABASE"] = sys.argv[2]
    else:
        sql("CREATE EXTENSION IF NOT EXISTS agentrl")
        sql(ROWS)
    types = [name for name, in rows(TYPES)]
    functions = rows(FUNCTIONS)
    if not reading:
        fill(functions, types)
    for kind in types:
        for form, expression in (("text", "v::text || w::text"), ("binary", f"encode({kind}_send(v) || {kind}_send(w), 'hex')")):
            print(f"{kind} as {form}", sql(f"SELECT md5(string_agg(maker || {expression}, ' ' ORDER BY maker COLLATE \"C\")) FROM values_{kind}"))
    for function in functions:
        if function[0] == "a":
            continue
        out, errors = psql("SET extra_float_digits = 3; " + call(function, types))
        if errors:
            raise SystemExit(f"{function[2]}: {errors}\n{call(function, types)}")
        print(function[2], out)


main()
