#!/usr/bin/env python3
"""agentrl-load, run by a superuser, in a database whose search path leads through another user's schema: it runs nothing planted there, whether
it is the schema of the tables, of the extension, or of both. Names of tables may hold anything."""
import atexit
import os
import shutil
import subprocess
import tempfile

import plants
from tap import done, ok, psql, rows, same, sql, use_database

HERE = os.path.dirname(os.path.abspath(__file__))
LOADER = os.path.join(os.path.dirname(HERE), "bin", "agentrl-load")
FIXTURES = os.path.join(HERE, "fixtures", "load")
DATABASE, PLANTER, LOADING = "agentrl_load_rights", "agentrl_load_planter", "agentrl_loading"
LOADED = ("SELECT run, replace(file, '{0}', ''), line, ordinal, task_id, attempt_id, traj::text, warnings FROM {1}.rollouts ORDER BY 2, 3, 4",
          "SELECT run, replace(file, '{0}', ''), line, ordinal, reason FROM {1}.rollout_load_errors ORDER BY 2, 3, 4, 5")


def load(*arguments):
    """The exit code of a load, with what its psql said in a file."""
    run = subprocess.run([LOADER, *arguments], capture_output=True, text=True, env={**os.environ, "PATH": programs + ":" + os.environ["PATH"]})
    return run.returncode, run.stderr, open(said).read()


def loaded(schema):
    return [rows(query.format(FIXTURES, schema)) for query in LOADED]


folder = tempfile.mkdtemp(prefix="agentrl-rights.")
atexit.register(shutil.rmtree, folder)
programs, said = os.path.join(folder, "programs"), os.path.join(folder, "said")
os.mkdir(programs)
open(said, "w").close()
with open(os.path.join(programs, "psql"), "w") as shim:
    shim.write(f"#!/bin/sh\nexec '{shutil.which('psql')}' \"$@\" 2>>'{said}'\n")
os.chmod(os.path.join(programs, "psql"), 0o755)

atexit.register(lambda: subprocess.run(["dropuser", "--if-exists", PLANTER], capture_output=True))
atexit.register(lambda: subprocess.run(["dropuser", "--if-exists", LOADING], capture_output=True))
use_database(DATABASE)
code = load(FIXTURES)[0]
wanted = loaded("public")
ok(code == 1 and len(wanted[0]) > 10 and len(wanted[1]) > 2, "files are loaded where nothing is planted", wanted)

sql(f"""
DROP TABLE rollouts, rollout_load_errors;
DROP EXTENSION agentrl;
DROP ROLE IF EXISTS {PLANTER};
CREATE ROLE {PLANTER};
GRANT CREATE ON DATABASE {DATABASE} TO {PLANTER};
SET SESSION AUTHORIZATION {PLANTER};
CREATE SCHEMA theirs;
CREATE EXTENSION agentrl SCHEMA theirs""")
text = open(LOADER).read()
functions = plants.members()
errors, counts = plants.plant(text, functions, set(), PLANTER)
same(errors, "", "the planter's own objects are made")
errors = psql(plants.HELPERS.format(planter=PLANTER) + """
SELECT pg_temp.plant('import_rollouts', ARRAY['doc text', 'outcome text'], 'record', true);
SELECT pg_temp.plant('import_rollouts', ARRAY['doc text', 'task_id text', 'outcome text'], 'record', true);
SELECT pg_temp.plant('facts', ARRAY['traj anyelement'], 'record', true);""")[1]
same(errors, "", "and functions that fit calls of the extension's own with fewer arguments")
ok(counts[0] > 2000 and counts[1] > 500, "{} functions, {} operators and {} types are planted".format(*counts), counts)
sql(f"ALTER DATABASE {DATABASE} SET search_path = theirs, public")
same(psql("SELECT 'agentrl-load ' || 1::bigint")[1], "WARNING:  planted: operator ||(text, bigint)", "one that runs says so")

code, shown, errors = load(FIXTURES)
same((code, shown == "" or "skipped" in shown, plants.ran(errors)), (1, True, []), "none runs when a superuser loads into that schema")
same(loaded("theirs"), wanted, "and the load is the same")
same(load(FIXTURES)[2], errors, "nor when the files are loaded again")
same((load("--dry-run", FIXTURES)[2], load("--dry-run", "--table", "public.other", "--errors", "public.other_errors", FIXTURES)[2]),
     (errors, errors), "nor in a dry run")
code, shown, errors = load("--table", "public.rollouts", "--errors", "public.rollout_load_errors", "--task-id", "t", "--attempt-id", "a", "--reward", "0.5",
                           "--budget", "9", "--success-threshold", "0.4", "--error-pattern", "err.*", "--format", "auto", FIXTURES)
same((code, plants.ran(errors)), (1, []), "nor with all options, into tables of a schema without planted objects")

# what the page on loading says that a user needs
sql(f"""
ALTER DATABASE {DATABASE} RESET search_path;
TRUNCATE public.rollouts, public.rollout_load_errors;
REVOKE TEMPORARY ON DATABASE {DATABASE} FROM public;
CREATE ROLE {LOADING} LOGIN;
GRANT USAGE ON SCHEMA theirs TO {LOADING};
GRANT TEMPORARY ON DATABASE {DATABASE} TO {LOADING};
GRANT SELECT, INSERT ON public.rollouts TO {LOADING};
GRANT SELECT, INSERT, DELETE ON public.rollout_load_errors TO {LOADING}""")
code, shown, errors = load("-U", LOADING, FIXTURES)
same((code, loaded("public") == wanted), (1, True), "a user with the least of rights loads")
same(load("-U", LOADING, "--dry-run", FIXTURES)[0], 1, "and may make a dry run")
sql(f"REVOKE TEMPORARY ON DATABASE {DATABASE} FROM {LOADING}")
code, shown, errors = load("-U", LOADING, "--task-id", "new", FIXTURES)
ok(code == 2 and "permission denied to create temporary tables" in errors, "but not without that of temporary tables", errors)

# names
odd = """o'd"d\\ :x $body$ {y} %s é"""
quoted = '"' + odd.replace('"', '""') + '"'
sql(f"CREATE SCHEMA {quoted}")
for table in (odd, "x" * 80):
    name = quoted + '."' + table.replace('"', '""') + '"'
    codes = [load("--table", name, "--errors", quoted + ".errors", "--error-pattern", "it's $body$ \\d", os.path.join(FIXTURES, "plain.jsonl"))[0]
             for _ in range(2)]
    same((codes, sql(f"SET client_min_messages = error; SELECT count(*) FROM {name}")), ([0, 0], "3"), f"a table named {table}")
sql(f"ALTER DATABASE {DATABASE} SET search_path = no_such_schema")
code, shown, errors = load(os.path.join(FIXTURES, "plain.jsonl"))
same((code, shown), (2, 'agentrl-load: no schema has been selected to create "rollouts" in: name one, as in --table schema.rollouts\n'),
     "a search path without a schema")
code, shown, errors = load("--table", "none.rollouts", os.path.join(FIXTURES, "plain.jsonl"))
ok(code == 2 and 'schema "none" does not exist' in errors, "a schema that is not there", errors)
done()
