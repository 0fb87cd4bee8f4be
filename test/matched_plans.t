#!/usr/bin/env python3
"""matched_summary and dynamics_summary are the same value whatever the order, the plan, the workers, the split, and however they travelled."""
import os
import random
import subprocess
import tempfile
import time

from tap import done, has, ok, psql, same, sql, travel, use_database

use_database("agentrl_matched_plans")
sql("""
CREATE TABLE rollouts (id int, task bigint, name text, arm bool, length int, value float8, checkpoint int, other float8);
INSERT INTO rollouts
SELECT i, h % 500, 'task ' || h % 500, h / 500 % 2 = 0, CASE WHEN h / 7 % 11 = 0 THEN NULL ELSE h / 1000 % 300 END,
       CASE WHEN h / 13 % 17 = 0 THEN NULL ELSE (h / 300000 % 1000) / 7.0 END, h / 100 % 5 * 100, CASE WHEN h / 11 % 19 = 0 THEN NULL ELSE (h % 97) / 97.0 END
FROM (SELECT i, hashint8extended(i, 7) & 1073741823 AS h FROM generate_series(1, 30000) i) d;
ANALYZE rollouts;
""")
SERIAL = "SET max_parallel_workers_per_gather = 0;"
PARALLEL = ("SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
            "SET min_parallel_table_scan_size = 0; ALTER TABLE rollouts SET (parallel_workers = 4);")
REPORTS = {
    "matched_summary": "length_matched_diff(({}), method => 'bca') r",
    "dynamics_summary": "dynamics_report(({})) r",
}
AGGREGATES = [(kind, key, call.format(key)) for kind, call in (
    ("matched_summary", "length_matched_agg({}, arm, length, value)"), ("dynamics_summary", "dynamics_agg(checkpoint, {}, value, other)"))
    for key in ("task", "name")]

for kind, key, aggregate in AGGREGATES:
    digest = sql(f"{SERIAL} SELECT md5({aggregate}::text) FROM rollouts")

    def same_summary(script, what):
        same(sql(script), digest, f"{kind} by {key}: {what}")

    for order in ("id DESC", "task, id", "value, md5(id::text)"):
        same_summary(f"{SERIAL} SELECT md5({aggregate}::text) FROM (SELECT * FROM rollouts ORDER BY {order}) r", f"rows ordered by {order}")
    has(sql(f"{PARALLEL} EXPLAIN (COSTS off) SELECT {aggregate} FROM rollouts"), "Workers Planned: 4", f"{kind} by {key}: four workers are planned")
    same_summary(f"{PARALLEL} SELECT md5({aggregate}::text) FROM rollouts", "four workers")
    same_summary(f"{PARALLEL} SELECT md5({aggregate}::text) FROM rollouts WHERE id > 0 OR pg_sleep(0) IS NULL", "a worker that may see no row")
    for split in ("id % 97", "task", "arm", "length"):
        same_summary(f"SELECT md5(rollup(s)::text) FROM (SELECT {aggregate} s FROM rollouts GROUP BY {split}) q", f"rollup of a split by {split}")
    same_summary(f"""SELECT md5(rollup(s)::text) FROM (SELECT rollup(s) s FROM (SELECT id % 97 g, {aggregate} s
                     FROM rollouts GROUP BY 1) q GROUP BY g % 5) r""", "rollup of rollups")
    report = f"SELECT md5(string_agg(r::text, ' ')) FROM {REPORTS[kind].format(f'SELECT {aggregate} FROM rollouts')}"
    same(sql(SERIAL + report), sql(PARALLEL + report), f"{kind} by {key}: the report has the same bits with 0 and 4 workers")
    same(sql(f"""SELECT bool_and(w::text = (SELECT {aggregate}::text FROM rollouts r WHERE r.id <= q.id)) FROM
                 (SELECT id, {aggregate} OVER (ORDER BY id) w FROM rollouts WHERE id <= 200) q"""),
         "t", f"{kind} by {key}: a running window equals the aggregate of the rows so far")
    same(sql(f"""SET enable_sort = off; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;
                 SELECT bool_and(a.s::text = b.s::text) FROM (SELECT id % 3000 g, {aggregate} s FROM rollouts GROUP BY 1) a JOIN
                 (SELECT g, rollup(s) s FROM (SELECT id % 3000 g, {aggregate} s FROM rollouts GROUP BY 1, id) q GROUP BY g) b USING (g)"""),
         "t", f"{kind} by {key}: spilled hash aggregation")

# travelling: text, binary, dump and restore
sql("CREATE TABLE stored AS SELECT id % 3 AS part, length_matched_agg(name, arm, length, value) AS m, dynamics_agg(checkpoint, task, value, other) AS d FROM rollouts GROUP BY 1")
STORED = "SELECT part, md5(m::text), md5(d::text) FROM stored ORDER BY part"
before = sql(STORED)
same(sql("SELECT bool_and(m::text::matched_summary::text = m::text AND d::text::dynamics_summary::text = d::text) FROM stored"), "t", "text and back")
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    travel(STORED, before, folder)
    image = os.path.join(folder, "image")

    # binary input: every cut and many flipped bits give an error, or a value that is its own image
    small = {"matched_summary": ("length_matched_agg('k' || i % 4, i % 3 = 0, i * 50, nullif(i, 5) * 0.1)", "count(*) FROM length_matched_diff(s, resamples => 50)"),
             "dynamics_summary": ("dynamics_agg(i % 3, i % 4 - 2, i * 0.3, nullif(i, 5))", "count(*) FROM dynamics_report(s, resamples => 50)")}
    random.seed(1)
    for kind, (aggregate, read) in small.items():
        sql(f"DROP TABLE IF EXISTS small; CREATE TABLE small (s {kind}); INSERT INTO small SELECT {aggregate} FROM generate_series(1, 12) i;\n"
            f"\\copy small TO '{image}' (FORMAT binary)")
        whole = open(image, "rb").read()
        damaged = [whole[:cut] for cut in range(19, len(whole), 3)]
        for turn in range(150):
            data = bytearray(whole)
            for _ in range(random.choice((1, 1, 2, 5))):
                data[random.randrange(21, len(data))] ^= 1 << random.randrange(8)
            damaged.append(bytes(data))
        # a value that still reads may be told too large, never more
        errors, bad = 0, []
        for data in damaged:
            with open(image, "wb") as f:
                f.write(data)
            out, messages = psql(f"CREATE TEMP TABLE t (s {kind});\n\\copy t FROM '{image}' (FORMAT binary)\n"
                                 f"SELECT bool_and(s::text::{kind}::text = s::text) FROM t;\nSELECT (SELECT {read}) FROM t")
            errors += bool(messages)
            if "server closed" in messages or (messages and "ERROR" not in messages) or (not messages and not out.startswith("t") and out):
                bad.append(data.hex() + out + messages)
        ok(not bad and errors > 100, f"{kind}: cut and flipped bytes are errors or values, and never crash", f"{errors} {bad[:3]}")

# cancelling: a large matching, and long resampling
sql("""CREATE TABLE slow AS SELECT length_matched_agg(1, i % 2 = 0, 100000 + i / 50, i) AS s FROM generate_series(1, 200000) i""")
sql("""CREATE TABLE slow_run AS SELECT dynamics_agg(i % 200, i / 200, i % 7, i % 11) AS s FROM generate_series(0, 199999) i""")
for what, query in (("a matching", "SELECT * FROM slow, length_matched_diff(s)"), ("a report", "SELECT * FROM slow_run, dynamics_report(s, resamples => 10000000)")):
    process = subprocess.Popen(["psql", "-Xq", "-c", "SET application_name = 'cancel me'", "-c", query], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'cancel me'")
    started = time.time()
    errors = process.communicate()[1]
    ok("canceling statement due to user request" in errors and time.time() - started < 5, f"{what} can be cancelled", errors)
done()
