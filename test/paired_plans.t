#!/usr/bin/env python3
"""Paired summaries and pools are the same values whatever the order, the plan, the workers, the split, and however they travelled."""
import os
import random
import subprocess
import tempfile
import time

from tap import done, has, ok, psql, same, sql, use_database

use_database("agentrl_paired_plans")
sql("""
CREATE TABLE samples (id int, cluster bigint, unit bigint, name text, arm bool, value float8, turn int, budget int);
INSERT INTO samples
SELECT i, h % 40, h % 4000, 'state ' || h % 4000, h / 4000 % 2 = 0,
       CASE WHEN h / 7 % 31 = 0 THEN NULL WHEN h % 3 = 0 THEN (h / 8000 % 5) / 10.0 ELSE h / 1e9 - 0.5 END,
       1 + h / 13 % 9, CASE WHEN h % 4000 % 7 > 0 THEN 9 + h % 4000 % 3 END
FROM (SELECT i, hashint8extended(i, 3) & 1073741823 AS h FROM generate_series(1, 100000) i) d;
ANALYZE samples;
""")
SERIAL = "SET max_parallel_workers_per_gather = 0;"
PARALLEL = ("SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
            "SET min_parallel_table_scan_size = 0; ALTER TABLE samples SET (parallel_workers = 4);")
PAIRED = ["paired_agg(unit, arm, value)", "paired_agg(name, arm, value)", "paired_agg(cluster, unit, arm, value)",
          "paired_agg('c' || cluster, name, arm, value)"]
POOLS = ["state_pool_agg(cluster, arm, unit, turn, budget)", "state_pool_agg('c' || cluster, arm, name, turn, budget)"]

for aggregate in PAIRED + POOLS:
    digest = sql(f"{SERIAL} SELECT md5({aggregate}::text) FROM samples")

    def same_value(script, what):
        same(sql(script), digest, f"{aggregate}: {what}")

    for order in ("id DESC", "cluster, unit, value", "arm, value, md5(id::text)"):
        same_value(f"{SERIAL} SELECT md5({aggregate}::text) FROM (SELECT * FROM samples ORDER BY {order}) r", f"rows ordered by {order}")
    has(sql(f"{PARALLEL} EXPLAIN (COSTS off) SELECT {aggregate} FROM samples"), "Partial Aggregate", f"{aggregate}: a parallel plan")
    same_value(f"{PARALLEL} SELECT md5({aggregate}::text) FROM samples", "four workers")
    for split in ("id % 97", "arm", "unit", "value IS NULL"):
        same_value(f"SELECT md5(rollup(s)::text) FROM (SELECT {aggregate} s FROM samples GROUP BY {split}) q", f"rollup of a split by {split}")
    same_value(f"SELECT md5(rollup(s)::text) FROM (SELECT rollup(s) s FROM (SELECT id % 97 g, {aggregate} s FROM samples GROUP BY 1) q GROUP BY g % 5) r",
               "rollup of rollups")
    same(sql(f"""SELECT bool_and(w::text = (SELECT {aggregate}::text FROM samples r WHERE r.id BETWEEN q.id - 3 AND q.id)) FROM
                (SELECT id, {aggregate} OVER (ORDER BY id ROWS 3 PRECEDING) w FROM samples WHERE id <= 200) q WHERE id > 3"""),
         "t", f"{aggregate}: a moving window")

FIGURES = "SELECT md5(string_agg(d::text, ' ')) FROM paired_diff((SELECT paired_agg(cluster, unit, arm, value) FROM samples), method => 'bca') d"
same(sql(SERIAL + FIGURES), sql(PARALLEL + FIGURES), "the report has the same bits with 0 and 4 workers")
PICKS = "SELECT md5(string_agg(m::text, ' ')) FROM matched_states((SELECT state_pool_agg(cluster, arm, name, turn, budget) FROM samples), 20, 3, 4) m"
same(sql(SERIAL + PICKS), sql(PARALLEL + PICKS), "the same states are picked with 0 and 4 workers")
grouped = "SELECT md5(string_agg(unit || s::text, ' ' ORDER BY unit)) FROM (SELECT unit, paired_agg(cluster, name, arm, value) s FROM samples GROUP BY unit) q"
same(sql(SERIAL + "SET enable_sort = off; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;" + grouped),
     sql(SERIAL + "SET enable_hashagg = off;" + grouped), "spilled hash aggregation equals sorted aggregation")

# travelling
for aggregates, name, read in ((PAIRED, "paired_summary", "(SELECT count(*) FROM paired_diff(s, resamples => 0)) = 1"),
                               (POOLS, "state_pool", "(SELECT count(*) FROM matched_states_report(s, 2, 3)) > 0 AND (SELECT count(*) FROM matched_states(s, 2)) >= 0")):
    sql(f"DROP TABLE IF EXISTS stored, small; CREATE TABLE stored (i int, s {name}); CREATE TABLE small (s {name});" + "".join(
        f"INSERT INTO stored SELECT {i}, {a} FROM samples; INSERT INTO small SELECT {a} FROM samples WHERE id <= 9;" for i, a in enumerate(aggregates)))
    before = sql("SELECT i, md5(s::text) FROM stored ORDER BY i")
    same(sql(f"SELECT bool_and(s::text::{name}::text = s::text) FROM stored"), "t", f"{name}: text and back")
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        image = os.path.join(folder, "image")
        sql(f"\\copy stored TO '{image}' (FORMAT binary)\nTRUNCATE stored;\n\\copy stored FROM '{image}' (FORMAT binary)")
        same(sql("SELECT i, md5(s::text) FROM stored ORDER BY i"), before, f"{name}: binary COPY and back")
    # every cut and many flipped bits: an error, or a value that is its own image and can be read
    forms = sql("SELECT substr(s::text, 3) FROM small").split("\n")
    random.seed(4)
    damaged = []
    for form in forms:
        data = bytes.fromhex(form)
        damaged += [data[:cut] for cut in range(len(data))]
        for _ in range(1500):
            flipped = bytearray(data)
            for _ in range(random.choice((1, 1, 2, 5))):
                flipped[random.randrange(3, len(data))] ^= 1 << random.randrange(8)
            damaged.append(bytes(flipped))
    sql(f"""CREATE OR REPLACE FUNCTION try(image text) RETURNS text LANGUAGE plpgsql AS $$ DECLARE s {name}; BEGIN
            BEGIN s := image::{name}; EXCEPTION WHEN invalid_text_representation THEN RETURN 'error'; END;
            IF s::text = image THEN PERFORM {read}; RETURN 'value'; END IF; RETURN 'another value';
            EXCEPTION WHEN invalid_parameter_value OR numeric_value_out_of_range THEN RETURN 'value'; END $$;
            CREATE TEMP TABLE t (image text);
            COPY t FROM STDIN;\n""" + "".join(f"\\\\x{d.hex()}\n" for d in damaged) + "\\.\nCREATE TABLE outcomes AS SELECT try(image) AS outcome FROM t;")
    outcomes = dict(line.split("|") for line in sql("SELECT outcome, count(*) FROM outcomes GROUP BY 1; DROP TABLE outcomes").split("\n"))
    ok(set(outcomes) == {"error", "value"} and int(outcomes["error"]) > len(damaged) / 3, f"{name}: cut and flipped bytes are errors or values", outcomes)

# one key with very many records stays cancellable: in the transitions, and while it is sorted, encoded and read
sql("CREATE TABLE many AS SELECT paired_agg(1, i, i % 2 = 0, i / 7.0) s FROM generate_series(1, 3000000) i")
for what, query in (("the aggregate", "SELECT length(paired_agg(1, i % 99, i % 2 = 0, hashint4(i))::text) FROM generate_series(1, 90000000) i"),
                    ("the report", "SELECT d.* FROM many, generate_series(1, 100) i, paired_diff(s, seed => i) d")):
    process = subprocess.Popen(["psql", "-Xq", "-c", "SET application_name = 'cancel me'", "-c", query], stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'cancel me'")
    has(process.communicate()[1], "canceling statement due to user request", f"{what} can be cancelled")

out, errors = psql("SELECT paired_add_bigint(NULL, 1, true, 1)")
has(errors, "may be called only by its aggregate", "a transition function called by hand")
out, errors = psql("SELECT state_pool_add_text_text(NULL, 't', true, 'r', 1, 1)")
has(errors, "may be called only by its aggregate", "and of a pool")
done()
