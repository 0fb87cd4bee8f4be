#!/usr/bin/env python3
"""Distribution functions and intervals against Python's own, closed forms, tables and integration."""
import math
import os
import random
import subprocess
import sys
import tempfile
from statistics import NormalDist

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from tap import done, ok, same  # noqa: E402

INF = math.inf
TINY = sys.float_info.min
PI = math.pi


def build(folder):
    source = os.path.join(HERE, "..", "src")
    program = os.path.join(folder, "driver")
    command = ["cc", "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-ffp-contract=off", "-I" + source,
               "-o", program, os.path.join(HERE, "distribution_driver.c")]
    command += [os.path.join(source, "stats", name) for name in ("elementary.c", "distribution.c", "intervals.c")] + ["-lm"]
    made = subprocess.run(command, capture_output=True, text=True)
    ok(made.returncode == 0, "the files compile by themselves as C99 without a warning", made.stderr)
    return program


def calls(requests):
    """Results of (name, argument...) tuples: a float each, or a pair."""
    script = "\n".join(" ".join([r[0], *map(repr, map(float, r[1:]))]) for r in requests) + "\n"
    run = subprocess.run([PROGRAM], input=script, capture_output=True, text=True)
    lines = run.stdout.splitlines()
    if run.returncode or len(lines) != len(requests):
        print("Bail out!", run.stderr)
        raise SystemExit(1)
    values = [tuple(map(float, line.split())) for line in lines]
    return [v[0] if len(v) == 1 else v for v in values]


def call(*request):
    return calls([request])[0]


def off(got, wanted):
    if isinstance(wanted, tuple):
        return max(map(off, got, wanted))
    if got == wanted:
        return 0.0
    if not math.isfinite(got) or not math.isfinite(wanted):
        return INF
    return abs(got - wanted) / abs(wanted) if wanted else abs(got)


def close(table, tolerance, name):
    """table: (request, wanted) pairs."""
    table = list(table)
    got = calls([request for request, _ in table])
    worst = max(((off(g, w), r, g, w) for g, (r, w) in zip(got, table)), key=lambda row: row[0])
    ok(worst[0] <= tolerance, f"{name} ({len(table)} values)", "off by %g: %r\ngot    %r\nwanted %r" % worst)


def rising(requests, name, strictly=True):
    got = calls(requests)
    bad = [(r, a, b) for r, a, b in zip(requests, got, got[1:]) if not (a < b or (not strictly and a == b))]
    ok(not bad, name, bad[:1])


def simpson(f, low, high, steps):
    h = (high - low) / steps
    inner = math.fsum((4 if i % 2 else 2) * f(low + i * h) for i in range(1, steps))
    return (f(low) + inner + f(high)) * h / 3


def t_by_integration(t, df):
    """Upper tail with t = tan(angle) sqrt(df): the integral of cos^(df - 1) from there to pi / 2."""
    angle = math.atan2(math.sqrt(df), t)
    constant = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(PI)
    coarse, fine = (simpson(lambda a: math.sin(a) ** (df - 1), 0, angle, steps) for steps in (3000, 6000))
    return constant * (16 * fine - coarse) / 15


def t_closed(t, df):
    """For t > 0 and df 1, 2 or 4, in forms that do not cancel in the tail."""
    if df == 1:
        return math.atan2(1, t) / PI
    root = math.sqrt(df + t * t)
    rest = df / (root * (root + t))  # 1 - t / root
    return rest / 2 if df == 2 else rest * rest * (2 + t / root) / 4


def chi2_even(x, df):
    term, terms = 1.0, [1.0]
    for i in range(1, int(df) // 2):
        term *= x / 2 / i
        terms.append(term)
    return math.exp(-x / 2) * math.fsum(terms)


def chi2_odd(x, df):
    half = x / 2
    terms = [math.exp(-half + (i - 0.5) * math.log(half)) / math.gamma(i + 0.5) for i in range(1, (int(df) + 1) // 2)]
    return math.erfc(math.sqrt(half)) + math.fsum(terms)


def test_exp_log(rng):
    xs = [rng.uniform(-708, 709.7) for _ in range(2000)] + [rng.uniform(-1, 1) for _ in range(2000)]
    close(((("dist_exp", x), math.exp(x)) for x in xs), 4.5e-16, "dist_exp agrees with math.exp")
    xs = [math.exp(rng.uniform(-708, 709)) for _ in range(2000)] + [rng.uniform(0.3, 3) for _ in range(2000)]
    xs += [1 + rng.uniform(-1, 1) * 10 ** rng.uniform(-15, -1) for _ in range(1000)]
    close(((("dist_log", x), math.log(x)) for x in xs), 4.5e-16, "dist_log agrees with math.log")
    same(calls([("dist_exp", x) for x in (0, -0.0, INF, -INF, 710, -746, -745.1, 709.782712893384)])[:7],
         [1.0, 1.0, INF, 0.0, INF, 0.0, 5e-324], "dist_exp at its ends")
    close([(("dist_exp", 709.782712893384), math.exp(709.782712893384)),
           (("dist_exp", 709.5), math.exp(709.5))], 4.5e-16, "dist_exp just below overflow")
    close([(("dist_exp", x), math.exp(x)) for x in (-710, -720, -730)], 1e-6, "dist_exp among subnormals")
    same(calls([("dist_log", x) for x in (0, 1, INF)]), [-INF, 0.0, INF], "dist_log at its ends")
    close([(("dist_log", 5e-324), -1074 * math.log(2)), (("dist_log", 3e-310), math.log(3e-310))], 4.5e-16,
          "dist_log of subnormals")
    odd = [(f, *a) for f, *a in (("dist_exp", math.nan), ("dist_log", math.nan), ("dist_log", -1),
                                 ("normal_sf", math.nan), ("normal_cdf", math.nan), ("normal_quantile", math.nan),
                                 ("normal_quantile", -0.1), ("normal_quantile", 1.1), ("t_sf", math.nan, 3),
                                 ("t_sf", 1, 0), ("t_sf", 1, math.nan), ("t_quantile", 0.5, 0.5),
                                 ("t_quantile", 2, 3), ("t_quantile", math.nan, 3), ("chi2_sf", 1, 0),
                                 ("chi2_sf", math.nan, 1), ("chi2_sf", 1, INF), ("t_p_value", 1, 1, 0),
                                 ("t_p_value", math.nan, 1, 3), ("quantile_sorted", 0.5),
                                 ("quantile_sorted", math.nan, 1, 2))]
    bad = [r for r, v in zip(odd, calls(odd)) if v == v]
    ok(not bad, "outside the domain the result is NaN", bad)


def test_normal(rng):
    zs = [rng.uniform(-9, 37) for _ in range(1500)] + [rng.uniform(-1, 1) for _ in range(500)]
    # erfc itself is tested by what it loses: z / sqrt(2) is rounded, which costs z^2 * 1e-16
    table = [(("normal_sf", z), math.erfc(z / math.sqrt(2)) / 2) for z in zs]
    close([row for row in table if abs(row[0][1]) < 6], 1e-14, "normal_sf agrees with math.erfc")
    close(table, 4e-13, "normal_sf agrees with math.erfc down to 1e-300")
    # published: Q(5), Q(10), Q(20), Q(30)
    close([(("normal_sf", 5), 2.866515718791939e-7), (("normal_sf", 10), 7.619853024160527e-24),
           (("normal_sf", 20), 2.753624118606234e-89), (("normal_sf", 30), 4.906713927148187e-198)], 2e-15,
          "normal_sf has the known values")
    same(calls([("normal_cdf", -z) for z in zs]), calls([("normal_sf", z) for z in zs]), "normal_cdf is its mirror")
    same(calls([("normal_sf", z) for z in (0, INF, -INF, 1e300, -1e300)]), [0.5, 0.0, 1.0, 0.0, 1.0],
         "normal_sf at 0 and far out")
    ps = [rng.random() for _ in range(1000)] + [10 ** rng.uniform(-15, 0) for _ in range(500)]
    close(((("normal_quantile", p), NormalDist().inv_cdf(p)) for p in ps if abs(p - 0.5) > 1e-3), 2e-13,
          "normal_quantile agrees with statistics.NormalDist")
    zs = [rng.uniform(-37, 8) * 0.999 for _ in range(1000)] + [rng.uniform(-0.3, 0.3) for _ in range(300)]
    zs = [z for z in zs if z < 0]
    got = calls([("normal_quantile", p) for p in calls([("normal_cdf", z) for z in zs])])
    # the step in p itself, 1e-16 of it, moves z by no more than 1e-15
    worst = max((off(g, z), z) for g, z in zip(got, zs) if z < -0.05)
    ok(worst[0] < 1e-14, "normal_quantile turns normal_cdf back", worst)
    ps = [10 ** rng.uniform(-12, -0.31) for _ in range(300)]
    table = list(zip(calls([("normal_quantile", 0.5 + p) for p in ps]),
                     calls([("normal_quantile", 0.5 - ((0.5 + p) - 0.5)) for p in ps])))
    ok(all(a == -b for a, b in table), "normal_quantile is odd around one half")
    near = 2.0 ** -40
    close([(("normal_quantile", 0.5 + near), near * math.sqrt(2 * PI)), (("normal_quantile", 0.975), 1.959963984540054),
           (("normal_quantile", 1e-300), -37.04709629936119)], 2e-14, "normal_quantile has the known values")
    same(calls([("normal_quantile", p) for p in (0, 0.5, 1)]), [-INF, 0.0, INF], "normal_quantile at its ends")
    ok(-38.5 < call("normal_quantile", 5e-324) < -38.4, "normal_quantile of the smallest number")
    rising([("normal_cdf", -38 + i * 0.01) for i in range(4500)], "normal_cdf rises")
    rising([("normal_quantile", i / 5000) for i in range(5001)], "normal_quantile rises")


def test_t(rng):
    table = [(("t_sf", t, df), t_closed(t, df)) for df in (1, 2, 4)
             for t in [10 ** rng.uniform(-6, 60) for _ in range(300)] + [i / 10 for i in range(1, 200)]]
    close(table, 1e-13, "t_sf agrees with the closed forms of df 1, 2 and 4")
    close([(("t_sf", 1e200, 1), 1e-200 / PI), (("t_sf", 1e300, 1), 1e-300 / PI), (("t_sf", 1e150, 2), 5e-301)], 3e-13,
          "t_sf of huge t")
    dfs = [1.5, 3, 3.7, 5, 9, 10, 15, 19, 20, 20.5, 21, 30, 49, 99, 250]
    table = [(("t_sf", t, df), t_by_integration(t, df)) for df in dfs
             for t in [i / 4 for i in range(0, 24)] + [rng.uniform(6, 30) for _ in range(4)] if df < 30 or t < 8]
    close([r for r in table if r[0][2] >= 3], 2e-12, "t_sf agrees with Simpson's rule")
    close([r for r in table if r[0][2] < 3], 1e-5, "t_sf agrees with Simpson's rule, df 1.5")
    t_table = {1: 1 / math.tan(PI / 40), 2: 0.95 / math.sqrt(0.04875), 3: 3.1824463052837046, 10: 2.228138852,
               30: 2.042272456, 49: 2.009575237, 120: 1.979930405}
    close([(("t_quantile", 0.975, df), t) for df, t in t_table.items()], 3e-10, "t_quantile has the table's values")
    close([(("t_quantile", 0.975, df), t_table[df]) for df in (1, 2, 3)], 1e-14, "t_quantile to every digit known")
    ps = [rng.random() for _ in range(300)] + [10 ** rng.uniform(-100, -1) for _ in range(100)]
    close(((("t_quantile", p, 1), -1 / math.tan(PI * p)) for p in ps if p < 0.45), 1e-13, "t_quantile of df 1")
    close(((("t_quantile", p, 2), -(1 - 2 * p) / math.sqrt(2 * p * (1 - p))) for p in ps if p < 0.49), 1e-13,
          "t_quantile of df 2")
    close([(("t_quantile", 0.5 + 2.0 ** -40, 2), 2.0 ** -39 * math.sqrt(2))], 1e-14, "t_quantile next to one half")
    cases = [(10 ** rng.uniform(-300, -0.31), df) for df in dfs + [1, 2, 1e3, 1e5, 1e9] for _ in range(40)]
    close(zip([("t_sf", -t, df) for t, (_, df) in zip(calls([("t_quantile", *c) for c in cases]), cases)],
              [p for p, _ in cases]), 1e-12, "t_sf turns t_quantile back")

    # Fisher's expansion: to order df^-2 it leaves about z^12 / 384 / df^3
    def expanded(z, df):
        density = math.exp(-z * z / 2) / math.sqrt(2 * PI)
        second = z * (3 * z**6 - 7 * z**4 - 5 * z**2 - 3) / 96
        return math.erfc(z / math.sqrt(2)) / 2 + density * (z * (z * z + 1) / 4 / df + second / df / df)
    close([(("t_sf", i / 8, df), expanded(i / 8, df)) for df in (1e7, 1e9, 1e12, 1e17, 2e17, 1e300, INF)
           for i in range(40)], 1e-13, "t_sf of large df agrees with Fisher's expansion")
    same(calls([("t_sf", 0, 3), ("t_sf", INF, 3), ("t_sf", -INF, 3), ("t_sf", 1e-200, 5), ("t_sf", 100, 1e9)]),
         [0.5, 0.0, 1.0, 0.5, 0.0], "t_sf at 0 and far out")
    same(calls([("t_quantile", p, 7) for p in (0, 0.5, 1)]), [-INF, 0.0, INF], "t_quantile at its ends")
    close([(("t_quantile", 1e-300, 1), -1e300 / PI)], 1e-12, "t_quantile of a huge result")
    same(calls([("t_quantile", 0.25, df) for df in (1, 2.5, 30, 1e9)]),
         [-v for v in calls([("t_quantile", 0.75, df) for df in (1, 2.5, 30, 1e9)])], "t_quantile is odd")
    close([(("t_sf", -t, df), 1 - call("t_sf", t, df)) for df in (1, 5, 40, 1e6) for t in (0.1, 1, 5)], 1e-15,
          "t_sf(-t) is 1 - t_sf(t)")
    for df in (1, 3, 12, 20, 25, 1000, 1e9):
        rising([("t_sf", -i * 0.01, df) for i in range(-600, 601)], f"t_sf falls in t, df {df:g}")
    rising([("t_quantile", 0.975, 1e9 / 1.02**i) for i in range(1040)], "t_quantile(.975) falls in df", False)
    rising([("t_quantile", i / 2000, 4.5) for i in range(2001)], "t_quantile rises in p")


def test_chi2(rng):
    for name, form, dfs in (("even", chi2_even, (2, 4, 10, 18, 20, 22, 60, 200)), ("odd", chi2_odd, (1, 3, 9, 19, 21, 61))):
        close([(("chi2_sf", x, df), form(x, df)) for df in dfs
               for x in [10 ** rng.uniform(-4, 1) for _ in range(20)] + [df * rng.uniform(0.1, 5) for _ in range(60)]],
              1e-12, f"chi2_sf agrees with the finite sums of {name} df")
    close([(("chi2_sf", z * z, 1), math.erfc(z / math.sqrt(2))) for z in (1e-5, 0.3, 1, 2, 8, 30)], 3e-13,
          "chi2_sf of df 1 is two normal tails")
    close([(("chi2_sf", 3.841458820694124, 1), 0.05), (("chi2_sf", 18.307038053275146, 10), 0.05),
           (("chi2_sf", 124.34211340400407, 100), 0.05)], 1e-13, "chi2_sf has the table's values")
    # both sides of where the expansion for large df takes over
    close([(("chi2_sf", df + z * math.sqrt(2 * df), df), call("chi2_sf", below + z * math.sqrt(2 * below), below))
           for df, below in ((2e7, 2e7 * (1 - 1e-9)),) for z in (-6, -1, 0, 1, 6, 12)], 1e-10,
          "chi2_sf does not jump at df 2e7")
    # Wilson and Hilferty's cube root, good to about 1 / df
    def cube_root(z, df):
        x = 1 + z * math.sqrt(2 / df)
        return math.erfc((math.cbrt(x) - (1 - 2 / (9 * df))) / math.sqrt(2 / (9 * df)) / math.sqrt(2)) / 2
    close([(("chi2_sf", df + z * math.sqrt(2 * df), df), cube_root(z, df)) for df in (1e6, 1e8, 1e10)
           for z in (-4, -1, 0, 1, 4)], 1e-4, "chi2_sf of large df agrees with Wilson and Hilferty")
    same(calls([("chi2_sf", *a) for a in ((0, 1), (-1, 3), (INF, 3), (1e6, 1), (1e9, 1e8), (1, 1e12), (9e12, 1e12))]),
         [1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0], "chi2_sf at its ends")
    for df in (1, 7, 20, 400):
        rising([("chi2_sf", df * (3 - i / 200), df) for i in range(590)], f"chi2_sf falls in x, df {df}", False)


def wilson(p, n, z):
    middle = (p + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return (max(0.0, middle - half), min(1.0, middle + half))


def mover(p, m, n, z):
    (l1, u1), (l2, u2) = wilson(p, n, z), wilson(m, n, z)
    return (max(-1.0, p - m - math.hypot(p - l1, u2 - m)), min(1.0, p - m + math.hypot(u1 - p, m - l2)))


def test_intervals(rng):
    z95 = NormalDist().inv_cdf(0.975)
    (low, high), zero = calls([("wilson_interval", 1, 10, z95), ("wilson_interval", 0, 50, z95)])
    same((round(low, 5), high, zero[0], round(zero[1], 6)), (0.72247, 1.0, 0.0, 0.071348),
         "wilson_interval has the known values, with exact ends")
    cases = [(rng.random(), math.exp(rng.uniform(0, 12)), rng.uniform(0.1, 6)) for _ in range(500)]
    got = calls([("wilson_interval", *c) for c in cases])
    bad = [(c, g) for c, g in zip(cases, got) if max(abs(a - b) for a, b in zip(g, wilson(*c))) > 2e-15]
    ok(not bad, "wilson_interval agrees with its formula", bad[:1])
    # the lower end where the formula cancels: p^2 / (p + c/2 + sqrt(..)) ~ p^2 / c
    close([(("wilson_interval", 1e-12, 10, 2), (1e-24 / 0.4, 0.4 / 1.4))], 1e-11, "wilson_interval next to 0")
    cases = [(p, n, z) for p in (0, 5e-324, 1e-300, 1e-17, 0.1, 0.5, 2 / 3, 1 - 2**-53, 1)
             for n in (1, 2, 1e6, 1e18, 1e300) for z in (1e-200, 1e-9, 2, 40, 1e100, 1e200)]
    bad = [(c, g) for c, g in zip(cases, calls([("wilson_interval", *c) for c in cases]))
           if not (0 <= g[0] <= c[0] <= g[1] <= 1 and g[0] < g[1] and (c[0] in (0, 1) or g[0] < c[0] < g[1]))]
    ok(not bad, "wilson_interval holds p and is never closed", bad[:3])
    same(calls([("wilson_interval", 0.5, 0, 2), ("wilson_interval", 0.5, 10, INF), ("wilson_interval", 0.25, 10, 0)]),
         [(0.0, 1.0), (0.0, 1.0), (0.25, 0.25)], "wilson_interval of no units, z infinite, z 0")

    cases = [(p, m, math.exp(rng.uniform(0, 9)), rng.uniform(0.1, 5)) for p, m in
             ((rng.random(), rng.random()) for _ in range(400)) if p + m <= 1]
    got = calls([("mover_interval", *c) for c in cases])
    bad = [(c, g) for c, g in zip(cases, got) if max(abs(a - b) for a, b in zip(g, mover(*c))) > 4e-15]
    ok(not bad, "mover_interval agrees with its formula", bad[:1])
    swapped = calls([("mover_interval", m, p, n, z) for p, m, n, z in cases])
    ok(all((-h, -l) == g for g, (l, h) in zip(got, swapped)), "mover_interval changes sign with its means")
    ok(call("mover_interval", 0, 0, 50, z95)[0] < 0 < call("mover_interval", 0, 0, 50, z95)[1],
       "mover_interval of no difference is open")
    # all 10 tasks better: 1 - sqrt(2) c / (1 + c) is 0 at c = 1 / (sqrt(2) - 1), z^2 = 10 c
    z = math.sqrt(10 / (math.sqrt(2) - 1))
    close([(("mover_p_value", 1, 0, 10), math.erfc(z / math.sqrt(2)))], 1e-12, "mover_p_value of ten wins in ten")
    cases = [c[:3] for c in cases if abs(c[0] - c[1]) * math.sqrt(c[2]) < 5]
    ps = calls([("mover_p_value", *c) for c in cases])
    bad = []
    for (p, m, n), value in zip(cases, ps):
        z = -NormalDist().inv_cdf(value / 2)
        near, far = mover(p, m, n, z * (1 - 1e-6)), mover(p, m, n, z * (1 + 1e-6))
        if near[0] <= 0 <= near[1] or not far[0] < 0 < far[1]:
            bad.append((p, m, n, value))
    ok(len(cases) > 100 and not bad, f"the interval of mover_p_value touches 0 ({len(cases)} values)", bad[:2])
    same(ps, calls([("mover_p_value", m, p, n) for p, m, n in cases]), "mover_p_value has no sign")
    same(calls([("mover_p_value", *c) for c in ((0, 0, 5), (0.3, 0.3, 50), (1, 0, 1e9))]), [1.0, 1.0, TINY],
         "mover_p_value is 1 without a difference, and never 0")

    close([(("t_interval", 9.5, 0.6454972243679028, 3, 0.95), (7.445739743239481, 11.554260256760518)),
           (("t_interval", 0.3, 0.2, 4, 0.95), (0.3 - 0.2 * 2.7764451051977987, 0.3 + 0.2 * 2.7764451051977987))],
          1e-13, "t_interval has the known values")
    same(calls([("t_interval", 2, 0, 3, 0.95), ("t_interval", 2, 1, 3, 1), ("t_interval", 2, 1, 3, 0)]),
         [(2.0, 2.0), (-INF, INF), (2.0, 2.0)], "t_interval without error, and of confidence 1 and 0")
    ok(all(v != v for v in call("t_interval", 2, 1, 0, 0.95)), "t_interval without degrees of freedom is NaN")
    close([(("t_p_value", m, 0.2, 4), 2 * t_closed(abs(m) / 0.2, 4)) for m in (0.3, -0.3, 4)], 1e-13,
          "t_p_value agrees with the closed form of df 4")
    same(round(call("t_p_value", 0.3, 0.2, 4), 3), 0.208, "t_p_value has the known value")
    same(calls([("t_p_value", *c) for c in ((0, 0, 3), (1, 0, 3), (-1, 0, 3), (0, 1, 3), (1e300, 1e-300, 5))]),
         [1.0, TINY, TINY, 1.0, TINY], "t_p_value is 1 without a mean, and never 0")

    same(calls([("quantile_sorted", q, 1, 2, 4, 8) for q in (0, 1 / 3, 0.5, 0.75, 1)]), [1.0, 2.0, 3.0, 5.0, 8.0],
         "quantile_sorted interpolates")
    same(calls([("quantile_sorted", 0.3, 7), ("quantile_sorted", 0.25, INF, INF), ("quantile_sorted", -1, 1, 2),
                ("quantile_sorted", 2, 1, 2), ("quantile_sorted", 0.5, -3, -3)]), [7.0, INF, 1.0, 2.0, -3.0],
         "quantile_sorted of one value, equal values, q outside")


with tempfile.TemporaryDirectory() as folder:
    PROGRAM = build(folder)
    random_numbers = random.Random(20)
    for test in (test_exp_log, test_normal, test_t, test_chi2, test_intervals):
        test(random_numbers)
done()
