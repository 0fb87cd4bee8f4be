#!/usr/bin/env python3
"""The FrozenLake lab and `make demo`. Runs in the cluster that PGHOST names.

The world is checked against a second, slower implementation below; surfaces
against a direct computation from the rollout files.
"""
import collections
import glob
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

from tap import done, ok, same

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
os.chdir(ROOT)
DATA = os.environ.get("AGENTRL_DATA")
DATABASE = "agentrl_demo_test"
MOVES = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}
ORDER = list(MOVES)
GAMMA, BUDGET, SIZE = 0.95, 60, 5

def near(got, expected, tolerance, name):
    ok(got is not None and abs(got - expected) <= tolerance, name, f"got {got}, expected {expected}")


# ---------------------------------------------------------------- the world again


def landings(grid, cell, move):
    size = len(grid)
    i = ORDER.index(move)
    ends = []
    for name in (move, ORDER[(i + 1) % 4], ORDER[(i + 3) % 4]):
        row, column = cell[0] + MOVES[name][0], cell[1] + MOVES[name][1]
        ends.append((row, column) if 0 <= row < size and 0 <= column < size else cell)
    return ends


def tile(grid, cell):
    return grid[cell[0]][cell[1]]


def exact_q(grid, horizon):
    """q[turns left][cell][move] of finite-horizon value iteration."""
    cells = [(r, c) for r in range(len(grid)) for c in range(len(grid))]
    best = {c: 0.0 for c in cells}
    table = [None]
    for _ in range(horizon):
        q = {}
        for cell in cells:
            if tile(grid, cell) in "HG":
                continue
            q[cell] = {m: sum(1.0 if tile(grid, e) == "G" else GAMMA * best[e] for e in landings(grid, cell, m)) / 3
                       for m in ORDER}
        table.append(q)
        best = {c: max(q[c].values()) if c in q else 0.0 for c in cells}
    return table


def shortest(grid):
    """Moves from S to G over ice, None when there is no way."""
    ring, seen, moves = [(0, 0)], {(0, 0)}, 0
    while ring:
        if any(tile(grid, c) == "G" for c in ring):
            return moves
        ring = [e for c in ring for m in ORDER for e in [landings(grid, c, m)[0]]
                if tile(grid, e) != "H" and e not in seen and not seen.add(e)]
        moves += 1
    return None


def where(step):
    row, column = step["state"].split(":")[1].split(",")
    return int(row) - 1, int(column) - 1


def faults(rollout, q):
    """What in a rollout contradicts the world."""
    t, grid = rollout["trajectory"], rollout["meta"]["map"].split("/")
    steps, said = t["steps"], []
    if where(steps[0]) != (0, 0):
        said.append("does not start at S")
    for i, step in enumerate(steps):
        cell = where(step)
        here = q[BUDGET - i][cell]
        best = max(here.values())
        ends = landings(grid, cell, step["action"])
        if step["remaining"] != BUDGET - i:
            said.append(f"turn {i + 1} announces {step['remaining']}")
        if abs(step["value"] - here[step["action"]]) > 1e-6:
            said.append(f"turn {i + 1} is worth {here[step['action']]}")
        if abs(here[step["action"]] - 0.8 * best) > 1e-9 and step["error"] != (here[step["action"]] < 0.8 * best):
            said.append(f"turn {i + 1}: error {step['error']}")
        if step["error"] != ("error_kind" in step):
            said.append(f"turn {i + 1}: kind of error")
        if i + 1 < len(steps):
            if where(steps[i + 1]) not in ends or tile(grid, where(steps[i + 1])) in "HG":
                said.append(f"turn {i + 1} does not lead to turn {i + 2}")
        elif t["stop_reason"] != "budget" and {"goal": "G", "hole": "H"}[t["stop_reason"]] not in map(
                lambda e: tile(grid, e), ends):
            said.append("does not end as it says")
    solved = t["stop_reason"] == "goal"
    if (t["success"], t["reward"], t.get("solved_at")) != (solved, int(solved), len(steps) if solved else None):
        said.append("outcome")
    if (t["status"] == "truncated") != (t["stop_reason"] == "budget") or t["budget"] != BUDGET:
        said.append("status")
    if t["stop_reason"] == "budget" and len(steps) != BUDGET:
        said.append("stopped early")
    return said


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
lake = os.path.join(tmp, "frozenlake")


def simulate(*arguments):
    return subprocess.run([lake, *arguments], capture_output=True, text=True)


try:
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-o", lake,
                    *glob.glob("demo/*.c"), "-lm"], check=True)

    # the simulator
    text = {p: simulate("--policy", p).stdout for p in ("base", "trained")}
    same(simulate("--policy", "base").stdout == text["base"], True, "the same seed gives the same bytes")
    ok(simulate("--policy", "base", "--seed", "2").stdout != text["base"], "another seed gives others")
    rollouts = {p: [json.loads(line) for line in text[p].splitlines()] for p in text}
    for policy, all_of in rollouts.items():
        same((len(all_of), len({r["task_id"] for r in all_of}), {r["meta"]["policy"] for r in all_of}),
             (1600, 100, {policy}), f"{policy}: 100 maps, 16 attempts each")
    grids = {r["task_id"]: r["meta"]["map"].split("/") for r in rollouts["base"]}
    same({r["task_id"]: r["meta"]["map"].split("/") for r in rollouts["trained"]}, grids,
         "both policies walk the same maps")
    ways = {t: shortest(g) for t, g in grids.items()}
    ok(all(w is not None and w >= 2 * (SIZE - 1) for w in ways.values()), "every map has a way to its goal")
    ok(len({tuple(g) for g in grids.values()}) > 90, "and the maps differ")
    sample = sorted(grids)[:12]
    tables = {t: exact_q(grids[t], BUDGET) for t in sample}
    for policy, all_of in rollouts.items():
        wrong = [(r["task_id"], r["attempt_id"], f) for r in all_of if r["task_id"] in tables
                 for f in [faults(r, tables[r["task_id"]])] if f]
        same(wrong[:3], [], f"{policy}: moves, values, errors, budgets and outcomes follow from the world")
    ok({k.get("error_kind") for r in rollouts["base"] for k in r["trajectory"]["steps"]} ==
       {None, "thin_ice", "detour"}, "both kinds of error occur")
    ok(all(s["logprob"] == s["ref_logprob"] <= 0 for r in rollouts["base"] for s in r["trajectory"]["steps"]),
       "base is its own reference")
    chosen = collections.defaultdict(dict)
    for r in rollouts["trained"]:
        for s in r["trajectory"]["steps"]:
            chosen[s["state"]][s["action"]] = (s["logprob"], s["ref_logprob"])
    full = [c for c in chosen.values() if len(c) == 4]
    ok(len(full) > 100 and all(abs(sum(math.exp(m[i]) for m in c.values()) - 1) < 1e-5 for c in full for i in (0, 1)),
       "the probabilities of a state's four moves add up to 1, under either policy")
    for policy in rollouts:
        truth = collections.defaultdict(dict)
        for row in simulate("--policy", policy, "--truth").stdout.splitlines():
            name, task, t, p = row.split("\t")
            truth[task][int(t)] = float(p)
        same((len(truth), {len(v) for v in truth.values()}), (100, {BUDGET}), f"{policy}: exact values of every map and T")
        ok(all(truth[t][ways[t] - 1] == 0 < truth[t][ways[t]] for t in truth),
           f"{policy}: none before the shortest way, some from there on")
        ok(all(v[t] <= v[t + 1] <= 1 for v in truth.values() for t in range(1, BUDGET)), f"{policy}: they never fall")
        for t in (20, 60):
            p = [truth[task][t] for task in truth]
            error = math.sqrt(sum(x * (1 - x) for x in p) / 16) / len(p)
            near(pass_at(rollouts[policy], 1, t), sum(p) / len(p), 4.5 * error,
                 f"{policy}: 1,600 rollouts agree with them at T = {t}")
    for arguments, part in ((("--policy", "none"), "unknown policy: none"), ((), "name a policy"),
                            (("--policy", "base", "--maps", "0"), "out of range: --maps"),
                            (("--policy", "base", "--maps", "9x"), "out of range: --maps"),
                            (("--policy",), "a value is missing after --policy"),
                            (("--loud", "1"), "unknown option: --loud")):
        ended = simulate(*arguments)
        ok(ended.returncode == 2 and part in ended.stderr, "usage: " + part, ended.stderr)

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
