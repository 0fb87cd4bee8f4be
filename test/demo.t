#!/usr/bin/env python3
"""`make demo`. Runs in the cluster that PGHOST names. Figures are checked against a direct computation from the outcomes of
the rollouts; the lab that plays them and tells the truth about them has tests of its own, and so has the report."""
import collections
import math
import os
import re
import shutil
import subprocess
import tempfile

from lake import ROOT
from tap import done, ok, same

os.chdir(ROOT)
DATA = os.environ.get("AGENTRL_DATA")
DATABASE = "agentrl_demo_test"
BUDGETS = (10, 15, 20, 25, 30, 50, 75, 100)


def near(got, expected, tolerance, name):
    ok(got is not None and abs(got - expected) <= tolerance, name, f"got {got}, expected {expected}")


def pass_at(rollouts, k, t):
    """Mean over tasks of 1 - C(n-c, k) / C(n, k), from the definition."""
    tasks = collections.defaultdict(list)
    for r in rollouts:
        tasks[r["task_id"]].append(r["trajectory"].get("solved_at", math.inf) <= t)
    values = [1 - math.comb(len(v) - sum(v), k) / math.comb(len(v), k) for v in tasks.values() if len(v) >= k]
    return sum(values) / len(values)


# ------------------------------------------------------------------- reading tables


def numbers_of(output, title):
    """The psql table under a line that begins with title: rows of cells."""
    lines = output[output.index("\n" + title) + 1:].splitlines()[1:]
    rows = []
    for line in lines:
        if not line.strip():
            break
        if not re.fullmatch(r"[-+ ]+", line):
            rows.append([c.strip() for c in line.split("|")])
    return rows


def shown(output, caption):
    """The rows of the table under a caption, which may take several lines."""
    lines = output[output.index("\n" + caption) + 1:].splitlines()
    rule = next(i for i, line in enumerate(lines) if re.fullmatch(r"[-+]+", line))
    end = next(i for i, line in enumerate(lines) if i > rule and not line.strip())
    return [[c.strip() for c in line.split("|")] for line in lines[rule + 1:end]]


def demo(*arguments, **variables):
    subprocess.run(["dropdb", "--if-exists", DATABASE], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["createdb", DATABASE], check=True)
    environment = {**os.environ, **variables, "PGDATABASE": DATABASE}
    subprocess.run(["psql", "-Xqc", "CREATE EXTENSION agentrl"], check=True, env=environment)
    ended = subprocess.run(["demo/run", *arguments], capture_output=True, text=True, env=environment)
    return ended.returncode, ended.stdout, ended.stderr


tmp = tempfile.mkdtemp(prefix="agentrl-demo-test.")


def asked(query):
    """Rows of a query in the database that the demo left."""
    out = subprocess.run(["psql", "-XqAt", "-d", DATABASE, "-c", query], capture_output=True, text=True, check=True).stdout
    return [line.split("|") for line in out.splitlines()]


def percent(cell):
    return float(cell.split()[0])


def test_story():
    report = os.path.join(tmp, "report.html")
    code, out, err = demo(REPORT=report)
    same((code, err), (0, ""), "demo/run succeeds and warns of nothing")
    ok(max(map(len, out.splitlines())) <= 100, "it fits into 100 columns", max(out.splitlines(), key=len))
    same([line.split(". ")[0] for line in re.findall(r"^={98}\n(.*)$", out, re.M)], [str(i) for i in range(1, 13)], "it has twelve sections")
    ok(os.path.getsize(report) > 100000, "and writes the report")

    # the surface, from the outcomes of the rollouts
    rollouts = collections.defaultdict(list)
    for policy, budget, task, solved in asked("""SELECT split_part(run, '-', 1), budget(traj), task_id, coalesce(solved_at(traj)::text, 'inf')
            FROM rollouts WHERE run ~ '^[a-z]+-[0-9]+$'"""):
        rollouts[policy, int(budget)].append({"task_id": task, "trajectory": {"solved_at": float(solved)}})
    same({len(r) for r in rollouts.values()}, {1600}, "100 maps, 16 attempts each, of each policy and budget")
    table = shown(out, "Share of 100 maps solved")
    expected = [(k, t, policy, 100 * pass_at(rollouts[policy, t], k, t)) for k in (1, 8) for t in BUDGETS for policy in ("base", "full")]
    printed = [(int(r[0]), int(r[1]), policy, percent(r[c])) for r in table for policy, c in (("base", 2), ("full", 5))]
    same([e[:3] for e in expected], [p[:3] for p in printed], "its surface has K = 1 and 8, all T")
    ok(max(abs(e[3] - p[3]) for e, p in zip(expected, printed)) < 0.0501, "and is what the definition gives", list(zip(expected, printed)))

    # the exact values beside it
    truth = collections.defaultdict(list)
    for policy, t, success in asked("SELECT policy, t, success FROM lab_truth WHERE announced AND t = budget"):
        truth[policy, int(t)].append(float(success))

    def exact(policy, k, t):
        return 100 * sum(1 - (1 - p) ** k for p in truth[policy, t]) / len(truth[policy, t])

    wrong = [r for r in table for policy, c in (("base", 4), ("full", 7)) if abs(percent(r[c]) - exact(policy, int(r[0]), int(r[1]))) > 0.0501]
    same(wrong, [], "with the exact values")
    bounds = [(r, c) for r in table for c in (3, 6)]
    wrong = [r for r, c in bounds for low, high in [map(float, r[c].split(" to "))]
             if (percent(r[c + 1]) < low - 0.1 or percent(r[c + 1]) > high + 0.1) != r[c + 1].endswith("!")]
    same(wrong, [], "marked where the interval misses them")
    crossing = {int(r[0]): r for r in shown(out, "The budget of the list from which full leads")}
    for k in (1, 8, 16):
        def first_ahead(value):
            return 1 + max((i for i, t in enumerate(BUDGETS) if value("full", k, t) <= value("base", k, t)), default=-1)
        same((int(crossing[k][2]), int(crossing[k][5].split()[0])),
             (BUDGETS[first_ahead(lambda p, k, t: pass_at(rollouts[p, t], k, t))], BUDGETS[first_ahead(exact)]),
             f"K = {k}: the lead changes hands where the definition says, and the truth")

    # from the same state
    means = collections.defaultdict(dict)
    for unit, policy, value in asked("SELECT unit, policy, avg(value) FROM lab_states WHERE kind = 'matched' GROUP BY unit, policy"):
        means[unit][policy] = float(value)
    better = 100 * sum(m["full"] > m["base"] + 1e-12 for m in means.values()) / len(means)
    row = next(r for r in shown(out, "Mean Q* of 16 next moves") if r[0] == "all")
    same((int(row[1]), float(row[7])), (400, round(better, 1)), "the share of states where full is better")
    gaps = [float(r[0]) for r in asked("""SELECT max(exact) FILTER (WHERE policy = 'full') - max(exact) FILTER (WHERE policy = 'base')
        FROM lab_states WHERE kind = 'matched' GROUP BY unit""")]
    near(float(row[6].split()[0]), 100 * sum(gaps) / len(gaps), 0.0501, "and the exact difference")

    # after an error
    flags = asked("""SELECT error, after, count(*) FROM (SELECT s.error, lead(s.error) OVER (PARTITION BY r.task_id, r.attempt_id ORDER BY s.turn) AS after
        FROM rollouts r, steps(traj) s WHERE run = 'full-100') q WHERE error AND after IS NOT NULL GROUP BY 1, 2""")
    counts = {after: int(n) for _, after, n in flags}
    row = next(r for r in shown(out, "back within w:") if r[0] == "corrected next")
    same(int(row[5]), sum(counts.values()), "error turns that have a next turn")
    near(float(row[6]), 100 * counts["f"] / sum(counts.values()), 0.0501, "and those that are corrected")

    # audits and the count of intervals
    same(shown(out, "The rollouts of the last epoch")[0], ["1600", "100", "0", "0", "none"], "the BudgetMix run is clean")
    planted = shown(out, "A copy with a fault")
    same((len(planted), {r[2] for r in planted}, {r[-1] for r in planted}), (11, {"error"}, {"t"}), "every planted fault is named")
    checked = [[float(c) for c in r] for r in asked("SELECT ci_low, ci_high, exact FROM checked")]
    held = sum(low <= value <= high for low, high, value in checked)
    ok(f"Here: {held} of {len(checked)} intervals hold the exact value." in out, "the intervals that hold are counted", held)
    ok(len(checked) > 400 and held >= 0.95 * len(checked), "and they are not too few", f"{held} of {len(checked)}")

    excerpt = re.search(r"```\nmake demo\n```.*?```\n(.*?)```", open("README.md").read(), re.S)[1]
    lines = out.splitlines()
    missing = [line for line in excerpt.splitlines() if line.strip() not in ("", "…") and line.rstrip() not in [x.rstrip() for x in lines]]
    same(missing, [], "the README shows what it prints")


try:
    test_story()

    # make demo DATA=…: attempts 2 and 1, budget 4; cup is solved once at turn 2, door at turn 1
    code, out, err = demo("test/fixtures/load/plain.jsonl")
    same((code, err), (0, ""), "demo/run of a file succeeds")
    same(numbers_of(out, "Pass@(K,T)"),
         [["T", "K=1", "K=2"], ["1", "0.500000", "0.000000"], ["2", "0.750000", "1.000000"],
          ["3", "0.750000", "1.000000"], ["4", "0.750000", "1.000000"]], "K and T follow attempts and budget")
    same(numbers_of(out, "What these figures stand on")[1:],
         [["1", "1–4", "2", "0", "3", "0"], ["2", "1–4", "1", "1", "2", "0"]], "tasks that are short are named")
    same(numbers_of(out, "Whole rollouts")[1:],
         [["1", "0.750000", "0.250000", "0.750000"], ["2", "1.000000", "-", "0.000000"]], "pass@k and pass^k")
    ok("1 rollouts with an error turn, of which 0 succeed; 2 without, of which 2." in out, "errors", out)
    code, out, err = demo("test/fixtures/load/empty.jsonl")
    same((code, err), (1, "no rollout was loaded\n"), "demo/run of nothing says so")
    empty = os.path.join(tmp, "it's an empty folder")
    os.mkdir(empty)
    code, out, err = demo(empty)
    same((code, err), (1, "no rollout files found\nno rollout was loaded\n"), "demo/run of an empty folder says so")
    code, out, err = demo("/no/such/path")
    ok(code == 2 and "no such file" in err, "demo/run of a missing path says so", err)

    # real files
    tau = DATA and os.path.join(DATA, "tau-bench", "gpt-4o-airline.json")
    if not tau or not os.path.exists(tau):
        ok(True, "real rollout files # SKIP AGENTRL_DATA names none")
    else:
        code, out, err = demo(tau)
        same((code, err), (0, ""), "tau-bench: loaded whole")
        surface = numbers_of(out, "Pass@(K,T)")
        same([r for r in surface if r[0] in ("T", "5", "8", "10", "12", "15", "20", "30")], [
            ["T", "K=1", "K=2", "K=3", "K=4"],
            ["5", "0.090000", "0.126667", "0.155000", "0.180000"],
            ["8", "0.210000", "0.260000", "0.295000", "0.320000"],
            ["10", "0.255000", "0.326667", "0.370000", "0.400000"],
            ["12", "0.310000", "0.410000", "0.475000", "0.520000"],
            ["15", "0.345000", "0.470000", "0.555000", "0.620000"],
            ["20", "0.415000", "0.560000", "0.655000", "0.720000"],
            ["30", "0.420000", "0.566667", "0.660000", "0.720000"]], "tau-bench: the surface")
        same(numbers_of(out, "Whole rollouts")[1:], [
            ["1", "0.420000", "0.052216", "0.420000"], ["2", "0.566667", "0.056745", "0.273333"],
            ["3", "0.660000", "0.060508", "0.220000"], ["4", "0.720000", "0.064143", "0.200000"]],
            "tau-bench: pass@k with its standard error, pass^k as its authors publish it")
        ok("36 rollouts with an error turn, of which 9 succeed; 164 without, of which 75." in out,
           "tau-bench: success after an error", out)
        for name, solved, turns, invalid, with_error in (
                ("ic_sql_multiturn_gpt-4_10_turns.json", 762, 5867, 1691, 705),
                ("ic_sql_react_10_turns.json", 607, 5551, 494, 302)):
            code, out, err = demo(os.path.join(DATA, "intercode", name))
            same((code, err), (0, ""), f"{name}: loaded whole")
            row = next(line.split("|") for line in out.splitlines() if re.match(r" +1034 \|", line))
            same([int(c) for c in row], [1034, 1034, solved, 0, 0, turns, invalid], f"{name}: solved, and invalid actions")
            ok(f"{with_error} rollouts with an error turn" in out, f"{name}: rollouts with invalid actions", out)
            if "gpt-4" in name:
                surface = {r[0]: float(r[1]) for r in numbers_of(out, "Pass@(K,T)")[1:]}
                near(surface["1"], 0.0706, 5e-5, "InterCode-SQL gpt-4: Pass@(1,1)")
                near(surface["2"], 0.10058, 5e-6, "InterCode-SQL gpt-4: Pass@(1,2)")
finally:
    shutil.rmtree(tmp, ignore_errors=True)
    subprocess.run(["dropdb", "--if-exists", "--force", DATABASE])

done()
