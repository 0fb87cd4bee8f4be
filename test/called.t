#!/usr/bin/env python3
"""make installcheck calls every public function: each name that a user may call stands in sql/, before a parenthesis. Not public are those
that stand behind something else: the I/O of types, the support of aggregates, operators and their classes."""
import glob
import os
import re

from tap import done, ok, rows, same, use_database

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# what pass_heatmap is made of
PARTS = ("pass_heatmap_cell", "pass_heatmap_table")
PUBLIC = """
SELECT DISTINCT p.proname FROM pg_proc p JOIN pg_depend d ON d.objid = p.oid AND d.classid = 'pg_proc'::regclass AND d.deptype = 'e'
JOIN pg_extension e ON e.oid = d.refobjid AND e.extname = 'agentrl'
WHERE p.oid NOT IN (SELECT unnest(ARRAY[typinput, typoutput, typreceive, typsend]::oid[]) FROM pg_type)
  AND p.oid NOT IN (SELECT unnest(ARRAY[aggtransfn, aggcombinefn, aggfinalfn]::oid[]) FROM pg_aggregate)
  AND p.oid NOT IN (SELECT oprcode FROM pg_operator) AND p.oid NOT IN (SELECT amproc FROM pg_amproc) ORDER BY 1
"""

use_database("agentrl_called")
public = [name for name, in rows(PUBLIC) if name not in PARTS]
scripts = {os.path.basename(path): open(path).read() for path in glob.glob(os.path.join(ROOT, "sql", "*.sql"))}
called = {name for text in scripts.values() for name in re.findall(r"(\w+)\s*\(", re.sub(r"--[^\n]*|'(?:[^']|'')*'", "", text))}
ok(len(public) > 60, f"{len(public)} public functions", public)
same([name for name in public if name not in called], [], "each is called in sql/")
outputs = {os.path.basename(path) for path in glob.glob(os.path.join(ROOT, "expected", "*.out"))}
same(sorted(outputs), sorted(name.replace(".sql", ".out") for name in scripts), "each script has what it should give, and no output is left over")
done()
