#!/usr/bin/env python3
"""Recovery on the rollouts under $AGENTRL_DATA: counts that their files give, and a slow version in SQL over steps()."""
import json
import os
import subprocess

from tap import done, ok, rows, same, skip, sql, use_database

DATA = os.environ.get("AGENTRL_DATA")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TAU, SQL_GPT4, SQL_REACT = "gpt-4o-airline.json", "ic_sql_multiturn_gpt-4_10_turns.json", "ic_sql_react_10_turns.json"

if not DATA or not os.path.isdir(os.path.join(DATA, "intercode")):
    skip("AGENTRL_DATA is not set, or no folder: real rollouts are not read")
    done()
    raise SystemExit

use_database("agentrl_recovery_data")
folders = [os.path.join(DATA, name) for name in ("tau-bench", "intercode", "tau2-bench")]
subprocess.run([os.path.join(ROOT, "bin", "agentrl-load"), "--quiet"] + folders, capture_output=True)
SUMMARY = "(SELECT recovery_agg(task_id, traj) FROM rollouts WHERE run = '{}')"


def report(run, columns, where="true", within="{1,2,3}"):
    return rows(f"SELECT {columns} FROM recovery_report({SUMMARY.format(run)}, '{within}', resamples => 0) WHERE {where}")


same(report(TAU, "measure, eligible, recovered, tasks, unknown", "measure LIKE 'success%'"),
     [["success_after_error", "36", "9", "16", "0"], ["success_without_error", "164", "75", "45", "0"]], "tau-bench: as published")
same(report(SQL_GPT4, "eligible, recovered", "measure LIKE 'success%'"), [["705", "471"], ["329", "291"]], "InterCode-SQL, gpt-4: 762 of 1034 solved, 705 with errors")
same(report(SQL_REACT, "sum(eligible), sum(recovered)", "measure LIKE 'success%'"), [["1034", "607"]], "InterCode-SQL, react: 607 of 1034 solved")

# from the file itself: all consecutive pairs of actions, and all error actions
for run in (SQL_GPT4, SQL_REACT):
    log = json.load(open(os.path.join(DATA, "intercode", run)))
    errors = pairs = corrected = 0
    for one in log.values():
        valid = one["turn_history"].get("valid_action")
        if valid is None:
            valid = [not o.startswith(("Error", "Traceback")) for o in one["turn_history"]["observations"]]
        errors += sum(not v for v in valid)
        pairs += sum(not a for a in valid[:-1])
        corrected += sum(not a and b for a, b in zip(valid, valid[1:]))
    same(report(run, "eligible, recovered, censored, unknown", "measure = 'corrected_next'"),
         [[str(pairs), str(corrected), str(errors - pairs), "0"]], f"{run}: corrected next, as the file has it")

# episodes as islands of equal flags, by window functions; the product limit by sums of logarithms
SLOW = """
WITH turns AS (
    SELECT run, task_id, file, line, ordinal, success(traj) AS success, status(traj) AS status, s.turn, s.error,
        s.turn - row_number() OVER (PARTITION BY run, file, line, ordinal, s.error ORDER BY s.turn) AS island,
        lead(s.turn) OVER w IS NULL AS last, lead(s.error) OVER w AS next
    FROM rollouts, steps(traj) s WINDOW w AS (PARTITION BY run, file, line, ordinal ORDER BY s.turn)
), episodes AS (
    SELECT run, task_id, count(*) AS length, bool_or(last) AS at_end, bool_or(last) AND coalesce(success, false) AS solved,
        status IN ('completed', 'agent_error', 'unscored') AS by_itself,
        (array_agg(next ORDER BY turn DESC))[1] IS FALSE AS fine, (array_agg(next ORDER BY turn DESC))[1] IS NULL AS open
    FROM turns WHERE error GROUP BY run, file, line, ordinal, task_id, island, success, status
), risk AS (
    SELECT run, task_id, j, fine AND length = j AS recovered
    FROM episodes, generate_series(1, 3) j
    WHERE NOT solved AND (length > j OR (length = j AND fine) OR (length <= j AND at_end AND coalesce(by_itself, false)))
), hazards AS (SELECT run, j, count(*) AS n, count(*) FILTER (WHERE recovered) AS r FROM risk GROUP BY run, j)
"""
got = rows("SELECT q.run, r.within, r.rate, r.eligible, r.recovered FROM (SELECT run, recovery_agg(coalesce(task_id, 'none'), traj) s FROM rollouts GROUP BY run) q, "
           "recovery_report(s, '{1,2,3}', resamples => 0) r WHERE r.rate IS NOT NULL AND r.within IS NOT NULL ORDER BY 1, 2")
wanted = rows(SLOW + """SELECT run, w, 1 - CASE WHEN bool_or(n = r) THEN 0 ELSE exp(sum(CASE WHEN n > r THEN ln((1 - r::numeric / n)::float8) END)) END,
    max(n) FILTER (WHERE j = 1), sum(r) FROM hazards, generate_series(1, 3) w WHERE j <= w GROUP BY run, w
    HAVING count(*) = w OR bool_or(n = r) ORDER BY run, w""")
alike = len(got) == len(wanted) > 9 and all(
    g[:2] == w[:2] and g[3:] == w[3:] and abs(float(g[2]) - float(w[2])) < 1e-12 for g, w in zip(got, wanted))
ok(alike, f"recovered within 1, 2 and 3 of {len(set(g[0] for g in got))} runs with errors, by window functions", f"{got}\n{wanted}")

# the same 1034 tasks under two policies: a difference of ratios by task, written out
pair = f"recovery_diff({SUMMARY.format(SQL_GPT4)}, {SUMMARY.format(SQL_REACT)}, '{{1}}', resamples => 0)"
got = rows(f"SELECT diff, std_error, tasks, unpaired, eligible_treatment, eligible_reference, rate_treatment FROM {pair} WHERE within = 1")[0]
wanted = rows(SLOW + f""", arms AS (SELECT run = '{SQL_GPT4}' AS first, task_id, count(*)::float8 n, count(*) FILTER (WHERE recovered) AS r
        FROM risk WHERE j = 1 AND run IN ('{SQL_GPT4}', '{SQL_REACT}') GROUP BY 1, 2),
    pairs AS (SELECT a.r AS ar, a.n AS an, b.r AS br, b.n AS bn FROM (SELECT * FROM arms WHERE first) a JOIN (SELECT * FROM arms WHERE NOT first) b USING (task_id)),
    total AS (SELECT sum(ar) AS sar, sum(an) AS san, sum(br) AS sbr, sum(bn) AS sbn, count(*) AS m FROM pairs)
    SELECT sar / san - sbr / sbn, sqrt(m / (m - 1.0) * (SELECT sum(power((ar - sar / san * an) / san - (br - sbr / sbn * bn) / sbn, 2)) FROM pairs)),
    m, (SELECT count(*) FROM arms) - 2 * m, san, sbn, sar / san FROM total""")[0]
ok(all(abs(float(g) - float(w)) < 1e-12 for g, w in zip(got, wanted)) and int(got[2]) > 200, "gpt-4 less react, paired by task, by window functions", f"{got}\n{wanted}")

# every error turn is a prefix, with its own kind
same(rows("SELECT count(*), count(DISTINCT prefix_id) > 2000, bool_and(turns(prefix) = error_turn), bool_and((SELECT error FROM steps(prefix) s WHERE s.turn = error_turn)) "
          "FROM rollouts, error_prefixes(coalesce(task_id, ''), traj)"),
     [[sql("SELECT sum(error_turns(traj)) FROM rollouts"), "t", "t", "t"]], "a prefix for each error turn")
done()
