#!/usr/bin/env python3
"""The extension is trusted: its script runs as superuser in a schema that its installer owns. Of the operators, functions and types that the
installer planted there, none is bound into the extension, and none runs when a superuser then calls every function of it.

What is planted is what would win over the objects that the script means. Exact argument types are not the planter's to take: the server's own
schema comes first, and an object of the script's own is made, not found."""
import atexit
import glob
import os
import subprocess

import plants
from calls import Calls
from tap import done, ok, psql, rows, same, sql, use_database

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CALLS = int(os.environ.get("PLANTED_CALLS", "5"))
DATABASE, PLANTER = "agentrl_planted", "agentrl_planter"

atexit.register(lambda: subprocess.run(["dropuser", "--if-exists", PLANTER], capture_output=True))
use_database(DATABASE)
script = "".join(open(part).read() for part in sorted(glob.glob(os.path.join(ROOT, "src", "install", "*.sql"))))
functions, own_types = plants.members(), plants.member_types()
sql(f"""
DROP EXTENSION agentrl;
DROP ROLE IF EXISTS {PLANTER};
CREATE ROLE {PLANTER};
GRANT CREATE ON DATABASE {DATABASE} TO {PLANTER};
SET SESSION AUTHORIZATION {PLANTER};
CREATE SCHEMA theirs""")

errors, counts = plants.plant(script, functions, own_types, PLANTER)
same(errors, "", "the planter's own objects are made")
ok(counts[0] > 2000 and counts[1] > 500 and counts[2] > 5, "{} functions, {} operators and {} types are planted".format(*counts), counts)
same(psql("SELECT 1 OPERATOR(theirs.-) 1e-6")[1], "WARNING:  planted: operator -(integer, numeric)", "one that runs says so")

out, errors = psql(f"SET SESSION AUTHORIZATION {PLANTER}; SET client_min_messages = warning; CREATE EXTENSION agentrl SCHEMA theirs")
same(errors, "", "an ordinary user installs the extension among them")
same(rows("""
WITH member AS (
    SELECT d.classid, d.objid FROM pg_depend d JOIN pg_extension e ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = e.oid
    WHERE e.extname = 'agentrl' AND d.deptype = 'e')
SELECT pg_describe_object(d.classid, d.objid, d.objsubid), pg_describe_object(d.refclassid, d.refobjid, d.refobjsubid)
FROM member m JOIN pg_depend d USING (classid, objid)
WHERE d.deptype <> 'e' AND (pg_identify_object(d.refclassid, d.refobjid, 0)).schema = 'theirs'
    AND (d.refclassid, d.refobjid) NOT IN (
        SELECT classid, objid FROM member
        UNION ALL SELECT 'pg_type'::regclass, t.typarray FROM pg_type t JOIN member ON objid = t.oid AND classid = 'pg_type'::regclass)
LIMIT 20"""), [], "no object of it depends on a planted one")

# Moved to where nothing is planted, so that what the callers write below means the extension's own: bodies stay bound as they are.
sql("ALTER EXTENSION agentrl SET SCHEMA public")
made = Calls(1)
made.make_summaries(4)
calls = [made.call(f._replace(kinds=f.kinds[:len(f.kinds) - left_out]))
         for f in made.functions for left_out in range(f.defaults + 1) for _ in range(CALLS)]
calls.append("SELECT grpo_advantage(i) OVER () FROM generate_series(1, 3) i;")
out, errors = psql("SET statement_timeout = '2s';\n" + "\n".join(calls), stop=False)
same(plants.ran(errors), [], f"none runs in {len(calls)} calls of {len(made.functions)} functions by a superuser")
ok(len(out.splitlines()) > len(calls) / 10, "one call in ten gives a value", out)
done()
