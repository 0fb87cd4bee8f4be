"""The rules for intervals and p values in plain Python, one figure at a time, from doc/statistics.md: what the tests hold the C code to."""
import functools
import math
import os
import subprocess
import tempfile
from math import comb, sqrt
from statistics import NormalDist

HERE = os.path.dirname(os.path.abspath(__file__))
SOURCE = os.path.join(HERE, "..", "src")
folder = tempfile.TemporaryDirectory()
PROGRAM = os.path.join(folder.name, "driver")
made = subprocess.run(["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-I" + SOURCE, "-o", PROGRAM, os.path.join(HERE, "rules_driver.c")]
                      + [os.path.join(SOURCE, "stats", name) for name in ("elementary.c", "distribution.c", "intervals.c", "rules.c")] + ["-lm"], capture_output=True, text=True)


def call(*requests):
    script = "\n".join(" ".join([r[0], *(repr(float(x)) for x in r[1:])]) for r in requests) + "\n"
    run = subprocess.run([PROGRAM], input=script, capture_output=True, text=True)
    return [tuple(map(float, line.split())) for line in run.stdout.splitlines()]


# ---- a second version, plain ----

C, E, D = 9.0, 36.0, 0.25


@functools.lru_cache(maxsize=None)
def lower_beta(x, a, b):
    """I_x(a, b), the chance of less than x, by its continued fraction, which is summed from its far end."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    if x > (a + 1) / (a + b + 2):
        return 1 - lower_beta(1 - x, b, a)
    terms = 30 + int(3 * sqrt(max(a, b)))
    value = 0.0
    for j in range(terms, 0, -1):
        even = j * (b - j) * x / ((a + 2 * j - 1) * (a + 2 * j))
        odd = -(a + j - 1) * (a + b + j - 1) * x / ((a + 2 * j - 2) * (a + 2 * j - 1))
        value = odd / (1 + even / (1 + value))
    return math.exp(math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)) / (a * (1 + value))


def t_sf(t, df):
    """The chance of more than t."""
    half = lower_beta(df / (df + t * t), df / 2, 0.5) / 2
    return half if t >= 0 else 1 - half


def root(f, low, high):
    """Where f, which falls, is 0: by secants, and by halves where they hardly move an end."""
    at_low, at_high = f(low), f(high)
    for turn in range(200):
        at = (low + high) / 2 if turn % 3 == 2 or at_low == at_high else low + (high - low) * at_low / (at_low - at_high)
        if not low < at < high:
            at = (low + high) / 2
        if high - low <= 4e-16 * max(abs(low), abs(high)):
            break
        value = f(at)
        if value == 0:
            return at
        if value > 0:
            low, at_low = at, value
        else:
            high, at_high = at, value
    return (low + high) / 2


@functools.lru_cache(maxsize=None)
def t_upper(tail, df):
    return root(lambda t: t_sf(t, df) - tail, 0, 1e6 if df < 2 else 1e3)


def z_upper(tail):
    return NormalDist().inv_cdf(1 - tail)


@functools.lru_cache(maxsize=None)
def beta_q(p, a, b):
    if p > 0.5:
        return 1 - beta_q(1 - p, b, a)
    # quantiles may be near 0 by many orders: the exponent is sought
    return math.exp(root(lambda e: p - lower_beta(math.exp(e), a, b), -200, 0))


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


def mean_numbers(values):
    m, mean = len(values), sum(values) / len(values)
    c = [x - mean for x in values]
    m2 = sum(x * x for x in c) / m
    return [m, mean, sqrt(m2 / (m - 1)), m - 1, sum(x ** 3 for x in c) / m / m2 ** 1.5]


def ratio_parts(clusters):
    """A ratio over clusters (s, n): r, its variance, sum of squared shares, carriers, degrees of freedom."""
    clusters = [(s, n) for s, n in clusters if n > 0]
    total = sum(n for _, n in clusters)
    r = sum(s for s, _ in clusters) / total
    a = [sum((n / total) ** i for _, n in clusters) for i in range(6)]
    trace = a[2] - 2 * a[3] + a[2] ** 2
    trace2 = a[4] + 4 * a[2] * a[4] - 4 * a[5] + a[2] ** 4 - 4 * a[2] ** 2 * a[3] + 2 * a[3] ** 2
    df = max(1, trace ** 2 / trace2) if trace2 > 1e-300 else 1
    v = sum((s - r * n) ** 2 for s, n in clusters) / total ** 2 * (a[2] / trace if trace > 1e-12 else 1)
    v = max(v, sum(s * (n - s) / (n - 1) for s, n in clusters if n > 1) / total ** 2)
    return r, v, a[2], min(participation([s for s, _ in clusters]), participation([n - s for s, n in clusters])), df, len(clusters), total


def flips(parts, alpha):
    r, v, a2, carriers, df, clusters, _ = parts
    rho = 1.0
    if 0 < r < 1 and clusters > 1:
        pull = C / (C + carriers ** 2)
        rho = pull + (1 - pull) * min(1, v / (a2 * r * (1 - r)))
    return 1 / (a2 * rho * (1 + ((t_upper(alpha / 2, df) / z_upper(alpha / 2)) ** 2 - 1) * (1 - rho)))


def ratio(clusters, alpha=.05):
    """Low and high of sum s / sum n over clusters (s, n)."""
    parts = ratio_parts(clusters)
    return ends(parts[0], flips(parts, alpha), alpha)


def influences(stages):
    """By cluster: what it adds to the logarithm of the survival; and the inflation of its variance by clusters that share stages."""
    parts = [ratio_parts(stage) for stage in stages]
    e = [[(s - p[0] * n) / p[6] / max(1 - p[0], 1e-9) for s, n in stage] for stage, p in zip(stages, parts)]
    together = [sum(x) for x in zip(*e)]
    apart = sum(x * x for row in e for x in row)
    return together, max(1, sum(x * x for x in together) / apart) if apart > 0 else 1.0


def limit(stages, alpha=.05):
    """Low and high of 1 - prod (1 - h) over stages of clusters (s, n), aligned; one stage is a ratio."""
    if len(stages) == 1:
        return ratio(stages[0], alpha)
    parts = [ratio_parts(stage) for stage in stages]
    survival = math.prod(1 - p[0] for p in parts)
    inflation = influences(stages)[1]
    found = []
    for more in (1 - D, D):
        mu = q = 1.0
        for p in parts:
            n = flips(p, alpha) / inflation
            x, y = (1 - p[0]) * n + more, p[0] * n + 1 - more
            mu *= x / (x + y)
            q *= x / (x + y) * (x + 1) / (x + y + 1)
        k = mu * (1 - mu) / (q - mu * mu) - 1
        found.append((mu * k, (1 - mu) * k))
    high = 1.0 if survival >= 1 else max(survival, beta_q(1 - alpha / 2, *found[0]))
    low = 0.0 if survival <= 0 else min(survival, beta_q(alpha / 2, *found[1]))
    return 1 - high, 1 - low


def rate_of(stages):
    return 1 - math.prod(1 - ratio_parts(stage)[0] for stage in stages)


def rate_difference(first, second, alpha=.05):
    """Low and high of the difference of two limits on shared clusters."""
    r = rate_of(first), rate_of(second)
    e = [influences(stages)[0] if len(stages) > 1 else [(s - r[i] * n) / ratio_parts(stages[0])[6] for s, n in stages[0]] for i, stages in enumerate((first, second))]
    size = sqrt(sum(x * x for x in e[0])) * sqrt(sum(x * x for x in e[1]))
    q = sum(x * y for x, y in zip(*e)) / size if size > 0 else 0
    (l1, u1), (l2, u2) = limit(first, alpha), limit(second, alpha)
    mover = lambda a, b: sqrt(max(0, a * a + b * b - 2 * q * a * b))
    return max(-1, r[0] - r[1] - mover(r[0] - l1, u2 - r[1])), min(1, r[0] - r[1] + mover(u1 - r[0], r[1] - l2))


def hull(numbers, alpha=.05):
    """Low and high of a mean from clusters, mean, standard error, degrees of freedom, skewness."""
    m, mean, error, df, g = numbers
    t = t_upper(alpha / 2, df)
    divisor = g if abs(g) >= 1e-4 else 1e-4
    cube = lambda x: math.copysign(abs(x) ** (1 / 3), x)
    hall = lambda z: sqrt(m) * 3 / divisor * (cube(1 + divisor * (z / sqrt(m) - g / (6 * m))) - 1)
    return mean - max(t, min(3 * t, hall(t))) * error, mean + max(t, min(3 * t, -hall(-t))) * error
