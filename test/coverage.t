#!/usr/bin/env python3
"""The page on coverage says what its rows say, and the simulation speaks of the extension: both give the same intervals."""
import csv
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import done, ok, rows, same, use_database  # noqa: E402

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CSV, PAGE = os.path.join(ROOT, "bench", "results", "coverage.csv"), os.path.join(ROOT, "doc", "coverage.md")


def run(*command):
    return subprocess.run(command, capture_output=True, text=True)


# ---- the page ----
report = os.path.join(ROOT, "bench", "coverage_report")
made = run(report, CSV, PAGE)
same((made.returncode, made.stdout.splitlines()), (0, open(PAGE).read().splitlines()), "doc/coverage.md has the tables of bench/results/coverage.csv")

folder = tempfile.TemporaryDirectory()
other = os.path.join(folder.name, "page.md")
with open(other, "w") as page:
    page.write("no tables\n")
made = run(report, CSV, other)
ok(made.returncode == 1 and "has no place for the table" in made.stderr, "a page without a place for them is refused", made.stderr)

# ---- the simulation ----
program = os.path.join(folder.name, "simulation")
made = run(os.path.join(ROOT, "bench", "simulation", "build"), program)
ok(made.returncode == 0 and "warning" not in made.stderr, "the simulation compiles without a warning", made.stderr)

with open(CSV) as kept:
    wanted = [row for row in csv.reader(kept)]
drawn = [line.split(",") for line in run(program, "100", "1", "means").stdout.splitlines()]
same(drawn[0], wanted[0], "the kept rows have the columns that it prints")
# coverage of a mean of normal numbers is that of t, or a little above: the hull is no narrower
normal = [row for row in wanted if row[:2] == ["mean", "normal"] and row[3] == "1"]
ok(len(normal) == 8 and all(0.93 <= float(row[9]) <= 0.98 for row in normal), "means of normal numbers are covered as by t", normal)
same(run(program, "0").returncode, 2, "no evaluations: refused")
same(run(program, "100", "1", "means").stdout.splitlines()[5], ",".join(drawn[5]), "the same seed, the same rows")

# ---- the extension ----
use_database("agentrl_coverage")
ARM = """(SELECT pass_agg(task, attempt <= c, 1) FROM (VALUES {}) v(task, n, c), generate_series(1, n) attempt)"""


def arm(counts):
    return ARM.format(", ".join(f"({i}, {n}, {c})" for i, (n, c) in enumerate(counts)))


def pairs(numbers):
    return list(zip(numbers[::2], numbers[1::2]))


evaluations = [line.split() for line in run(program, "compare").stdout.splitlines()]
queries, given = [], []
for figure, k, low, high, p, *counts in evaluations:
    counts = pairs([int(x) for x in counts])
    given.append([float(low), float(high)] + ([float(p)] if figure == "difference" else []))
    if figure == "pass":
        queries.append(f"SELECT ci_low, ci_high FROM pass_grid({arm(counts)}, '{{{k}}}', resamples => 0);")
    else:
        queries.append(f"SELECT ci_low, ci_high, p_value FROM pass_diff({arm(counts[::2])}, {arm(counts[1::2])}, '{{{k}}}', resamples => 0);")
got = [[float(x) for x in row] for row in rows("\n".join(queries))]
apart = [max(abs(a - b) for a, b in zip(x, y)) if len(x) == len(y) else 9 for x, y in zip(got, given)]
ok(len(got) == len(given) == 80 and max(apart) < 1e-9, "80 evaluations: the simulation's intervals and p values are the extension's", max(apart, default=9))
done()
