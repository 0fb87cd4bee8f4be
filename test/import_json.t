#!/usr/bin/env python3
"""import_rollouts reads JSON as the server's jsonb does: random values as meta, with nothing to mend and with something; and what is no JSON is no rollout."""
import json
import os
import random
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import done, same, sql  # noqa: E402

draw = random.Random(5)
CHARACTERS = ['a', 'z', '"', '\\', '/', '\b', '\f', '\n', '\r', '\t', '\x01', '\x7f', '\x80', 'é', '߿', 'ࠀ', '€', '\ufffd', '\U00010000', '😀', '\U0010ffff']
SEPARATORS = [(",", ":"), (", ", ": "), (" ,\n", "\t:\r\n ")]


def value(depth=0):
    kind = draw.randrange(9 if depth < 5 else 6)
    if kind == 0:
        return draw.choice([None, True, False])
    if kind == 1:
        return draw.randrange(-10 ** draw.randrange(19), 10 ** draw.randrange(19))
    if kind == 2:
        return draw.choice([0.0, 0.5, -1.25, 1e-300, -2.5e+300, 3e15, draw.randrange(1000) / 8])
    if kind < 6:
        return "".join(draw.choice(CHARACTERS) for _ in range(draw.choice([0, 1, 7, 8, 9, 40])))
    if kind < 8:
        return [value(depth + 1) for _ in range(draw.randrange(5))]
    return {"".join(draw.choice(CHARACTERS) for _ in range(draw.randrange(9))): value(depth + 1) for _ in range(draw.randrange(5))}


def written(item):
    return json.dumps(item, ensure_ascii=draw.random() < 0.5, separators=draw.choice(SEPARATORS))


def literal(text):
    return "'" + text.replace("'", "''") + "'"


def differing(mended):
    """How many of 2,000 random values are not read as jsonb reads them."""
    script = "CREATE TEMP TABLE v (item text);\nINSERT INTO v VALUES " + ",".join(f"({literal(written(value()))})" for _ in range(2000)) + ";\n"
    document = """'{"trajectory": {"reward": 1, "steps": [{}]}, "meta": {"item": ' || item || '}""" + mended + "}'"
    return sql(script + f"SELECT count(*), count(*) FILTER (WHERE warnings = '{{}}') FROM v, import_rollouts({document}) WHERE meta - 'format' = jsonb_build_object('item', item::jsonb) OR item = 'null' AND meta ? 'item'")


same(differing(""), "2000|2000", "values with nothing to mend")
same(differing(', "z": NaN'), "2000|0", "the same beside something that is mended")

BROKEN = ['[1,]', '{"a":1,}', '{"a"}', '{"a":}', '{a:1}', '[1 2]', '01', '1.', '.5', '+1', '1e', '-', '"\\x"', '"\\u12g4"', 'tru', 'nul', 'True', "'a'", '[1', '{"a":1', '"a', '1]', '}', '']
for text in BROKEN:
    document = literal('{"reward": 1, "z": ' + text + "}")
    got = sql(f"SELECT traj IS NULL AND warnings[1] ~ '^line 1: not valid JSON' FROM import_rollouts({document}) WHERE ordinal = 1")
    same(got, "t", f"{text!r} is no JSON")
done()
