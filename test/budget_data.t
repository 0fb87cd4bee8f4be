#!/usr/bin/env python3
"""Audits of the rollout files under $AGENTRL_DATA give what a count over the files themselves gives."""
import glob
import json
import os
import re
import subprocess
import zipfile

from tap import done, ok, rows, same, skip, sql, use_database

DATA = os.environ.get("AGENTRL_DATA", "")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if not os.path.isdir(os.path.join(DATA, "intercode")):
    skip("AGENTRL_DATA names no folder of rollout files: their audits are not tried")
    done()
    raise SystemExit

use_database("agentrl_budget_data")
FOLDERS = [os.path.join(DATA, name) for name in ("intercode", "tau2-bench", "inspect")]
subprocess.run([os.path.join(ROOT, "bin", "agentrl-load"), "--quiet", *FOLDERS], capture_output=True)
sql("CREATE VIEW audited AS SELECT regexp_replace(file, '.*/', '') AS name, coalesce(task_id, 'none') || ':' || coalesce(attempt_id, ordinal::text) AS g, task_id, traj FROM rollouts")


def findings(name, t_max, traj="traj"):
    """{rule: rollouts} of error findings."""
    return {rule: int(n) for rule, n in rows(f"""SELECT rule, rollouts FROM budget_findings((SELECT budget_audit_agg(g, task_id, {traj}, {t_max})
        FROM audited WHERE name = '{name}')) WHERE severity = 'error'""")}


# InterCode: some agents acted 11 times under a limit of 10; a reward short of success at the limit is one for an unfinished rollout
for path in sorted(glob.glob(os.path.join(DATA, "intercode", "*.json"))):
    name, logs = os.path.basename(path), json.load(open(path)).values()
    limit = max(log["summary"]["turns_max"] for log in logs)
    used = [(len(log["turn_history"]["actions"]), log["summary"]["max_reward"]) for log in logs]
    # the prompt that the importer keeps is the query, which seldom holds the limit
    announced = [re.search(rf"(?<![0-9])(?<![0-9][.,]){limit}(?![.,]?[0-9])", log["query"]) for log in logs]
    wanted = {"prompt_missing_budget": sum(not a for a in announced), "turns_over_budget": sum(n > limit for n, _ in used), "exhausted_rewarded": sum(n >= limit and 0 < reward < 1 for n, reward in used)}
    same(findings(name, limit), {rule: n for rule, n in wanted.items() if n}, f"{name}: {wanted}")
    small = sum(log["summary"]["turns_max"] > limit // 2 for log in logs)
    same(findings(name, limit // 2).get("over_t_max"), small, f"{name}: every budget is above half of it")
ok("turns_over_budget" in findings("ic_sql_react_10_turns.json", 10), "the file with 11 actions is found")


def cut_short(name, wanted, total):
    """Files without a limit of turns: no budget is known; a rollout that was cut is truncated, which storing it as completed would hide."""
    same(findings(name, 30), {"missing_budget": total}, f"{name}: no budget is known of {total}")
    budget = "budget => CASE WHEN status(traj) = 'truncated' THEN turns(traj) ELSE turns(traj) + 1 END"
    same(findings(name, 1000, f"with_outcome(traj, {budget})").get("status_mismatch", 0), 0, f"{name}: each that was cut is truncated")
    cut = rows(f"SELECT count(*) FROM audited WHERE name = '{name}' AND status(traj) = 'truncated'")
    same(int(cut[0][0]), wanted, f"{name}: {wanted} were cut")
    relabelled = f"with_outcome(traj, {budget}, status => 'completed')"
    same(findings(name, 1000, relabelled).get("status_mismatch", 0), wanted, f"{name}: stored as completed, they are found")
    rewarded = "with_outcome(traj, budget => turns(traj) + 1, reward => CASE WHEN status(traj) = 'truncated' THEN 0.5 END)"
    same(findings(name, 1000, rewarded).get("exhausted_rewarded", 0), wanted, f"{name}: rewarded, they are found")


for path in sorted(glob.glob(os.path.join(DATA, "tau2-bench", "*.json"))):
    simulations = json.load(open(path))["simulations"]
    cut_short(os.path.basename(path), sum(s["termination_reason"] == "max_steps" for s in simulations), len(simulations))
for path in sorted(glob.glob(os.path.join(DATA, "inspect", "docent*.eval"))):
    with zipfile.ZipFile(path) as archive:
        samples = [json.loads(archive.read(name)) for name in archive.namelist() if name.startswith("samples/")]
    cut_short(os.path.basename(path), sum(s.get("limit") is not None for s in samples), len(samples))
done()
