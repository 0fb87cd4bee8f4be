#!/usr/bin/env python3
"""grpo, GiGPO and GAE against their definitions in exact fractions, over thousands of random groups."""
import json
import math
import random
import subprocess
import time
from fractions import Fraction as F

from tap import done, has, ok, rows, same, sql, use_database

use_database("agentrl_signals_brute")
random.seed(20250516)
GROUPS = 3000
ROLLOUTS = 1500


def root(x):
    """√ of a fraction as a float."""
    scale = 10 ** 40
    return F(math.isqrt(x.numerator * scale * scale * 10 ** 40 // x.denominator), scale * 10 ** 20)


def advantages(values, scale, magnitudes=()):
    """Of a list that may hold None: (x - mean) / sample std, the std left out for 'none'; 0 when all are alike but for rounding."""
    known = [F(v) for v in values if v is not None]
    largest = max([abs(v) for v in known] + [F(m) for m in magnitudes] + [0])
    if not known or max(known) - min(known) <= largest / 2 ** 40:
        return [None if v is None else 0.0 for v in values]
    mean = sum(known) / len(known)
    sd = root(sum((v - mean) ** 2 for v in known) / (len(known) - 1)) if scale == "std" else 1
    return [None if v is None else float((F(v) - mean) / sd) for v in values]


def reward():
    kind = random.random()
    if kind < 0.5:
        return random.choice([0.0, 1.0])
    if kind < 0.8:
        return round(random.uniform(-2, 2), random.choice([1, 3, 15]))
    return random.choice([1, -1]) * random.random() * 10.0 ** random.randint(-9, 9)


def number(text):
    return None if text == "" else float(text)


def close(got, wanted, size=1.0):
    if got is None or wanted is None:
        return got is wanted
    return abs(got - wanted) <= 1e-12 * max(1.0, abs(wanted), size)


# ---- GRPO: the window function and the array form
groups = []
for g in range(GROUPS):
    n = random.choice([1, 2, 3, 4, 8, 16, 40])
    spread = random.random()
    base = reward()
    groups.append([None if random.random() < 0.1 else base if spread < 0.15 else reward() + (1e6 if spread > 0.9 else 0) for _ in range(n)])
lines = [f"{g}\t{i}\t" + ("\\N" if r is None else repr(r)) for g, values in enumerate(groups) for i, r in enumerate(values)]
sql("CREATE TABLE g (g int, i int, r float8);\nCOPY g FROM stdin;\n" + "\n".join(lines) + "\n\\.\n")
for scale in ("std", "none"):
    wanted = {(g, i): a for g, values in enumerate(groups) for i, a in enumerate(advantages(values, scale))}
    size = {g: max([abs(r) for r in values if r is not None] + [0]) if scale == "none" else 1 for g, values in enumerate(groups)}
    for what, query in (("window", f"SELECT g, i, grpo_advantage(r, '{scale}') OVER (PARTITION BY g) FROM g"),
                        ("arrays", f"SELECT g, u.i - 1, u.a FROM (SELECT g, grpo_advantages(array_agg(r ORDER BY i), '{scale}') AS a FROM g GROUP BY g) q, "
                                   "unnest(a) WITH ORDINALITY u(a, i)")):
        got = {(int(g), int(i)): number(a) for g, i, a in rows(query)}
        same(len(got), len(wanted), f"{what}, {scale}: a row for each of {len(wanted)}")
        wrong = [(key, got.get(key), a, groups[key[0]]) for key, a in wanted.items() if not close(got.get(key), a, size[key[0]])]
        ok(not wrong, f"{what}, {scale}: {GROUPS} random groups agree with exact fractions", wrong[:3])

# ---- GiGPO


def rollout():
    turns = random.choice([0, 1, 1, 2, 3, 5, 8])
    kind = random.choice(["outcome", "steps", "both", "neither"]) if random.random() < 0.5 else "outcome"
    steps = []
    for _ in range(turns):
        step = {}
        if random.random() < 0.85:
            step["state"] = random.choice(["", "a", "b", "c", "A", "ä", "door open"])
        if kind in ("steps", "both") and random.random() < 0.7:
            step["reward"] = reward()
        steps.append(step)
    doc = {} if random.random() < 0.02 and turns == 0 else {"steps": steps}
    if kind in ("outcome", "both"):
        doc["reward"] = reward()
    return doc


def gigpo(group, gamma, omega, scale):
    """Rows (rollout, turn, reward, return, A^E, A^S, A, size), from the rules of the documentation."""
    returns, per_turn, states, summed = [], [], {}, []
    for doc in group:
        steps = doc.get("steps", [])
        given = [s.get("reward") for s in steps]
        if not any(r is not None for r in given):
            if "reward" not in doc:
                summed.append(0)
                returns.append(None)
                per_turn.append([(None, None, None)] * len(steps))
                continue
            if steps:
                given[-1] = doc["reward"]
        counted = [F(r or 0) for r in given]
        # the sum over what follows, power by power, not by recursion
        after = [sum(F(gamma) ** (k - t) * counted[k] for k in range(t, len(steps))) for t in range(len(steps))]
        size = [sum(F(gamma) ** (k - t) * abs(counted[k]) for k in range(t, len(steps))) for t in range(len(steps))]
        returns.append(F(doc["reward"]) if "reward" in doc else sum(counted))
        summed.append(0 if "reward" in doc else sum(map(abs, counted)))
        per_turn.append(list(zip(given, after, size)))
    episode = advantages(returns, scale, summed)
    for r, doc in enumerate(group):
        for t, step in enumerate(doc.get("steps", [])):
            if returns[r] is not None and "state" in step:
                states.setdefault(step["state"], []).append((r, t))
    of = {}
    for members in states.values():
        for place, a in zip(members, advantages([per_turn[r][t][1] for r, t in members], scale, [per_turn[r][t][2] for r, t in members])):
            of[place] = (a, len(members))
    result = []
    for r, doc in enumerate(group):
        steps = doc.get("steps", [])
        if not steps:
            result.append((r + 1, None, None, None, episode[r], None, None, 0))
        for t in range(len(steps)):
            given, after, _ = per_turn[r][t]
            a, size = of.get((r, t), (None, 0))
            whole = None if returns[r] is None else episode[r] + omega * (a or 0)
            result.append((r + 1, t + 1, given, None if after is None else float(after), episode[r], a, whole, size))
    return result


groups = [[rollout() for _ in range(random.choice([1, 2, 4, 8, 16]))] for _ in range(ROLLOUTS)]
options = [(random.choice([0.0, 0.5, 0.95, 1.0]), random.choice([0.0, 0.5, 1.0, 3.0]), random.choice(["std", "none"])) for _ in groups]
lines = [f"{g}\t{i}\t{json.dumps(doc)}" for g, docs in enumerate(groups) for i, doc in enumerate(docs)]
sql("CREATE TABLE t (g int, i int, traj trajectory);\nCOPY t FROM stdin;\n" + "\n".join(line.replace("\\", "\\\\") for line in lines) + "\n\\.\n")
sql("CREATE TABLE o (g int, gamma float8, omega float8, scale text);\nCOPY o FROM stdin;\n"
    + "\n".join(f"{g}\t{a!r}\t{b!r}\t{c}" for g, (a, b, c) in enumerate(options)) + "\n\\.\n")
got = {}
for row in rows("SELECT o.g, a.* FROM (SELECT g, array_agg(traj ORDER BY i) AS trajs FROM t GROUP BY g) q JOIN o USING (g), "
               "gigpo_advantages(trajs, gamma, omega, scale) a"):
    got.setdefault(int(row[0]), []).append(tuple(number(x) for x in row[1:]))
wrong = []
turns = 0
for g, group in enumerate(groups):
    gamma, omega, scale = options[g]
    wanted = gigpo(group, gamma, omega, scale)
    turns += len(wanted)
    rewards = [abs(x) for doc in group for x in [doc.get("reward", 0)] + [s.get("reward", 0) for s in doc.get("steps", [])]]
    size = 10 * max(rewards) * (1 + omega) if scale == "none" else 10 * (1 + omega)
    have = got.get(g, [])
    if len(have) != len(wanted):
        wrong.append((g, "rows", len(have), len(wanted)))
        continue
    for a, b in zip(have, wanted):
        limits = [1, 1, 1, 10 * max(rewards), size, size, size, 1]
        if not all(close(x, y, limit) for x, y, limit in zip(a, b, limits)):
            wrong.append((g, options[g], a, b))
ok(not wrong, f"GiGPO: {turns} turns of {ROLLOUTS} random groups agree with exact fractions", wrong[:3])
ok(turns > 10000, "and they are many")

# ---- GAE: the sum of (γλ)^l δ, term by term
cases = []
for _ in range(ROLLOUTS):
    n = random.choice([0, 1, 2, 5, 12])
    cases.append(([reward() for _ in range(n)], [reward() for _ in range(n)], random.choice([0.0, 0.9, 0.99, 1.0, random.random()]),
                  random.choice([0.0, 0.95, 1.0, random.random()]), reward()))


def gae(r, v, gamma, lam, last):
    after = [F(x) for x in v[1:]] + [F(last)]
    delta = [F(r[t]) + F(gamma) * after[t] - F(v[t]) for t in range(len(r))]
    return [float(sum((F(gamma) * F(lam)) ** (k - t) * delta[k] for k in range(t, len(r)))) for t in range(len(r))]


lines = ["\t".join([str(c), "{" + ",".join(map(repr, r)) + "}", "{" + ",".join(map(repr, v)) + "}", repr(gamma), repr(lam), repr(last),
                    json.dumps({"steps": [{"reward": x, "value": y} for x, y in zip(r, v)]})])
         for c, (r, v, gamma, lam, last) in enumerate(cases)]
sql("CREATE TABLE c (c int, r float8[], v float8[], gamma float8, lambda float8, last float8, traj trajectory);\nCOPY c FROM stdin;\n"
    + "\n".join(lines) + "\n\\.\n")
got = {}
for c, a in rows("SELECT c, unnest(gae(r, v, gamma, lambda, last)) FROM c"):
    got.setdefault(int(c), []).append(float(a))
wrong = []
for c, case in enumerate(cases):
    size = 20 * max([abs(x) for x in case[0] + case[1] + [case[4]]])
    wanted = gae(*case)
    have = got.get(c, [])
    if len(have) != len(wanted) or not all(close(x, y, size) for x, y in zip(have, wanted)):
        wrong.append((case, have, wanted))
ok(not wrong, f"GAE: {ROLLOUTS} random rollouts agree with exact fractions", wrong[:3])
same(sql("SELECT count(*) FROM (SELECT c, (SELECT coalesce(array_agg(advantage ORDER BY turn), '{}') FROM gae(traj, gamma, lambda, last)) AS a, gae(r, v, gamma, lambda, last) AS b,"
         " (SELECT bool_and(return_ = advantage + value) FROM gae(traj, gamma, lambda, last)) AS s FROM c) q WHERE a IS DISTINCT FROM b OR NOT s"), "0",
     "and the form over trajectories gives the same bits; return is advantage plus value")

# ---- plans: the same bits from workers, and from a sort that spills
sql("""CREATE TABLE many AS SELECT i AS id, i % 997 AS task, ((i::bigint * 7919) % 1009) / 7.0::float8 AS reward FROM generate_series(1, 300000) i; ANALYZE many;""")
BITS = "SELECT md5(string_agg(encode(float8send(a), 'hex'), '' ORDER BY id)) FROM (SELECT id, grpo_advantage(reward) OVER (PARTITION BY task) AS a FROM many WHERE reward >= 0) q"
serial = sql("SET max_parallel_workers_per_gather = 0;" + BITS)
parallel = "SET max_parallel_workers_per_gather = 4; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; ALTER TABLE many SET (parallel_workers = 4); SET work_mem = '256kB';"
has(sql(parallel + "EXPLAIN (COSTS off) " + BITS), "Workers Planned: 4", "the plan has four workers")
same(sql(parallel + BITS), serial, "the same bits with four workers and sorts on disk")

# ---- a partition whose rows take minutes to read ends when asked, in the midst of reading
big = "SELECT grpo_advantage(ascii(md5(lpad(id::text, 100000)))) OVER () FROM many LIMIT 1"
query = subprocess.Popen(["psql", "-Xq", "-c", big], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
time.sleep(2)
start = time.time()
sql("SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity WHERE query LIKE '%100000%' AND pid <> pg_backend_pid()")
error = query.communicate(timeout=120)[1].decode()
has(error, "canceling statement", "a partition is cancelled while it is read")
ok(time.time() - start < 2, "at once", time.time() - start)
done()
