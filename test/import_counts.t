#!/usr/bin/env python3
"""Every file under $AGENTRL_DATA: what import_rollouts gives against rollout_counts.py."""
import os
import subprocess
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import rollout_counts  # noqa: E402

COLUMNS = ("rollouts", "tasks", "attempts", "turns", "successes", "error turns", "missing rewards")
QUERY = """
SELECT d.name, count(i.traj), count(DISTINCT i.task_id) FILTER (WHERE i.traj IS NOT NULL),
       count(DISTINCT (i.task_id, i.attempt_id)) FILTER (WHERE i.traj IS NOT NULL AND i.task_id IS NOT NULL),
       coalesce(sum(turns(i.traj)), 0), count(*) FILTER (WHERE success(i.traj)),
       coalesce(sum(error_turns(i.traj)), 0),
       count(*) FILTER (WHERE i.traj IS NOT NULL AND reward(i.traj) IS NULL),
       count(*) FILTER (WHERE i.traj IS NULL AND i.warnings = '{}' AND i.meta ->> 'part' IS NULL)
FROM import_docs d, import_rollouts(d.doc) i GROUP BY d.name ORDER BY d.name
"""


def escape(data):
    """COPY's text form, mended as the loader does: text holds neither NUL nor bad UTF-8."""
    document = data.decode("utf-8", "replace").replace("\0", "\ufffd")
    for byte, with_ in (("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        document = document.replace(byte, with_)
    return document


def files(folder):
    for root, _, names in sorted(os.walk(folder)):
        for name in sorted(names):
            path = os.path.join(root, name)
            # the folder's own notes and reference table are no rollout files
            if root != folder:
                yield path


def main():
    folder = os.environ.get("AGENTRL_DATA", "")
    if not os.path.isdir(folder):
        print("1..1")
        print("ok 1 # skip AGENTRL_DATA names no folder of rollout files")
        return
    documents = [d for path in files(folder) for d in rollout_counts.documents(path)]
    script = "SET client_encoding = UTF8;\nCREATE TEMP TABLE import_docs (name text, doc text);\n"
    script += "COPY import_docs FROM STDIN;\n"
    script += "".join("%s\t%s\n" % (name, escape(data)) for name, data in documents) + "\\.\n" + QUERY + ";\n"
    result = subprocess.run(["psql", "-XqAt", "-F", "\t", "-v", "ON_ERROR_STOP=1"],
                            input=script.encode(), stdout=subprocess.PIPE)
    got = {}
    for line in result.stdout.decode().splitlines():
        name, *values = line.split("\t")
        got[name] = [int(v) for v in values]
    print("1..%d" % (2 * len(documents) + 1))
    print("%s 1 - psql ran" % ("ok" if result.returncode == 0 else "not ok"))
    for i, (name, data) in enumerate(documents):
        want = list(rollout_counts.count_bytes(data))
        values = got.get(name, [None] * 8)
        label = os.path.relpath(name, folder)
        print("%s %d - %s" % ("ok" if values[:7] == want else "not ok", 2 * i + 2, label))
        for column, a, b in zip(COLUMNS, values, want):
            if a != b:
                print("#   %s: import_rollouts %s, counted %s" % (column, a, b))
        print("%s %d - %s: nothing dropped in silence"
              % ("ok" if values[7] == 0 else "not ok", 2 * i + 3, label))


main()
