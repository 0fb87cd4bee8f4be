#!/usr/bin/env python3
"""The install script takes over nothing that another user may own, and its version is the control file's."""
import glob
import os
import re

from tap import done, has, ok, same

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
parts = sorted(glob.glob(os.path.join(ROOT, "src", "install", "*.sql")))
script = "".join(open(part).read() for part in parts)
ok(len(parts) > 3, "the script has its parts", parts)
ok(script.startswith('\\echo Use "CREATE EXTENSION agentrl"'), "psql is told to use CREATE EXTENSION")
same(re.findall(r"(?i)\bor\s+replace\b|\bif\s+not\s+exists\b", script), [], "nothing is replaced or made only when missing")
same(re.findall(r"(?i)\bset\s+search_path\b|\bsecurity\s+definer\b", script), [], "no function changes the search path or its user")

control = open(os.path.join(ROOT, "agentrl.control")).read()
version = re.search(r"default_version = '(.*)'", control).group(1)
for name in ("Makefile", "META.json", "CHANGELOG.md", os.path.join("src", "agentrl.c")):
    has(open(os.path.join(ROOT, name)).read(), version, f"{name} names version {version}")
done()
