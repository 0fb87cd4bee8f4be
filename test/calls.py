"""Calls of every function and aggregate of the extension, with arguments of all sorts."""
import collections
import random

from tap import psql, rows, sql

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
Function = collections.namedtuple("Function", "prokind returns_set name kinds result only_for_aggregate defaults")


def quoted(text):
    return "'" + text.replace("'", "''") + "'" if "\\" not in text else "E'" + text.replace("\\", "\\\\").replace("'", "''") + "'"


class Calls:
    """The functions of the extension in this database, and random calls of them."""

    def __init__(self, seed):
        self.choose = random.Random(seed)
        self.functions = [Function(prokind, returns_set == "t", name, kinds.split(";") if kinds else [], result, only == "t", int(defaults))
                          for prokind, returns_set, name, kinds, result, only, defaults in rows("""
SELECT p.prokind, p.proretset, p.proname, array_to_string(p.proargtypes::regtype[], ';'), p.prorettype::regtype,
       p.oid IN (SELECT unnest(ARRAY[aggtransfn, aggcombinefn, aggfinalfn]::oid[]) FROM pg_aggregate), p.pronargdefaults
FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl'
WHERE NOT p.proargtypes::regtype[] && '{cstring,internal,trajectory_parts}' AND p.prokind <> 'w' ORDER BY p.oid""")]
        self.aggregates = [f for f in self.functions if f.prokind == "a"]
        self.summaries = tuple(f.result for f in self.aggregates if f.name == "rollup")

    def make_summaries(self, times):
        """A table of each type of summary, of whatever its aggregates make of the values above. Returns the number of rows of each."""
        for summary in self.summaries:
            sql(f"CREATE TABLE {summary}s (v {summary})")
        script = ["SET statement_timeout = '2s';"]
        for _ in range(times):
            for f in self.aggregates:
                if f.result in self.summaries:
                    arguments = ", ".join(self.varied(kind) for kind in f.kinds)
                    script.append(f"INSERT INTO {f.result}s SELECT {f.name}({arguments}) FROM generate_series(1, {self.choose.choice([1, 5, 40])}) i;")
        psql("\n".join(script), stop=False)
        return {summary: int(sql(f"SELECT count(v) FROM {summary}s")) for summary in self.summaries}

    def call(self, f):
        make = self.aggregate_call if f.prokind == "a" else self.function_call
        return make(f) + ";"

    def array(self, kind):
        """An array of a scalar type: most often sorted and without NULLs, as it should be."""
        if self.choose.random() < 0.05:
            return self.choose.choice(["'{}'", "'[3:4]={1,2}'", "'{{1,2},{3,4}}'"]) + f"::{kind}[]"
        items = [self.choose.choice(SCALARS[kind]) for _ in range(self.choose.choice([1, 1, 2, 3, 8, 40]))]
        if kind in ("bigint", "integer") and self.choose.random() < 0.8:
            items = sorted({abs(int(item)) % 100 + 1 for item in items})
        return "ARRAY[" + ", ".join("NULL" if self.choose.random() < 0.03 else quoted(str(item)) for item in items) + f"]::{kind}[]"

    def value(self, kind):
        if self.choose.random() < 0.05:
            return f"NULL::{kind}"
        if kind.endswith("[]"):
            return self.array(kind[:-2])
        if kind in self.summaries:
            return f"(SELECT v FROM {kind}s OFFSET {self.choose.randrange(6)} LIMIT 1)" if self.choose.random() < 0.7 else \
                   f"(SELECT v FROM {kind}s ORDER BY md5(v::text || {self.choose.randrange(99)}) LIMIT 1)"
        pool = ORDINARY.get(kind, SCALARS[kind]) if self.choose.random() < 0.8 else SCALARS[kind]
        return f"{quoted(self.choose.choice(pool))}::{kind}"

    def varied(self, kind):
        """A value that differs from row to row."""
        cases = " ".join(f"WHEN {i} THEN {self.value(kind)}" for i in range(self.choose.choice([1, 2, 5])))
        return f"(CASE i % 5 {cases} ELSE {self.value(kind)} END)"

    def aggregate_call(self, f):
        form = self.choose.choice(FORMS)
        distinct = "DISTINCT " if form == "distinct" and f.kinds[0] not in self.summaries else ""
        order = " ORDER BY i % 3" if form == "sorted" else ""
        call = f"{f.name}({distinct}{', '.join(self.varied(kind) for kind in f.kinds)}{order})"
        if form == "filter":
            call += " FILTER (WHERE i % 2 = 0)"
        if form == "window":
            call += " OVER (ORDER BY i)"
        if form == "moving":
            call += " OVER (ORDER BY i ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING)"
        source = f"FROM generate_series(1, {self.choose.choice([0, 1, 2, 9, 9, 700])}) i"
        if form == "groups":
            source += " GROUP BY CUBE (i % 2, i % 3)"
        return f"SELECT bool_and(v::text::{f.result}::text = v::text) FROM (SELECT {call} AS v {source} OFFSET 0) q"

    def function_call(self, f):
        call = f"{f.name}({', '.join(self.value(kind) for kind in f.kinds)})"
        if f.returns_set:
            return f"SELECT bool_and(q::text !~ 'NaN|Infinity') FROM {call} q"
        if f.result in self.summaries + ("trajectory",):
            return f"SELECT v::text::{f.result}::text = v::text FROM {call} v"
        return f"SELECT v::text !~ 'NaN|Infinity' FROM {call} v"
