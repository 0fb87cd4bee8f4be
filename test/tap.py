"""TAP output and psql, for the test scripts in Python. They run against the server that PGHOST names."""
import atexit
import os
import subprocess
import sys

sys.dont_write_bytecode = True
_count = 0


def ok(passed, name, note=""):
    """One test line; the note explains a failure."""
    global _count
    _count += 1
    print(f"{'ok' if passed else 'not ok'} {_count} - {name}")
    if not passed:
        for line in str(note).splitlines()[:40]:
            print("#", line)
    sys.stdout.flush()


def same(got, wanted, name):
    ok(got == wanted, name, f"got    {got!r}\nwanted {wanted!r}")


def has(text, part, name):
    ok(part in text, name, f"{part!r} is not in:\n{text}")


def skip(reason):
    """A test that says that it did not run."""
    global _count
    _count += 1
    print(f"ok {_count} # skip {reason}")


def psql(script, stop=True, database=None):
    """Output and errors of a psql script."""
    command = ["psql", "-XqAt", "-v", f"ON_ERROR_STOP={int(stop)}"]
    if database:
        command += ["-d", database]
    done = subprocess.run(command, input=script.encode(), capture_output=True)
    return done.stdout.decode(errors="replace").strip(), done.stderr.decode(errors="replace").strip()


def sql(script):
    """Output of a psql script that must not fail."""
    out, errors = psql(script)
    if "ERROR" in errors or "FATAL" in errors:
        print(f"Bail out! {errors}")
        raise SystemExit(1)
    return out


def raw_type(like):
    """SQL for a type `raw` with the physical form of another, so that any bytes pose as a value of that."""
    return f"""
CREATE TYPE raw;
CREATE FUNCTION raw_in(cstring) RETURNS raw AS 'byteain' LANGUAGE internal IMMUTABLE STRICT;
CREATE FUNCTION raw_out(raw) RETURNS cstring AS 'byteaout' LANGUAGE internal IMMUTABLE STRICT;
CREATE TYPE raw (INPUT = raw_in, OUTPUT = raw_out, LIKE = {like});
CREATE CAST (raw AS {like}) WITHOUT FUNCTION;
"""


def rows(script):
    return [line.split("|") for line in sql(script).splitlines()]


def use_database(name):
    """A database of the script's own, with the extension; dropped at its end."""
    home = os.environ.get("PGDATABASE", "postgres")
    subprocess.run(["dropdb", "--if-exists", name], check=True, capture_output=True)
    subprocess.run(["createdb", name], check=True)

    def drop():
        os.environ["PGDATABASE"] = home
        subprocess.run(["dropdb", "--force", name], capture_output=True)

    atexit.register(drop)
    os.environ["PGDATABASE"] = name
    sql("CREATE EXTENSION agentrl")


def travel(query, before, folder):
    """The table "stored", by binary COPY and by pg_dump, and back: the query still gives what it gave before. Leaves files in the folder."""
    image, dump = os.path.join(folder, "image"), os.path.join(folder, "dump.sql")
    sql(f"\\copy stored TO '{image}' (FORMAT binary)\nTRUNCATE stored;\n\\copy stored FROM '{image}' (FORMAT binary)")
    same(sql(query), before, "binary COPY and back")
    subprocess.run(["pg_dump", "-t", "stored", "-f", dump], check=True)
    sql("DROP TABLE stored")
    sql(open(dump).read().replace("SELECT pg_catalog.set_config('search_path', '', false);", "") + "\nRESET ALL;")
    same(sql("SET search_path = public;" + query), before, "pg_dump and restore")


def done():
    print(f"1..{_count}")
