#!/usr/bin/env python3
"""The FrozenLake lab (demo/): maps, policies, training, rollouts, shared states and exact values, each against the slow
version in lake.py or against what the rollouts show. Runs in the cluster that PGHOST names."""
import collections
import filecmp
import json
import math
import os
import re
import shutil
import subprocess
import tempfile

from lake import (ORDER, Policy, ROOT, cells_of, compile_lab, distances, ends, exact_q, faults, is_error, landings, plan_lines,
                  read_policy, read_rollouts, tile, where)
from tap import done, has, ok, rows, same, sql, use_database

BUDGET, MAPS = 30, 40
tmp = tempfile.mkdtemp(prefix="agentrl-lab-test.")
program = os.path.join(tmp, "lab")


def path(*names):
    return os.path.join(tmp, *names)


def lab(*arguments, fails=False):
    ended = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True)
    if not fails and ended.returncode:
        raise SystemExit(f"Bail out! lab {arguments}: {ended.stderr}")
    return (ended.returncode, ended.stderr) if fails else ended.stdout


def table(*arguments):
    return [line.split("\t") for line in lab(*arguments).splitlines()]


def agrees(estimate, exact, error, name, limit=4.5):
    ok(abs(estimate - exact) <= limit * error, name, f"estimate {estimate} ± {error}, exact {exact}")


def written(name, text):
    with open(path(name), "w") as out:
        out.write(text)
    return path(name)


# ----------------------------------------------------------------------------- maps


def test_maps():
    maps = {}
    for world in (1, 2):
        for split in ("train", "test"):
            got = table("maps", "--split", split, "--world", world, "--maps", 300)
            same([m[0] for m in got], [f"{split}-{i:03d}" for i in range(1, 301)], f"{split} maps of seed {world}: names")
            grids = [m[2].split("\\n") for m in got]
            ok(all("".join(g).count("S") == "".join(g).count("G") == 1 and g[0][0] == "S" and g[4][4] == "G"
                   and set("".join(g)) <= set("SFHG") and {len(r) for r in g} == {5} for g in grids), "are maps of 5 × 5")
            same([int(m[1]) for m in got], [distances(g).get((0, 0)) for g in grids], "each has a way, of the length told")
            maps[split, world] = {m[2] for m in got}
            ok(len(maps[split, world]) > 200, "most of them differ")
            same(table("maps", "--split", split, "--world", world, "--maps", 7), got[:7], "fewer maps are the first of more")
    same((maps["train", 1] | maps["train", 2]) & (maps["test", 1] | maps["test", 2]), set(),
         "no map is in both splits, whatever the seeds")
    ok(len(maps["test", 1] & maps["test", 2]) < 100, "another seed gives others")
    holes = sum(m[2].count("H") for split in ("train", "test") for m in table("maps", "--split", split, "--maps", 1000)) / 2000 / 23
    # what is left of 15 % when holes that bar the way are rejected
    ok(0.13 < holes < 0.15, "somewhat less than 15 % of the cells are holes", holes)
    same(len(table("maps", "--size", 16, "--maps", 3)[2][2].split("\\n")), 16, "a size of 16")
    code, said = lab("maps", "--size", 2, "--holes", 0, "--split", "train", fails=True)
    ok(code == 1 and "hardly any train maps of this size" in said, "a split that has none of a size is an error", said)


# ------------------------------------------------------------------------- training


def train_all():
    """A small course; the policies of the tests that follow."""
    common = ("--maps", MAPS, "--budget", BUDGET, "--epochs", 8)
    plan = written("plan.tsv", plan_lines(MAPS, BUDGET, 8))
    lab("train", "--mode", "base", "--out", path("base"), *common)
    for mode in ("full", "budgetmix", "process"):
        lab("train", "--mode", mode, "--base", path("base"), "--plan", plan, "--out", path(mode), "--every", 3,
            "--dynamics", path(mode + ".tsv"), "--checkpoints", tmp, *common)
    policies = {name: read_policy(path(name)) for name in ("base", "full", "budgetmix", "process")}
    same({n: p[0] for n, p in policies.items()}, {n: n for n in policies}, "a policy is named for how it was trained")
    return {name: p[1] for name, p in policies.items()}


def success_of(name, budget=BUDGET):
    got = [float(p) for *_, t, p in table("truth", "--policy", path(name), "--maps", MAPS, "--budget", budget) if int(t) == budget]
    return sum(got) / len(got)


def test_training(weights):
    base = weights["base"]
    ok(base["always", "progress"] > 0.5 and base["always", "aim_hole"] < 0 and
       abs(base["always", "side_hole"]) < 0.5 and abs(base["when_tight", "progress"]) < 0.5,
       "base imitates a planner that takes the shortest way and minds neither slips nor budgets", base)
    gained = {name: success_of(name) / success_of("base") for name in weights}
    ok(min(gained["full"], gained["budgetmix"], gained["process"]) > 1.1, "training pays on maps that it did not see", gained)
    ok(gained["process"] > gained["full"], "and step rewards teach faster than outcomes alone", gained)
    common = ("--maps", MAPS, "--budget", BUDGET, "--epochs", 8, "--base", path("base"))
    constant = written("constant.tsv", plan_lines(MAPS, BUDGET, 8, budget=BUDGET))
    lab("train", "--mode", "budgetmix", "--plan", constant, "--out", path("constant"), *common)
    same(read_policy(path("constant"))[1], weights["full"], "BudgetMix with the full budget throughout is full-budget training")
    ok(weights["budgetmix"] != weights["full"] != weights["process"], "else the three differ")
    lines = open(path("plan.tsv")).read().splitlines(keepends=True)

    def mixed(name, changed):
        lab("train", "--mode", "budgetmix", "--plan", written(name + ".tsv", "".join(changed)), "--out", path(name), *common)
        return read_policy(path(name))[1] == weights["budgetmix"]

    same(mixed("reversed", lines[::-1]), True, "the order of the plan's lines does not matter")
    for name, place in (("early", 5), ("late", -5)):
        changed = lines[:]
        changed[place] = re.sub(r"\d+\n", lambda m: f"{BUDGET if int(m[0]) < BUDGET else 3}\n", changed[place])
        same(mixed(name, changed), False, f"but each budget does, {name} ones too")
    lab("train", "--mode", "full", "--out", path("other"), "--seed", 2, "--name", "mine", *common)
    name, other = read_policy(path("other"))
    ok(name == "mine" and other != weights["full"], "another seed and name")
    lines = [line.rstrip("\n").split("\t") for line in open(path("full.tsv"))]
    same([(r[0], r[1]) for r in lines[::MAPS]], [("full", e) for e in "0368"], "checkpoints every third epoch, and the last")
    same({r[2] for r in lines}, {f"test-{i:03d}" for i in range(1, MAPS + 1)}, "are tried on the test maps")
    rewards = {(r[1], tuple(r[4:])) for r in table("rewards", "--policy", path("full-0008.policy"), "--maps", MAPS, "--budget", BUDGET)}
    same({(r[2], tuple(r[3:])) for r in lines if r[1] == "8"}, rewards, "and their files give the same rewards again")
    same([read_policy(path(f"full-000{e}.policy"))[1] for e in (0, 8)], [base, weights["full"]], "from base to the end")


# ------------------------------------------------------------------------- rollouts


def test_rollouts(weights, grids, qs):
    kept = {}
    for name in weights:
        for announced in (True, False):
            options = ("--policy", path(name), "--base", path("base"), "--maps", MAPS, "--budget", BUDGET, "--attempts", 24)
            kept[name, announced] = got = read_rollouts(lab("rollouts", *options, *([] if announced else ["--unannounced"])))
            same((len(got), {(r["meta"]["policy"], r["meta"]["announced"]) for r in got},
                  all(r["meta"]["map"].split("/") == grids[r["task_id"]] for r in got)),
                 (MAPS * 24, {(name, announced)}, True), f"{name}: 24 attempts at every map")
            wrong = [(r["task_id"], r["attempt_id"], f) for r in got if r["task_id"] in qs for f in
                     [faults(r, qs[r["task_id"]], Policy(weights[name], grids[r["task_id"]]),
                             Policy(weights["base"], grids[r["task_id"]]), BUDGET, announced)] if f]
            same(wrong[:3], [], f"{name}, budget {'announced' if announced else 'untold'}: moves, values, errors, probabilities, "
                 "budgets and outcomes follow from world and policy")
    ok({s.get("error_kind") for r in kept["base", True] for s in r["trajectory"]["steps"]} == {None, "thin_ice", "detour"},
       "both kinds of error occur")
    ok(all(s["logprob"] == s["ref_logprob"] for r in kept["base", True] for s in r["trajectory"]["steps"]),
       "base is its own reference")
    return kept


# --------------------------------------------------------------------- exact values


def slow_success(policy, grid, cell, budget, announced):
    here, arrived, found = {cell: 1.0}, 0.0, []
    for t in range(budget):
        after = collections.defaultdict(float)
        for c, p in here.items():
            for m, chance in policy.chances(c, budget - t if announced else None).items():
                for e in landings(grid, c, m):
                    if tile(grid, e) == "G":
                        arrived += p * chance / 3
                    elif tile(grid, e) == "F" or tile(grid, e) == "S":
                        after[e] += p * chance / 3
        here = after
        found.append(arrived)
    return found


def slow_single(policy, grid, budget):
    """Success of a plan: moves chosen where the agent takes itself to stand, while the ice does what it does."""
    here, arrived = {((0, 0), (0, 0)): 1.0}, 0.0
    for t in range(budget):
        after = collections.defaultdict(float)
        for (believed, cell), p in here.items():
            for m, chance in policy.chances(believed, budget - t).items():
                for e in landings(grid, cell, m):
                    taken = landings(grid, believed, m)[0]
                    if tile(grid, e) == "G":
                        arrived += p * chance / 3
                    elif tile(grid, e) != "H" and not ends(grid, taken):
                        after[taken, e] += p * chance / 3
        here = after
    return arrived


def after_errors(flags, ended):
    """What the measures of `lab errors` count of a rollout, by its error flags and how it ended: measure, eligible, recovered."""
    yield "error turns", len(flags), sum(flags)
    for now, after in zip(flags, flags[1:]):
        if now:
            yield "corrected next", 1, not after
    yield "success after error" if any(flags) else "success without error", 1, ended == "goal"
    for episode in re.finditer("E+", "".join(".E"[f] for f in flags)):
        length = len(episode[0])
        if episode.end() < len(flags):
            yield from ((f"recovered after {j}", 1, j == length) for j in range(1, min(length, 8) + 1))
        elif ended != "goal":
            # a hole leaves an episode at risk for good; the end of the budget says nothing about what would have followed
            yield from ((f"recovered after {j}", 1, 0) for j in range(1, 9 if ended == "hole" else min(length - 1, 8) + 1))


def rates(rollouts):
    """Per task: what the measures of `lab errors` count, (eligible, recovered) summed over its rollouts."""
    found = collections.defaultdict(lambda: collections.defaultdict(lambda: [0.0, 0.0]))
    for r in rollouts:
        t, task = r["trajectory"], found[r["task_id"]]
        ratio = sum(s["logprob"] - s["ref_logprob"] for s in t["steps"])
        for measure, eligible, recovered in (*after_errors([s["error"] for s in t["steps"]], t["stop_reason"]),
                                             ("log ratio", 1, ratio), ("log ratio of successes", t["success"], ratio * t["success"])):
            task[measure][0] += eligible
            task[measure][1] += recovered
    return found


def slow_errors(policy, grid, budget):
    """The same, expected: over all that a rollout may meet. None where an error is too close to tell."""
    q, here, ends_by = exact_q(grid, budget), {((0, 0), ()): 1.0}, collections.Counter()
    for t in range(budget):
        after = collections.Counter()
        for (cell, flags), p in here.items():
            for m, chance in policy.chances(cell, budget - t).items():
                error = is_error(q[budget - t][cell], m)
                if error is None:
                    return None
                for e in landings(grid, cell, m):
                    met = flags + (error,)
                    if ends(grid, e):
                        ends_by[met, "goal" if tile(grid, e) == "G" else "hole"] += p * chance / 3
                    else:
                        after[e, met] += p * chance / 3
        here = after
    for (_, flags), p in here.items():
        ends_by[flags, "budget"] += p
    found = collections.defaultdict(lambda: [0.0, 0.0])
    for (flags, ended), p in ends_by.items():
        for measure, eligible, recovered in after_errors(flags, ended):
            found[measure][0] += p * eligible
            found[measure][1] += p * recovered
    episodes = sum(p for (flags, ended), p in ends_by.items() if ended == "goal" and flags[-2:] == (True, True))
    return found, episodes


def test_errors(weights):
    """Small enough to follow every rollout."""
    common = ("--size", 4, "--maps", 30, "--budget", 9)
    grids = {name: text.split("\\n") for name, _, text in table("maps", *common[:4])}
    for name in ("base", "full"):
        got = collections.defaultdict(dict)
        for _, task, _, _, measure, eligible, recovered in table("errors", "--policy", path(name), "--base", path("base"), *common):
            got[task][measure] = float(eligible), float(recovered)
        apart, maps, solved = [], 0, 0.0
        for task, grid in grids.items():
            slow = slow_errors(Policy(weights[name], grid), grid, 9)
            if slow:
                maps += 1
                solved += slow[1]
                apart += [(abs(a - b), task, measure) for measure in got[task] if not measure.startswith("log ratio")
                          for a, b in zip(got[task][measure], slow[0][measure])]
        ok(maps > 5 and solved > 1e-6 and max(apart)[0] < 1e-12, f"{name}: errors and what follows them, over all rollouts of {maps} maps",
           (max(apart), solved))


def test_truth(weights, grids, kept):
    for name in weights:
        for announced in (True, False):
            flags = [] if announced else ["--unannounced"]
            truth = collections.defaultdict(dict)
            for p, task, told, budget, t, success in table("truth", "--policy", path(name), "--maps", MAPS, "--budget", BUDGET, *flags):
                truth[task][int(t)] = float(success)
            same((len(truth), {len(v) for v in truth.values()}, p, told, budget),
                 (MAPS, {BUDGET}, name, "t" if announced else "f", str(BUDGET)), f"{name}: success of every map and T")
            gap = max(abs(a - truth[task][t]) for task in list(grids)[:5] for t, a in enumerate(
                slow_success(Policy(weights[name], grids[task]), grids[task], (0, 0), BUDGET, announced), 1))
            ok(gap < 1e-12, f"{name}: as the slow version has it", gap)
            for t in (12, BUDGET):
                exact = [truth[task][t] for task in truth]
                estimate = sum(r["trajectory"].get("solved_at", 99) <= t for r in kept[name, announced]) / MAPS / 24
                agrees(estimate, sum(exact) / MAPS, math.sqrt(sum(p * (1 - p) for p in exact) / 24) / MAPS,
                       f"{name}: its rollouts agree at T = {t}")
        got = {task: float(single) for _, task, _, _, multi, single in table("rewards", "--policy", path(name), "--maps", 3,
                                                                            "--budget", BUDGET)}
        gap = max(abs(slow_single(Policy(weights[name], grids[task]), grids[task], BUDGET) - s) for task, s in got.items())
        ok(gap < 1e-12, f"{name}: R_single", gap)
        exact = collections.defaultdict(lambda: [0.0, 0.0])
        for _, _, _, _, measure, eligible, recovered in table("errors", "--policy", path(name), "--base", path("base"), "--maps",
                                                              MAPS, "--budget", BUDGET):
            exact[measure][0] += float(eligible)
            exact[measure][1] += float(recovered)
        counted = rates(kept[name, True])
        for measure, (eligible, recovered) in exact.items():
            # a difference per rollout has mean 0 when the exact rate is right; its spread is taken over maps, within which
            # rollouts have different rates, so it is rather too wide
            rate = recovered / eligible
            per_task = [counted[t][measure][1] - rate * counted[t][measure][0] for t in counted]
            spread = math.sqrt(sum(d * d for d in per_task))
            if 24 * recovered > 30:
                agrees(sum(per_task), 0, spread, f"{name}: {measure}", 3.5)
            agrees(sum(counted[t][measure][0] for t in counted) / 24, eligible, 0.12 * eligible + 0.3, f"{name}: {measure}, eligible", 1)


# --------------------------------------------------------------------- shared states


def test_states(weights, grids, qs):
    got = table("states", "--policy", path("base"), "--policy", path("full"), "--maps", MAPS, "--budget", BUDGET, "--states", 3)
    units = collections.defaultdict(lambda: collections.defaultdict(list))
    for kind, task, unit, source, turn, budget, cell, policy, sample, action, error, value, exact in got:
        units[kind, task, unit, source, int(turn), where(cell)][policy].append(
            (int(sample), action, error == "t", float(value), float(exact)))
    ok(all(set(u) == {"base", "full"} and all([s[0] for s in v] == list(range(1, 17)) for v in u.values()) for u in units.values()),
       "at every state both policies choose 16 moves")
    drawn = collections.Counter((k[0], k[3]) for k in units)
    same((drawn["matched", "base"], drawn["matched", "full"]), (3 * MAPS, 3 * MAPS), "as many states come from either policy")
    ok(min(drawn.values()) > 2.5 * MAPS and drawn["injected", "base"] == drawn["continued", "base"], "and error states", drawn)
    wrong = []
    for (kind, task, unit, source, turn, cell), arms in units.items():
        if task not in qs:
            continue
        grid, left = grids[task], BUDGET - turn + 1
        q = qs[task][left][cell]
        if kind != "matched" and (turn < 2 or not any(cell in landings(grid, c, m) and is_error(qs[task][left + 1][c], m) is not False
                                         for c in qs[task][left + 1] for m in ORDER)):
            wrong.append((kind, unit, "no wrong move leads there"))
        for name, samples in arms.items():
            policy = Policy(weights[name], grid)
            if kind == "continued":
                exact = slow_success(policy, grid, cell, left, True)[-1]
            else:
                exact = sum(p * q[m] for m, p in policy.chances(cell, left).items())
            for _, action, error, value, told in samples:
                if abs(told - exact) > 1e-9 or is_error(q, action) not in (None, error):
                    wrong.append((kind, unit, name, told, exact))
                if abs(value - q[action]) > 1e-9 if kind != "continued" else value not in (0, 1):
                    wrong.append((kind, unit, name, value))
    same(wrong[:3], [], "values, errors and expectations follow from world and policy")
    for kind in ("matched", "injected", "continued"):
        for name in ("base", "full"):
            samples = [s for k, u in units.items() if k[0] == kind for s in u[name]]
            gaps = [s[3] - s[4] for s in samples]
            agrees(sum(gaps), 0, math.sqrt(sum(g * g for g in gaps)), f"{kind}, {name}: the samples agree with their expectation")


# ------------------------------------------------------------------- compact rows


def test_compact():
    common = ("--policy", path("base"), "--policy", path("full"), "--base", path("base"), "--maps", 5, "--budget", BUDGET)
    long = read_rollouts(lab("rollouts", *common, "--attempts", 7))
    rows_of = table("rollouts", *common, "--attempts", 7, "--compact")
    kept = ("success", "reward", "status", "stop_reason", "budget", "solved_at")
    same([(policy, task, attempt, success, int(turns), json.loads(text)) for policy, task, attempt, success, turns, _, _, text in rows_of],
         [(r["meta"]["policy"], r["task_id"], r["attempt_id"], "ft"[t["success"]], len(t["steps"]),
           {**{k: t[k] for k in kept if k in t}, "steps": [{"error": s["error"]} for s in t["steps"]]})
          for r in long for t in [r["trajectory"]]], "compact rollouts are the long ones without texts")
    gap = max(abs(float(row[place]) - sum(s[name] for s in r["trajectory"]["steps"]))
              for row, r in zip(rows_of, long) for place, name in ((5, "logprob"), (6, "ref_logprob")))
    ok(gap < 1e-9 * BUDGET and any(row[5] != row[6] for row in rows_of), "with the sums of their log-probabilities", gap)
    values = collections.defaultdict(list)
    for kind, task, unit, _, _, _, _, policy, _, _, _, value, _ in table("states", *common):
        values[kind, task, unit, policy].append(float(value))
    short = {tuple(row[:4]): [float(v) for v in row[4].strip("{}").split(",")] for row in table("states", *common, "--compact")}
    same(list(short), list(values), "compact states are the same states")
    ok(all(abs(a - b) < 1e-11 for k in values for a, b in zip(values[k], short[k], strict=True)), "with the same values")


# ------------------------------------------------------------------- the whole folder


def test_folder():
    plan = written("small.tsv", sql("""COPY (SELECT * FROM budgetmix_plan(
        ARRAY(SELECT format('train-%s', to_char(i, 'FM000')) FROM generate_series(1, 10) i), 100, 16, 4)) TO STDOUT""") + "\n")
    folders = path("one"), path("two")
    for folder in folders:
        subprocess.run([os.path.join(ROOT, "demo", "lab-run"), folder, plan, "--maps", "10", "--epochs", "4", "--attempts", "16"],
                       check=True)
    names = [os.path.relpath(os.path.join(d, f), folders[0]) for d, _, files in os.walk(folders[0]) for f in files]
    ok(len(names) > 40, "lab-run writes policies, checkpoints, rollouts and tables", names)
    same(filecmp.cmpfiles(*folders, names, shallow=False)[1:], ([], []), "the same bytes each time")
    lines = {n: [line.split("\t") for line in open(os.path.join(folders[0], n))] for n in os.listdir(folders[0]) if n.endswith(".tsv")}
    same({n: {len(r) for r in t} for n, t in lines.items()},
         {"dynamics.tsv": {5}, "errors.tsv": {7}, "maps.tsv": {3}, "rewards.tsv": {6}, "states.tsv": {13}, "truth.tsv": {6}},
         "tables have the columns told")
    subprocess.run([os.path.join(ROOT, "bin", "agentrl-load"), "--quiet", os.path.join(folders[0], "rollouts")], check=True)
    same(rows("SELECT count(*), count(DISTINCT task_id), count(DISTINCT run), bool_and(warnings IS NULL OR warnings = '{}') FROM rollouts"),
         [["5920", "20", "37", "t"]], "every rollout is a trajectory that loads without a warning")
    total = sum(len(read_rollouts(open(os.path.join(folders[0], "rollouts", f)).read()))
                for f in os.listdir(os.path.join(folders[0], "rollouts")))
    same(total, 5920, "and no file holds more")
    sql("CREATE TABLE plan (epoch int, task text, attempt int, budget int)")
    subprocess.run(["psql", "-Xqc", "COPY plan FROM STDIN"], stdin=open(plan), check=True)
    same(rows("""WITH rated AS (
            SELECT budget_audit_agg('4:' || task_id, task_id, traj, 100, p.budget) AS audit
            FROM rollouts r JOIN plan p ON (p.epoch, p.task, p.attempt) = (4, r.task_id, r.attempt_id::int)
            WHERE run = 'budgetmix-plan.jsonl')
        SELECT rule, severity FROM rated, budget_findings(audit, group_size => 16)"""),
         [["not_uniform", "info"]], "the rollouts of the plan pass the audit, which has too few groups to judge the mix")
    same(rows("""SELECT bool_and(f.budget = r.want), bool_and(f.turns <= f.budget), bool_and((f.success) = (f.reward = 1))
              FROM (SELECT traj, substring(run from '-([0-9]+)')::bigint AS want FROM rollouts WHERE run <> 'budgetmix-plan.jsonl') r, facts(traj) f"""),
         [["t", "t", "t"]], "a run is named for its budget")
    # the oracle of the extension says the same of every step
    same(rows("""
        WITH map AS (SELECT DISTINCT task_id, replace(meta->>'map', '/', E'\\n') AS map FROM rollouts WHERE task_id LIKE 'test-%'),
        q AS MATERIALIZED (SELECT task_id, o.* FROM map, frozenlake_q(map, 100) o)
        SELECT bool_and(abs(q.q - s.value) < 1e-8), count(*) = (SELECT sum(turns(traj)) FROM rollouts WHERE run IN ('base-100.jsonl', 'full-100.jsonl', 'full-25.jsonl'))
        FROM rollouts r, steps(traj) s, q WHERE run IN ('base-100.jsonl', 'full-100.jsonl', 'full-25.jsonl') AND q.task_id = r.task_id
          AND s.state = format('%s:%s,%s', r.task_id, grid_row, grid_col) AND q.action = s.action
          AND steps_left = budget(traj) - s.turn + 1"""), [["t", "t"]], "frozenlake_q agrees with the value of every step")


def test_usage():
    for arguments, part in (((), "name a command"), (("fly",), "unknown command: fly"), (("maps", "--maps", "0"), "out of range: --maps"),
                            (("maps", "--maps", "9x"), "out of range: --maps"), (("maps", "--size", "17"), "out of range: --size"),
                            (("maps", "--maps"), "a value is missing after --maps"), (("maps", "--loud", "1"), "unknown option: --loud"),
                            (("maps", "--split", "dev"), "unknown split: dev"), (("truth",), "name a policy"),
                            (("rollouts", "--policy", path("full")), "name the base policy"),
                            (("truth", "--policy", path("full"), "--plan", "x"), "no use for a plan: truth"),
                            (("truth", "--policy", path("full"), "--compact"), "not a command with compact rows: truth"), (("train",), "say how to train: --mode"),
                            (("train", "--mode", "sft", "--out", "x"), "unknown mode: sft"),
                            (("train", "--mode", "base"), "say where to write the policy: --out"),
                            (("train", "--mode", "full", "--out", "x"), "name the base policy"),
                            (("train", "--mode", "budgetmix", "--base", path("base"), "--out", "x"), "a plan of budgets is needed: --plan"),
                            (("train", "--mode", "base", "--out", "x", "--name", "n" * 32), "too long: --name")):
        code, said = lab(*arguments, fails=True)
        ok(code == 2 and part in said, "usage: " + part, said)
    course = ("train", "--mode", "budgetmix", "--base", path("base"), "--out", path("x"), "--maps", 2, "--epochs", 1, "--budget", 9)
    good = plan_lines(2, 9, 1, budget=3)
    for text, part in ((good.replace("1\ttrain-002\t16\t3\n", ""), "no budget for epoch 1, task train-002, attempt 16"),
                       (good + "1\ttrain-001\t1\t3\n", "line 33: this attempt has a budget already"),
                       (good.replace("\t3\n", "\t10\n", 1), "line 1: this budget is not within --budget"),
                       ("epoch\ttask\n", "line 1: expected epoch, task, attempt and budget")):
        code, said = lab(*course, "--plan", written("bad.tsv", text), fails=True)
        ok(code == 1 and part in said, "plan: " + part, said)
    same(lab(*course, "--plan", written("more.tsv", good + "2\ttrain-001\t1\t3\n1\ttrain-003\t1\t3\n"), fails=True)[0], 0,
         "a plan may hold more than is needed")
    for file, part in (("plan.tsv", "holds no policy"), ("nothing", "No such file")):
        code, said = lab("truth", "--policy", path(file), fails=True)
        ok(code == 1, "no policy: " + part, said)
        has(said, part, "and says so")


try:
    compile_lab(program)
    test_maps()
    weights = train_all()
    grids = {name: text.split("\\n") for name, _, text in table("maps", "--maps", MAPS)}
    qs = {name: exact_q(grids[name], BUDGET) for name in list(grids)[:12]}
    test_training(weights)
    kept = test_rollouts(weights, grids, qs)
    test_truth(weights, grids, kept)
    test_errors(weights)
    test_states(weights, grids, qs)
    test_compact()
    use_database("agentrl_lab_test")
    test_folder()
    test_usage()
finally:
    shutil.rmtree(tmp, ignore_errors=True)
done()
