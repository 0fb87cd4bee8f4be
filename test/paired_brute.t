#!/usr/bin/env python3
"""paired_diff and matched_states against slow definitions: exact fractions of the decimals, over random sets of samples."""
import hashlib
import math
import random
import subprocess
from fractions import Fraction

import rules
from tap import ok, done, psql, rows, sql, use_database

use_database("agentrl_paired_brute")
random.seed(20)
SETS = 2000


def flip_variance(n, c):
    """Unbiased, of one flip."""
    return c * (n - c) / (n * (n - 1)) if n > 1 else 0.0


def flips_of(arms):
    """What flips alone do to each arm's mean: own, pooled, pooled where the arm's own would not do."""
    own = pooled = only = 0.0
    for a, b in ((1, 0), (0, 1)):
        n, c, other = len(arms[a]), sum(arms[a]), len(arms[b])
        both = flip_variance(n + other, c + sum(arms[b])) / n
        if n > 1:
            own, pooled = own + flip_variance(n, c) / n, pooled + both
        elif other > 1:
            only += both
    return own, pooled, only


def interval(paired, mean, sums, coins):
    """Method and interval by the rules; sums: of differences, and their number, by cluster."""
    m, size = len(sums), sum(k for _, k in sums)
    r = sum(s for s, _ in sums) / size
    values = [float(r + Fraction(m, size) * (s - r * k)) for s, k in sums]
    flat = len(set(r + Fraction(m, size) * (s - r * k) for s, k in sums)) == 1
    units = all(k == 1 for _, k in sums)
    if coins and (units or flat or m < 2):
        d = [float(s / k) for s, k in sums]
        own = pooled = only = 0.0
        carriers = [0.0, 0.0]
        if units:
            own, pooled, only = (sum(float(x) for x in part) / m for part in zip(*(flips_of(arms) for arms in paired.values())))
            by_arm = [[float(x[arm]) for x in mean.values()] for arm in (1, 0)]
            carriers = [min(rules.participation(v), rules.participation([1 - x for x in v])) for v in by_arm]
        if m < 2:
            return {"method": "paired", "ci_low": -1, "ci_high": 1, "p_value": 1}
        low, high, p = rules.pair([m, sum(d), sum(map(abs, d)), sum(x * x for x in d), *carriers, own, pooled, only], 0.05)
        return {"method": "paired", "ci_low": low, "ci_high": high, "p_value": p}
    if flat or m < 2:
        return {}
    # of unequal clusters, the variance and its degrees of freedom by Bell and McCaffrey
    a = [sum(float(Fraction(k, size)) ** i for _, k in sums) for i in range(6)]
    trace = a[2] - 2 * a[3] + a[2] ** 2
    trace2 = a[4] + 4 * a[2] * a[4] - 4 * a[5] + a[2] ** 4 - 4 * a[2] ** 2 * a[3] + 2 * a[3] ** 2
    df = m - 1 if units else max(1, trace ** 2 / trace2)
    squares = float(sum((s - r * k) ** 2 for s, k in sums)) / size ** 2 * (m / (m - 1) if units else a[2] / trace)
    c = [x - float(r) for x in values]
    spread = sum(x * x for x in c) / m
    low, high = rules.hull([m, float(r), math.sqrt(squares), df, sum(x ** 3 for x in c) / m / spread ** 1.5])
    return {"method": "hull", "ci_low": low, "ci_high": high}


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
    got.update(interval(paired, mean, sums, all(v is None or Fraction(v) in (0, 1) for *_, v in samples)))
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
            if column == "p_value" and wanted is None and want.get("method") == "hull":
                continue  # that it agrees with the interval has a test of its own
            compared[column] += wanted is not None
            if wanted is None or column == "method":
                good = have == (wanted or "")
            else:
                tolerance = 1e-7 if column in ("ci_low", "ci_high", "p_value") else 1e-12
                good = have != "" and abs(float(have) - float(wanted)) <= tolerance * max(1, abs(float(wanted)))
            if not good:
                wrong.append(f"set {row[0]} {column}: have {have}, want {wanted and float(wanted) if column != 'method' else wanted}")
    ok(len(report) == SETS and not wrong, f"{name}: {SETS} sets", "\n".join(wrong))
    ok(min(compared.values()) > 100, f"{name}: every column was compared", compared)

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
