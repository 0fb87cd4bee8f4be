#!/usr/bin/env python3
"""length_matched_* against a search of all matchings, and its interval against plain sums, in Python."""
import itertools
import math
import random
from fractions import Fraction

from tap import done, ok, psql, rows, same, sql, use_database

use_database("agentrl_matched_brute")
random.seed(7)
TOLERANCES = ("0", "0.1", "0.3", "0.5")


def gap(a, b):
    return Fraction(abs(a - b), max(a, b)) if max(a, b) else Fraction(0)


def matchings(a, b, tolerance, i=0, used=0):
    """All sets of pairs (i, j), each place at most once."""
    if i == len(a):
        yield ()
        return
    yield from matchings(a, b, tolerance, i + 1, used)
    for j in range(len(b)):
        if not used >> j & 1 and abs(a[i] - b[j]) <= tolerance * max(a[i], b[j]):
            for rest in matchings(a, b, tolerance, i + 1, used | 1 << j):
                yield ((i, j),) + rest


def best(a, b, tolerance):
    """Sorted pairs of lengths of the matching that the rule names."""
    squares = {(x, y): gap(x, y) ** 2 for x in a for y in b}
    scale = math.lcm(*(s.denominator for s in squares.values()))
    whole = {pair: int(s * scale) for pair, s in squares.items()}
    chosen = min(matchings(a, b, tolerance), key=lambda m: (
        -len(m), sum(whole[a[i], b[j]] for i, j in m), sorted(a[i] for i, _ in m), sorted(b[j] for _, j in m)))
    return sorted(a[i] for i, _ in chosen), sorted(b[j] for _, j in chosen)


def draw(kind):
    base = 1 << 62
    values = {
        "tiny": lambda: random.randint(0, 6),
        "ties": lambda: random.choice((8, 9, 10, 11, 12)),
        "near": lambda: random.randint(90, 112),
        "equal gaps": lambda: random.choice((10, 11, 20, 22, 30, 33, 40, 44, 50, 55)),
        "halves": lambda: random.choice((1, 2, 3, 4, 6, 8, 12, 16)),
        "wide": lambda: int(math.exp(random.uniform(0, 8))),
        "huge": lambda: base + random.randint(-4, 4),
        "largest": lambda: 2 * base - 1 - random.randint(0, 3) * random.choice((1, base >> 2)),
        "equal sums": lambda: 100 + random.choice((-7, -5, -1, 0, 1, 5, 7)),
        "geometric": None,
    }[kind]
    if kind == "geometric":  # k p^2, k p q, k q^2: the middle is as near to the one as to the other
        k, q = random.randint(1, 10 ** random.randint(1, 12)), random.randint(3, 60)
        p = random.randint((q + 1) // 2, q - 1)
        return [sorted(random.choice((k * p * p, k * p * q, k * q * q)) for _ in range(random.randint(1, 3))) for _ in range(2)]
    most = 4 if random.random() < 0.9 else 5
    return [sorted(values() for _ in range(random.randint(0, most))) for _ in range(2)]


KINDS = ("tiny", "ties", "near", "equal gaps", "halves", "wide", "huge", "largest", "equal sums", "geometric")
cases = [(kind, *draw(kind)) for kind in KINDS for _ in range(400)]
# worked out by hand: two pairs beat one of equal length; equal costs go to the shorter lengths;
# three of one length against one
cases += [("by hand", [100, 110], [100, 91]), ("by hand", [10], [9, 11]), ("by hand", [9, 11], [10]), ("by hand", [7, 7, 7], [7])]
values = []
for task, (_, a, b) in enumerate(cases):
    values += [f"({task},{arm},{length},0)" for arm, lengths in (("true", a), ("false", b)) for length in lengths]
sql("CREATE TABLE cases (task bigint, arm bool, length bigint, value float8); INSERT INTO cases VALUES " + ",".join(values))

for tolerance in TOLERANCES:
    got = {}
    for task, x, y in rows(f"""SELECT task, length_treatment, length_reference FROM length_matched_pairs(
            (SELECT length_matched_agg(task, arm, length, value) FROM cases), {tolerance})"""):
        got.setdefault(int(task), []).append((int(x), int(y)))
    wrong = []
    pairs = 0
    for task, (kind, a, b) in enumerate(cases):
        mine = got.get(task, [])
        pairs += len(mine)
        have = [x for x, _ in mine], [y for _, y in mine]
        if have != best(a, b, Fraction(tolerance)):
            wrong.append(f"{kind} {a} {b}: {have}, wanted {best(a, b, Fraction(tolerance))}")
        if any(abs(x - y) > Fraction(tolerance) * max(x, y) for x, y in mine):
            wrong.append(f"{kind} {a} {b}: {mine} beyond the tolerance")
    ok(not wrong and pairs > 1000, f"tolerance {tolerance}: {pairs} pairs of {len(cases)} sets", "\n".join(wrong))

# why the tolerance ends at 1/2: above it the best matching crosses
a, b = [250, 255], [100, 101]
crossed, straight = gap(250, 101) ** 2 + gap(255, 100) ** 2, gap(250, 100) ** 2 + gap(255, 101) ** 2
ok(crossed < straight, "above a gap of 1/2 crossing pairs can be the better ones")


# longer lists: dynamic programming over exact fractions, with the whole lengths in each state
def slow(a, b, tolerance):
    table = {}
    for i in range(len(a) + 1):
        for j in range(len(b) + 1):
            options = [(0, Fraction(0), (), ())] if i == 0 or j == 0 else [table[i - 1, j], table[i, j - 1]]
            if i and j and abs(a[i - 1] - b[j - 1]) <= tolerance * max(a[i - 1], b[j - 1]):
                n, cost, x, y = table[i - 1, j - 1]
                options.append((n - 1, cost + gap(a[i - 1], b[j - 1]) ** 2, x + (a[i - 1],), y + (b[j - 1],)))
            table[i, j] = min(options)
    return table[len(a), len(b)]


LONG = [("lognormal", lambda: int(1500 * math.exp(random.gauss(0, 0.5)))), ("small", lambda: random.randint(10, 40)),
        ("few lengths", lambda: random.choice((10, 11, 12, 20, 22, 40, 44))), ("even", lambda: 1000 + 2 * random.randint(0, 40))]
samples, wrong = [], []
sql("CREATE TABLE long (task text, arm bool, length bigint, value float8)")
for name, length in LONG:
    for turn in range(6):
        a, b = (sorted(length() for _ in range(random.choice((1, 16, 25)))) for _ in range(2))
        samples.append((f"{name} {turn}", a, b))
sql("INSERT INTO long VALUES " + ",".join(f"('{task}',{arm},{x},{random.randint(-9, 9)})" for task, a, b in samples
                                          for arm, lengths in (("true", a), ("false", b)) for x in lengths))
got = {}
for task, x, y in rows("SELECT task, length_treatment, length_reference FROM length_matched_pairs((SELECT length_matched_agg(task, arm, length, value) FROM long), 0.25)"):
    got.setdefault(task, []).append((int(x), int(y)))
for task, a, b in samples:
    n, cost, x, y = slow(a, b, Fraction(1, 4))
    if got.get(task, []) != list(zip(x, y)):
        wrong.append(f"{task}: {got.get(task)}, wanted {list(zip(x, y))}")
ok(not wrong, f"{len(samples)} longer lists", "\n".join(wrong))


# the figures: sums over pairs of mean values, a ratio over tasks
def figures(table, tolerance):
    data = {}
    for task, arm, length, value in rows(f"SELECT task, arm, length, value FROM {table}"):
        data.setdefault(task, {"t": {}, "f": {}})[arm].setdefault(int(length), []).append(Fraction(value))
    sums, sizes, treatment, reference, gaps, left = [], [], 0, 0, 0, [0, 0]
    for arms in data.values():
        lists = [sorted(x for x, v in arms[arm].items() for _ in v) for arm in "tf"]
        _, _, x, y = slow(*lists, tolerance)
        means = [[sum(arms[arm][length]) / len(arms[arm][length]) for length in chosen] for arm, chosen in zip("tf", (x, y))]
        left = [left[i] + len(lists[i]) - len(x) for i in range(2)]
        treatment, reference = treatment + sum(means[0]), reference + sum(means[1])
        gaps += sum(gap(p, q) for p, q in zip(x, y))
        if x:
            sums.append(sum(means[0]) - sum(means[1]))
            sizes.append(len(x))
    n, m = sum(sizes), len(sizes)
    ratio = Fraction(sum(sums)) / n
    error = math.sqrt(Fraction(m, m - 1) * sum((s - ratio * k) ** 2 for s, k in zip(sums, sizes))) / n
    return [n, m, treatment / n, reference / n, ratio, error, left[0], left[1], gaps / n]


sql("""CREATE TABLE noisy AS SELECT task, arm, length, (random() * 20 - 10)::numeric(8, 3)::float8 AS value
       FROM (SELECT setseed(0.3)) q, cases WHERE task BETWEEN 300 AND 1700""")
COLUMNS = "pairs, tasks, mean_treatment, mean_reference, diff, std_error, unmatched_treatment, unmatched_reference, mean_gap"
for table, tolerance in (("noisy", "0.1"), ("noisy", "0.5"), ("long", "0.25"), ("long", "0")):
    got = rows(f"SELECT {COLUMNS} FROM length_matched_diff((SELECT length_matched_agg(task, arm, length, value) FROM {table}), {tolerance})")[0]
    want = figures(table, Fraction(tolerance))
    ok(all(abs(float(g) - float(w)) <= 1e-12 * max(1, abs(w)) for g, w in zip(got, want)), f"figures of {table} at {tolerance}",
       f"got    {got}\nwanted {[float(w) for w in want]}")

# many rollouts of one task: nodes are dropped and the table grows
for what, first, second in (("one length", "7", "7"), ("two lengths", "7 + i % 2", "7 + i % 2"), ("all near", "1000 + i % 90", "1000 + i * 7 % 90")):
    got = rows(f"""SELECT pairs, diff, mean_gap < 0.1 FROM length_matched_diff((SELECT length_matched_agg(1, arm, length, value) FROM (
               SELECT true AS arm, {first} AS length, 3 AS value FROM generate_series(1, 2000) i UNION ALL
               SELECT false, {second}, 1 FROM generate_series(1, 1999) i) q))""")
    same(got, [["1999", "2", "t"]], f"2,000 against 1,999 rollouts, {what}")
done()
