#!/usr/bin/env python3
"""Summaries keep their texts in UTF-8: the same value, in the same bytes, in a database of any encoding, and after a dump from one into another."""
import os
import subprocess

from tap import done, has, ok, psql, rows, same, sql, use_database

ENCODINGS = ("UTF8", "LATIN1", "EUC_JP", "SQL_ASCII")
NAMES = {encoding: "agentrl_enc_" + encoding.lower() for encoding in ENCODINGS}
WEST, EAST, PLAIN = ["café", "Übung", "zebra", "Ã©", "é"], ["東京", "タスク", "plain"], ["a", "b", "task 1"]
# the keys that each encoding can write; a database of SQL_ASCII takes bytes as they come, here UTF-8
KEYS = {"UTF8": WEST + EAST + ["🙂"], "LATIN1": WEST + PLAIN, "EUC_JP": WEST + EAST + PLAIN, "SQL_ASCII": WEST + EAST + ["🙂"]}
UNWRITABLE = {"UTF8": set(), "LATIN1": {*EAST, "🙂"} - {"plain"}, "EUC_JP": {"🙂"}, "SQL_ASCII": set()}
os.environ["PGCLIENTENCODING"] = "UTF8"

use_database("agentrl_encodings")
home = os.environ["PGDATABASE"]


def make(name, encoding):
    os.environ["PGDATABASE"] = home
    subprocess.run(["dropdb", "--if-exists", name], check=True, capture_output=True)
    subprocess.run(["createdb", "-T", "template0", "-E", encoding, "--lc-collate=C", "--lc-ctype=C", name], check=True)


def at(name):
    os.environ["PGDATABASE"] = name


def values(keys):
    return ", ".join(f"('{key}', {i})" for i, key in enumerate(keys))


def traj(key):
    return f"""('{{"success":true,"budget":9,"steps":[{{"error":true,"error_kind":"' || {key} || '"}},{{"error":false}}]}}')::trajectory"""


# one value of each type, whose texts are the keys
SUMMARIES = f"""
SELECT 'pass' AS name, pass_agg(key, true, i + 1)::text AS value FROM k
UNION ALL SELECT 'paired', paired_agg(key, key, true, i)::text FROM k
UNION ALL SELECT 'pool', state_pool_agg(key, true, key, i + 1, 20)::text FROM k
UNION ALL SELECT 'recovery', recovery_agg(key, {traj('key')})::text FROM k
UNION ALL SELECT 'matched', length_matched_agg(key, true, i, i)::text FROM k
UNION ALL SELECT 'dynamics', dynamics_agg(1, key, i, i)::text FROM k
UNION ALL SELECT 'plan', budget_plan_agg(key, 1, 2)::text FROM k
UNION ALL SELECT 'audit', budget_audit_agg(key, key, 3, 2, true, 1, 9)::text FROM k"""
TABLE = f"""CREATE TABLE stored AS SELECT pass_agg(key, true, i + 1) AS pass, paired_agg(key, key, true, i) AS paired, state_pool_agg(key, true, key, i + 1, 20) AS pool,
 recovery_agg(key, {traj('key')}) AS recovery, length_matched_agg(key, true, i, i) AS matched, dynamics_agg(1, key, i, i) AS dynamics,
 budget_plan_agg(key, 1, 2) AS plan, budget_audit_agg(key, key, 3, 2, true, 1, 9) AS audit FROM k"""
IMAGE = "SELECT s::text FROM stored s"
# what shows a text of each type that has functions which do
SHOWN = """SELECT 'tasks', string_agg(task, ',' ORDER BY task COLLATE "C") FROM stored, pass_tasks(pass)
UNION ALL SELECT 'kinds', string_agg(error_kind, ',' ORDER BY error_kind COLLATE "C") FROM stored, recovery_by_kind(recovery, '{1}') WHERE measure = 'corrected_next'
UNION ALL SELECT 'groups', (SELECT examples[1] || ' ' || split_part(detail, 'first: ', 2) FROM stored, budget_findings(audit, group_size => 3) WHERE rule = 'group_size')
ORDER BY 1"""

for encoding in ENCODINGS:
    make(NAMES[encoding], encoding)
    at(NAMES[encoding])
    sql(f"CREATE EXTENSION agentrl; CREATE TABLE k (key text, i int); INSERT INTO k VALUES {values(KEYS[encoding])}; {TABLE}")

# the same keys are the same bytes in any database that can write them
for keys in (WEST, EAST, PLAIN):
    images = {}
    for encoding in ENCODINGS:
        if UNWRITABLE[encoding] & set(keys):
            continue
        at(NAMES[encoding])
        images[encoding] = sql(f"BEGIN; TRUNCATE k; INSERT INTO k VALUES {values(keys)}; {SUMMARIES}; ROLLBACK")
    ok(len(images) >= 3 and len(set(images.values())) == 1, f"{keys[0]}: one value of each type, the same in {', '.join(images)}", images)
    same(len(next(iter(images.values())).splitlines()), 8, "eight types")

at(NAMES["UTF8"])
shown = {encoding: None for encoding in ENCODINGS}
for encoding in ENCODINGS:
    at(NAMES[encoding])
    ordered = ",".join(sorted(KEYS[encoding], key=lambda key: key.encode()))
    if encoding == "EUC_JP":
        ordered = sql("SELECT string_agg(key, ',' ORDER BY key COLLATE \"C\") FROM k")
    first = min(KEYS[encoding], key=lambda key: key.encode())
    same(rows(SHOWN), [["groups", f"{first} group {first}, 1 rollouts"], ["kinds", ordered], ["tasks", ordered]], f"{encoding}: texts are shown as they came")

# dump from each, restore into each
for source in ENCODINGS:
    at(NAMES[source])
    before = sql(IMAGE)
    dump = subprocess.run(["pg_dump", "-t", "stored", "--encoding", "UTF8" if source != "SQL_ASCII" else "SQL_ASCII"], capture_output=True, check=True).stdout.decode()
    for target in ENCODINGS:
        make("agentrl_enc_target", target)
        at("agentrl_enc_target")
        # a database that lacks an encoding can only be told that these bytes are UTF-8
        sql("CREATE EXTENSION agentrl")
        out, errors = psql(dump.replace("SET client_encoding = 'SQL_ASCII'", "SET client_encoding = 'UTF8'"))
        same((errors, sql("SET search_path = public;" + IMAGE)), ("", before), f"{source} to {target}: every value has its bytes")
        same(sql("SELECT pass_at(pass, 1, 3), (SELECT tasks FROM pass_grid(pass, '{1}', '{3}')) FROM stored"),
             f"{min(3, len(KEYS[source])) / len(KEYS[source])!r}|{len(KEYS[source])}".replace("1.0|", "1|"), f"{source} to {target}: figures are read")
        out, errors = psql(SHOWN)
        if not UNWRITABLE[target] & set(KEYS[source]):
            ok(not errors and all(key in out for key in KEYS[source]), f"{source} to {target}: the keys are shown", errors + out)
        else:
            has(errors, f'has no equivalent in encoding "{target}"', f"{source} to {target}: a key that cannot be written is an error")

# in rows of one task after the other, a key is told from another by its characters, not by the bytes of the moment
at(NAMES["LATIN1"])
same(sql("""SELECT string_agg(task || ' ' || attempts, ',' ORDER BY attempts) FROM pass_tasks((SELECT pass_agg(key, true, 1) FROM
 (SELECT 'z' AS key, 0 AS o FROM generate_series(1, 600) UNION ALL SELECT 'é', 1 FROM generate_series(1, 700)
  UNION ALL SELECT 'Ã©', 2 FROM generate_series(1, 800) ORDER BY o) q))"""), "z 600,é 700,Ã© 800", "a text whose bytes are another's in UTF-8")

# SQL_ASCII: bytes that are not UTF-8 mean nothing that is known
at(NAMES["SQL_ASCII"])
out, errors = psql("SELECT pass_agg(E'caf\\xe9', true, 1)")
has(errors, "a key is not valid UTF-8", "SQL_ASCII: other bytes are refused")
has(errors, "Convert the key by convert(), from the encoding that it is in.", "with a hint")
same(sql("SELECT task FROM pass_tasks((SELECT pass_agg(convert_from(convert(E'caf\\xe9'::bytea, 'LATIN1', 'UTF8'), 'SQL_ASCII'), true, 1)))"), "café", "which works")

# values of releases before 1.0: in the encoding of their database, so read in place, and from elsewhere where they are ASCII
OLD, ASCII = "'\\x500102011000020103616263010001'", "'\\x500102011000020102c3a9010001'"
for encoding in ENCODINGS:
    at(NAMES[encoding])
    same(sql(f"SELECT {OLD}::pass_summary"), "\\x500202011000020103616263010001", f"{encoding}: an old value with keys in ASCII is read")
    out, errors = psql(f"SELECT {ASCII}::pass_summary")
    has(errors, "At key 1 of 1: a text is in an encoding that is not known.", f"{encoding}: one with others comes from nobody knows where")
    has(errors, "Compute it again from its rows", "and the hint says what to do")

for name in [*NAMES.values(), "agentrl_enc_target"]:
    at(home)
    subprocess.run(["dropdb", "--if-exists", "--force", name], check=True, capture_output=True)
done()
