#!/usr/bin/env python3
"""The likelihoods of real rollouts under $AGENTRL_DATA, from file to length-matched difference, against sums in Python."""
import json
import math
import os

from tap import done, ok, rows, same, skip, sql, use_database

FILE = os.path.join(os.environ.get("AGENTRL_DATA") or "", "nemo-gym", "competitive_coding_challenges_rollouts.jsonl")
if not os.path.exists(FILE):
    skip("AGENTRL_DATA names no folder with nemo-gym's rollouts: real log-probabilities are not read")
    done()
    raise SystemExit
use_database("agentrl_likelihood_data")
lines = [line for line in open(FILE).read().splitlines() if line]
wanted = {}
for line in lines:
    rollout = json.loads(line)
    logprobs = [p for item in rollout["response"]["output"] for p in item.get("generation_log_probs") or []]
    wanted[str(rollout["_ng_task_index"]), str(rollout["_ng_rollout_index"])] = logprobs
quoted = lambda text: "'" + text.replace("'", "''") + "'"
sql("SET standard_conforming_strings = on; CREATE TABLE lines (line text); INSERT INTO lines VALUES " + ",".join(f"({quoted(line)})" for line in lines))
sql("CREATE TABLE rollouts AS SELECT task_id, attempt_id, traj FROM lines, import_rollouts(line, 'nemo-gym')")
got = {(task, attempt): (float(loglik), ref) for task, attempt, loglik, ref in rows("SELECT task_id, attempt_id, loglik(traj), ref_loglik(traj) FROM rollouts")}
ok(len(got) == len(wanted) == 5 and all(abs(got[k][0] - math.fsum(wanted[k])) < 1e-9 for k in wanted),
   "five rollouts: loglik is the sum of the file's token log-probabilities", f"{got}")
same({ref for _, ref in got.values()}, {""}, "the file has none of a base policy, so ref_loglik is null")
same(rows("SELECT d.pairs, d.missing_treatment, d.missing_reference FROM length_matched_diff((SELECT length_matched_agg(task_id, attempt_id::int % 2 = 0, "
          "tokens(traj), log_ratio(traj)) FROM rollouts)) d"), [["0", "3", "2"]], "and a log ratio of it is missing, not 0")

# even attempts against odd ones, by the number of tokens that have a log-probability; the search is in test/matched_brute.t
sql("CREATE TABLE counts (task text, attempt text, tokens bigint); INSERT INTO counts VALUES "
    + ",".join(f"('{t}','{a}',{len(p)})" for (t, a), p in wanted.items()))
(task,) = {task for task, _ in wanted}
length = {a: len(wanted[task, a]) for _, a in wanted}
even, odd = [a for a in sorted(length) if int(a) % 2 == 0], [a for a in sorted(length) if int(a) % 2 == 1]
near = [(a, b) for a in even for b in odd if abs(length[a] - length[b]) <= 0.1 * max(length[a], length[b])]
best = max(([p] for p in near), default=[], key=lambda m: -abs(length[m[0][0]] - length[m[0][1]]) / max(length[m[0][0]], length[m[0][1]]))
best = min(([p, q] for p in near for q in near if p[0] < q[0] and p[1] != q[1]), default=best,
           key=lambda m: sum((abs(length[a] - length[b]) / max(length[a], length[b])) ** 2 for a, b in m))
(pairs, diff, left, right), = rows("""SELECT pairs, diff, unmatched_treatment, unmatched_reference FROM length_matched_diff((
    SELECT length_matched_agg(task, attempt::int % 2 = 0, c.tokens, loglik(traj)) FROM rollouts r JOIN counts c ON (task, attempt) = (task_id, attempt_id)))""")
want = sum(math.fsum(wanted[task, a]) - math.fsum(wanted[task, b]) for a, b in best) / len(best)
ok(int(pairs) == len(best) and abs(float(diff) - want) < 1e-9 and (int(left), int(right)) == (len(even) - len(best), len(odd) - len(best)),
   f"{pairs} pairs of like length, {float(diff):.3f} nats", f"{pairs} {diff} {left} {right}, wanted {best} {want}")
done()
