#!/usr/bin/env python3
"""What version 0.1.0 stored is read for ever, or refused with a sentence: as text, as binary, and as it lies in a table, in a database of
UTF8 and in one of LATIN1.
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
TYPES = ("budget_audit", "budget_plan", "dynamics_summary", "matched_summary", "paired_summary", "pass_summary", "recovery_summary", "state_pool",
         "trajectory", "trajectory_parts")


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


def refused(record, form, encoding):
    """Version 0.1.0 kept the texts of summaries in the encoding of its database, and did not say in which. So those that are not ASCII are
    read where they lie in a database of UTF8 alone."""
    texts = "text" in record["value"] or record["type"] == "recovery_summary"
    return not record["type"].startswith("trajectory") and texts and (encoding, form) != ("utf8", "stored")


def written(record, form, encoding):
    """The text form that such a value has now: the version of a summary's form, its second byte, is 2. One that lies in a database of
    another encoding than UTF8 is written as it lies."""
    text = record["text"]
    return text if record["type"].startswith("trajectory") or (encoding, form) == ("latin1", "stored") else text[:4] + "02" + text[6:]


def check(record, encoding):
    kind = record["type"]
    with tempfile.TemporaryDirectory() as folder:
        for form, how in sources(record, folder):
            name = f"{encoding}, {kind}: {record['value']}: {form}"
            figures = record["figures"] + ([("v::text", written(record, form, encoding))] if "text" in record else [])
            out, errors = read({**record, "figures": figures}, how)
            if refused(record, form, encoding):
                ok(f"type {kind}" in errors and "Compute it again from its rows" in errors, f"{name} is refused, with what to do", errors)
            else:
                same((out, errors), ([f"[{gives}]" for _, gives in figures], ""), f"{name} is what it was")


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
    same(tuple(os.path.basename(path)[:-4] for path in paths), TYPES, f"{encoding}: values of every type")
    for path in paths:
        kept = list(records(path))
        sql(raw_type(kept[0]["type"]).replace("raw", "raw_" + kept[0]["type"]))
        for record in kept:
            check(record, encoding)
        another_version(kept[0], encoding)
    os.environ["PGDATABASE"] = home
    subprocess.run(["dropdb", database], check=True)
done()
