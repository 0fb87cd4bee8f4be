#!/usr/bin/env python3
"""paired_diff and matched_states against slow definitions: exact fractions of the decimals, over random sets of samples."""
import hashlib
import math
import random
import subprocess
from fractions import Fraction
from statistics import NormalDist

from tap import ok, done, psql, rows, sql, use_database

use_database("agentrl_paired_brute")
random.seed(20)
SETS = 2000


def t_cdf(t, df):
    """Student's t for whole degrees of freedom, by its finite trigonometric sum."""
    theta = math.atan(t / math.sqrt(df))
    term = total = 1.0
    if df % 2:
        for i in range(2, df - 1, 2):
            term *= math.cos(theta) ** 2 * i / (i + 1)
            total += term
        inner = math.sin(theta) * math.cos(theta) * total if df > 1 else 0.0
        return 0.5 + (theta + inner) / math.pi
    for i in range(1, df - 1, 2):
        term *= math.cos(theta) ** 2 * i / (i + 1)
        total += term
    return 0.5 + math.sin(theta) * total / 2


def t_quantile(p, df):
    low, high = 0.0, 1e6
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if t_cdf(middle, df) < p else (low, middle)
    return (low + high) / 2


def wilson(p, n, z):
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return middle - half, middle + half


def mover(plus, minus, n, z):
    """The difference of two means, each with its Wilson interval."""
    (l1, u1), (l2, u2) = wilson(plus, n, z), wilson(minus, n, z)
    d = plus - minus
    return d - math.hypot(plus - l1, u2 - minus), d + math.hypot(u1 - plus, minus - l2)


def slow(samples, clustered):
    """samples: (cluster, unit, arm, decimal or None)"""
    units = {}
    for cluster, unit, arm, value in samples:
        arms = units.setdefault((cluster if clustered else 0, unit), ([], []))
        if value is not None:
            arms[arm].append(Fraction(value))
    paired = {key: arms for key, arms in units.items() if arms[0] and arms[1]}
    got = {"units": len(paired), "unpaired": len(units) - len(paired), "missing": sum(v is None for *_, v in samples)}
    mean = {key: [sum(a) / len(a) for a in arms] for key, arms in paired.items()}
    d = {key: m[1] - m[0] for key, m in mean.items()}
    clusters = {}
    for key in paired:
        clusters.setdefault(key[0] if clustered else key[1], []).append(key)
    got["clusters"] = m = len(clusters)
    if not paired:
        return got
    n = len(paired)
    got["mean_treatment"] = sum(x[1] for x in mean.values()) / n
    got["mean_reference"] = sum(x[0] for x in mean.values()) / n
    got["diff"] = r = sum(d.values()) / n
    got["prob_better"] = sum(sum(Fraction(1 if t > f else 0) + (Fraction(1, 2) if t == f else 0) for t in a[1] for f in a[0])
                             / (len(a[0]) * len(a[1])) for a in paired.values()) / n
    if all(len(a[0]) == len(a[1]) for a in paired.values()):
        got.update(wins=sum(x > 0 for x in d.values()), ties=sum(x == 0 for x in d.values()), losses=sum(x < 0 for x in d.values()))
        got["win_rate"] = Fraction(got["wins"], n)
    sums = [(sum(d[k] for k in keys), len(keys)) for keys in clusters.values()]
    squares = sum((s - r * k) ** 2 for s, k in sums)
    if m > 1:
        got["std_error"] = math.sqrt(Fraction(m, m - 1) * squares) / n
    proportions = all(v is None or 0 <= Fraction(v) <= 1 for *_, v in samples)
    if squares and m > 1 and not (proportions and sum(s != 0 for s, _ in sums) < 10):
        half = t_quantile(0.975, m - 1) * got["std_error"]
        low, high = float(r) - half, float(r) + half
        got.update(method="t", ci_low=max(low, -1) if proportions else low, ci_high=min(high, 1) if proportions else high)
        got["p_value"] = 2 * t_cdf(-abs(float(r)) / got["std_error"], m - 1)
    elif proportions:
        plus, minus = (float(sum(max(sign * s, 0) for s, _ in sums) / n) for sign in (1, -1))
        got["method"] = "mover"
        got["ci_low"], got["ci_high"] = mover(plus, minus, m, NormalDist().inv_cdf(0.975))
    return got


def random_set(number):
    kind = number % 5
    values = [["0", "1"], ["0.1", "0.2", "0.3", "0.7"], ["-3.5", "0", "12.25", "100"], [f"{i / 7:.4f}" for i in range(8)],
              ["0.3", "0.6", "0.9", None]][kind]
    equal = random.random() < 0.5
    out = []
    for cluster in range(random.choice((1, 2, 3, 15, 30))):
        for unit in range(random.choice((1, 1, 2, 5))):
            n = random.choice((1, 1, 2, 3, 6))
            for arm in (0, 1):
                if random.random() < 0.05:
                    continue
                for _ in range(n if equal else random.choice((1, 2, 5))):
                    out.append((cluster, unit, arm, random.choice(values)))
    return out or [(0, 0, 0, "1")]


sets = [random_set(i) for i in range(SETS)]
sql("CREATE TABLE samples (id int, cluster int, unit int, arm bool, value float8)")
sql("COPY samples FROM STDIN;\n" + "".join("\t".join((str(i), str(c), str(u), str(bool(a)), "\\N" if v is None else v)) + "\n"
    for i, s in enumerate(sets) for c, u, a, v in s) + "\\.\n")
COLUMNS = ("units clusters unpaired mean_treatment mean_reference diff std_error ci_low ci_high wins ties losses win_rate "
           "prob_better p_value method missing").split()
SLOW = {clustered: [slow(s, clustered) for s in sets] for clustered in (True, False)}
FORMS = [("clustered", True, "paired_agg(cluster, unit, arm, value)"), ("clustered, text", True, "paired_agg('c' || cluster, 'u' || unit, arm, value)"),
         ("clustered, bigint and text", True, "paired_agg(cluster, 'u' || unit, arm, value)"),
         ("clustered, text and bigint", True, "paired_agg('c' || cluster, unit, arm, value)"),
         ("units", False, "paired_agg(unit, arm, value)"), ("text units", False, "paired_agg('u' || unit, arm, value)")]
for name, clustered, aggregate in FORMS:
    wrong, compared = [], dict.fromkeys(COLUMNS, 0)
    report = rows(f"SELECT q.id, {', '.join('d.' + c for c in COLUMNS)} FROM (SELECT id, {aggregate} s FROM samples GROUP BY id) q, paired_diff(s, resamples => 0) d ORDER BY 1")
    for row in report:
        want = SLOW[clustered][int(row[0])]
        for column, have in zip(COLUMNS, row[1:]):
            wanted = want.get(column)
            if column == "p_value" and wanted is None and want.get("method") == "mover":
                continue  # its own tests are those of the distribution
            compared[column] += wanted is not None
            if wanted is None or column == "method":
                good = have == (wanted or "")
            else:
                tolerance = 1e-9 if column in ("ci_low", "ci_high", "p_value") else 1e-12
                good = have != "" and abs(float(have) - float(wanted)) <= tolerance * max(1, abs(float(wanted)))
            if not good:
                wrong.append(f"set {row[0]} {column}: have {have}, want {wanted and float(wanted) if column != 'method' else wanted}")
    ok(len(report) == SETS and not wrong, f"{name}: {SETS} sets", "\n".join(wrong))
    ok(min(compared.values()) > 200, f"{name}: every column was compared", compared)

# the sampler: the published rule, recomputed
pools = []
for i in range(300):
    states = set()
    budgets = {}
    for _ in range(random.choice((1, 5, 40))):
        task, arm, rollout = random.choice("ab:é"), random.random() < 0.5, random.choice(("r1", "r:2", "", "ü", "r10"))
        budget = budgets.setdefault((task, arm, rollout), random.choice((3, 7, 10, None)))
        states.add((task, arm, rollout, random.randint(1, budget or 9), budget))
    pools.append(sorted(states, key=lambda s: (s[0].encode(), s[1], s[2].encode(), s[3])))
STATES = ("CREATE TABLE states (id int, task text, arm bool, rollout text, turn int, budget int); COPY states FROM STDIN;\n" + "".join("\t".join((str(i), task, str(arm), rollout, str(turn), str(budget or "\\N"))) + "\n"
    for i, pool in enumerate(pools) for task, arm, rollout, turn, budget in pool) + "\\.\n")
sql(STATES)


def slow_picks(pool, per_arm, seed, bins):
    strata = {}
    for task, arm, rollout, turn, budget in pool:
        depth = 0 if not bins else -(-turn * bins // budget) if budget else None
        strata.setdefault((task, depth), ([], []))[arm].append((task, arm, rollout, turn))
    picks = []
    for (task, depth), arms in sorted(strata.items(), key=lambda s: (s[0][0].encode(), s[0][1] is None, s[0][1])):
        take = 0 if depth is None else min(per_arm, len(arms[0]), len(arms[1]))
        for arm in arms:
            rank = lambda s: hashlib.sha256(f"matched_states:1:{seed}:{s[0]}:{int(s[1])}:{s[2]}:{s[3]}".encode()).digest()[:8]
            for _, a, rollout, turn in sorted(sorted(arm, key=rank)[:take], key=lambda s: (s[2].encode(), s[3])):
                picks.append([task, str(depth or ""), "t" if a else "f", rollout, str(turn)])
    return picks


def picks(database, per_arm, seed, bins):
    out, errors = psql("SET client_encoding = 'UTF8'; SELECT q.id, m.* FROM (SELECT id, state_pool_agg(task, arm, rollout, turn, budget) p FROM states GROUP BY id) q, "
                       f"matched_states(p, {per_arm}, {seed}, {bins or 'NULL'}) WITH ORDINALITY m(task, depth_bin, arm, rollout, turn, o) ORDER BY q.id, o", database=database)
    got = {}
    for number, *pick in (line.split("|") for line in out.splitlines()):
        got.setdefault(int(number), []).append(pick[:-1])
    wrong = [f"pool {i}: {got.get(i, [])} not {want}" for i, pool in enumerate(pools) if got.get(i, []) != (want := slow_picks(pool, per_arm, seed, bins))]
    ok(not wrong and sum(map(len, got.values())) > 50, f"matched_states: {per_arm} per arm, seed {seed}, bins {bins}: the published rule"
       + (" in LATIN1" if database else ""), errors + "\n".join(wrong))


for per_arm, seed, bins in ((1, 0, None), (3, 42, None), (2, -7, 3), (1, 5, 10), (50, 0, 2)):
    picks(None, per_arm, seed, bins)

# keys are hashed in UTF-8 whatever the database holds them in
OTHER = "agentrl_paired_brute_other"
subprocess.run(["dropdb", "--if-exists", OTHER], check=True, capture_output=True)
subprocess.run(["createdb", "-T", "template0", "-E", "LATIN1", "--locale", "C", OTHER], check=True)
psql("SET client_encoding = 'UTF8'; CREATE EXTENSION agentrl;" + STATES, database=OTHER)
picks(OTHER, 3, 42, None)
subprocess.run(["dropdb", OTHER], check=True)
done()
