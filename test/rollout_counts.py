#!/usr/bin/env python3
"""Counts the rollouts of harness files, without agentrl: what a reader of the JSON sees.

    test/rollout_counts.py FILE...

prints a line per file: name, rollouts, tasks, attempts (distinct pairs of task and
attempt), turns, successes, error turns, missing rewards. Members of an .eval archive
are listed one by one. import_counts.t compares these with what SQL gives.
"""
import json
import re
import sys
import zipfile

DONE = 1 - 1e-6


class Count:
    def __init__(self):
        self.rollouts = self.turns = self.successes = self.errors = self.missing = 0
        self.tasks, self.pairs = set(), set()

    def add(self, task, attempt, turns, reward, errors=0, success=None, scored=True):
        """turns: None when the file does not record them."""
        self.rollouts += 1
        self.turns += turns or 0
        self.errors += errors
        self.missing += reward is None
        if success is None and reward is not None:
            success = reward >= DONE
        self.successes += bool(success) and scored
        if task is not None:
            self.tasks.add(str(task))
            self.pairs.add((str(task), str(attempt)))

    def row(self):
        return (self.rollouts, len(self.tasks), len(self.pairs), self.turns, self.successes,
                self.errors, self.missing)


def text(content):
    if isinstance(content, list):
        return "\n".join(p.get("text") or "" if isinstance(p, dict) else str(p) for p in content)
    return content if isinstance(content, str) else ""


def number(value):
    if isinstance(value, str):
        value = float(value)
    return value if value is not None and abs(value) < float("inf") else None


def chat(messages, failed):
    """Assistant messages, and how many of them a failed tool result follows."""
    turns = errors = 0
    bad = False
    for m in messages:
        if m["role"] == "assistant":
            turns += 1
            bad = False
        elif turns and not bad and failed(m):
            bad = True
            errors += 1
    return turns, errors


def begins_with_error(m):
    return m["role"] == "tool" and text(m.get("content")).startswith("Error")


def tau2_failed(m):
    if m["role"] != "tool" or m.get("requestor") == "user":
        return False
    return m["error"] if m.get("error") is not None else begins_with_error(m)


def tau2(simulations, count):
    for s in simulations:
        turns, errors = chat(s["messages"], tau2_failed)
        crashed = s["termination_reason"] in ("infrastructure_error", "user_error")
        count.add(s["task_id"], s["trial"], turns, (s["reward_info"] or {}).get("reward"), errors,
                  scored=not crashed)


def inspect_sample(s, count):
    letters = {"C": 1.0, "I": 0.0, "P": 0.5, "N": 0.0}
    scores = list((s.get("scores") or {}).values())
    value = scores[0]["value"] if scores else None
    turns, errors = chat(s["messages"], lambda m: bool(m.get("error")))
    count.add(s["id"], s["epoch"], turns, letters.get(value, value), errors)


def return_code(content):
    found = re.search(r"<returncode>(-?\d+)</returncode>", content)
    return int(found.group(1)) if found else 0


def swe_failed(observation):
    words = ("Error", "ERROR", "Traceback (most", "Your proposed edit has introduced",
             "Your edit was not applied", "Your bash command contained syntax errors",
             "Interactive operation", "Your output could not be parsed")
    return observation.startswith(words) or observation.strip().startswith("EXECUTION TIMED OUT")


def openhands(value, count):
    turns = errors = 0
    bad = False
    for i, event in enumerate(value["history"]):
        if "observation" in event:
            content = event.get("content", "")
            failed = event.get("exit_code", 0) != 0 or event["observation"] == "error" or (
                "exit_code" not in event and content.startswith(
                    ("Error", "ERROR", "Traceback", "[Your proposed edit", "[No exact match")))
            errors += failed and not bad
            bad = bad or failed
        elif i > 0:
            turns += 1
            bad = False
    issue = value["issue"]
    count.add("%s/%s#%s" % (issue["owner"], issue["repo"], issue["number"]), None, turns, None,
              errors, value["success"])


def atif(value, count):
    turns = sum(s["source"] == "agent" and not s.get("is_copied_context") for s in value["steps"])
    count.add(None, value["session_id"], turns, None)


def nemo(value, count):
    if "result" in value:
        turns, errors = chat(value["result"]["messages"], tau2_failed)
    else:
        turns = errors = 0
        acted = failed = False
        for item in value["response"]["output"]:
            policy = item["type"] in ("reasoning", "function_call") or item.get("role") == "assistant"
            if policy and not acted:
                turns += 1
                failed = False
            acted = policy
            if item["type"] == "function_call_output" and not failed:
                failed = return_code(item["output"]) != 0 or item["output"].startswith("Error")
                errors += failed
    count.add(value.get("_ng_task_index"), value.get("_ng_rollout_index"), turns, value["reward"],
              errors)


def verifiers(value, count):
    completion = value.get("completion")
    turns = errors = 0
    if completion is not None:
        turns, errors = chat(json.loads(completion), begins_with_error)
    task = value.get("problem_id", value.get("example_id"))
    count.add(task, value.get("sample_id"), turns, number(value["reward"]), errors)


def intercode(logs, count):
    for key, log in logs.items():
        history, summary = log["turn_history"], log["summary"]
        valid = history.get("valid_action")
        if valid is None:
            valid = [not o.startswith(("Error", "Traceback")) for o in history["observations"]]
        count.add(log["task_id"], None, len(history["actions"]), summary["max_reward"],
                  sum(not v for v in valid))


def row(value, count):
    steps = value.get("steps")
    count.add(value.get("task_id"), value.get("trial"), len(steps or []), value.get("reward"))


def one(value, count):
    """A document, a line, or an element of an array."""
    if isinstance(value, list):
        if value and "role" in value[0]:
            mini = any(text(m.get("content")).startswith("<returncode>") for m in value)
            turns, errors = chat(value, (lambda m: return_code(text(m["content"])) != 0) if mini
                                 else begins_with_error)
            count.add(None, None, turns, None, errors)
        else:
            for element in value:
                one(element, count)
    elif "simulations" in value:
        tau2(value["simulations"], count)
    elif "schema_version" in value:
        atif(value, count)
    elif "eval" in value:
        for sample in value.get("samples", []):
            inspect_sample(sample, count)
    elif "epoch" in value and "messages" in value:
        inspect_sample(value, count)
    elif "traj" in value:
        turns, errors = chat(value["traj"], begins_with_error)
        count.add(value["task_id"], value["trial"], turns, value["reward"], errors)
    elif "responses_create_params" in value:
        nemo(value, count)
    elif "samples" in value and "scorer" not in value:
        for sample in value["samples"]:
            verifiers(sample, count)
    elif "completion" in value or "example_id" in value:
        verifiers(value, count)
    elif "trajectory" in value:
        observations = [s["observation"] for s in value["trajectory"]]
        count.add(None, None, len(observations), None, sum(map(swe_failed, observations)))
    elif "history" in value and "role" in value["history"][0]:
        turns, errors = chat(value["history"],
                             lambda m: m["role"] == "tool" and swe_failed(text(m["content"])))
        count.add(None, None, turns, None, errors)
    elif "history" in value:
        openhands(value, count)
    elif "output" in value and "score" in value:
        count.add(None, None, 1, number(value["score"]))
    elif all(isinstance(v, dict) and "turn_history" in v for v in value.values()):
        intercode(value, count)
    elif "reward" in value:
        row(value, count)


def count_bytes(data):
    """What can be read of a document; lines that are no JSON hold no rollout."""
    count = Count()
    document = data.decode("utf-8", "replace")
    try:
        values = [json.loads(document)]
    except ValueError:
        values = []
        for line in document.split("\n"):
            try:
                values.append(json.loads(line))
            except ValueError:
                pass
    for value in values:
        one(value, count)
    return count.row()


def documents(path):
    """(name, bytes) of a file, or of the members of an archive."""
    if not path.endswith(".eval"):
        with open(path, "rb") as f:
            return [(path, f.read())]
    with zipfile.ZipFile(path) as archive:
        return [(path + "!" + n, archive.read(n)) for n in archive.namelist()]


if __name__ == "__main__":
    for argument in sys.argv[1:]:
        for name, data in documents(argument):
            print(name, *count_bytes(data), sep="\t")
