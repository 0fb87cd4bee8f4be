#!/usr/bin/env python3
"""A recovery_summary is the same value whatever the order, the plan, the split, and however it travelled; damage is an error."""
import os
import random
import subprocess
import tempfile

from tap import done, has, ok, psql, same, sql, travel, use_database

use_database("agentrl_recovery_plans")
sql("""
CREATE FUNCTION flags(h bigint, turns int) RETURNS json LANGUAGE sql IMMUTABLE AS $$
SELECT json_agg(json_strip_nulls(json_build_object('error', CASE (h >> 2 * i) & 3 WHEN 0 THEN NULL ELSE (h >> 2 * i) & 3 = 1 END,
    'error_kind', CASE WHEN (h >> 2 * i) & 3 = 1 AND h % 3 > 0 THEN 'kind ' || (h >> i) % 5 END))) FROM generate_series(1, turns) i $$;
CREATE TABLE rollouts AS
SELECT i AS id, h % 2000 AS task, 'task ' || h % 2000 AS name, 'p' || i % 3 AS policy, json_strip_nulls(json_build_object(
    'success', h % 5 = 0, 'status', (ARRAY['completed', 'truncated', NULL])[1 + h % 3], 'budget', (ARRAY[NULL, 10, 20])[1 + h / 7 % 3],
    'steps', flags(h, (1 + h / 11 % 12)::int)))::trajectory AS traj
FROM (SELECT i, hashint8extended(i, 7) & 1152921504606846975 AS h FROM generate_series(1, 30000) i) d;
ALTER TABLE rollouts SET (parallel_workers = 4); ANALYZE rollouts;
""")
SERIAL = "SET max_parallel_workers_per_gather = 0;"
PARALLEL = ("SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
            "SET min_parallel_table_scan_size = 0;")

for key in ("task", "name"):
    aggregate = f"recovery_agg({key}, traj)"
    whole = sql(f"{SERIAL} SELECT {aggregate}::text FROM rollouts")
    digest = sql(f"SELECT md5('{whole}')")

    def same_summary(script, what):
        same(sql(script), digest, f"{key}: {what}")

    for order in ("id DESC", "task, id", "md5(id::text)"):
        same_summary(f"{SERIAL} SELECT md5({aggregate}::text) FROM (SELECT * FROM rollouts ORDER BY {order}) r", f"rows ordered by {order}")
    plan = sql(f"{PARALLEL} EXPLAIN (COSTS off) SELECT {aggregate} FROM rollouts")
    has(plan, "Partial Aggregate", f"{key}: the plan has a Partial Aggregate")
    has(plan, "Workers Planned: 4", f"{key}: and four workers")
    same_summary(f"{PARALLEL} SELECT md5({aggregate}::text) FROM rollouts", "four workers")
    same_summary(f"{PARALLEL} SET parallel_leader_participation = off; SELECT md5({aggregate}::text) FROM rollouts", "workers alone")
    for split in ("id % 2", "id % 97", "policy", "task", "status(traj)"):
        same_summary(f"SELECT md5(rollup(s)::text) FROM (SELECT {aggregate} s FROM rollouts GROUP BY {split}) q", f"rollup of a split by {split}")
    same_summary(f"""SELECT md5(rollup(s)::text) FROM (SELECT rollup(s) s FROM (SELECT id % 97 g, {aggregate} s
                     FROM rollouts GROUP BY 1) q GROUP BY g % 5) r""", "rollup of rollups")
    same_summary(f"{PARALLEL} SELECT md5(rollup(s)::text) FROM (SELECT id % 4 g, {aggregate} s FROM rollouts GROUP BY 1) q", "a rollup in parallel")

figures = ("SELECT md5(string_agg(g::text, ' ')) FROM (SELECT recovery_agg(name, traj) s FROM rollouts) q, LATERAL "
           "(SELECT r::text FROM recovery_report(s, '{{1,2,3}}', resamples => 500) r UNION ALL SELECT r::text FROM "
           "recovery_by_depth(s, 3, resamples => 200) r UNION ALL SELECT r::text FROM recovery_by_kind(s, resamples => 200) r) g {}")
same(sql(SERIAL + figures.format("")), sql(PARALLEL + figures.format("")), "reports have the same bits with 0 and 4 workers")
same(sql("""SELECT bool_and(a::text = b::text) FROM (SELECT recovery_agg(task, traj) t FROM rollouts) q,
            recovery_report(t, '{1,2}', resamples => 500) a JOIN (SELECT recovery_agg(lpad(task::text, 9, '0'), traj) n FROM rollouts) p ON true
            JOIN LATERAL recovery_report(n, '{1,2}', resamples => 500) b ON (a.measure, a.within) IS NOT DISTINCT FROM (b.measure, b.within)"""),
     "t", "tasks as numbers or as texts of the same order: the same report")
same(sql("""SELECT bool_and(w::text = (SELECT recovery_agg(task, traj)::text FROM rollouts r WHERE r.id BETWEEN q.id - 2 AND q.id + 1 AND r.id <= 200)) FROM
            (SELECT id, recovery_agg(task, traj) OVER (ORDER BY id ROWS BETWEEN 2 PRECEDING AND 1 FOLLOWING) w
             FROM rollouts WHERE id <= 200) q"""), "t", "a moving window equals the aggregate of its rows")
same(sql("""SELECT bool_and(w::text = (SELECT recovery_agg(name, traj)::text FROM rollouts r WHERE r.id <= q.id)) FROM
            (SELECT id, recovery_agg(name, traj) OVER (ORDER BY id) w FROM rollouts WHERE id <= 150) q"""), "t", "so does a running window")

# travelling
sql("CREATE TABLE stored AS SELECT policy, recovery_agg(name, traj) AS s FROM rollouts GROUP BY policy")
sql("INSERT INTO stored SELECT 'numbers', recovery_agg(task - 1000, traj) FROM rollouts")
STORED = "SELECT policy, md5(s::text) FROM stored ORDER BY policy"
before = sql(STORED)
same(sql("SELECT bool_and(s::text::recovery_summary::text = s::text) FROM stored"), "t", "text and back")
with tempfile.TemporaryDirectory() as folder:
    os.chmod(folder, 0o755)
    travel(STORED, before, folder)
    image = os.path.join(folder, "image")

    # cut and flipped messages: an error, or a value that is its own image and can be read
    sql("CREATE TABLE small (s recovery_summary)")
    sql("""INSERT INTO small SELECT recovery_agg('k' || task % 4, traj) FROM rollouts WHERE id < 12;
           INSERT INTO small SELECT recovery_agg(task % 5 - 2, traj) FROM rollouts WHERE id BETWEEN 12 AND 24""")
    sql(f"\\copy small TO '{image}' (FORMAT binary)")
    whole = open(image, "rb").read()
    draw = random.Random(1)
    outcomes = {"value": 0, "error": 0}

    def load(data, what):
        with open(image, "wb") as f:
            f.write(data)
        out, errors = psql(f"CREATE TEMP TABLE t (s recovery_summary);\n\\copy t FROM '{image}' (FORMAT binary)\n"
                           "SELECT bool_and(s::text::recovery_summary::text = s::text) FROM t, recovery_report(s, resamples => 0), "
                           "recovery_by_depth(s, resamples => 0), recovery_by_kind(s, resamples => 0), recovery_turns(s, resamples => 0)")
        good = (not errors and out in ("t", "")) or ("ERROR" in errors and "server closed" not in errors)
        outcomes["error" if errors else "value"] += 1
        if not good:
            ok(False, what, out + errors)
        return good

    good = all([load(whole[:cut], f"cut at {cut}") for cut in range(19, len(whole), 5)])
    for turn in range(300):
        data = bytearray(whole)
        for _ in range(draw.choice((1, 1, 2, 5))):
            data[draw.randrange(21, len(data))] ^= 1 << draw.randrange(8)
        good &= load(bytes(data), f"flip {turn}")
    ok(good and outcomes["error"] > 200, "cut and flipped bytes are errors or values, and never crash", outcomes)

# records that no rollout gives: a key 1 with one record of each, and count 1
HEAD = sql("SELECT substr(recovery_agg(1, '{\"steps\":[{}]}')::text, 3) FROM (SELECT 1) q")
same(HEAD, "520201" + "00" + "01" + "02" + "01" + "50" + "0000" + "00" + "01", "the bytes of one rollout with one unknown flag")
# a record: 4 (5 what + outcome) + type, first error, budget, kind
for what, record in (("a type and outcome below 0", "01000000"),
                     ("a rollout with first error 0", "28000000"),
                     ("an outcome", "18000000"),
                     ("an episode of no turn", "02020000"),
                     ("an episode without first error", "2a000000"),
                     ("a mixed episode of one turn", "2c020000"),
                     ("a turn with a first error", "06020000"),
                     ("a turn with an outcome", "0e000000"),
                     ("a negative budget", "2a020100"),
                     ("an episode of more turns than a rollout has", "aab48913020000")):
    out, errors = psql(f"SELECT '\\x52020100010201{record}01'::recovery_summary")
    has(errors, "a record is out of range", f"{what} that cannot be is refused")
same(sql("SELECT recovery_rate('\\x520201000102012a02000001'::recovery_summary)"), "1", "one that can be is read: an episode that recovered")

# a state is not to be had outside an aggregate; long values are read from out of line
out, errors = psql("SELECT recovery_summary_combine(s, s) FROM (SELECT recovery_agg(1, '{}') s) q")
has(errors, "may be called only by its aggregate", "a combine function called by hand")
sql("""CREATE TABLE long AS SELECT i AS task, format('{"stop_reason":"%s","prompt":"%s","steps":[%s]}', repeat('why ', i * 200), repeat(md5(i::text), 3000),
       (SELECT string_agg(format('{"action":"%s","error":%s,"error_kind":"%s"}', md5(j::text), to_json(j % i = 0), repeat('k', j % 3)), ',' ORDER BY j)
        FROM generate_series(1, 300) j))::trajectory AS traj FROM generate_series(1, 12) i""")
SPLIT = "SELECT recovery_agg(task, {})::text FROM long"
same(sql(SPLIT.format("traj")), sql(SPLIT.format("traj::text::trajectory")), "stored out of line, or in memory: the same")
for storage in ("main", "extended"):
    sql(f"CREATE TABLE long_{storage} (LIKE long); ALTER TABLE long_{storage} ALTER traj SET STORAGE {storage}; INSERT INTO long_{storage} SELECT * FROM long")
    same(sql(SPLIT.format("traj").replace("long", f"long_{storage}")), sql(SPLIT.format("traj")), f"storage {storage}: the same")
same(sql("SELECT error_kind, eligible FROM recovery_by_kind((SELECT recovery_agg(task, traj) FROM long WHERE task = 1)) WHERE measure = 'corrected_next'"),
     "|99\nk|100\nkk|100", "kinds of a long rollout: 300 turns, all errors, the last without a next")
done()
