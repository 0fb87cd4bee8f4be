#!/usr/bin/env python3
"""`make demo`. Runs in the cluster that PGHOST names. Surfaces are checked against a direct computation from the rollout
files; the lab that writes those of FrozenLake has tests of its own."""
import collections
import math
import os
import re
import shutil
import subprocess
import tempfile

from lake import ROOT, compile_lab, read_rollouts
from tap import done, ok, same

os.chdir(ROOT)
DATA = os.environ.get("AGENTRL_DATA")
DATABASE = "agentrl_demo_test"
BUDGET = 100


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


def demo(*arguments):
    subprocess.run(["dropdb", "--if-exists", DATABASE], check=True, stderr=subprocess.DEVNULL)
    subprocess.run(["createdb", DATABASE], check=True)
    environment = {**os.environ, "PGDATABASE": DATABASE}
    subprocess.run(["psql", "-Xqc", "CREATE EXTENSION agentrl"], check=True, env=environment)
    ended = subprocess.run(["demo/run", *arguments], capture_output=True, text=True, env=environment)
    return ended.returncode, ended.stdout, ended.stderr


tmp = tempfile.mkdtemp(prefix="agentrl-demo-test.")
program = os.path.join(tmp, "lab")


def lab(*arguments):
    return subprocess.run([program, *arguments], capture_output=True, text=True, check=True).stdout


try:
    # what the demo does before it loads
    compile_lab(program)
    base, trained = os.path.join(tmp, "base"), os.path.join(tmp, "trained")
    lab("train", "--mode", "base", "--out", base)
    lab("train", "--mode", "full", "--base", base, "--name", "trained", "--out", trained)
    rollouts = {os.path.basename(p): read_rollouts(lab("rollouts", "--policy", p, "--base", base)) for p in (base, trained)}
    same({p: len(r) for p, r in rollouts.items()}, {"base": 1600, "trained": 1600}, "100 maps, 16 attempts each")

    # make demo
    code, out, err = demo()
    same((code, err), (0, ""), "demo/run succeeds and warns of nothing")
    ok(max(map(len, out.splitlines())) <= 100, "it fits into 100 columns", max(out.splitlines(), key=len))
    surface = numbers_of(out, "The surface says where")
    columns = [c.split(" K=") for c in surface[0][1:]]
    wrong = [(t, c, v) for t, *row in surface[1:] for c, v in zip(columns, row)
             if abs(float(v) - pass_at(rollouts[c[0]], int(c[1]), int(t))) > 5.1e-7]
    same((len(surface), len(columns), wrong), (9, 6, []), "its surface is what the definition gives")
    same(numbers_of(out, "What these figures stand on")[1:],
         [["base", "100", "0", "1600", "0", "25"], ["trained", "100", "0", "1600", "0", "25"]], "with its denominators")
    errors = [[p, len(x), sum(r["trajectory"]["success"] for r in x)] for p, all_of in rollouts.items()
              for x in [[r for r in all_of if any(s["error"] for s in r["trajectory"]["steps"])]]]
    same([[r[0], int(r[3]), int(r[4])] for r in numbers_of(out, "Error turns")[1:]], errors,
         "and the success of rollouts that met an error")
    lead = {int(r[0]): r for r in numbers_of(out, "Where the lead changes hands")[1:]}
    gaps = [pass_at(rollouts["trained"], 8, t) - pass_at(rollouts["base"], 8, t) for t in range(1, BUDGET + 1)]
    same((int(lead[8][1]), int(lead[8][3])),
         (max(t for t, g in enumerate(gaps, 1) if g < 0), max(t for t, g in enumerate(gaps, 1) if g <= 0) + 1),
         "the lead changes hands where the definition says")

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
