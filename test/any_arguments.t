#!/usr/bin/env python3
"""Calls every function and aggregate with arguments of all sorts: each gives finite numbers, a value that survives its text form, or an
error of the user's own. ANY_ARGUMENTS (60) is the number of calls of each, ANY_ARGUMENTS_SEED (1) makes other ones."""
import collections
import os
import re

from calls import Calls
from tap import done, ok, psql, same, use_database

CALLS = int(os.environ.get("ANY_ARGUMENTS", "60"))
# what no argument may cause: internal_error, data_corrupted, out_of_memory, a lost connection
UNEXPECTED = re.compile(r"XX...|53200|08...")

use_database("agentrl_any")
made = Calls(int(os.environ.get("ANY_ARGUMENTS_SEED", "1")))
counts = made.make_summaries(CALLS)
ok(min(counts.values()) >= CALLS / 10, "summaries of every type were made", counts)

calls = [made.call(f) for round_ in range(CALLS) for f in made.functions if round_ == 0 or not f.only_for_aggregate]
script = ["\\set VERBOSITY sqlstate", "SET statement_timeout = '2s';"]
for number, call in enumerate(calls):
    script += [f"\\warn {number}", call]
out, errors = psql("\n".join(script), stop=False)
found = re.findall(r"^(\d+)\n(?:ERROR|FATAL|PANIC): +(\S+)", errors, re.M)
states = collections.Counter(state for _, state in found)
unexpected = [f"{state}: {calls[int(number)][:1000]}" for number, state in found if UNEXPECTED.match(state)]
ok(not unexpected, f"{len(calls)} calls of {len(made.functions)} functions: no error but a user's", "\n".join(unexpected[:5]))
ok("connection" not in errors, "the server lives", errors[-2000:])
same("f" in out.splitlines(), False, "every value is that of its text form, every number finite")
ok(len(found) < 0.9 * len(calls), "one call in ten gives a value", states)
if os.environ.get("ANY_ARGUMENTS"):
    print("#", dict(states))
done()
