#!/usr/bin/env python3
"""Recovery after errors against a slow version that walks over the flags of every rollout by the rules, on random sets."""
import json
import math
import random
from statistics import NormalDist

from tap import done, ok, rows, same, sql, use_database

use_database("agentrl_recovery_brute")
STATUSES = [None, "completed", "truncated", "agent_error", "infra_error"]
HORIZONS = [1, 2, 3, 5, 40]
BINS = 3


def rollout(draw):
    turns = draw.choice([None, 0, 1, 2, 3, 5, 9])
    success = draw.choice([True, False, False, None])
    if turns == 0 and success:
        turns = 1
    sticky = draw.random()
    flags, kinds, flag = [], [], draw.choice([True, False])
    for _ in range(turns or 0):
        if draw.random() > sticky:
            flag = draw.choice([True, False])
        flags.append(None if draw.random() < 0.08 else flag)
        kinds.append(draw.choice([None, "", "a", "b", "timeout ä"]) if flags[-1] or draw.random() < 0.1 else None)
    return {"success": success, "status": draw.choice(STATUSES), "budget": draw.choice([None, 4, 9, 20, 3]),
            "flags": None if turns is None else flags, "kinds": kinds}


def as_json(r):
    value = {k: r[k] for k in ("success", "status", "budget") if r[k] is not None}
    if r["flags"] is not None:
        value["steps"] = [{k: v for k, v in (("action", "do"), ("error", e), ("error_kind", k)) if v is not None}
                          for e, k in zip(r["flags"], r["kinds"])]
    return json.dumps(value, ensure_ascii=False)


def next_flag(r, i):
    """What follows turn i: 'end', None, True or False."""
    return "end" if i + 1 == len(r["flags"]) else r["flags"][i + 1]


def episodes(r):
    """(first turn, length, what follows) of each maximal run of error turns."""
    found, i = [], 0
    flags = r["flags"] or []
    while i < len(flags):
        if flags[i] is not True:
            i += 1
            continue
        start = i
        while i < len(flags) and flags[i] is True:
            i += 1
        follows = "end" if i == len(flags) else "fine" if flags[i] is False else "unknown"
        if follows == "end":
            follows = ("solved" if r["success"] else
                       "censored" if r["status"] in ("truncated", "infra_error", None) else "failed")
        found.append((start, i - start, follows))
    return found


def first_error(r):
    return r["flags"].index(True) + 1 if r["flags"] and True in r["flags"] else None


class Cell:
    """A count among a number of chances, by task."""
    def __init__(self):
        self.s, self.n = {}, {}

    def add(self, task, hit):
        self.n[task] = self.n.get(task, 0) + 1
        self.s[task] = self.s.get(task, 0) + bool(hit)

    def keep(self, tasks):
        kept = Cell()
        kept.s, kept.n = ({t: v for t, v in d.items() if t in tasks} for d in (self.s, self.n))
        return kept

    def ratio(self, weights=None):
        n = sum(v * (1 if weights is None else weights[t]) for t, v in self.n.items())
        s = sum(v * (1 if weights is None else weights[t]) for t, v in self.s.items())
        return s / n if n else math.nan


def measure(data, name, within=0, select=lambda r, place: True):
    """Cells (one, or the hazards) and counts of one measure. place: a turn's index, or None for a rollout."""
    cells = [Cell() for _ in range(max(within, 1))]
    counts = {"unknown": 0, "censored": 0, "solved": 0}
    for task, r in data:
        if name == "corrected_next":
            for i, flag in enumerate(r["flags"] or []):
                if flag is not True or not select(r, i):
                    continue
                after = next_flag(r, i)
                if after == "end":
                    counts["censored"] += 1
                elif after is None:
                    counts["unknown"] += 1
                else:
                    cells[0].add(task, not after)
        elif name == "recovered_within":
            for start, length, follows in episodes(r):
                if not select(r, start):
                    continue
                if follows == "solved":
                    counts["solved"] += 1
                    continue
                for j in range(1, within + 1):
                    if j < length or (j >= length and follows == "failed"):
                        cells[j - 1].add(task, False)
                    elif j == length and follows == "fine":
                        cells[j - 1].add(task, True)
                if length <= within and follows in counts:
                    counts[follows] += 1
        else:
            flags = r["flags"]
            after = first_error(r) is not None
            if after != (name == "success_after_error") or not select(r, None):
                continue
            if r["success"] is None or (not after and (flags is None or None in flags)):
                counts["unknown"] += 1
            else:
                cells[0].add(task, r["success"])
    return cells, counts


def product_limit(hazards):
    left = 1.0
    for h in hazards:
        if math.isnan(h):
            return math.nan
        left *= 1 - h
        if left == 0:
            break
    return 1 - left


def influences(cells):
    """By task, the derivative of the product limit times the deviation; from the derivative by hand."""
    hazards = [c.ratio() for c in cells]
    result = {}
    for j, cell in enumerate(cells):
        if any(h == 1 for h in hazards[:j]):
            break
        others = math.prod(1 - h for k, h in enumerate(hazards) if k != j and not math.isnan(h))
        total = sum(cell.n.values())
        for t in cell.n:
            result[t] = result.get(t, 0) + others * (cell.s[t] - hazards[j] * cell.n[t]) / total
    return result


def std_error(values):
    m = len(values)
    return math.sqrt(m / (m - 1) * sum(v * v for v in values)) if m > 1 else None


def close(got, wanted, tolerance=1e-12):
    if wanted is None or (isinstance(wanted, float) and math.isnan(wanted)):
        return got == ""
    if got == "":
        return False
    if isinstance(wanted, float):
        return abs(float(got) - wanted) <= tolerance * max(1.0, abs(wanted))
    return got == str(wanted)


def expected_row(data, name, within, select):
    cells, counts = measure(data, name, within, select)
    rate = product_limit([c.ratio() for c in cells])
    parts = influences(cells)
    horizon = name == "recovered_within"
    return [name, sum(cells[0].n.values()), sum(sum(c.s.values()) for c in cells), rate,
            std_error(parts.values()) if not math.isnan(rate) else None, len(cells[0].n), counts["censored"],
            counts["unknown"], within if horizon else None, counts["solved"] if horizon else None]


MEASURES = [("corrected_next", 0)] + [("recovered_within", w) for w in HORIZONS] + [("success_after_error", 0)]
COLUMNS = "measure, eligible, recovered, rate, std_error, tasks, censored, unknown, within, ended_solved"
WITHIN = "'{" + ",".join(map(str, HORIZONS)) + "}'"


def compare(got, wanted, where):
    """The first difference, or None."""
    if len(got) != len(wanted):
        return f"{where}: {len(got)} rows, wanted {len(wanted)}: {got} {wanted}"
    for g, w in zip(got, wanted):
        if not all(close(a, b) for a, b in zip(g, w)):
            return f"{where}\ngot    {g}\nwanted {w}"
    return None


def depth_of(r):
    first = first_error(r)
    if r["budget"] is None:
        return (None, None, None)
    if first > r["budget"]:
        return (None, 1.0, None)
    b = -(-first * BINS // r["budget"])
    return (b, (b - 1) / BINS, b / BINS)


def kind_at(r, place):
    return r["kinds"][first_error(r) - 1 if place is None else place]


def check_set(data, key, n):
    s = f"(SELECT recovery_agg({key}, traj) FROM pool WHERE set = {n})"
    wanted = [expected_row(data, m, w, lambda r, p: True) for m, w in MEASURES + [("success_without_error", 0)]]
    problem = compare(rows(f"SELECT {COLUMNS} FROM recovery_report({s}, {WITHIN}, resamples => 0)"), wanted, "report")
    horizons = ["1", "2", "3", "1000000000000"]
    got = rows(f"SELECT w, recovery_rate({s}, w) FROM unnest(ARRAY[{', '.join(horizons)}]) w")
    rates = [product_limit([c.ratio() for c in measure(data, "recovered_within", w)[0]]) for w in (1, 2, 3, 12)]
    problem = problem or compare(got, [list(r) for r in zip(horizons, rates)], "recovery_rate")

    erring = [r for _, r in data if first_error(r)]
    depths = [(b, (b - 1) / BINS, b / BINS) for b in range(1, BINS + 1)]
    depths += [d for d in ((None, 1.0, None), (None, None, None)) if any(depth_of(r) == d for r in erring)]
    wanted = [list(d) + expected_row(data, m, w, lambda r, p, d=d: first_error(r) and depth_of(r) == d)
              for d in depths for m, w in MEASURES]
    problem = problem or compare(
        rows(f"SELECT depth_bin, depth_low, depth_high, {COLUMNS} FROM recovery_by_depth({s}, {BINS}, {WITHIN}, resamples => 0)"),
        wanted, "by depth")

    kinds = {k for r in erring for k, f in zip(r["kinds"], r["flags"]) if f}
    kinds = sorted((k for k in kinds if k is not None), key=str.encode) + ([None] if None in kinds else [])
    wanted = [["-" if k is None else "=" + k] + expected_row(data, m, w, lambda r, p, k=k: kind_at(r, p) == k)
              for k in kinds for m, w in MEASURES]
    problem = problem or compare(
        rows(f"SELECT coalesce('=' || error_kind, '-'), {COLUMNS} FROM recovery_by_kind({s}, {WITHIN}, resamples => 0)"),
        wanted, "by kind")

    lengths = [(t, n, f) for t, r in data for _, n, f in episodes(r)]
    cured = sorted(n for _, n, f in lengths if f == "fine")
    by_task = {}
    for t, n, f in lengths:
        if f == "fine":
            by_task.setdefault(t, []).append(n)
    mean = sum(cured) / len(cured) if cured else None
    median = (cured[(len(cured) - 1) // 2] + cured[len(cured) // 2]) / 2 if cured else None
    half = next((w for w in range(1, 12) if product_limit(
        [c.ratio() for c in measure(data, "recovered_within", w)[0]]) >= 0.5 - 1e-12), None)
    error = std_error([(sum(v) - mean * len(v)) / len(cured) for v in by_task.values()]) if cured else None
    ends = [sum(f == e for _, _, f in lengths) for e in ("failed", "censored", "unknown", "solved")]
    got = rows("SELECT recovered, mean, std_error, median, half_recovered_within, tasks, failed, censored, unknown, ended_solved "
               f"FROM recovery_turns({s}, resamples => 0)")
    problem = problem or compare(got, [[len(cured), mean, error, median, half, len(by_task)] + ends], "turns")
    return problem


def check_diff(first, second, n):
    s = "(SELECT recovery_agg(task, traj) FROM pool WHERE set = {})"
    got = rows("SELECT measure, within, rate_treatment, rate_reference, diff, std_error, tasks, unpaired, eligible_treatment, "
               f"eligible_reference FROM recovery_diff({s.format(n)}, {s.format(n + 1)}, {WITHIN}, resamples => 0)")
    wanted = []
    for name, within in MEASURES + [("success_without_error", 0)]:
        arms = [measure(d, name, within)[0] for d in (first, second)]
        common = set(arms[0][0].n) & set(arms[1][0].n)
        apart = set(arms[0][0].n) ^ set(arms[1][0].n)
        arms = [[c.keep(common) for c in cells] for cells in arms]
        rates = [product_limit([c.ratio() for c in cells]) for cells in arms]
        parts = [influences(cells) for cells in arms]
        diff = rates[0] - rates[1]
        wanted.append([name, within or None] + rates + [diff,
                      std_error([parts[0][t] - parts[1][t] for t in common]) if not math.isnan(diff) else None,
                      len(common), len(apart)] + [sum(cells[0].n.values()) for cells in arms])
    return compare(got, wanted, f"diff of {n} and {n + 1}")


draw = random.Random(41)
sets = []
for n in range(200):
    tasks = draw.choice([1, 2, 5, 12])
    sets.append([(draw.randrange(tasks) - 2, rollout(draw)) for _ in range(draw.choice([1, 3, 10, 30, 80]))])
values = [f"{n}\t{t}\t{as_json(r)}" for n, data in enumerate(sets) for t, r in data]
sql("CREATE TABLE pool (set int, task bigint, traj trajectory);\n\\copy pool FROM STDIN WITH (FORMAT csv, DELIMITER E'\\t', QUOTE E'\\x01')\n"
    + "\n".join(values) + "\n\\.\n")
same(sql("SELECT count(*) FROM pool"), str(sum(map(len, sets))), "all rollouts are stored")
problems = [p for p in (check_set(data, ("task", "task::text")[n % 2], n) for n, data in enumerate(sets)) if p]
ok(not problems, f"{len(sets)} random sets of {len(values)} rollouts: every figure of the reports", "\n".join(map(str, problems[:2])))
problems = [p for p in (check_diff(sets[n], sets[n + 1], n) for n in range(0, len(sets) - 1)) if p]
ok(not problems, "and of their differences, paired by task", "\n".join(map(str, problems[:2])))

# ---- resampling: the published generator, the jackknife and BCa, written out ----
M64 = (1 << 64) - 1


def splitmix(state):
    state = (state + 0x9e3779b97f4a7c15) & M64
    z = state
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & M64
    z = (z ^ z >> 27) * 0x94d049bb133111eb & M64
    return state, z ^ z >> 31


def rotate(x, k):
    return (x << k | x >> 64 - k) & M64


def weights(seed, number, tasks):
    """How often each task is drawn in a resample."""
    state, z = splitmix(seed & M64)
    state = z ^ number
    s = []
    for _ in range(4):
        state, z = splitmix(state)
        s.append(z)
    counts = dict.fromkeys(tasks, 0)
    drawn = 0
    while drawn < len(tasks):
        word = (rotate((s[0] + s[3]) & M64, 23) + s[0]) & M64
        t = s[1] << 17 & M64
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = rotate(s[3], 45)
        for half in (word >> 32, word & 0xffffffff)[:len(tasks) - drawn]:
            counts[tasks[half * len(tasks) >> 32]] += 1
            drawn += 1
    return counts


def quantile(ordered, q):
    at = (len(ordered) - 1) * min(max(q, 0), 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def intervals(figure, tasks, own_tasks, resamples, seed):
    """Percentile and BCa intervals of a figure, a function of task weights."""
    estimate = figure(dict.fromkeys(tasks, 1))
    replicates = sorted(v for v in (figure(weights(seed, b, tasks)) for b in range(resamples)) if not math.isnan(v))
    normal = NormalDist()
    left = [figure({t: int(t != out) for t in tasks}) for out in own_tasks]
    left = [v for v in left if not math.isnan(v)]
    mean = sum(left) / len(left)
    squares = sum((mean - v) ** 2 for v in left)
    acceleration = sum((mean - v) ** 3 for v in left) / (6 * squares ** 1.5)
    share = sum(1.0 if v < estimate else 0.5 for v in replicates if v <= estimate) / len(replicates)
    bias = normal.inv_cdf(share)
    levels = [normal.cdf(bias + (bias + z) / (1 - acceleration * (bias + z))) for z in map(normal.inv_cdf, (0.025, 0.975))]
    return [quantile(replicates, q) for q in (0.025, 0.975)], [quantile(replicates, q) for q in levels]


def within_of(cells):
    return lambda w: product_limit([c.ratio(w) for c in cells])


draw = random.Random(7)
arms = [[(t, dict(rollout(draw), status=draw.choice(STATUSES[1:4]))) for t in range(25) for _ in range(4)] for _ in range(2)]
sql("CREATE TABLE arms (arm int, task text, traj trajectory);\n\\copy arms FROM STDIN WITH (FORMAT csv, DELIMITER E'\\t', QUOTE E'\\x01')\n"
    + "\n".join(f"{a}\t{t:03}\t{as_json(r)}" for a, data in enumerate(arms) for t, r in data) + "\n\\.\n")
summary = "(SELECT recovery_agg(task, traj) FROM arms WHERE arm = {})"
RESAMPLES, SEED = 300, 20
asked = [("corrected_next", 0), ("recovered_within", 1), ("recovered_within", 3), ("success_after_error", 0), ("success_without_error", 0)]
wanted = {"percentile": [], "bca": []}
tasks = sorted({t for t, r in arms[0] for m, w in asked if t in measure([(t, r)], m, w)[0][0].n})
for name, within in asked:
    cells = measure(arms[0], name, within)[0]
    for method, interval in zip(wanted, intervals(within_of(cells), tasks, list(cells[0].n), RESAMPLES, SEED)):
        wanted[method].append(interval)
for method in wanted:
    got = rows(f"SELECT ci_low, ci_high FROM recovery_report({summary.format(0)}, '{{1,3}}', 0.95, {RESAMPLES}, {SEED}, '{method}')")
    ok(all(close(g, w, 1e-9) for a, b in zip(got, wanted[method]) for g, w in zip(a, b)) and len(got) == len(asked),
       f"{method} intervals of a summary from the generator, written out", f"{got}\n{wanted[method]}")

wanted = {"percentile": [], "bca": []}
pairs = {}
for name, within in asked:
    cells = [measure(arm, name, within)[0] for arm in arms]
    common = set(cells[0][0].n) & set(cells[1][0].n)
    pairs[name, within] = common, [[c.keep(common) for c in arm] for arm in cells]
tasks = sorted(set().union(*(common for common, _ in pairs.values())))
for common, (first, second) in pairs.values():
    def difference(w, first=first, second=second):
        return within_of(first)(w) - within_of(second)(w)
    for method, interval in zip(wanted, intervals(difference, tasks, sorted(common), RESAMPLES, SEED)):
        wanted[method].append(interval)
for method in wanted:
    got = rows(f"SELECT ci_low, ci_high FROM recovery_diff({summary.format(0)}, {summary.format(1)}, '{{1,3}}', 0.95, {RESAMPLES}, {SEED}, '{method}')")
    ok(all(close(g, w, 1e-9) for a, b in zip(got, wanted[method]) for g, w in zip(a, b)) and len(got) == len(asked),
       f"{method} intervals of a difference", f"{got}\n{wanted[method]}")
done()
