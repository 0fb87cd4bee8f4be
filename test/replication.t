#!/usr/bin/env python3
"""Logical replication between two servers, of every type, with full replica identity: rows are found by what they hold."""
import os
import subprocess
import sys
import time

from tap import done, ok, psql, same, sql

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BESIDE = [os.path.join(ROOT, "scripts", "beside-cluster")]

# this script starts itself in a cluster beside the first, and once more in one beside that
if "AGENTRL_SUBSCRIBER" not in os.environ:
    stage = "AGENTRL_PUBLISHER" if "AGENTRL_PUBLISHER" not in os.environ else "AGENTRL_SUBSCRIBER"
    settings = ["wal_level = logical", "max_wal_senders = 4", "max_replication_slots = 4"]
    raise SystemExit(subprocess.run([*BESIDE, *settings, "--", "env", f"{stage}={os.environ['PGHOST'] if stage == 'AGENTRL_SUBSCRIBER' else 'next'}",
                                     sys.executable, os.path.abspath(__file__)]).returncode)

subscriber, publisher = os.environ["PGHOST"], os.environ["AGENTRL_SUBSCRIBER"]


def on(server, script):
    os.environ["PGHOST"] = server
    return sql(script)


TABLES = """CREATE EXTENSION agentrl;
CREATE TABLE stored (pass pass_summary, paired paired_summary, pool state_pool, recovery recovery_summary, matched matched_summary,
                     dynamics dynamics_summary, plan budget_plan, audit budget_audit, traj trajectory);
ALTER TABLE stored REPLICA IDENTITY FULL;"""
ROW = """SELECT pass_agg('té' || i, true, i), paired_agg(i, i, true, {n}), state_pool_agg(i, true, 'r', i, 9000), recovery_agg(i, '{{"success":true,"steps":[{{"error":true}}]}}'),
 length_matched_agg(i, true, i, {n}), dynamics_agg(i, i, 1, {n}), budget_plan_agg(i, 1, {n}), budget_audit_agg(i, 'a', 3, 2, true, 1, 9),
 ('{{"reward":{n},"steps":[{{"action":"' || repeat('x', {n}) || '"}}]}}')::trajectory FROM generate_series(1, {n}) i"""
for server in (publisher, subscriber):
    on(server, TABLES)
on(publisher, "".join(f"INSERT INTO stored {ROW.format(n=n)};" for n in (1, 2, 3, 5000)) + "CREATE PUBLICATION p FOR TABLE stored")
on(subscriber, f"CREATE SUBSCRIPTION s CONNECTION 'host={publisher} user=postgres dbname=postgres' PUBLICATION p")
IMAGE = "SELECT md5(string_agg(r, ' ' ORDER BY r)), count(*) FROM (SELECT s::text AS r FROM stored s) q"


def arrives(what):
    wanted = on(publisher, IMAGE)
    for _ in range(300):
        if on(subscriber, IMAGE) == wanted:
            break
        time.sleep(0.2)
    same(on(subscriber, IMAGE), wanted, what)


arrives("the first copy")
on(publisher, f"UPDATE stored SET pass = (SELECT pass_agg(7, false, 2)) WHERE turns(traj) = 1 AND reward(traj) IN (2, 5000)")
arrives("updates")
on(publisher, "DELETE FROM stored WHERE reward(traj) = 3")
arrives("deletes")
on(publisher, "INSERT INTO stored SELECT * FROM stored; DELETE FROM stored WHERE ctid = (SELECT min(ctid) FROM stored WHERE reward(traj) = 1)")
arrives("one of two equal rows")
same(on(publisher, "SELECT count(*) FROM stored"), "5", "as many as there should be")
errors = on(subscriber, "SELECT coalesce(sum(apply_error_count + sync_error_count), 0) FROM pg_stat_subscription_stats")
same(errors, "0", "no change was refused")
on(subscriber, "ALTER SUBSCRIPTION s DISABLE; ALTER SUBSCRIPTION s SET (slot_name = NONE); DROP SUBSCRIPTION s")
done()
