#!/usr/bin/env python3
"""Every rollout under $AGENTRL_DATA keeps its value as text, binary, jsonb and through pg_dump; so do stored summaries."""
import os
import subprocess
import tempfile

from tap import done, ok, psql, same, skip, sql, use_database

DATA = os.environ.get("AGENTRL_DATA")
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

if not DATA or not os.path.isdir(DATA):
    skip("AGENTRL_DATA is not set, or no folder: real rollouts are not read")
    done()
    raise SystemExit

use_database("agentrl_data_round_trip")
subprocess.run([os.path.join(ROOT, "bin", "agentrl-load"), "--quiet", DATA], capture_output=True)
loaded = int(sql("SELECT count(*) FROM rollouts"))
ok(loaded > 2000, "the rollouts are loaded", loaded)

for name, form in (("text", "traj::text::trajectory"), ("jsonb", "traj::jsonb::trajectory"), ("json", "traj::json::trajectory")):
    same(sql(f"SELECT count(*) FROM rollouts WHERE {form} = traj AND ({form})::text = traj::text"), str(loaded),
         f"{name} and back is the same value and the same text")

sql("""CREATE TABLE summaries AS SELECT run, pass_agg(task_id, traj) AS s FROM rollouts WHERE task_id IS NOT NULL GROUP BY run;
       CREATE TABLE kept AS SELECT run, file, line, ordinal, traj FROM rollouts""")
DIGEST = ("SELECT (SELECT md5(string_agg(md5(traj::text) || md5(trajectory_send(traj)), '' ORDER BY file, line, ordinal)) FROM kept),"
          " (SELECT md5(string_agg(run || s::text || md5(pass_summary_send(s)), ' ' ORDER BY run)) FROM summaries)")
before = sql(DIGEST)
with tempfile.TemporaryDirectory() as folder:
    image = os.path.join(folder, "image")
    sql(f"\\copy kept TO '{image}' (FORMAT binary)\nCREATE TABLE again (LIKE kept);\n\\copy again FROM '{image}' (FORMAT binary)")
    same(sql("""SELECT count(*) FROM kept k JOIN again a ON (k.file, k.ordinal) = (a.file, a.ordinal) AND k.line IS NOT DISTINCT FROM a.line
                WHERE k.traj = a.traj AND k.traj::text = a.traj::text AND trajectory_send(k.traj) = trajectory_send(a.traj)"""),
         str(loaded), "binary COPY and back is the same value")
    dump = os.path.join(folder, "dump")
    subprocess.run(["pg_dump", "-Fc", "-t", "kept", "-t", "summaries", "-f", dump], check=True)
    sql("DROP TABLE kept, summaries")
    restored = subprocess.run(["pg_restore", "-d", os.environ["PGDATABASE"], dump], capture_output=True, text=True)
    same((restored.returncode, sql(DIGEST)), (0, before), "pg_dump and restore keep every byte of rollouts and summaries")

# the same bits from a stored table as from the rollouts themselves
out, errors = psql("""SELECT count(*) FROM summaries JOIN (SELECT run, pass_agg(task_id, traj) AS s FROM rollouts
                      WHERE task_id IS NOT NULL GROUP BY run) r USING (run) WHERE r.s::text = summaries.s::text""")
same(out, sql("SELECT count(*) FROM summaries"), "a restored summary equals a new one")
done()
