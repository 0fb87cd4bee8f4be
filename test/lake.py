"""FrozenLake and the lab's policies once more, slowly, for the tests of demo/."""
import glob
import json
import math
import os
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
MOVES = {"left": (0, -1), "down": (1, 0), "right": (0, 1), "up": (-1, 0)}
ORDER = list(MOVES)
GAMMA = 0.95


def compile_lab(path):
    subprocess.run([os.environ.get("CC", "cc"), "-std=c99", "-O2", "-Wall", "-Wextra", "-Werror", "-o", path,
                    *sorted(glob.glob(os.path.join(ROOT, "demo", "*.c"))), "-lm"], check=True)


def plan_lines(tasks, t_max, epochs, budget=None):
    """A training plan: a budget per epoch and task, by a simple rule unless one is given."""
    return "".join(f"{epoch}\ttrain-{task:03d}\t{attempt}\t{budget or t_max * (1 + (7 * epoch + task) % 10) // 10}\n"
                   for epoch in range(1, epochs + 1) for task in range(1, tasks + 1) for attempt in range(1, 17))


# ------------------------------------------------------------------------ the world


def tile(grid, cell):
    return grid[cell[0]][cell[1]]


def cells_of(grid):
    return [(r, c) for r in range(len(grid)) for c in range(len(grid))]


def ends(grid, cell):
    return tile(grid, cell) in "HG"


def landings(grid, cell, move):
    """Where a move may end, each with probability 1/3; first where it aims."""
    size, i, found = len(grid), ORDER.index(move), []
    for name in (move, ORDER[(i + 1) % 4], ORDER[(i + 3) % 4]):
        row, column = cell[0] + MOVES[name][0], cell[1] + MOVES[name][1]
        found.append((row, column) if 0 <= row < size and 0 <= column < size else cell)
    return found


def exact_q(grid, horizon):
    """q[turns left][cell][move] of finite-horizon value iteration."""
    best = {c: 0.0 for c in cells_of(grid)}
    table = [None]
    for _ in range(horizon):
        q = {}
        for cell in cells_of(grid):
            if not ends(grid, cell):
                q[cell] = {m: sum(1.0 if tile(grid, e) == "G" else GAMMA * best[e] for e in landings(grid, cell, m)) / 3
                           for m in ORDER}
        table.append(q)
        best = {c: max(q[c].values()) if c in q else 0.0 for c in cells_of(grid)}
    return table


def is_error(q, move):
    """q: value of each move. None: too close to tell."""
    best = max(q.values())
    lost = (best - q[move]) / best if best else 0
    return None if 1e-12 < lost < 1e-6 else lost >= 1e-6


def distances(grid):
    """Moves to G over ice."""
    ring = [c for c in cells_of(grid) if tile(grid, c) == "G"]
    far = {ring[0]: 0}
    while ring:
        ring = [e for c in ring for e in {landings(grid, c, m)[0] for m in ORDER}
                if tile(grid, e) != "H" and e not in far and not far.update({e: far[c] + 1})]
    return far


# ---------------------------------------------------------------------- the policies


def read_policy(path):
    lines = [line.rstrip("\n").split("\t") for line in open(path)]
    return lines[0][1], {(part, feature): float(w) for part, feature, w in lines[1:]}


def features(grid, far, cell, move):
    aim, *sides = landings(grid, cell, move)

    def gain(to):
        return far[cell] - far[to] if cell in far and to in far else 0

    return {
        "progress": gain(aim),
        "drift": sum(map(gain, [aim] + sides)) / 3,
        "aim_hole": float(tile(grid, aim) == "H"),
        "side_hole": sum(tile(grid, s) == "H" for s in sides) / 2,
        "near_hole": 0 if ends(grid, aim) else sum(tile(grid, landings(grid, aim, m)[0]) == "H" for m in ORDER) / 4,
        "edge": float(aim == cell),
    }


class Policy:
    """Probabilities of the moves of a policy on a grid; told: the turns left that were announced, or None."""

    def __init__(self, weights, grid):
        self.weights, self.grid, self.far = weights, grid, distances(grid)
        self.known = {}

    def chances(self, cell, told):
        if (cell, told) not in self.known:
            tight = 0 if told is None else min(1, self.far[cell] / told) if cell in self.far else 1
            logit = {m: sum((self.weights["always", f] + tight * self.weights["when_tight", f]) * x
                            for f, x in features(self.grid, self.far, cell, m).items()) for m in ORDER}
            whole = sum(math.exp(v) for v in logit.values())
            self.known[cell, told] = {m: math.exp(v) / whole for m, v in logit.items()}
        return self.known[cell, told]


# ---------------------------------------------------------------------- its rollouts


def where(state):
    row, column = state.split(":")[-1].split(",")
    return int(row), int(column)


def read_rollouts(text):
    return [json.loads(line) for line in text.splitlines()]


def faults(rollout, q, policy, base, budget, announced):
    """What in a rollout contradicts the world, the policy that acted or the base policy."""
    t, grid = rollout["trajectory"], rollout["meta"]["map"].split("/")
    steps, said = t["steps"], []
    if where(steps[0]["state"]) != (0, 0):
        said.append("does not start at S")
    for i, step in enumerate(steps):
        cell, left = where(step["state"]), budget - i
        told = left if announced else None
        here = q[left][cell]
        led_to = landings(grid, cell, step["action"])
        goes_on = i + 1 < len(steps) or t["stop_reason"] == "budget"
        if step.get("remaining") != told or (f"Turns left: {left - 1}." in step["observation"]) != (announced and goes_on):
            said.append(f"turn {i + 1} announces {step.get('remaining')}: {step['observation']}")
        if abs(step["value"] - here[step["action"]]) > 1e-8:
            said.append(f"turn {i + 1} is worth {here[step['action']]}")
        for name, who in (("logprob", policy), ("ref_logprob", base)):
            if abs(step[name] - math.log(who.chances(cell, told)[step["action"]])) > 1e-8:
                said.append(f"turn {i + 1}: {name} is {math.log(who.chances(cell, told)[step['action']])}")
        if is_error(here, step["action"]) not in (None, step["error"]):
            said.append(f"turn {i + 1}: error {step['error']}")
        if step["error"] != ("error_kind" in step):
            said.append(f"turn {i + 1}: kind of error")
        if i + 1 < len(steps):
            if where(steps[i + 1]["state"]) not in led_to or ends(grid, where(steps[i + 1]["state"])):
                said.append(f"turn {i + 1} does not lead to turn {i + 2}")
        elif t["stop_reason"] != "budget" and {"goal": "G", "hole": "H"}[t["stop_reason"]] not in [tile(grid, e) for e in led_to]:
            said.append("does not end as it says")
    solved = t["stop_reason"] == "goal"
    if (t["success"], t["reward"], t.get("solved_at")) != (solved, int(solved), len(steps) if solved else None):
        said.append("outcome")
    if (t["status"] == "truncated") != (t["stop_reason"] == "budget") or t["budget"] != budget:
        said.append("status")
    if t["stop_reason"] == "budget" and len(steps) != budget:
        said.append("stopped early")
    if "\n".join(grid) not in t["prompt"] or (f"You have {budget} turns in total. {budget} turns remain, this one included." in t["prompt"]) != announced:
        said.append("prompt")
    return said
