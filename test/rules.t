#!/usr/bin/env python3
"""The rules for intervals and p values against published values, exact coverage by enumeration, and a plain second version of each in Python."""
import math
import os
import random
import sys
from math import comb, sqrt
from statistics import NormalDist

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import done, ok, same  # noqa: E402

from rules import *  # noqa: E402, F403
from rules import made  # noqa: E402

ok(made.returncode == 0, "the files compile by themselves as C99 without a warning", made.stderr)


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
