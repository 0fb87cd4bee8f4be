#!/usr/bin/env python3
"""Runs the SQL blocks of the README and of every page in doc/, and compares the output blocks that follow them."""
import glob
import os
import re

from tap import done, ok, psql, same, sql, use_database
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BLOCK = re.compile(r"^```sql\n(.*?)^```\n(?:^```\n(.*?)^```\n)?", re.M | re.S)

use_database("agentrl_docs")
for path in [os.path.join(ROOT, "README.md")] + sorted(glob.glob(os.path.join(ROOT, "doc", "*.md"))):
    name = os.path.relpath(path, ROOT)
    sql("DROP SCHEMA IF EXISTS page CASCADE; CREATE SCHEMA page")
    script = "SET search_path = page, public; SET client_min_messages = warning;\n\\pset pager off\n"
    blocks = BLOCK.findall(open(path).read())
    for number, (statements, _) in enumerate(blocks, 1):
        statements = statements.replace("CREATE EXTENSION agentrl;", "")
        script += f"\\echo block {number}\n{statements}\n"
    run = subprocess.run(["psql", "-Xq", "-v", "ON_ERROR_STOP=1"], input=script, capture_output=True, text=True)
    ok(run.returncode == 0, f"{name}: {len(blocks)} blocks run", run.stderr)
    printed = dict((int(n), text) for n, text in re.findall(r"^block (\d+)\n(.*?)(?=^block \d+\n|\Z)", run.stdout, re.M | re.S))
    for number, (_, output) in enumerate(blocks, 1):
        if output:
            same(printed.get(number, "").strip("\n").split("\n"), output.strip("\n").split("\n"), f"{name}: output of block {number}")
done()
