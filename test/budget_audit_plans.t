#!/usr/bin/env python3
"""An audit is the same value whatever the order, the plan, the workers and the split, and however it travelled; damaged bytes are errors."""
import os
import random
import subprocess
import tempfile

from tap import done, has, ok, psql, same, sql, use_database

use_database("agentrl_audit_plans")
sql("""
CREATE TABLE rollouts AS
SELECT i AS id, h % 3000 AS g, 'group ' || h % 3000 AS name, CASE WHEN h / 3 % 13 > 0 THEN 'tâche ' || h % 300 END AS task, h % 300 AS number,
       CASE WHEN h / 7 % 50 > 0 THEN h % 10 + h / 11 % 200 / 199 END AS budget, CASE WHEN h / 13 % 40 > 0 THEN h / 17 % 11 END AS turns,
       CASE WHEN h / 19 % 30 > 0 THEN h % 2 = 0 END AS finished, CASE WHEN h / 23 % 30 > 0 THEN (h / 29 % 3)::float8 END AS reward,
       CASE WHEN h / 31 % 99 > 0 THEN 10 + h % 2 END AS t_max, h % 10 AS planned
FROM (SELECT i, hashint8extended(i, 7) & 1073741823 AS h FROM generate_series(1, 60000) i) d;
CREATE TABLE trajectories AS
SELECT id, g, name, task, t_max, planned, jsonb_strip_nulls(jsonb_build_object('success', finished AND turns > 0, 'reward', reward, 'budget', nullif(greatest(budget, 0), 0), 'prompt', 'budget ' || budget,
	'status', (ARRAY['completed', 'truncated', 'infra_error', NULL])[1 + id % 4],
	'steps', (SELECT coalesce(jsonb_agg(jsonb_build_object('remaining', budget - i + 1 - id / 97 % 2)), '[]') FROM generate_series(1, turns) i)))::trajectory AS traj FROM rollouts WHERE id <= 20000;
ANALYZE;
""")
SERIAL = "SET max_parallel_workers_per_gather = 0;"
PARALLEL = ("SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0;"
            "ALTER TABLE rollouts SET (parallel_workers = 4); ALTER TABLE trajectories SET (parallel_workers = 4);")
COLUMNS = "budget, turns, finished, reward, t_max"
for table, arguments in (("rollouts", f"g, task, {COLUMNS}, planned"), ("rollouts", f"g, number, {COLUMNS}"), ("rollouts", f"name, task, {COLUMNS}"),
                         ("rollouts", f"name, number, {COLUMNS}, planned"), ("trajectories", "g, task, traj, t_max, planned"), ("trajectories", "name, task, traj, t_max")):
    aggregate = f"budget_audit_agg({arguments})"
    digest = sql(f"{SERIAL} SELECT md5({aggregate}::text) FROM {table}")

    def same_audit(script, what):
        same(sql(script), digest, f"{aggregate}: {what}")

    for order in ("id DESC", "g, id", "md5(id::text)"):
        same_audit(f"{SERIAL} SELECT md5({aggregate}::text) FROM (SELECT * FROM {table} ORDER BY {order}) r", f"rows ordered by {order}")
    has(sql(f"{PARALLEL} EXPLAIN (COSTS off) SELECT {aggregate} FROM {table}"), "Partial Aggregate", f"{aggregate}: the plan has a Partial Aggregate")
    same_audit(f"{PARALLEL} SELECT md5({aggregate}::text) FROM {table}", "four workers")
    for split in ("id % 2", "id % 97", "g", "task"):
        same_audit(f"SELECT md5(rollup(s)::text) FROM (SELECT {aggregate} s FROM {table} GROUP BY {split}) q", f"rollup of a split by {split}")
    same_audit(f"SELECT md5(rollup(s)::text) FROM (SELECT rollup(s) s FROM (SELECT id % 97 p, {aggregate} s FROM {table} GROUP BY 1) q GROUP BY p % 5) r", "rollup of rollups")
    same(sql(f"SELECT bool_and(s::text::budget_audit::text = s::text) FROM (SELECT {aggregate} s FROM {table} GROUP BY id % 7) q"), "t", f"{aggregate}: text and back")
    FINDINGS = f"SELECT md5(string_agg(f::text, ' ')) FROM budget_findings((SELECT {aggregate} FROM {table}), group_size => 20) f"
    same(sql(SERIAL + FINDINGS), sql(PARALLEL + FINDINGS), f"{aggregate}: findings have the same bits with 0 and 4 workers")

same(sql("""SELECT bool_and(w::text = (SELECT budget_audit_agg(g, task, budget, turns, finished, reward, t_max)::text FROM rollouts r WHERE r.id <= q.id)) FROM
            (SELECT id, budget_audit_agg(g, task, budget, turns, finished, reward, t_max) OVER (ORDER BY id) w FROM rollouts WHERE id <= 300) q"""), "t", "a running window")
same(sql("""SELECT bool_and(w::text = (SELECT rollup(s)::text FROM (SELECT budget_audit_agg(g, task, budget, turns, finished, reward, t_max) s FROM rollouts r WHERE r.id BETWEEN q.id - 3 AND q.id) x)) FROM
            (SELECT id, budget_audit_agg(g, task, budget, turns, finished, reward, t_max) OVER (ORDER BY id ROWS 3 PRECEDING) w FROM rollouts WHERE id <= 200) q WHERE id > 3"""), "t", "a moving window")
grouped = "SELECT md5(string_agg(p || s::text, ' ' ORDER BY p)) FROM (SELECT id % 5000 p, budget_audit_agg(g, task, budget, turns, finished, reward, t_max) s FROM rollouts GROUP BY 1) q"
same(sql(SERIAL + "SET enable_sort = off; SET work_mem = '64kB'; SET hash_mem_multiplier = 1;" + grouped), sql(SERIAL + "SET enable_hashagg = off;" + grouped), "spilled hash aggregation equals sorted")
plans = "SELECT md5(budget_plan_agg(name, 1 + abs(budget), t_max)::text) FROM rollouts WHERE budget IS NOT NULL AND t_max IS NOT NULL"
same(sql(SERIAL + plans), sql(PARALLEL + plans), "a budget_plan has the same bits with 0 and 4 workers")

# a clean audit is one entry for each group
size = int(sql("""SELECT octet_length(budget_audit_send(budget_audit_agg(i / 16, NULL::text, 3, 1, true, 1, 30))) FROM generate_series(0, 159999) i"""))
ok(size <= 10000 * 10 + 20, "ten bytes hold a clean group without a task, whatever its size", size)

# travelling
sql("CREATE TABLE stored AS SELECT id % 5 AS part, budget_audit_agg(name, task, budget, turns, finished, reward, t_max) AS s FROM rollouts GROUP BY 1")
STORED = "SELECT part, md5(s::text) FROM stored ORDER BY part"
before = sql(STORED)
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    image, dump = os.path.join(folder, "image"), os.path.join(folder, "dump")
    sql(f"\\copy stored TO '{image}' (FORMAT binary)\nTRUNCATE stored;\n\\copy stored FROM '{image}' (FORMAT binary)")
    same(sql(STORED), before, "binary COPY and back")
    subprocess.run(["pg_dump", "-Fc", "-t", "stored", "-f", dump], check=True)
    sql("DROP TABLE stored")
    subprocess.run(["pg_restore", "-d", os.environ["PGDATABASE"], dump], check=True)
    same(sql(STORED), before, "pg_dump and restore")

# every cut and every changed byte is an error of the type, or another value that is its own text
sql("""CREATE FUNCTION try(t text) RETURNS text LANGUAGE plpgsql AS $$
       DECLARE held budget_audit; BEGIN
       held := t::budget_audit;
       PERFORM * FROM budget_findings(held);
       RETURN CASE WHEN held::text = t THEN 'value' ELSE 'changed' END;
       EXCEPTION WHEN invalid_text_representation THEN RETURN 'error'; END $$""")
for keys in ("i % 4", "'ké' || i % 4"):
    image = sql(f"SELECT budget_audit_agg({keys}, 'tâche ' || i % 2, i, 5, i = 3, 1, 10, 7) FROM generate_series(1, 9) i")
    digits = image[2:]
    random.seed(5)
    damaged = [digits[:n] for n in range(0, len(digits), 2)] + [digits + "00"]
    for at in range(0, len(digits), 2):
        for byte in random.sample(range(256), 24):
            if f"{byte:02x}" != digits[at:at + 2]:
                damaged.append(digits[:at] + f"{byte:02x}" + digits[at + 2:])
    sql("CREATE TABLE damaged (t text); COPY damaged FROM STDIN;\n" + "\n".join("\\\\x" + d for d in damaged) + "\n\\.\n")
    outcomes = dict(line.split("|") for line in sql("SELECT try(t), count(*) FROM damaged GROUP BY 1; DROP TABLE damaged").splitlines())
    ok(set(outcomes) <= {"error", "value"} and int(outcomes["error"]) > 500, f"damaged bytes, keys {keys}", outcomes)
out, errors = psql("SELECT '\\x420102'::budget_audit")
has(errors, "invalid value for type budget_audit", "a cut value is named")
out, errors = psql("SELECT 'x'::budget_audit")
has(errors, "invalid input syntax for type budget_audit", "so is a text that is no value")
out, errors = psql("SELECT * FROM budget_findings((SELECT pass_agg(1, true, 1::bigint))::text::budget_audit)")
has(errors, "it is a value of another type", "another summary is no audit")

out, errors = psql("SET statement_timeout = 400; SELECT budget_audit_agg(i, 'task ' || i, 1, 1, true, 1, 10) FROM generate_series(1, 40000000) i")
has(errors, "canceling statement due to statement timeout", "an audit can be cancelled")
done()
