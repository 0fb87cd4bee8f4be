#!/usr/bin/env python3
"""import_rollouts in databases of other encodings: documents are read as their text says, and what the encoding lacks is told."""
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from tap import done, has, psql, same  # noqa: E402

DATABASE = "agentrl_import_encodings"
LACKS = """character that the database's encoding lacks read as "?\""""


def encoded(script):
    out, errors = psql("SET client_encoding = UTF8;\n" + script, database=DATABASE)
    return out + errors


def row(document, *arguments):
    """task, attempt, prompt, the first step's texts, meta and warnings"""
    return encoded("""SELECT task_id, attempt_id, prompt(traj), s ->> 'action', s ->> 'observation', s ->> 'error', meta - 'format', array_to_string(warnings, '; ')
FROM import_rollouts(%s) i, LATERAL (SELECT traj::jsonb -> 'steps' -> 0) t(s)""" % ", ".join((document, *arguments)))


def in_database(encoding):
    subprocess.run(["dropdb", "--if-exists", DATABASE], check=True, capture_output=True)
    subprocess.run(["createdb", "-T", "template0", "-E", encoding, "--locale=C", DATABASE], check=True)
    psql("CREATE EXTENSION agentrl", database=DATABASE)


def texts(word, lacking):
    """A word in every place where a rollout has texts, raw and escaped, alone and far into a long text."""
    escapes = "".join("\\u%04x" % ord(c) for c in word)
    document = f"""'{{"task_id": "{word}", "attempt_id": "{escapes}", "trajectory": {{"prompt": "{word}{escapes}", "steps": [{{"action": "{word}", "observation": "{escapes}"}}], "status": "{word}"}}, "meta": {{"{word}": "{escapes}"}}}}'"""
    wanted = f"""{word}|{word}|{word}{word}|{word}|{word}||{{"{word}": "{word}"}}|unknown status "{word}" is left out"""
    same(row(document), wanted, "every text of a rollout")
    same(row(f"""'[{{"role": "user", "content": "q{lacking}"}}, {{"role": "assistant", "content": "a", "id": "{word}"}}]'"""),
         f"||q?|a||false|{{}}|{LACKS} (1 times)", "a character that the encoding lacks")
    same(encoded(f"""SELECT bool_and(prompt(traj) = repeat('x', n) || repeat('{word}', 70000) || '.' AND warnings = '{{}}') FROM generate_series(0, 3) n,
import_rollouts('{{"prompt": "' || repeat('x', n) || repeat('{word}', 70000) || '.", "reward": 0, "steps": []}}')"""), "t", "a long text, at every offset")
    same(row(f"""'[{{"role": "assistant", "tool_calls": [{{"function": "{word}"}}]}}, {{"role": "tool", "content": "no {escapes}."}}]'""", f"error_pattern => '{word}[.]'",
             f"task_id => '{word}'"), f"{word}|||{word}()|no {word}.|true|{{}}|", "what the caller says")
    same(encoded(f"""SELECT success(traj) FROM import_rollouts('{{"id": "{word}", "latency": 1, "result": [["x"]]}}', outcome => '{{"id": "{escapes}", "valid": false}}')"""), "f", "the outcome")


try:
    in_database("LATIN1")
    texts("größe", "\\u20ac")
    in_database("EUC_JP")
    texts("タスク", "\\ud83d\\ude00")
    same(row("""convert_from('{"prompt": "q'::bytea || '\\xa9a1'::bytea || '", "steps": [{"action": "a"}]}'::bytea, 'EUC_JP')"""),
         f"||q?|a|||{{}}|invalid UTF-8 read as U+FFFD (1 times, from line 1); {LACKS} (1 times)", "a character that Unicode lacks")
    in_database("MULE_INTERNAL")
    out, errors = psql("""SELECT * FROM import_rollouts('{"reward": 1}')""", database=DATABASE)
    has(errors, 'default conversion function for encoding "MULE_INTERNAL" to "UTF8" does not exist', "an encoding that cannot be converted")
    in_database("SQL_ASCII")
    same(row("""'{"task_id": "é\\u00e9", "trajectory": {"prompt": "タ\\u30bf", "steps": [{"action": "😀\\ud83d\\ude00"}]}, "meta": {"é": "é"}}'"""),
         """éé||タタ|😀😀|||{"é": "é"}|""", "a database without an encoding holds UTF-8")
    same(row("""E'{"prompt": "q\\xe9.", "steps": [{"action": "a"}]}'"""), "||q\ufffd.|a|||{}|invalid UTF-8 read as U+FFFD (1 times, from line 1)",
         "and what is none is told")
finally:
    subprocess.run(["dropdb", "--if-exists", "--force", DATABASE])

done()
