#!/usr/bin/env python3
"""What version 0.1.0 stored is read for ever: as text, as binary, and as it lies in a table, in a database of UTF8 and in one of LATIN1.
The files of fixtures/stored-0.1.0 hold the values, and what that version read in them. A figure's call may follow its function's name;
what it gives may not change."""
import glob
import os
import struct
import subprocess
import sys
import tempfile

from tap import done, ok, psql, raw_type, same, sql

HERE = os.path.dirname(os.path.abspath(__file__))
FIXTURES = os.path.join(HERE, "fixtures", "stored-0.1.0")
# by type, the aggregate or function that makes its values anew: the sentence of a refusal names both
MAKERS = {"trajectory": "trajectory", "trajectory_parts": "trajectory_agg", "pass_summary": "pass_agg", "recovery_summary": "recovery_agg",
          "matched_summary": "length_matched_agg", "dynamics_summary": "dynamics_agg", "paired_summary": "paired_agg",
          "state_pool": "state_pool_agg", "budget_plan": "budget_plan_agg", "budget_audit": "budget_audit_agg"}
# (encoding, type) of the values that are refused, not read
REFUSED = set()


def records(path):
    """The values of one file: their lines by name, and the figures as pairs."""
    for block in open(path, encoding="utf-8", newline="\n").read().split("\n\n"):
        record = {"figures": []}
        for line in block.strip("\n").split("\n"):
            name, text = line.split(": ", 1) if ": " in line else (line.rstrip(":"), "")
            if name == "figure":
                record["figures"].append([text])
            elif name == "gives":
                record["figures"][-1].append(text)
            else:
                record[name] = text
        yield record


def binary_file(value):
    """A file of COPY with one column and one row."""
    return b"PGCOPY\n\xff\r\n\0" + struct.pack(">iihi", 0, 0, 1, len(value)) + value + struct.pack(">h", -1)


def quoted(text):
    return "'" + text.replace("'", "''") + "'"


def sources(record, folder):
    """By form, the statements that put the value into the table kept."""
    kind = record["type"]
    insert = "INSERT INTO kept SELECT {}"
    if "text" in record:
        yield "text", insert.format(f"{quoted(record['text'])}::{kind};")
    if "binary" in record:
        path = os.path.join(folder, "image")
        with open(path, "wb") as file:
            file.write(binary_file(bytes.fromhex(record["binary"])))
        yield "binary", f"\\copy kept FROM '{path}' (FORMAT binary)"
    if sys.byteorder == "little":  # a trajectory lies in a table in the machine's own order
        yield "stored", insert.format(f"'\\x{record['stored']}'::raw_{kind}::{kind};")


def read(record, how):
    """What the figures give of the value, a line each, and the errors."""
    figures = "".join(f"SELECT format('[%s]', ({call})::text) FROM kept;\n" for call, _ in record["figures"])
    out, errors = psql(f"SET extra_float_digits = 1; BEGIN; CREATE TEMP TABLE kept (v {record['type']}) ON COMMIT DROP;\n{how}\n{figures}")
    return out.split("\n"), errors


def check(record, encoding):
    kind = record["type"]
    if "text" in record:
        record["figures"].append(("v::text", record["text"]))
    with tempfile.TemporaryDirectory() as folder:
        for form, how in sources(record, folder):
            name = f"{encoding}, {kind}: {record['value']}: {form}"
            out, errors = read(record, how)
            if (encoding, kind) in REFUSED:
                ok(kind in errors and MAKERS[kind] in errors, f"{name} is refused with what to build it from", errors)
            else:
                same((out, errors), ([f"[{gives}]" for _, gives in record["figures"]], ""),
                     f"{name} is what it was")


def another_version(record, encoding):
    """A version to come is refused, whatever its bytes would mean."""
    kind = record["type"]
    at = 0 if kind.startswith("trajectory") else 1
    stored = bytearray.fromhex(record["stored"])
    stored[at] = 99
    _, errors = read(record, f"INSERT INTO kept SELECT '\\x{stored.hex()}'::raw_{kind}::{kind};")
    ok(kind in errors and ("version" in errors or kind == "trajectory_parts"), f"{encoding}, {kind}: a version that is not known is refused", errors)


os.environ["PGCLIENTENCODING"] = "UTF8"
home = os.environ.get("PGDATABASE", "postgres")
for encoding in ("utf8", "latin1"):
    database = f"agentrl_stored_{encoding}"
    subprocess.run(["dropdb", "--if-exists", database], check=True, capture_output=True)
    subprocess.run(["createdb", "-T", "template0", "-l", "C", "-E", encoding, database], check=True)
    os.environ["PGDATABASE"] = database
    sql("CREATE EXTENSION agentrl")
    paths = sorted(glob.glob(os.path.join(FIXTURES, encoding, "*.txt")))
    same(sorted(os.path.basename(path)[:-4] for path in paths), sorted(MAKERS), f"{encoding}: values of every type")
    for path in paths:
        kept = list(records(path))
        sql(raw_type(kept[0]["type"]).replace("raw", "raw_" + kept[0]["type"]))
        for record in kept:
            check(record, encoding)
        another_version(kept[0], encoding)
    os.environ["PGDATABASE"] = home
    subprocess.run(["dropdb", database], check=True)
done()
