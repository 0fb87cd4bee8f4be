#!/usr/bin/env python3
"""A summary is the same value whatever the order, the plan, the workers, the split, and however it travelled."""
import os
import random
import signal
import subprocess
import tempfile
import time

from tap import done, has, ok, psql, rows, same, sql, travel, use_database

use_database("agentrl_pass_plans")
sql("""
CREATE TABLE rollouts (id int, policy text, task bigint, name text, success bool, turns int, budget int);
INSERT INTO rollouts
SELECT i, 'p' || i % 3, h % 5000, 'task ' || h % 5000, CASE WHEN h / 7 % 11 = 0 THEN NULL ELSE h / 5000 % 3 = 0 END,
       CASE WHEN h / 13 % 17 = 0 THEN NULL ELSE 1 + h / 15000 % 20 END, (ARRAY[NULL, 5, 10, 20])[1 + h / 300000 % 4]
FROM (SELECT i, hashint8extended(i, 7) & 1073741823 AS h FROM generate_series(1, 120000) i) d;
ANALYZE rollouts;
""")
SERIAL = "SET max_parallel_workers_per_gather = 0;"
PARALLEL = ("SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
            "SET min_parallel_table_scan_size = 0; ALTER TABLE rollouts SET (parallel_workers = 4);")

for key in ("task", "name"):
    aggregate = f"pass_agg({key}, success, turns, budget)"
    whole = sql(f"{SERIAL} SELECT {aggregate}::text FROM rollouts")
    digest = sql(f"SELECT md5('{whole}')")

    def same_summary(script, what):
        same(sql(script), digest, f"{key}: {what}")

    for order in ("id DESC", "task, id", "success, turns, md5(id::text)", "attempt, task", "attempt, md5(name)", "attempt / 2, md5(name)",
                  "attempt, hashint8(task) / 16 + id % 5 * 1000000", "attempt % 2, hashint8extended(task, attempt % 3)"):
        same_summary(f"""{SERIAL} SELECT md5({aggregate}::text) FROM (SELECT * FROM
                         (SELECT *, row_number() OVER (PARTITION BY task ORDER BY id) AS attempt FROM rollouts) q ORDER BY {order}) r""",
                     f"rows ordered by {order}")
    plan = sql(f"{PARALLEL} EXPLAIN (COSTS off) SELECT {aggregate} FROM rollouts")
    has(plan, "Partial Aggregate", f"{key}: the plan has a Partial Aggregate")
    has(plan, "Workers Planned: 4", f"{key}: and four workers")
    same_summary(f"{PARALLEL} SELECT md5({aggregate}::text) FROM rollouts", "four workers")
    same_summary(f"{PARALLEL} SET parallel_leader_participation = off; SELECT md5({aggregate}::text) FROM rollouts",
                 "workers without the leader")
    same_summary(f"{PARALLEL} SELECT md5({aggregate}::text) FROM rollouts WHERE id > 0 OR pg_sleep(0) IS NULL",
                 "a worker that may see no row")
    for split in ("id % 2", "id % 97", "policy", "task", "id / 1000", "success"):
        same_summary(f"SELECT md5(rollup(s)::text) FROM (SELECT {aggregate} s FROM rollouts GROUP BY {split}) q",
                     f"rollup of a split by {split}")
    same_summary(f"""SELECT md5(rollup(s)::text) FROM (SELECT rollup(s) s FROM (SELECT id % 97 g, {aggregate} s
                     FROM rollouts GROUP BY 1) q GROUP BY g % 5) r""", "rollup of rollups")
    same_summary(f"{PARALLEL} SET enable_partitionwise_aggregate = on; CREATE TABLE parts (LIKE rollouts) PARTITION BY HASH (task);"
                 + "".join(f"CREATE TABLE parts{i} PARTITION OF parts FOR VALUES WITH (MODULUS 3, REMAINDER {i});" for i in range(3))
                 + f"INSERT INTO parts SELECT * FROM rollouts; ANALYZE parts; SELECT md5({aggregate}::text) FROM parts; DROP TABLE parts",
                 "partitions")

# numbers that differ in their upper halves alone, as a hash of 32 bits may see them, are different tasks
for order in ("pass, i", "pass, hashint8(i)", "pass % 2, hashint8extended(i, pass)", "i, pass DESC"):
    same(sql(f"""{SERIAL} SELECT tasks, rollouts FROM pass_grid((SELECT pass_agg(key, true, 1) FROM
                 (SELECT CASE WHEN pass < 3 THEN i ELSE (1::bigint << 32) + (i # 2654435761) END AS key
                  FROM generate_series(1::bigint, 6000) i, generate_series(1, 4) pass ORDER BY {order}) q), '{{1}}', '{{1}}')"""),
         "12000|24000", f"numbers of two upper halves, ordered by {order}")

# figures, with 0 and 4 workers
figures = "SELECT md5(string_agg(g::text, ' ')) FROM pass_grid((SELECT pass_agg(task, success, turns, budget) FROM rollouts), '{1,2,4,8}', '{1,5,10,20}') g"
same(sql(SERIAL + figures), sql(PARALLEL + figures), "a grid has the same bits with 0 and 4 workers")

# travelling: text, binary, a table that is dumped and restored
sql("CREATE TABLE stored AS SELECT policy, pass_agg(name, success, turns, budget) AS s FROM rollouts GROUP BY policy")
sql("INSERT INTO stored SELECT 'numbers', pass_agg(task, success, turns, budget) FROM rollouts")
STORED = "SELECT policy, md5(s::text) FROM stored ORDER BY policy"
before = sql(STORED)
same(sql("SELECT bool_and(s::text::pass_summary::text = s::text) FROM stored"), "t", "text and back")
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    travel(STORED, before, folder)
    image = os.path.join(folder, "image")

    # binary input: every cut and many flipped bits give an error, or a value that is its own image
    sql("CREATE TABLE small (s pass_summary)")
    sql("""INSERT INTO small SELECT pass_agg('k' || i % 4, i % 3 = 0, i, 10) FROM generate_series(1, 9) i;
           INSERT INTO small SELECT pass_agg(i - 4, i % 3 = 0, i * 1000) FROM generate_series(1, 9) i""")
    sql(f"\\copy small TO '{image}' (FORMAT binary)")
    whole = open(image, "rb").read()
    random.seed(1)
    outcomes = {"value": 0, "error": 0}

    def load(data, what):
        with open(image, "wb") as f:
            f.write(data)
        out, errors = psql(f"CREATE TEMP TABLE t (s pass_summary);\n\\copy t FROM '{image}' (FORMAT binary)\n"
                           "SELECT bool_and(s::text::pass_summary::text = s::text AND (SELECT count(*) FROM pass_tasks(s)) > 0) FROM t")
        good = (not errors and out in ("t", "")) or ("ERROR" in errors and "server closed" not in errors)
        outcomes["error" if errors else "value"] += 1
        if not good:
            ok(False, what, out + errors)
        return good

    good = all([load(whole[:cut], f"cut at {cut}") for cut in range(19, len(whole), 3)])
    for turn in range(300):
        data = bytearray(whole)
        for _ in range(random.choice((1, 1, 2, 5))):
            data[random.randrange(21, len(data))] ^= 1 << random.randrange(8)
        good &= load(bytes(data), f"flip {turn}")
    ok(good and outcomes["error"] > 200, "cut and flipped bytes are errors or values, and never crash", outcomes)

# hash aggregation that spills, grouping sets, windows
sql("""CREATE TABLE small_groups AS SELECT i % 20000 AS g, i % 7 AS task, i % 3 = 0 AS success, 1 + i % 5 AS turns
       FROM generate_series(1, 200000) i; ANALYZE small_groups""")
grouped = "SELECT md5(string_agg(g || s::text, ' ' ORDER BY g)) FROM (SELECT g, pass_agg(task, success, turns) s FROM small_groups GROUP BY g) q"
hashed = sql(SERIAL + "SET enable_sort = off; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;" + grouped)
spill = sql(SERIAL + "SET enable_sort = off; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;"
            "EXPLAIN (ANALYZE, COSTS off, TIMING off, SUMMARY off) SELECT g, pass_agg(task, success, turns) FROM small_groups GROUP BY g")
has(spill, "Disk Usage", "the hash aggregation spills")
same(hashed, sql(SERIAL + "SET enable_hashagg = off;" + grouped), "spilled hash aggregation equals sorted aggregation")
same(sql("""SELECT bool_and(a.s::text = b.s::text) FROM
            (SELECT policy, pass_agg(task, success, turns) s FROM rollouts GROUP BY GROUPING SETS ((policy), ())) a JOIN
            (SELECT policy, pass_agg(task, success, turns) s FROM rollouts GROUP BY policy UNION ALL
             SELECT NULL, pass_agg(task, success, turns) FROM rollouts) b ON a.policy IS NOT DISTINCT FROM b.policy"""),
     "t", "grouping sets equal separate groups")
same(sql("""SELECT bool_and(w::text = (SELECT pass_agg(task, success, turns)::text FROM rollouts r WHERE r.id <= q.id)) FROM
            (SELECT id, pass_agg(task, success, turns) OVER (ORDER BY id) w FROM rollouts WHERE id <= 300) q"""),
     "t", "a running window equals the aggregate of the rows so far")
same(sql("""SELECT bool_and(w::text = (SELECT rollup(s)::text FROM (SELECT pass_agg(task, success, turns) s FROM rollouts r
            WHERE r.id BETWEEN q.id - 2 AND q.id + 1 AND r.id <= 200) x)) FROM
            (SELECT id, pass_agg(task, success, turns) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) w
             FROM rollouts WHERE id <= 200) q"""), "t", "a moving window restarts its state")

same(sql("""SELECT bool_and(w = (SELECT pass_agg(task, success, turns)::text FROM rollouts r WHERE r.id / 2000 <= q.part)), count(*) FROM
            (SELECT DISTINCT id / 2000 AS part, pass_agg(task, success, turns) OVER (ORDER BY id / 2000)::text AS w FROM rollouts WHERE id < 30000) q"""),
     "t|15", "so does one over thousands of tasks that come in no order")

# rows that come in runs of one task: runs that return, that a window ends early, of few cells and of many
sql("""CREATE TABLE runs AS SELECT i, i / 40 % 70 AS task, 'task ' || i / 40 % 70 AS name, i % 3 = 0 AS success, 1 + i % cells AS turns, cells
       FROM generate_series(1, 20000) i, (VALUES (3), (250), (900)) c(cells)""")
for key in ("task", "name"):
    aggregate = f"pass_agg({key}, success, turns)"
    same(sql(f"""SELECT bool_and(s = one) FROM (SELECT cells, {aggregate}::text AS s FROM (SELECT * FROM runs ORDER BY i) r GROUP BY cells) q
                 JOIN (SELECT cells, rollup(s)::text AS one FROM (SELECT cells, i, {aggregate} AS s FROM runs GROUP BY 1, 2) r GROUP BY cells) p
                 USING (cells)"""), "t", f"{key}: runs equal the rollup of single rows")
    same(sql(f"""SELECT bool_and(w = (SELECT {aggregate}::text FROM runs r WHERE r.cells = q.cells AND r.i <= q.i)) FROM
                 (SELECT i, cells, {aggregate} OVER (PARTITION BY cells ORDER BY i)::text AS w FROM runs WHERE i <= 1500) q WHERE i % 47 = 0"""),
         "t", f"{key}: a window that reads each row's state equals the aggregate of the rows so far")

# long runs with odd rows among the plain ones: NULLs, turns and budgets beyond 28 bits, an unscored rollout of no turn
sql("""CREATE TABLE odd_runs AS SELECT i, i / 150 % 9 AS task, 'task ' || i / 150 % 9 AS name,
           CASE WHEN i % 29 = 0 OR i % 31 = 0 THEN NULL ELSE i % 3 = 0 END AS success,
           CASE WHEN i % 23 = 0 THEN NULL WHEN i % 31 = 0 THEN 0 WHEN i % 37 = 0 THEN (1::bigint << 28) - 2 + i % 3 ELSE 1 + i % 20 END AS turns,
           CASE WHEN i % 5 = 0 THEN NULL WHEN i % 41 = 0 THEN 1::bigint << 40 ELSE 10 * (1 + i % 3) END AS budget
       FROM generate_series(1, 6000) i""")
for arguments in ("task, success, turns", "task, success, turns, budget", "name, success, turns, budget"):
    same(sql(f"""SELECT (SELECT pass_agg({arguments})::text FROM (SELECT * FROM odd_runs ORDER BY i) r) =
                        (SELECT rollup(s)::text FROM (SELECT pass_agg({arguments}) AS s FROM odd_runs GROUP BY i) r)"""),
         "t", f"{arguments}: long runs with odd rows equal the rollup of single rows")
same(rows("""SELECT attempts, unscored FROM pass_tasks((SELECT pass_agg(1, CASE WHEN i % 4 > 0 THEN i % 4 = 1 END, CASE WHEN i % 3 > 0 THEN i % 3 END)
             FROM generate_series(1, 12000) i))"""), [["12000", "3000"]], "rows in runs whose success or turns are not known are all there")
for row, message in (("0, true, 0", "turns must be at least 1, not 0"), ("0, true, -1", "turns must be at least 1, not -1"),
                     ("0, NULL, -1", "turns must be at least 1, not -1"), ("0, true, 1, 0", "budget must be at least 1, not 0"),
                     ("0, true, 1, -5", "budget must be at least 1, not -5"), ("NULL, true, 1", "task must not be null"),
                     ("NULL, true, 1, 1", "task must not be null")):
    row = row.split(", ")
    names = ("task", "success", "turns", "budget")[:len(row)]
    odd = ", ".join(f"CASE WHEN i = 2000 THEN {value} ELSE {usual} END" for value, usual in zip(row, ("0", "true", "1", "1")))
    for kind in ("integer", "bigint"):
        out, errors = psql(f"SELECT pass_agg(task::{kind}, {', '.join(names[1:])}) FROM (SELECT {odd} FROM generate_series(1, 3000) i) q({', '.join(names)})")
        has(errors, message, f"{kind}: an odd row within a run: {row}")

# the key's type is as the column has it, and the summary does not depend on it
sql("CREATE DOMAIN task_number AS integer")
for arguments in ("success, turns", "success, turns, budget", "success, turns::smallint, budget::int", "success, NULL", "NULL, NULL, NULL", "NULL, turns, NULL"):
    same(sql(f"""SELECT count(DISTINCT s::text), count(s) FROM (SELECT pass_agg(task, {arguments}), pass_agg(task::integer, {arguments}),
                 pass_agg(task::smallint, {arguments}), pass_agg(task::task_number, {arguments}) FROM rollouts) q(b, i, s2, d),
                 LATERAL (VALUES (b), (i), (s2), (d)) v(s)"""), "1|4", f"tasks of every integer type: {arguments}")
same(sql("SELECT count(DISTINCT s::text) FROM (SELECT pass_agg(-7::smallint, true, 1) UNION ALL SELECT pass_agg(-7, true, 1) UNION ALL SELECT pass_agg(-7::bigint, true, 1)) q(s)"),
     "1", "and negative ones")
same(sql("SELECT task FROM pass_tasks((SELECT pass_agg('a', success, turns) FROM rollouts))"), "a", "a quoted task is text")

# many attempts, many cells: counts and ids grow beyond one and two bytes
same(rows("""SELECT attempts, solved, unscored, first_solved_at FROM pass_tasks(
             (SELECT pass_agg(1, i % 2 = 0, 1) FROM generate_series(1, 140000) i))"""),
     [["140000", "70000", "0", "1"]], "counts beyond 65,535")
same(rows("""SELECT count(*), sum(attempts), min(first_solved_at) FROM pass_tasks(
             (SELECT pass_agg(i % 2, true, i) FROM generate_series(1, 140000) i))"""),
     [["2", "140000", "1"]], "more than 65,536 cells")
same(rows("""SELECT pass, tasks FROM pass_grid((SELECT pass_agg(i % 2, true, i) FROM generate_series(1, 140000) i), '{1}', '{70000}')"""),
     [["0.5", "2"]], "and their figure")
sql("""CREATE FUNCTION doubled(times int) RETURNS pass_summary LANGUAGE plpgsql AS $$
       DECLARE held pass_summary := (SELECT pass_agg(1, true, 1)); BEGIN
       FOR i IN 1 .. times LOOP held := (SELECT rollup(held) FROM generate_series(1, 2)); END LOOP; RETURN held; END $$""")
same(sql("SELECT attempts = 1::bigint << 53 FROM pass_tasks(doubled(53))"), "t", "2^53 rollouts are held")
out, errors = psql("SELECT doubled(54) IS NULL")
has(errors, "cannot hold more than 2^53 rollouts", "and no more")

# a state is not to be had outside an aggregate
out, errors = psql("SELECT pass_add_bigint(NULL, 1, true, 1)")
has(errors, "may be called only by its aggregate", "a transition function called by hand")
out, errors = psql("SELECT pass_summary_combine(s, s) FROM (SELECT pass_agg(1, true, 1) s) q")
has(errors, "may be called only by its aggregate", "a combine function called by hand")
same(sql("SELECT pass_summary_final(s)::text = s::text FROM (SELECT pass_agg(1, true, 1) s) q"), "t", "a final function called by hand")
same(sql("SELECT pass_summary_combine(NULL, NULL) IS NULL"), "t", "combining nothing with nothing")

# cancelling
def cancelled(name, query):
    """Lets the query run for two seconds, then cancels it; without the cancel it would take minutes."""
    process = subprocess.Popen(["psql", "-Xq", "-c", "SET application_name = 'cancel me'", "-c", query], stderr=subprocess.PIPE, text=True)
    time.sleep(2)
    sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE application_name = 'cancel me'")
    has(process.communicate()[1], "canceling statement due to user request", name)


# two arms that differ: of arms that agree nothing is resampled
sql("""CREATE TABLE large AS SELECT pass_agg(i % 150000, hashint8extended(i, 1) % 3 = 0, 1 + i % 20) AS s,
       pass_agg(i % 150000, hashint8extended(i, 2) % 4 = 0, 1 + i % 20) AS other FROM generate_series(1, 600000) i""")
grid = "'{1,2,3,4}', (SELECT array_agg(t) FROM generate_series(1, 35) t), resamples => 100000"
cancelled("a running aggregate can be cancelled", "SELECT pass_agg(i, true, i % 20 + 1) FROM generate_series(1, 40000000) i")
cancelled("resampling 150,000 tasks for 140 cells can be cancelled", f"SELECT count(*) FROM large, pass_grid(s, {grid}, method => 'bca')")
cancelled("and for a difference", f"SELECT count(*) FROM large, pass_diff(s, other, {grid}, method => 'percentile')")
done()
