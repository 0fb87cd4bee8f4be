#!/usr/bin/env python3
"""Draws are the three lines of Python that the documentation shows, uniform, and the same in any encoding; a clean audit seldom alarms."""
import os
import random
import re
import subprocess

from tap import done, has, ok, psql, same, sql, use_database

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
use_database("agentrl_budgetmix")

# the lines as they stand in doc/budgetmix.md, so that what is documented is what is tested
page = open(os.path.join(ROOT, "doc", "budgetmix.md")).read()
published = {}
for block in re.findall(r"^```python\n(.*?)^```", page, re.M | re.S):
    exec(block, published)
budgets, budget, stratified = (published[name] for name in ("budgets", "budget", "stratified"))


def literal(text):
    return "'" + text.replace("'", "''") + "'"


random.seed(12)
NAMES = ["maze-7", "größe", "задача", "课题-3", "タスク", "🧩 puzzle", "a:b:c", "", " ", "'quoted'", "back\\slash", "tab\tand\nline", "e\u0301 é"]
cases = []
for i in range(4000):
    name = random.choice(NAMES) + (str(random.randrange(1000)) if i % 3 else "")
    seed = random.choice([0, 1, -1, 42, 2**63 - 1, -2**63, random.randrange(-2**40, 2**40)])
    cases.append((seed, random.choice([0, 1, 2, 100, -5, 2**31 - 1]), name, random.choice([1, 2, 5, 9, 10, 17, 20, 30, 60, 199]), random.choice([1, 2, 4, 10, 20, 50])))
values = ",".join(f"({i},'{s}'::bigint,'{e}'::int,{literal(n)},{t},{k})" for i, (s, e, n, t, k) in enumerate(cases))
got = sql(f"SET standard_conforming_strings = on; SELECT budgetmix_budget(s, e, n, t, 1.0::float8 / k) FROM (VALUES {values}) v(i, s, e, n, t, k) ORDER BY i").split()
same([int(b) for b in got], [budget(s, e, n, t, k) for s, e, n, t, k in cases], "4,000 draws equal hashlib's")
positive = [(s, 1 + abs(e) % 70, n, t, k) for s, e, n, t, k in cases[:1500]]
values = ",".join(f"({i},'{s}'::bigint,'{e}'::int,{literal(n)},{t},{k})" for i, (s, e, n, t, k) in enumerate(positive))
got = sql(f"SELECT budgetmix_budget(s, e, n, t, 1.0::float8 / k, mode => 'stratified') FROM (VALUES {values}) v(i, s, e, n, t, k) ORDER BY i").split()
same([int(b) for b in got], [stratified(s, e, n, t, k) for s, e, n, t, k in positive], "1,500 stratified draws, too")
same(sql("SELECT string_agg(array_to_string(budgetmix_budgets(t), ','), ' ' ORDER BY t) FROM generate_series(1, 200) t"),
     " ".join(",".join(map(str, budgets(t))) for t in range(1, 201)), "candidates for t_max 1 to 200")

# a text is hashed in UTF-8 whatever the database holds it in
for encoding, locale, names in (("LATIN1", "C", ["größe", "café", "plain"]), ("WIN1251", "C", ["задача", "plain"]), ("EUC_JP", "C", ["タスク", "課題"])):
    subprocess.run(["dropdb", "--if-exists", "agentrl_budgetmix_other"], check=True, capture_output=True)
    subprocess.run(["createdb", "-T", "template0", "-E", encoding, "--locale", locale, "agentrl_budgetmix_other"], check=True)
    out, errors = psql("SET client_encoding = 'UTF8'; CREATE EXTENSION agentrl;" +
                       "".join(f"SELECT budgetmix_budget(3, 9, {literal(n)}, 60, 0.05), (SELECT array_agg(budget ORDER BY epoch) FROM budgetmix_plan(ARRAY[{literal(n)}], 60, 1, 3, 3));" for n in names),
                       database="agentrl_budgetmix_other")
    same(out + errors, "\n".join(f"{budget(3, 9, n, 60, 20)}|{{{','.join(str(budget(3, e, n, 60)) for e in (1, 2, 3))}}}" for n in names), f"a database in {encoding}")
subprocess.run(["dropdb", "agentrl_budgetmix_other"], check=True)

# uniform: chi-square over 100,000 groups below its .001 quantile with 9 and with 6 degrees of freedom
for t_max, cells, limit in ((30, 10, 27.877), (7, 7, 22.458)):
    counts = [int(n) for n in sql(f"SELECT count(*) FROM generate_series(1, 100) e, generate_series(1, 1000) i GROUP BY budgetmix_budget(1, e, i, {t_max})").split()]
    statistic = sum((n - 100000 / cells) ** 2 / (100000 / cells) for n in counts)
    ok(len(counts) == cells and statistic < limit, f"100,000 draws of t_max {t_max} are uniform", (statistic, counts))

# the same plan in every plan and worker
sql("CREATE TABLE tasks AS SELECT 'task ' || i AS task FROM generate_series(1, 20000) i; ANALYZE tasks")
DRAWS = "SELECT md5(string_agg(task || budgetmix_budget(4, 2, task, 30), ' ' ORDER BY task)) FROM tasks"
PARALLEL = ("SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0;"
            "SET min_parallel_table_scan_size = 0; ALTER TABLE tasks SET (parallel_workers = 4);")
whole = sql("SET max_parallel_workers_per_gather = 0; SELECT md5(string_agg(task || budget, ' ' ORDER BY task)) FROM budgetmix_plan((SELECT array_agg(task) FROM tasks), 30, 1, 2, 4) WHERE epoch = 2")
same(sql(PARALLEL + DRAWS), whole, "workers draw what the plan draws")

# False alarms at alpha .001 among 10,000 clean audits: 10 expected; at most 24, and at least one, or nothing was tested.
for name, groups in (("groups of one t_max", "SELECT 10 AS t_max, i FROM generate_series(1, 60) i"),
                     ("t_max 10 and 20 mixed", "SELECT 10 + 10 * (i % 2) AS t_max, i FROM generate_series(1, 120) i")):
    alarms = int(sql(f"""SELECT count(*) FROM (SELECT seed, budget_audit_agg(i, NULL::text, budgetmix_budget(seed, 1, i, t_max), 1, true, 1, t_max) AS a
                         FROM generate_series(1, 10000) seed, ({groups}) g GROUP BY seed) q, budget_findings(a) WHERE rule = 'not_uniform'"""))
    ok(1 <= alarms <= 24, f"{name}: false alarms among 10,000", alarms)
    tested = int(sql(f"""SELECT count(*) FROM (SELECT seed, budget_audit_agg(i, NULL::text, least(t_max, 3 * budgetmix_budget(seed, 1, i, t_max)), 1, true, 1, t_max) AS a
                         FROM generate_series(1, 200) seed, ({groups}) g GROUP BY seed) q, budget_findings(a) WHERE rule = 'not_uniform' AND p_value < 0.001"""))
    same(tested, 200, f"{name}: draws that are crowded at t_max alarm each time")

# a plan that is too large to make can be cancelled
out, errors = psql("SET statement_timeout = 300; SELECT count(*) FROM budgetmix_plan((SELECT array_agg(i::text) FROM generate_series(1, 1000) i), 30, 1000000, 1000)")
has(errors, "canceling statement due to statement timeout", "a large plan can be cancelled")
out, errors = psql("SET statement_timeout = 300; SELECT budgetmix_budget(1, e, 'a', 900000, 1e-6, mode => 'stratified') FROM generate_series(1, 100) e")
has(errors, "canceling statement due to statement timeout", "a large permutation can be cancelled")
done()
