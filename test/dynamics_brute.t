#!/usr/bin/env python3
"""dynamics_report and dynamics_slopes against plain definitions in Python, over random training runs."""
import math
import random
from fractions import Fraction

from tap import done, ok, rows, sql, use_database

use_database("agentrl_dynamics_brute")
random.seed(5)


def mean(values):
    return sum(values, Fraction(0)) / len(values)


def points_of(run):
    """By task and checkpoint, both means; None where either has no value. And all null values by checkpoint."""
    seen, missing = {}, {}
    for checkpoint, task, multi, single in run:
        lists = seen.setdefault(task, {}).setdefault(checkpoint, ([], []))
        for value, values in zip((multi, single), lists):
            if value is None:
                missing[checkpoint] = missing.get(checkpoint, 0) + 1
            else:
                values.append(value)
    return {task: {c: (mean(m), mean(s)) for c, (m, s) in by.items() if m and s} for task, by in seen.items()}, missing


def with_error(values):
    """Mean and standard error; None where there are too few."""
    if not values:
        return None, None
    middle = mean(values)
    if len(values) < 2:
        return middle, None
    return middle, math.sqrt(sum((v - middle) ** 2 for v in values) / (len(values) - 1) / len(values))


def report(run):
    points, missing = points_of(run)
    checkpoints = sorted({row[0] for row in run})
    first, wanted = checkpoints[0], []
    for c in checkpoints:
        here = [p[c] for p in points.values() if c in p]
        paired = [[p[c][i] - p[first][i] for i in (0, 1)] for p in points.values() if c in p and first in p]
        gap, error = with_error([m - s for m, s in paired])
        wanted.append([c, with_error([m for m, _ in here])[0], with_error([s for _, s in here])[0], with_error([m for m, _ in paired])[0],
                       with_error([s for _, s in paired])[0], gap, error, len(here), len(paired), len(points) - len(here), missing.get(c, 0)])
    return wanted


def slope(points):
    x = mean([Fraction(c) for c, _ in points])
    return sum((c - x) * y for c, y in points) / sum((c - x) ** 2 for c, _ in points)


def slopes(run):
    points, _ = points_of(run)
    enough = [p for p in points.values() if len(p) > 1]
    found = [[slope([(c, pick(v)) for c, v in p.items()]) for p in enough]
             for pick in (lambda v: v[0], lambda v: v[1], lambda v: v[0] - v[1])]
    return [[*with_error(f), len(enough), len(points) - len(enough)] for f in found]


def draw():
    """Rows of one run: some proportions, some any numbers; tasks absent here and there, doubled rows, nulls."""
    shares = random.random() < 0.5
    value = (lambda: Fraction(random.randint(0, 8), 8)) if shares else (lambda: Fraction(random.randint(-800, 800), 16))
    checkpoints = random.sample(range(-50, 1000), random.randint(1, 5))
    hole, null, drift = random.choice((0, 0.2)), random.choice((0, 0.15)), 0 if shares else random.choice((0, 0, 1, -2))
    return shares, [(c, t, *(None if random.random() < null else value() + drift * i * (c - min(checkpoints)) for i in (0, 1)))
                    for t in range(random.randint(1, 14)) for c in checkpoints if random.random() >= hole for _ in range(random.choice((1, 1, 2, 3)))]


def near(got, wanted):
    if wanted is None or got == "":
        return wanted is None and got == ""
    return abs(float(got) - float(wanted)) <= 1e-12 * max(1, abs(wanted))


runs = [(shares, run) for shares, run in (draw() for _ in range(1500)) if run]
sql("CREATE TABLE runs (id int, checkpoint int, task int, r_multi float8, r_single float8)")
literal = lambda v: "NULL" if v is None else str(float(v))
sql("INSERT INTO runs VALUES " + ",".join(f"({i},{c},{t},{literal(m)},{literal(s)})" for i, (_, run) in enumerate(runs) for c, t, m, s in run))
sql("CREATE TABLE summaries AS SELECT id, dynamics_agg(checkpoint, task, r_multi, r_single) AS s FROM runs GROUP BY id")
COLUMNS = "checkpoint, r_multi, r_single, d_multi, d_single, gap"
COUNTS = "tasks, tasks_paired, tasks_missing, missing"
got = {}
for row in rows(f"SELECT id, {COLUMNS}, (gap_high - gap_low) / 2, {COUNTS}, method, gap_low, gap_high, band_low, band_high, diverged "
                "FROM summaries, dynamics_report(s, resamples => 200, method => 't')"):
    got.setdefault(int(row[0]), []).append(row[1:])
T = {int(m): float(t) for m, t in rows("""SELECT m, (d.ci_high - d.ci_low) / 2 / d.std_error FROM generate_series(2, 20) m,
     length_matched_diff((SELECT length_matched_agg(t, a, 1, (t * a::int)) FROM generate_series(1, m) t, (VALUES (true), (false)) v(a)), method => 't') d""")}
# the closed form for 2 degrees of freedom: the chance of less than t is t / sqrt(2 + t^2)
ok(abs(T[3] / math.sqrt(2 + T[3] ** 2) - 0.95) < 1e-12, "the t quantiles that the intervals are compared with", T)

wrong, intervals, bands, apart = [], 0, 0, 0
for i, (shares, run) in enumerate(runs):
    wanted, mine = report(run), got[i]
    if len(wanted) != len(mine):
        wrong.append(f"run {i}: {len(mine)} checkpoints of {len(wanted)}")
        continue
    outside = []
    for want, have in zip(wanted, mine):
        first = want is wanted[0]
        if first:
            want[3] = want[4] = want[5] = 0 if want[7] else None
        if not all(near(h, w) for h, w in zip(have[:6] + have[7:11], want[:6] + want[7:])):
            wrong.append(f"run {i}: {have}\n wanted {want}")
        method, low, high, band_low, band_high, diverged = have[11:]
        if method == "t":
            intervals += 1
            half = T[want[8]] * want[6]
            ends = [float(want[5]) - half, float(want[5]) + half]
            ends = [max(-2, ends[0]), min(2, ends[1])] if shares else ends
            if max(abs(float(low) - ends[0]), abs(float(high) - ends[1])) > 1e-11 * max(1, half):
                wrong.append(f"run {i}: interval {low}, {high}, wanted {ends}")
        elif method and not (shares and (want[6] or 0) == 0 and method == "paired"):
            wrong.append(f"run {i}: method {method} of {want}")
        if band_low:
            bands += 1
            if not float(band_low) <= float(want[5]) <= float(band_high):
                wrong.append(f"run {i}: band {band_low}, {band_high} of {want[5]}")
        outside.append(bool(band_low) and (float(band_low) > 0 or float(band_high) < 0))
    diverged = [all(outside[j:]) for j in range(len(outside))]
    apart += sum(diverged)
    if [row[16] == "t" for row in mine] != diverged:
        wrong.append(f"run {i}: diverged {[row[16] for row in mine]}, wanted {diverged}")
ok(not wrong and intervals > 1000 and bands > 2000 and apart > 50,
   f"{len(runs)} runs, {intervals} intervals, {bands} bands, {apart} of them diverged", "\n".join(wrong))

wrong = []
found = {}
for row in rows("SELECT id, slope, std_error, tasks, tasks_short FROM summaries, dynamics_slopes(s)"):
    found.setdefault(int(row[0]), []).append(row[1:])
for i, (_, run) in enumerate(runs):
    for want, have in zip(slopes(run), found[i]):
        if not all(near(h, w) for h, w in zip(have, want)):
            wrong.append(f"run {i}: {have}, wanted {[w if w is None else float(w) for w in want]}")
ok(not wrong, "slopes", "\n".join(wrong))
done()
