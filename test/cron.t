#!/usr/bin/env python3
"""The nightly job of doc/budgetmix.md under pg_cron, for real, in a cluster of its own; takes up to two minutes, for pg_cron counts in whole ones."""
import os
import re
import subprocess
import sys
import time

from tap import done, has, psql, rows, same, skip, sql

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SETTINGS = ["shared_preload_libraries = 'pg_cron'", "cron.database_name = 'postgres'", "cron.host = 'SOCKET'", "timezone = 'UTC'", "cron.timezone = 'UTC'"]

if "AGENTRL_CRON_CLUSTER" not in os.environ:
    sharedir = subprocess.run([os.environ.get("PG_CONFIG", "pg_config"), "--sharedir"], capture_output=True, text=True).stdout.strip()
    if not os.path.exists(os.path.join(sharedir, "extension", "pg_cron.control")):
        skip("pg_cron is NOT INSTALLED: the nightly audit is not tried (on Debian: postgresql-N-cron)")
        done()
        raise SystemExit
    if not sql("SELECT 1 FROM pg_available_extension_versions WHERE name = 'pg_cron' AND version >= '1.5'"):
        SETTINGS.remove("cron.timezone = 'UTC'")
    os.environ["AGENTRL_CRON_CLUSTER"] = "1"
    raise SystemExit(subprocess.run([os.path.join(ROOT, "scripts", "beside-cluster"), *SETTINGS, "--", sys.executable, os.path.abspath(__file__)]).returncode)

page = open(os.path.join(ROOT, "doc", "budgetmix.md")).read()
audit, night = (re.search(rf"^## {title}\n(.*?)^## ", page, re.M | re.S).group(1) for title in ("The audit", "Every night"))
tables = re.search(r"^```sql\n(.*?)^SELECT rule", audit, re.M | re.S).group(1)
job = re.search(r"^```sql\n(.*?)^```", night, re.M | re.S).group(1)
schedule = re.search(r"^SELECT cron\.schedule.*$", night, re.M).group(0)
look = re.search(r"^SELECT status, return_message FROM cron\.job_run_details", night, re.M).group(0)

sql("CREATE EXTENSION agentrl; CREATE EXTENSION pg_cron;" + tables + job)
# yesterday the run r8 breaks two rules; the day before, and run r7, are clean
sql("""UPDATE rollouts SET ended_at = current_date - CASE WHEN run = 'r7' AND epoch = 1 THEN 2 ELSE 1 END + interval '12 hours'""")
same(len(re.findall(r"'15 3 \* \* \*'", schedule)), 1, "the documented job runs once a night")
every_minute = schedule.replace("15 3 * * *", "* * * * *")
sql(every_minute)
sql(every_minute.replace("'budget audit'", "'clean audit'").replace("current_date - 1", "current_date - 2"))

deadline = time.time() + 150
while time.time() < deadline:
    ended = sql("SELECT count(DISTINCT jobid) FROM cron.job_run_details WHERE status IN ('succeeded', 'failed')")
    if ended == "2":
        break
    time.sleep(1)
sql("SELECT cron.unschedule(jobname) FROM cron.job")
same(ended, "2", "both jobs ran")
STATUS = "SELECT status, return_message FROM (SELECT DISTINCT ON (jobid) * FROM cron.job_run_details WHERE command LIKE '%- {}%' AND status <> 'running' ORDER BY jobid, start_time) d"
failed = sql(STATUS.format(1))
has(failed, "failed|", "the job with an error finding has failed")
has(failed, "budget audit found violations of 2 rules", "and its message says why")
same(sql(STATUS.format(2)).split("|")[0], "succeeded", "the clean one has succeeded")
same(look.split(" FROM ")[1] in STATUS, True, "failures are looked for where the page says")

REPORT = "SELECT run, checkpoint, rule, groups, rollouts, examples FROM budget_report WHERE day = current_date - 1 AND severity = 'error' ORDER BY 1, 3"
wanted = [["r8", "step-1300", "missing_budget", "2", "8", "{r8:2:maze-4,r8:2:maze-5}"], ["r8", "step-1300", "turns_over_budget", "1", "1", "{r8:1:maze-9}"]]
same(rows(REPORT), wanted, "the findings stand in the table, joined with the run's metadata")
same(sql("SELECT count(*) FROM budget_report WHERE day = current_date - 2 AND severity <> 'info'"), "0", "the clean day has none")

# a retry: the same findings, and no rollout counted twice
out, errors = psql("CALL audit_budgets(current_date - 1)")
has(errors, "budget audit found violations of 2 rules", "a retry by hand fails in the same way")
same(rows(REPORT), wanted, "and leaves the same findings")
same(sql("SELECT sum(checked) FROM budget_audits b, budget_findings(audit) WHERE rule = 'missing_budget' AND run = 'r8'"), "480", "every rollout is counted once")
same(sql("""SELECT bool_and(a = w) FROM (SELECT run, rollup(audit)::text AS a FROM budget_audits GROUP BY run) s JOIN
            (SELECT run, budget_audit_agg(run || ':' || epoch || ':' || task, task, budget, turns, finished, reward, t_max)::text AS w
             FROM rollouts JOIN runs USING (run) GROUP BY run) r USING (run)"""), "t", "days roll up to the audit of the whole run")

# mended, it passes, and the report is empty
sql("UPDATE rollouts SET budget = budgetmix_budget(42, epoch, task, 30); UPDATE rollouts SET turns = least(turns, budget)")
out, errors = psql("CALL audit_budgets(current_date - 1)")
same((errors, rows(REPORT)), ("", []), "once the rollouts are mended the job passes")
done()
