#!/usr/bin/env python3
"""Audits against a slow version in SQL: 1,000 random tables with planted violations of all kinds, no miss and no invention."""
import json
import math
import random

from tap import done, ok, rows, same, sql, use_database

use_database("agentrl_audit_brute")
random.seed(77)
STATUSES = ["completed", "truncated", "agent_error", "infra_error", "unscored", None]
TABLES = 1000


def prompt(budget):
    """A prompt and, by construction, whether it states the budget."""
    if budget is None:
        return random.choice([("You have 5 turns.", None), (None, None)])
    return random.choice([
        (f"You have {budget} turns in total. {budget} turns remain, this one included.", True),
        (f"{budget}", True), (f"Turns left:{budget}.", True), (f"Of 1.{budget} or {budget}, the latter", True),
        (f"({budget}, then stop)", True), ("No number here.", False), (f"{budget}7 turns", False),
        (f"4{budget} turns", False), (f"{budget}.5 seconds", False), (f"0.{budget}", False), (f"1,{budget}", False), ("", False), (None, None)])


def rollout(group, mishaps):
    """One row: a clean rollout, or with the chance `mishaps` for each thing to go wrong."""
    budget, t_max = group["budget"], group["t_max"]
    odd = lambda: random.random() < mishaps
    turns = random.randint(1, budget)
    success = random.random() < 0.5
    status = "completed" if success or turns < budget else "truncated"
    reward = 1.0 if success else 0.0
    if odd():
        budget = random.choice([None, None, budget + 1, t_max + 1, 0, -3, max(1, t_max - 1)])
    limit = budget if budget is not None else 5
    if odd():
        turns = random.choice([limit + 1, limit + 2, None, max(limit, 0), 0])
    turns = None if turns is None else max(turns, 0)
    if odd():
        success = random.choice([True, False, None])
    if turns == 0 and success:
        success = False
    if odd():
        status = random.choice(STATUSES)
    if status == "unscored":
        success = None
    if odd():
        reward = random.choice([None, 0.5, -1.0, 0.0, 1.0])
    told = [limit - i for i in range(turns or 0)]
    if odd():
        told = random.choice([[None] * len(told), [None] * (len(told) - 1) + told[-1:], [(x or 0) - 1 for x in told], told[:-1] + [None] * bool(told), told])
    text, states = prompt(budget) if odd() else (f"You have {limit} turns.", True)
    if states is False and told and told[0] is not None and text is not None and str(told[0]) != str(budget) and str(told[0]) in text:
        text, states = "no number", False
    solved = turns if success and turns and random.random() < 0.5 else None
    return {"g": group["g"], "task": group["task"], "budget": budget, "turns": turns, "success": success, "status": status, "reward": reward,
            "t_max": None if odd() else t_max, "planned": random.choice([None, 3]) if odd() else group["budget"],
            "told": told, "prompt": text, "states": states, "solved": solved}


def table():
    mishaps = random.choice([0, 0.01, 0.05, 0.3])
    size = random.randint(1, 5)
    made = []
    for g in range(random.randint(1, 25)):
        t_max = random.choice([10, 20, 30, 7, 1, 15])
        candidates = sorted({-(-i * t_max // 10) for i in range(1, 11)})
        group = {"g": g * random.choice([1, 1, 1, 3]), "task": random.choice(["a", "b", "ü", None]), "t_max": t_max, "budget": random.choice(candidates)}
        made += [rollout(group, mishaps) for _ in range(size + (random.random() < mishaps))]
    return size, made


def traj(row):
    doc = {"success": row["success"], "reward": row["reward"], "status": row["status"], "prompt": row["prompt"], "solved_at": row["solved"]}
    # a budget below 1 is no value of the type: those rows are audited by their columns alone
    doc["budget"] = row["budget"]
    if row["turns"] is not None:
        doc["steps"] = [{} if x is None else {"remaining": x} for x in row["told"]]
    return json.dumps({k: v for k, v in doc.items() if v is not None})


def field(value):
    if value is None:
        return "\\N"
    if isinstance(value, list):
        return "{" + ",".join("NULL" if x is None else str(x) for x in value) + "}"
    return str(value).replace("\\", "\\\\").replace("\n", "\\n")


lines, sizes = [], []
for i in range(TABLES):
    size, made = table()
    sizes.append((i, size))
    for row in made:
        fits = row["budget"] is None or row["budget"] >= 1
        finished = None if row["success"] is None else row["success"] or row["status"] in ("completed", "agent_error")
        lines.append("\t".join(map(field, [i, row["g"], row["task"], row["budget"], row["turns"], finished, row["reward"], row["t_max"], row["planned"],
                                           row["success"], row["status"], row["told"], row["states"], traj(row) if fits else None])))
sql("""CREATE TABLE rollouts (i int, g bigint, task text, budget bigint, turns bigint, finished bool, reward float8, t_max bigint, planned bigint,
       success bool, status text, told bigint[], states bool, traj trajectory);
       CREATE TABLE sizes (i int, size bigint);
       COPY rollouts FROM STDIN;\n""" + "\n".join(lines) + "\n\\.\nCOPY sizes FROM STDIN;\n" + "\n".join(f"{i}\t{s}" for i, s in sizes) + "\n\\.\nANALYZE;\n")
ok(len(lines) > 30000, "there are many rollouts", len(lines))

# What a trajectory says, spelled out from its parts.
sql("""
CREATE VIEW of_columns AS SELECT i, g, task, budget, turns, finished, reward, t_max, planned, NULL::bool AS mismatch, NULL::bool AS untold, NULL::bool AS unprompted FROM rollouts;
CREATE VIEW of_trajectories AS
SELECT i, g, task, budget, turns, f.finished, reward, t_max, planned,
       turns >= budget AND NOT f.finished AND status <> 'truncated' AS mismatch,
       CASE WHEN m.told > 0 THEN m.wrong > 0 END AS untold, NOT states AS unprompted
FROM rollouts, LATERAL (SELECT CASE WHEN success THEN true WHEN status = 'truncated' THEN false
	WHEN success IS NULL OR turns IS NULL OR budget IS NULL THEN NULL
	WHEN status IN ('agent_error', 'infra_error') THEN true ELSE turns < budget END AS finished) f,
     LATERAL (SELECT count(told[n]) AS told, count(*) FILTER (WHERE told[n] IS DISTINCT FROM budget - n + 1) AS wrong
	FROM generate_series(1, least(turns, budget)) n) m
WHERE traj IS NOT NULL;
CREATE FUNCTION on_grid(budget bigint, t_max bigint) RETURNS bool LANGUAGE sql AS
$$ SELECT CASE WHEN t_max IS NOT NULL THEN EXISTS (SELECT FROM generate_series(1, 10) n WHERE ceil(n * t_max / 10.0) = budget) END $$;
""")


def slow(view, with_plan, key):
    planned = "planned" if with_plan else "NULL::bigint"
    return f"""
WITH r AS (SELECT *, {key} AS k FROM {view}),
judged AS (
	SELECT i, k, rule, broken FROM r, LATERAL (VALUES
		('off_grid', budget IS NOT NULL, budget <= t_max AND NOT on_grid(budget, t_max)),
		('over_t_max', budget IS NOT NULL, budget > t_max),
		('turns_over_budget', budget IS NOT NULL, turns > budget),
		('exhausted_rewarded', budget IS NOT NULL OR NOT finished AND reward <> 0, NOT finished AND reward <> 0),
		('status_mismatch', budget IS NOT NULL, mismatch),
		('remaining_mismatch', budget IS NOT NULL, untold),
		('prompt_missing_budget', budget IS NOT NULL, unprompted),
		('plan_mismatch', budget IS NOT NULL, budget <> {planned}),
		('missing_budget', true, budget IS NULL)) v(rule, applies, broken)
	WHERE applies),
whole AS (
	SELECT i, k, 'mixed_budget' AS rule, count(DISTINCT budget) > 1 AS broken, count(budget) AS n FROM r WHERE budget IS NOT NULL GROUP BY i, k
	UNION ALL SELECT i, k, 'group_size', count(*) <> size, count(*) FROM r JOIN sizes USING (i) GROUP BY i, k, size),
found AS (
	SELECT i, rule, broken, count(DISTINCT k) AS groups, count(*) AS rollouts, count(*) AS part, array_agg(DISTINCT k) AS keys FROM judged GROUP BY i, rule, broken
	UNION ALL SELECT i, rule, broken, count(*), sum(n)::bigint, count(*), array_agg(k) FROM whole GROUP BY i, rule, broken),
sums AS (SELECT i, rule, sum(part) FILTER (WHERE broken IS NOT NULL)::bigint AS checked FROM found GROUP BY i, rule)
SELECT i, rule, CASE WHEN broken THEN 'error' ELSE 'info' END AS severity, groups, rollouts,
       (SELECT array_agg(x::text) FROM (SELECT x FROM unnest(keys) x ORDER BY x LIMIT 10) e) AS examples, coalesce(checked, 0) AS checked,
       CASE WHEN broken THEN part::float8 / checked END AS share
FROM found JOIN sums USING (i, rule) WHERE broken IS NOT FALSE"""


def fast(arguments, view, key, where):
    return f"""SELECT i, rule, severity, groups, rollouts, examples, checked, share
FROM (SELECT i, size, budget_audit_agg({key}, {arguments}) AS a FROM rollouts JOIN sizes USING (i) {where} GROUP BY i, size) q, budget_findings(a, group_size => size)
WHERE rule <> 'not_uniform'"""


COLUMNS = "task, budget, turns, finished, reward, t_max"
for name, arguments, view, plan, key, where in (
        ("columns, bigint keys", COLUMNS + ", planned", "of_columns", True, "g", ""),
        ("columns, no plan", COLUMNS, "of_columns", False, "g", ""),
        ("columns, text keys", COLUMNS + ", planned", "of_columns", True, """('grüp' || g) COLLATE "C\"""", ""),
        ("trajectories", "task, traj, t_max, planned", "of_trajectories", True, "g", "WHERE traj IS NOT NULL"),
        ("trajectories, text keys", "task, traj, t_max", "of_trajectories", False, """('grüp' || g) COLLATE "C\"""", "WHERE traj IS NOT NULL")):
    sql(f"DROP TABLE IF EXISTS wanted, got; CREATE TABLE wanted AS {slow(view, plan, key)}; CREATE TABLE got AS {fast(arguments, view, key, where)}")
    kinds = rows("SELECT severity, count(DISTINCT rule), count(*) FROM wanted GROUP BY 1 ORDER BY 1")
    ok(len(kinds) == 2 and int(kinds[0][1]) == (10 if view == "of_trajectories" else 7) + plan and int(kinds[0][2]) > 500, f"{name}: rules of both severities are met", kinds)
    same(rows("SELECT 'missed', * FROM (TABLE wanted EXCEPT ALL TABLE got) m LIMIT 5"), [], f"{name}: nothing is missed")
    same(rows("SELECT 'invented', * FROM (TABLE got EXCEPT ALL TABLE wanted) m LIMIT 5"), [], f"{name}: nothing is invented")


# ---- uniformity, in Python ----

def upper_tail(x, df):
    """Chi-square's upper tail by the series of the lower incomplete gamma function, or its continued fraction."""
    a, x = df / 2, x / 2
    if x <= 0:
        return 1.0
    if x < a + 1:
        term = total = 1 / a
        n = a
        while abs(term) > abs(total) * 1e-17:
            n += 1
            term *= x / n
            total += term
        return 1 - total * math.exp(-x + a * math.log(x) - math.lgamma(a))
    b, c = x + 1 - a, 1e300
    d = h = 1 / b
    for n in range(1, 10000):
        an = -n * (n - a)
        b += 2
        d = 1 / (an * d + b)
        c = b + an / c
        h *= d * c
        if abs(d * c - 1) < 1e-16:
            break
    return h * math.exp(-x + a * math.log(x) - math.lgamma(a))


STEPS = 5
values, wanted = [], {}
for i in range(600):
    strata = random.sample([1, 2, 4, 5, 6, 13, 20], random.randint(1, 3))
    bias = random.choice([0, 0, 0.2, 0.5])
    statistic, df, tested, small = 0.0, 0, 0, 0
    for t_max in strata:
        candidates = sorted({-(-n * t_max // STEPS) for n in range(1, STEPS + 1)})
        groups = random.choice([0, 4, 24, 25, 26, 60, 200])
        counts = dict.fromkeys(candidates, 0)
        for g in range(groups):
            b = candidates[0] if random.random() < bias else random.choice(candidates)
            counts[b] += 1
            values.append((i, t_max * 1000 + g, b, t_max))
        if len(candidates) == 1:
            continue
        if groups < 5 * len(candidates):
            small += groups
            continue
        statistic += sum((n - groups / len(candidates)) ** 2 / (groups / len(candidates)) for n in counts.values())
        df += len(candidates) - 1
        tested += groups
    p = upper_tail(statistic, df) if df else None
    if p is not None and p < 0.01:
        wanted[i, "warning"] = (tested, p)
    if small:
        wanted[i, "info"] = (small, None)
random.shuffle(values)
sql("CREATE TABLE drawn (i int, g int, budget int, t_max int); COPY drawn FROM STDIN;\n" + "\n".join("\t".join(map(str, v)) for v in values) + "\n\\.\n")
got = {(int(i), severity): (int(groups), float(p) if p else None) for i, severity, groups, p in rows(
    """SELECT i, severity, groups, p_value FROM (SELECT i, budget_audit_agg(g, 'x', budget, 1, true, 1, t_max) AS a FROM drawn GROUP BY i) q,
       budget_findings(a, 0.01, step => 0.2) WHERE rule = 'not_uniform'""")}
same({k: v[0] for k, v in got.items()}, {k: v[0] for k, v in wanted.items()}, "uniformity: the same audits alarm, or have too few groups")
ok(sum(k[1] == "warning" for k in wanted) > 100 and all(got[k][1] == v[1] or abs(got[k][1] / v[1] - 1) < 1e-9 for k, v in wanted.items()),
   "and p values agree", [(got.get(k), v) for k, v in wanted.items()][:20])
done()
