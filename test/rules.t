#!/usr/bin/env python3
"""The rules for intervals and p values against published values, exact coverage by enumeration, and a plain second version of each in Python."""
import math
import os
import random
import subprocess
import sys
import tempfile
from math import comb, sqrt
from statistics import NormalDist

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import done, ok, same  # noqa: E402

SOURCE = os.path.join(HERE, "..", "src")
folder = tempfile.TemporaryDirectory()
PROGRAM = os.path.join(folder.name, "driver")
made = subprocess.run(["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-I" + SOURCE, "-o", PROGRAM, os.path.join(HERE, "rules_driver.c")]
                      + [os.path.join(SOURCE, "stats", name) for name in ("elementary.c", "distribution.c", "intervals.c", "rules.c")] + ["-lm"], capture_output=True, text=True)
ok(made.returncode == 0, "the files compile by themselves as C99 without a warning", made.stderr)


def call(*requests):
    script = "\n".join(" ".join([r[0], *(repr(float(x)) for x in r[1:])]) for r in requests) + "\n"
    run = subprocess.run([PROGRAM], input=script, capture_output=True, text=True)
    return [tuple(map(float, line.split())) for line in run.stdout.splitlines()]


def close(got, wanted, error, name):
    ok(len(got) == len(wanted) and all(abs(g - w) <= error for g, w in zip(got, wanted)), name, f"got    {got}\nwanted {wanted}")


# ---- quantiles of the beta distribution ----

def lower_beta(x, a, b):
    """I_x(a, b) for whole a and b: a sum of binomial terms."""
    n = a + b - 1
    return sum(comb(n, i) * x ** i * (1 - x) ** (n - i) for i in range(a, n + 1))


worst = 0
cases = [(p, a, b) for p in (1e-9, 1e-4, 0.025, 0.3, 0.5, 0.7, 0.975, 1 - 1e-6) for a, b in ((1, 1), (1, 50), (3, 7), (20, 20), (50, 2), (100, 300))]
for (p, a, b), (x,) in zip(cases, call(*(("beta", *c) for c in cases))):
    tail = lower_beta(x, a, b) if p < 0.5 else 1 - lower_beta(x, a, b)
    worst = max(worst, abs(tail / min(p, 1 - p) - 1) if p != 0.5 else abs(tail - 0.5))
ok(worst < 1e-9, "quantiles of whole parameters give their tails", worst)
# the arcsine law, and powers
close([call(("beta", p, 0.5, 0.5))[0][0] for p in (0.01, 0.2, 0.5, 0.9)], [math.sin(math.pi * p / 2) ** 2 for p in (0.01, 0.2, 0.5, 0.9)], 1e-12, "Beta(1/2, 1/2)")
close([call(("beta", p, 0.25, 1))[0][0] for p in (0.01, 0.2, 0.9)], [p ** 4 for p in (0.01, 0.2, 0.9)], 1e-12, "Beta(1/4, 1)")
got = [call(("beta", p, 4e5, 6e5))[0][0] for p in (0.025, 0.975)]
z, s = NormalDist().inv_cdf(0.975), sqrt(0.24 / 1e6)
close(got, [0.4 - z * s, 0.4 + z * s], 2e-6, "a large one is near normal")
close([call(("cube", x))[0][0] for x in (27, -8, 0, 1e-30, 2)], [3, -2, 0, 1e-10, 2 ** (1 / 3)], 1e-15, "cube roots")


# ---- a second version, plain ----

C, E, D = 9.0, 36.0, 0.25


def integrate(f, a, b, n=20000):
    h = (b - a) / n
    return h / 3 * sum((1 if i in (0, n) else 4 if i % 2 else 2) * f(a + i * h) for i in range(n + 1))


def t_sf(t, df):
    c = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / sqrt(df * math.pi)
    # over the angle: t = sqrt(df) tan u
    low = math.atan(t / sqrt(df))
    return c * sqrt(df) * integrate(lambda u: math.cos(u) ** (df - 1), low, math.pi / 2, 2000)


def bisect(f, low, high):
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) > 0 else (low, middle)
    return low


T_CACHE = {}


def t_upper(tail, df):
    if (tail, df) not in T_CACHE:
        T_CACHE[tail, df] = bisect(lambda t: t_sf(t, df) - tail, 0, 1e6 if df < 2 else 1e3)
    return T_CACHE[tail, df]


def z_upper(tail):
    return NormalDist().inv_cdf(1 - tail)


def beta_q(p, a, b):
    return call(("beta", p, a, b))[0][0]


def ends(v, flips, alpha):
    x, y = v * flips, (1 - v) * flips
    return (0.0 if v <= 0 else min(v, beta_q(alpha / 2, x + D, y + 1 - D)), 1.0 if v >= 1 else max(v, beta_q(1 - alpha / 2, x + 1 - D, y + D)))


def participation(x):
    squares = sum(a * a for a in x)
    return sum(x) ** 2 / squares if squares > 0 else 0


def pass_value(n, c, k):
    return 1 - comb(n - c, k) / comb(n, k)


def variance(n, c, k, attempts=None):
    """Unbiased, of pass@k from so many attempts, by c of n solved."""
    attempts = attempts or n
    if n < 2 * k or attempts < k:
        return 0.0
    f = n - c
    return (sum(comb(k, j) * comb(attempts - k, k - j) / comb(attempts, k) * comb(f, 2 * k - j) / comb(n, 2 * k - j) for j in range(k + 1))
            - comb(f, 2 * k) / comb(n, 2 * k))


def alike(n, k, u):
    return sum(comb(k, j) * comb(n - k, k - j) / comb(n, k) * u ** (2 - j / k) for j in range(k + 1)) - u * u


def share_numbers(tasks, k):
    tasks = [(n, c) for n, c in tasks if n >= k]
    values = [pass_value(n, c, k) for n, c in tasks]
    m, v = len(values), sum(values) / len(values)
    return values, [m, sum(values), sum((x - v) ** 2 for x in values), sum(variance(n, c, k) for n, c in tasks) / m, sum(alike(n, k, 1 - v) for n, _ in tasks) / m]


def share(values, within, floor, alpha):
    m = len(values)
    v = sum(values) / m
    pq = v * (1 - v)
    rho = 1.0
    if pq > 1e-15:
        s2 = sum((x - v) ** 2 for x in values) / (m - 1) if m > 1 else pq
        d = min(participation(values), participation([1 - x for x in values]))
        pull = min(1, C / (C + d * d) + E / m ** 2)
        rho = pull + (1 - pull) * min(1, max(s2, within, floor) / pq)
    widening = (t_upper(alpha / 2, m - 1) / z_upper(alpha / 2)) ** 2 if m > 1 else 1
    flips = m / (rho * (1 + (widening - 1) * (1 - rho)))
    return (*ends(v, flips, alpha), flips)


def check_share(tasks, k, alpha):
    values, numbers = share_numbers(tasks, k)
    low, high, _, flips = call(("share", alpha, *numbers))[0]
    return (sum(values) / len(values), low, high, flips), (sum(values) / len(values), *share(values, numbers[3], numbers[4], alpha))


# worked values of the rule, found by another program
for tasks, k, alpha, wanted in (
        ([(1, 0)] * 50, 1, .05, (0, 0, .060681, 50)), ([(1, 1)] + [(1, 0)] * 49, 1, .05, (.02, .001189, .098240, 50)),
        ([(1, 1)] * 25 + [(1, 0)] * 25, 1, .05, (.5, .359973, .640027, 50)), ([(1, 1)] * 4 + [(1, 0)] * 4, 1, .05, (.5, .177497, .822503, 8)),
        ([(64, 3)] * 100, 1, .05, (.046875, .041122, .053179, 4808.61)), ([(64, 4)] * 20 + [(64, 3)] * 80, 1, .05, (.05, .044058, .056490, 4805.09)),
        ([(64, 4)] * 21 + [(64, 3)] * 79, 1, .05, (.050156, .044205, .056656, 4804.99)), ([(64, 0)] * 100, 1, .05, (0, 0, .030854, 100)),
        ([(64, 1)] + [(64, 0)] * 99, 1, .05, (.000156, 0, .028389, 110.224)), ([(4, c) for c in range(5)] * 4, 1, .05, (.5, .325865, .674135, 31.9649)),
        ([(4, c) for c in range(5)] * 4, 2, .05, (.666667, .465313, .830633, 25.8797)), ([(4, c) for c in range(5)] * 4, 1, .01, (.5, .274760, .725240, 30.8542)),
        ([(3, 1), (3, 1), (4, 4)], 1, .05, (.555556, .083251, .953765, 3))):
    got, plain = check_share(tasks, k, alpha)
    ok(all(abs(g - w) <= (5.1e-7 if w < 1 else 6e-6 * w) for g, w in zip(got, wanted)), f"a share: {len(tasks)} tasks, {wanted[0]}", f"{got}\n{wanted}")
    close(got, plain, 1e-6 * max(1, plain[3]), "and by the plain version")


def pair_numbers(tasks, k):
    """tasks: n1, c1, n0, c0."""
    m = len(tasks)
    first, second = [pass_value(t[0], t[1], k) for t in tasks], [pass_value(t[2], t[3], k) for t in tasks]
    d = [0.0 if abs(a - b) < 1e-12 else a - b for a, b in zip(first, second)]
    own = pooled = only = 0.0
    for n1, c1, n0, c0 in tasks:
        for n, c, other in ((n1, c1, n0), (n0, c0, n1)):
            both = variance(n1 + n0, c1 + c0, k, n)
            if n < 2 * k:
                only += both / m if other >= 2 * k else 0
            else:
                own, pooled = own + variance(n, c, k) / m, pooled + both / m
    carriers = [min(participation(v), participation([1 - x for x in v])) for v in (first, second)]
    return d, [m, sum(d), sum(map(abs, d)), sum(x * x for x in d), *carriers, own, pooled, only]


def pair(numbers, alpha):
    m, total, sizes, squares, c1, c0, own, pooled, only = numbers
    carried = sizes ** 2 / squares if squares > 0 else 0
    size = squares / sizes if sizes > 0 else 1
    w, e = C / (C + carried ** 2) * max(0, 1 - 1.5 * carried / m), E / m ** 2
    n = m + 2 * w + 2 * e
    mean = total / n
    s2 = (squares + 2 * w + 2 * e * size * size - n * mean * mean) / (n - 1)
    pull = max(C / (C + c1 * c1), C / (C + c0 * c0))
    s2 += max(0, pull * pooled + (1 - pull) * own + only - (squares - total * total / m) / (m - 1))
    se, t = sqrt(s2 / n), t_upper(alpha / 2, m - 1)
    return max(-1, min(total / m, mean - t * se)), min(1, max(total / m, mean + t * se)), 1 if total == 0 else 2 * t_sf(abs(mean) / se, m - 1)


def coins(wins, losses, m):
    return [(1, 1, 1, 0)] * wins + [(1, 0, 1, 1)] * losses + [(1, 0, 1, 0)] * (m - wins - losses)


for tasks, wanted in (
        (coins(6, 2, 8), (.5, -.307258, 1, .207071)), (coins(7, 1, 8), (.75, .032519, 1, .0417396)), (coins(7, 2, 12), (.416667, -.102740, .902740, .10771)),
        (coins(0, 0, 50), (0, -.055551, .055551, 1)), (coins(6, 0, 50), (.12, .023405, .214894, .0157833)), (coins(9, 0, 100), (.09, .032242, .147434, .00255934)),
        (coins(20, 8, 100), (.12, .017182, .222769, .0226275)), ([(1, 0, 16, 1)] * 12 + [(1, 0, 16, 0)] * 38, (-.015, -.051475, .021537, .413932)),
        ([(64, 32, 64, 32)] * 100, (0, -.032761, .032761, 1)), ([(64, 33, 64, 32)] + [(64, 32, 64, 32)] * 99, (.000156, -.031271, .031579, .992286)),
        ([(64, 33, 64, 32)] * 9 + [(64, 32, 64, 32)] * 91, (.001406, -.018101, .020909, .886739)),
        ([(64, 33, 64, 32)] * 10 + [(64, 32, 64, 32)] * 90, (.001563, -.017614, .020734, .872064)),
        ([(64, 33, 64, 32)] * 30 + [(64, 32, 64, 32)] * 70, (.004687, -.013109, .022483, .602452)), ([(4, 3, 4, 2)] * 20, (.25, .069291, .426249, .00906635))):
    d, numbers = pair_numbers(tasks, 1)
    low, high, p, _ = call(("pair", .05, *numbers))[0]
    close((sum(d) / len(d), low, high, p), wanted, 5.1e-7 if len(tasks) < 60 or wanted[3] < .7 else 6e-7, f"a difference: {len(tasks)} tasks, {wanted[0]}")
    close((low, high, p), pair(numbers, .05), 1e-7, "and by the plain version")

# random sets of both, with unequal attempts, K up to 3, levels
random.seed(5)
worst = 0
for _ in range(150):
    m, k, alpha = random.choice([2, 3, 8, 12, 30, 100]), random.choice([1, 1, 2, 3]), random.choice([.05, .01, .1])
    n = random.choice([None, 4, 16])
    draw = lambda: (lambda size: (size, min(size, int(random.betavariate(.4, .8) * (size + 1)))))(n or random.randint(3, 9))
    got, plain = check_share([draw() for _ in range(m)], k, alpha)
    worst = max(worst, max(abs(a - b) / max(1, abs(b)) for a, b in zip(got, plain)))
    d, numbers = pair_numbers([draw() + draw() for _ in range(m)], k)
    low, high, p, _ = call(("pair", alpha, *numbers))[0]
    worst = max(worst, max(abs(a - b) for a, b in zip((low, high, p), pair(numbers, alpha))))
    ok_p = (p < alpha) == (low > 0 or high < 0)
    worst = worst if ok_p else 9
ok(worst < 1e-6, "150 random evaluations: both rules by the plain version, p below alpha exactly when 0 is outside", worst)


# ---- ratios, product limits, means ----

def ratio_line(clusters, alpha=.05):
    return ("ratio", alpha, len(clusters), *(x for c in clusters for x in c))


low, high, _, flips = call(ratio_line([(1, 2), (3, 4), (0, 1), (10, 40), (2, 3), (1, 1), (2, 6), (3, 3)]))[0]
close((low, high, flips), (.002470, .981538, 1.12123), 6e-6, "a ratio over unequal clusters")
low, high, _, flips = call(ratio_line([(1, 1)] * 7 + [(0, 1)] * 5))[0]
close((low, high, flips), (.294101, .834143, 12), 5.1e-7, "a ratio over coins")
stages = [[(1, 1)] * 7 + [(0, 1)] * 5, [(0, 0)] * 7 + [(1, 1), (0, 1)] + [(0, 0)] * 3]
low, high, _, _ = call(("limit", .05, 2, 1, 12, *(x for stage in stages for c in stage for x in c)))[0]
close((low, high), (.432525, .985615), 5.1e-7, "a product limit of two stages")
low, high, _, _ = call(("limit", .05, 1, 1, 12, *(x for c in stages[0] for x in c)))[0]
wanted = call(ratio_line(stages[0]))[0]
close((low, high), wanted[:2], 1e-9, "one stage is a ratio")


def mean_numbers(values):
    m, mean = len(values), sum(values) / len(values)
    c = [x - mean for x in values]
    m2 = sum(x * x for x in c) / m
    return [m, mean, sqrt(m2 / (m - 1)), m - 1, sum(x ** 3 for x in c) / m / m2 ** 1.5]


for values, wanted in (([1, 2, 3, 4, 5, 6, 7, 8, 9, 50], (-.845918, 40.537753)), ([-2, -1, 0, 1, 2] * 2, (-1.066391, 1.066417))):
    low, high, _, _ = call(("mean", .05, *mean_numbers(values)))[0]
    close((low, high), wanted, 5.1e-7, f"a mean of {len(values)} numbers")
random.seed(7)
wrong = []
for _ in range(300):
    values = [random.choice([1, -1]) * random.expovariate(1) ** random.choice([1, 3]) + random.choice([0, .5, 1]) for _ in range(random.choice([3, 8, 30]))]
    numbers = mean_numbers(values)
    alpha = random.choice([.05, .01, .2])
    low, high, p, _ = call(("mean", alpha, *numbers))[0]
    t = t_upper(alpha / 2, len(values) - 1) * numbers[2]
    if (p < alpha) != (low > 0 or high < 0) or low > numbers[1] - t * (1 - 1e-9) or high < numbers[1] + t * (1 - 1e-9):
        wrong.append((values, low, high, p))
same(wrong, [], "means of 300 random sets: never narrower than t, p below alpha exactly when 0 is outside")
random.seed(8)
wrong = []
for _ in range(60):
    clusters = [[(random.randint(0, n), n) for n in (random.randint(0, 6) for _ in range(12))] for _ in range(2)]
    if not all(sum(n for _, n in arm) for arm in clusters):
        continue
    q, alpha = random.choice([0, .5, -.5]), random.choice([.05, .01])
    low, high, p, _ = call(("difference", alpha, q, 12, *(x for arm in clusters for c in arm for x in c)))[0]
    r = [sum(s for s, _ in arm) / sum(n for _, n in arm) for arm in clusters]
    l, u = zip(*(call(ratio_line(arm, alpha))[0][:2] for arm in clusters))
    mover = lambda a, b: sqrt(max(0, a * a + b * b - 2 * q * a * b))
    wanted = (max(-1, r[0] - r[1] - mover(r[0] - l[0], u[1] - r[1])), min(1, r[0] - r[1] + mover(u[0] - r[0], r[1] - l[1])))
    if abs(low - wanted[0]) + abs(high - wanted[1]) > 1e-9 or (p < alpha) != (low > 0 or high < 0):
        wrong.append((clusters, low, high, p))
same(wrong, [], "differences of ratios: from the intervals of the two, p below alpha exactly when 0 is outside")


# ---- coverage of a share with one attempt each, exactly ----

def coverage(m, p, alpha=.05):
    covered = 0
    for c in range(m + 1):
        low, high = share([1.0] * c + [0.0] * (m - c), 0, (c / m) * (1 - c / m), alpha)[:2]
        covered += comb(m, c) * p ** c * (1 - p) ** (m - c) * (low <= p <= high)
    return covered


for m, bound in ((8, .91), (20, .93), (50, .93)):
    least = min(coverage(m, p) for p in (.02, .1, .3, .5))
    ok(least > bound, f"coverage over coins, by enumeration, at {m} tasks", least)

# ---- one more solve moves no end far ----
random.seed(9)
worst = 0
for _ in range(60):
    m, n = random.choice([20, 50, 100]), random.choice([1, 4, 16, 64])
    solved = [0] * m
    last = None
    for _ in range(min(m * n, 60)):
        i = random.choice([i for i in range(m) if solved[i] < n])
        solved[i] += 1
        _, numbers = share_numbers([(n, c) for c in solved], 1)
        low, high, _, flips = call(("share", .05, *numbers))[0]
        if last is not None:
            # a solve is worth 1 / (m n); an end may move by that, and by what the evidence becomes
            step = 1 / (m * n)
            worst = max(worst, (abs(low - last[0]) - 3 * step) / (last[1] - last[0]), (abs(high - last[1]) - 3 * step) / (last[1] - last[0]))
        last = (low, high)
ok(worst < .3, "adding solved rollouts one at a time: no end jumps by a third of the width", worst)
done()
