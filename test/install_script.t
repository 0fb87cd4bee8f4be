#!/usr/bin/env python3
"""The install script takes over nothing that another user may own, nor does the library; its version is the control file's."""
import glob
import os
import re
import subprocess

from tap import done, has, ok, same

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
parts = sorted(glob.glob(os.path.join(ROOT, "src", "install", "*.sql")))
script = "".join(open(part).read() for part in parts)
ok(len(parts) > 3, "the script has its parts", parts)
ok(script.startswith('\\echo Use "CREATE EXTENSION agentrl"'), "psql is told to use CREATE EXTENSION")
same(re.findall(r"(?i)\bor\s+replace\b|\bif\s+not\s+exists\b", script), [], "nothing is replaced or made only when missing")
same(re.findall(r"(?i)\bset\s+search_path\b|\bsecurity\s+definer\b", script), [], "no function changes the search path or its user")

# all libraries of a server share one space of names
functions = {symbol or name for name, symbol in re.findall(r"(?s)CREATE FUNCTION (\w+)\([^;]*?\sAS 'MODULE_PATHNAME'(?:, '(\w+)')?", script)}
ok(len(functions) > 100, "the script names functions of the library", len(functions))
shown = subprocess.run(["nm", "-D", "--defined-only", os.path.join(ROOT, "agentrl.so")], capture_output=True, text=True, check=True).stdout
wanted = functions | {"pg_finfo_" + name for name in functions} | {"Pg_magic_func"}
same(sorted(wanted ^ {line.split()[-1] for line in shown.splitlines()}), [], "the library shows these and no other name")

control = open(os.path.join(ROOT, "agentrl.control")).read()
version = re.search(r"default_version = '(.*)'", control).group(1)
for name in ("Makefile", "META.json", "CHANGELOG.md", os.path.join("src", "agentrl.c")):
    has(open(os.path.join(ROOT, name)).read(), version, f"{name} names version {version}")
done()
