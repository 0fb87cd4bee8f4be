#!/usr/bin/env python3
"""A cancel is answered at once, wherever it comes: every aggregate and every function that returns rows, and others whose work the data decides."""
import cancelling
from cancelling import Session, cases, moments, percentile, setup, signature, stop_often

from tap import done, ok, rows, same, sql, use_database

use_database("agentrl_cancel")
SCALE, TIMES, LONGEST, BOUND = 0.2, 3, 0.7, 1.0  # seconds; the aim is .1
sql(setup(SCALE))
OF = cancelling.OF_THE_EXTENSION
aggregates = rows(f"SELECT p.proname, coalesce(array_to_string(p.proargnames, ','), ''), (SELECT string_agg(format_type(t, NULL), ',' ORDER BY i) FROM unnest(p.proargtypes) WITH ORDINALITY a(t, i)) {OF} AND p.prokind = 'a'")
statements = cases(aggregates, SCALE)
# no aggregate and no function that returns rows without a statement here
asked = [function for function, _, _ in statements]
functions = rows(f"SELECT p.proname, pg_get_function_identity_arguments(p.oid), (SELECT coalesce(string_agg(format_type(t, NULL), ','), '') FROM unnest(p.proargtypes) t) {OF} AND (p.proretset OR p.prokind = 'a')")
missing = [f"{name}({types})" for name, _, types in functions if not any(f"{name}({types})".startswith(function.rstrip(")")) for function in asked)]
same(sorted(missing), [], "each has a statement")

session, other = Session(), Session()
draw = moments(20)
delays, errors, slow = [], [], []
for function, what, statement in statements:
    stops = stop_often(session, other, statement, TIMES, LONGEST, draw)
    hits = [stop.delay for stop in stops if stop.hit]
    delays += [(delay, function, what) for delay in hits]
    errors += [f"{function} {what}: {stop.error}" for stop in stops if stop.error]
    slow += [f"{function} {what}: {max(hits):.3f} s" for _ in [0] if hits and max(hits) > BOUND]
same(errors, [], "no statement fails")
same(slow, [], f"{len(delays)} cancels of {len(statements)} statements, each answered within {BOUND:g} s of work")
ok(len(delays) > len(statements), "most statements were still running when they were stopped", len(delays))
worst = max(delays)
print(f"# 99 in 100 cancels took at most {percentile([d for d, *_ in delays], 0.99) * 1000:.0f} ms of work, the longest {worst[0] * 1000:.0f} ms: {worst[1]} {worst[2]}")
same(session.ask("SELECT 1"), ["1"], "the session goes on")
session.close()
other.close()
done()
