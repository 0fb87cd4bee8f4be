#!/usr/bin/env python3
"""Calls every function and aggregate with arguments of all sorts: each gives finite numbers, a value that survives its text form, or an
error of the user's own. ANY_ARGUMENTS (60) is the number of calls of each, ANY_ARGUMENTS_SEED (1) makes other ones."""
import collections
import os
import random
import re

from tap import done, ok, psql, rows, same, sql, use_database

CALLS = int(os.environ.get("ANY_ARGUMENTS", "60"))
# what no argument may cause: internal_error, data_corrupted, out_of_memory, a lost connection
UNEXPECTED = re.compile(r"XX...|53200|08...")
SCALARS = {
    "bigint": "-9223372036854775808 -9223372036854775807 -1000000 -1 0 1 1 2 2 3 4 5 7 10 20 64 100 4096 4294967296 9007199254740992 "
              "9223372036854775806 9223372036854775807".split(),
    "integer": "-2147483648 -1 0 1 1 2 2 3 4 7 10 20 50 200 2147483647".split(),
    "smallint": "-32768 -1 0 1 1 2 3 7 200 32767".split(),
    "double precision": "NaN Infinity -Infinity 0 -0 0.05 0.5 0.8 0.95 0.999999 1 1.5 2 -1 10 1e-320 1e308 -1e308 1e-17".split(),
    "boolean": "true false".split(),
    "text": ["", "a", "b", "task 1", "auto", "t", "bca", "percentile", "exact", "prefix", "each", "common", "linear", "early", "late",
             "uniform", "error", "SFFF FHFH FFFH HFFG", "SFG", "S", "é€𝄞", "%s %n", "x" * 9000, "it's", "[]", "{}", "null",
             '{"steps": []}', '[{"task_id": 0, "reward": 1.0, "traj": []}]', "\\x00", "messages"],
    "trajectory": ["{}", '{"steps": []}',
                   '{"steps": [{"action": "go", "observation": "wall", "error": true, "error_kind": "wall"}], "success": false}',
                   '{"steps": [{"error": true}, {"error": true, "error_kind": "a", "reward": 1}, {"tokens": 9, "logprob": -1.5, "ref_logprob": -2}], '
                   '"success": true, "budget": 3, "status": "completed"}',
                   '{"success": null, "budget": 9223372036854775807, "reward": 1e308}', '{"steps": [{}, {}, {}, {}], "status": "truncated"}'],
}
ORDINARY = {"bigint": "1 1 2 2 3 4 5 8 20".split(), "integer": "1 2 3 10 50 200".split(), "double precision": "0.5 0.8 0.95 1".split(),
            "text": ["a", "b", "task 1", "auto"]}
FORMS = ("plain", "groups", "window", "moving", "distinct", "sorted", "filter")
choose = random.Random(int(os.environ.get("ANY_ARGUMENTS_SEED", "1")))


def quoted(text):
    return "'" + text.replace("'", "''") + "'" if "\\" not in text else "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


def array(kind):
    """An array of a scalar type: most often sorted and without NULLs, as it should be."""
    if choose.random() < 0.05:
        return choose.choice(["'{}'", "'[3:4]={1,2}'", "'{{1,2},{3,4}}'"]) + f"::{kind}[]"
    items = [choose.choice(SCALARS[kind]) for _ in range(choose.choice([1, 1, 2, 3, 8, 40]))]
    if kind in ("bigint", "integer") and choose.random() < 0.8:
        items = sorted({abs(int(item)) % 100 + 1 for item in items})
    return "ARRAY[" + ", ".join("NULL" if choose.random() < 0.03 else quoted(str(item)) for item in items) + f"]::{kind}[]"


def value(kind):
    if choose.random() < 0.05:
        return f"NULL::{kind}"
    if kind.endswith("[]"):
        return array(kind[:-2])
    if kind in SUMMARIES:
        return f"(SELECT v FROM {kind}s OFFSET {choose.randrange(6)} LIMIT 1)" if choose.random() < 0.7 else \
               f"(SELECT v FROM {kind}s ORDER BY md5(v::text || {choose.randrange(99)}) LIMIT 1)"
    pool = ORDINARY.get(kind, SCALARS[kind]) if choose.random() < 0.8 else SCALARS[kind]
    return f"{quoted(choose.choice(pool))}::{kind}"


def varied(kind):
    """A value that differs from row to row."""
    cases = " ".join(f"WHEN {i} THEN {value(kind)}" for i in range(choose.choice([1, 2, 5])))
    return f"(CASE i % 5 {cases} ELSE {value(kind)} END)"


def aggregate_call(name, kinds, result):
    form = choose.choice(FORMS)
    distinct = "DISTINCT " if form == "distinct" and kinds[0] not in SUMMARIES else ""
    order = " ORDER BY i % 3" if form == "sorted" else ""
    call = f"{name}({distinct}{', '.join(varied(kind) for kind in kinds)}{order})"
    if form == "filter":
        call += " FILTER (WHERE i % 2 = 0)"
    if form == "window":
        call += " OVER (ORDER BY i)"
    if form == "moving":
        call += " OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
    source = f"FROM generate_series(1, {choose.choice([0, 1, 2, 9, 9, 700])}) i"
    if form == "groups":
        source += " GROUP BY CUBE (i % 2, i % 3)"
    return f"SELECT bool_and(v::text::{result}::text = v::text) FROM (SELECT {call} AS v {source} OFFSET 0) q"


def function_call(name, kinds, result, returns_set):
    call = f"{name}({', '.join(value(kind) for kind in kinds)})"
    if returns_set:
        return f"SELECT bool_and(q::text !~ 'NaN|Infinity') FROM {call} q"
    if result in SUMMARIES + ("trajectory",):
        return f"SELECT v::text::{result}::text = v::text FROM {call} v"
    return f"SELECT v::text !~ 'NaN|Infinity' FROM {call} v"


use_database("agentrl_any")
functions = rows("""
SELECT p.prokind, p.proretset, p.proname, array_to_string(p.proargtypes::regtype[], ';'), p.prorettype::regtype,
       p.oid IN (SELECT unnest(ARRAY[aggtransfn, aggcombinefn, aggfinalfn]::oid[]) FROM pg_aggregate)
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl'
WHERE NOT p.proargtypes::regtype[] && '{cstring,internal,trajectory_parts}' AND p.prokind <> 'w' ORDER BY p.oid""")
aggregates = [f for f in functions if f[0] == "a"]
SUMMARIES = tuple(result for _, _, name, _, result, _ in aggregates if name == "rollup")
for summary in SUMMARIES:
    sql(f"CREATE TABLE {summary}s (v {summary})")

# summaries to read, of whatever their aggregates make of the values above
script = ["SET statement_timeout = '2s';"]
for _ in range(CALLS):
    for _, _, name, kinds, result, _ in aggregates:
        if result in SUMMARIES:
            arguments = ", ".join(varied(kind) for kind in kinds.split(";"))
            script.append(f"INSERT INTO {result}s SELECT {name}({arguments}) FROM generate_series(1, {choose.choice([1, 5, 40])}) i;")
psql("\n".join(script), stop=False)
counts = {summary: int(sql(f"SELECT count(v) FROM {summary}s")) for summary in SUMMARIES}
ok(min(counts.values()) >= CALLS / 10, "summaries of every type were made", counts)

script = ["\\set VERBOSITY sqlstate", "SET statement_timeout = '2s';"]
calls = []
for round_ in range(CALLS):
    for prokind, returns_set, name, kinds, result, only_for_aggregate in functions:
        if only_for_aggregate == "t" and round_ > 0:
            continue
        kinds = kinds.split(";") if kinds else []
        calls.append((aggregate_call(name, kinds, result) if prokind == "a" else function_call(name, kinds, result, returns_set == "t")) + ";")
for number, call in enumerate(calls):
    script += [f"\\warn {number}", call]
out, errors = psql("\n".join(script), stop=False)
found = re.findall(r"^(\d+)\n(?:ERROR|FATAL|PANIC): +(\S+)", errors, re.M)
states = collections.Counter(state for _, state in found)
unexpected = [f"{state}: {calls[int(number)][:1000]}" for number, state in found if UNEXPECTED.match(state)]
ok(not unexpected, f"{len(calls)} calls of {len(functions)} functions: no error but a user's", "\n".join(unexpected[:5]))
ok("connection" not in errors, "the server lives", errors[-2000:])
same("f" in out.splitlines(), False, "every value is that of its text form, every number finite")
ok(len(found) < 0.9 * len(calls), "one call in ten gives a value", states)
if os.environ.get("ANY_ARGUMENTS"):
    print("#", dict(states))
done()
