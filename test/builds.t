#!/usr/bin/env python3
"""Builds of other kinds: in a folder of its own, without PostgreSQL, and without optimisation, which must give the same bits."""
import os
import shutil
import subprocess
import tempfile

from tap import done, has, ok, same

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
PG_CONFIG = os.environ.get("PG_CONFIG", "pg_config")
# what make was called with is not meant for these builds
ENVIRONMENT = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKEOVERRIDES", "MFLAGS", "MAKELEVEL")}


def make(folder, *arguments):
    run = subprocess.run(["make", "-s", f"PG_CONFIG={PG_CONFIG}", *arguments], cwd=folder, env={**ENVIRONMENT, "OPTIMIZE": "-O0"},
                         capture_output=True, text=True)
    return run.returncode, run.stdout + run.stderr


def files(folder):
    return sorted(os.path.relpath(os.path.join(here, name), folder) for here, _, names in os.walk(folder) for name in names)


with tempfile.TemporaryDirectory() as folder:
    source, apart, stage = (os.path.join(folder, name) for name in ("source", "apart", "stage"))
    shutil.copytree(ROOT, source, ignore=shutil.ignore_patterns(".git", "*.o", "*.so", "agentrl--*.sql", "exports.*", "results", "regression.*"))
    before = files(source)
    os.mkdir(apart)
    for name, arguments in (("with VPATH", ["-f", "../source/Makefile", "VPATH=../source"]), ("by its Makefile", ["-f", os.path.join(source, "Makefile")])):
        status, said = make(apart, *arguments, "-j2", "all")
        ok(status == 0 and os.path.exists(os.path.join(apart, "agentrl.so")), f"a build in another folder, {name}", said)
        same(files(source), before, "which leaves the sources as they were")
        same(make(apart, *arguments, "install", f"DESTDIR={stage}"), (0, ""), "and is installed")
        names = {os.path.basename(name) for name in files(stage)}
        same({"agentrl.so", "agentrl.control", "agentrl-load", "agentrl_files.py"} - names, set(), "whole")
        ok(any(name.endswith(".sql") for name in names), "with its script", names)
        make(apart, *arguments, "clean")
        shutil.rmtree(stage)
    same([name for name in files(apart) if not name.endswith(".d")], [], "make clean takes it away")

    status, said = make(folder, "-C", source, "PG_CONFIG=/no/pg_config")
    has(said, "/no/pg_config does not say where PostgreSQL is: install its development files", "without pg_config, a sentence says what to do")
    same(status, 2, "and make fails")

    # the server that PGHOST names has the build that is installed everywhere
    subprocess.run(["createdb", "agentrl_bits"], check=True)
    run = subprocess.run(["test/fingerprint.py"], cwd=source, capture_output=True, text=True, env={**ENVIRONMENT, "PGDATABASE": "agentrl_bits"})
    subprocess.run(["dropdb", "--force", "agentrl_bits"])
    wanted = run.stdout.splitlines()
    ok(run.returncode == 0 and len(wanted) > 80, f"{len(wanted)} fingerprints of the optimised build", run.stderr)
    run = subprocess.run(["scripts/with-cluster", "test/fingerprint.py"], cwd=source, capture_output=True, text=True,
                         env={**ENVIRONMENT, "OPTIMIZE": "-O0", "AGENTRL_STAGED": "1"})
    same([line for line in run.stdout.splitlines() if line not in wanted] + run.stderr.splitlines(), [], "a build without optimisation gives the same bits")
    same(len(run.stdout.splitlines()), len(wanted), "for as many values and functions")

    status, said = make(apart, "-f", "../source/Makefile", "VPATH=../source")
    has(said, "../source holds a build of its own", "a build beside one within the sources is refused")
    same(status, 2, "and make fails")
done()
