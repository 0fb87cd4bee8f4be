#!/usr/bin/env python3
"""The install script takes over nothing that another user may own, nor does the library; its version is the control file's."""
import glob
import os
import re
import subprocess

from tap import done, has, ok, same

# What the linter of names proves: a script without offences makes only objects of its own, and of the server's names in it each either has its
# schema, or is a word of the grammar, or is looked up by exact types, which the server's own schema answers first. So none of them can
# mean an object that was planted in the schema of the extension. Calls of the script's own functions must have exactly the declared types,
# which no text shows: test/planted.t is for those.
STATEMENTS = ("TYPE", "FUNCTION", "AGGREGATE", "OPERATOR", "OPERATOR CLASS", "CAST")
LITERAL = re.compile(r"(?i)NULL|true|false|-?[0-9.]+(e-?[0-9]+)?|'([^']|'')*'")
TOKEN = re.compile(r"""'(?:[^']|'')*' | "(?:[^"]|"")*" | \w+ | :: | [-+*/<>=~!@\#%^&|`?]+ | \S""", re.X)
OPERATOR = re.compile(r"[-+*/<>=~!@#%^&|`?]+")
# words before a bracket that are no calls
GRAMMAR = set("select from as and or not on over by when then else where in with operator values case end coalesce greatest least array row".split())
# words that the grammar makes nameless operators or functions of, which are then looked for in the search path
HIDDEN = set("in between like ilike similar nullif using natural any some distinct cast extract overlay position substring trim overlaps "
             "collate".split())
# types that the grammar knows without a schema
TYPES = set("bigint integer int smallint numeric decimal real double float boolean".split())
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def offences(script):
    """What could mean a planted object in an install script."""
    script = re.sub(r"(?m)--.*$|^\\echo.*$", "", script)
    found = []
    for statement in re.findall(r"(?s)\S(?:'[^']*'|BEGIN ATOMIC.*?;\s*END(?=;)|[^';])*;", script):
        kind = re.match(r"CREATE ((?:OPERATOR )?[A-Z]+)|COMMENT ON ", statement)
        if not kind or kind.group(1) and kind.group(1) not in STATEMENTS:
            found.append(f"statement {statement[:30]}")
        head, _, body = statement.partition("BEGIN ATOMIC")
        if re.search(r"(?i)\bLANGUAGE\s+(?!C\b)", head) and not body:
            found.append(f"body as text in {statement[:30]}")
        for default in re.findall(r"(?is)\bDEFAULT\s+(?!FOR\b)((?:'[^']*'|[^,)'])*)", head):
            if not LITERAL.fullmatch(default.strip()):
                found.append(f"default {default.strip()}")
        found += body_offences(TOKEN.findall(body), made_by(script))
    return found


def made_by(script):
    return set(re.findall(r"(?m)^CREATE (?:FUNCTION|AGGREGATE) (\w+)", script))


def body_offences(tokens, own):
    for i, token in enumerate(tokens):
        before, after = tokens[i - 1] if i else "", tokens[i + 1] if i + 1 < len(tokens) else ""
        qualified = tokens[max(i - 2, 0):i] == ["pg_catalog", "."]
        if token == "(" and before.isidentifier():
            # of an alias, as in f(...) a(column), the columns are named and nothing is called
            alias = tokens[i - 2].lower() in (")", "ordinality") or before.lower() in own
            if tokens[i - 3:i - 1] != ["pg_catalog", "."] and before.lower() not in GRAMMAR and not alias:
                yield f"function {before}"
        elif token == "::":
            if after.lower() not in TYPES and after != "pg_catalog":
                yield f"type {after}"
        elif token.lower() in HIDDEN:
            yield f"word {token}"
        elif token.lower() == "case" and after.lower() != "when":
            yield "a case of values"
        elif OPERATOR.fullmatch(token) and not qualified and token != "=>" and not (token == "*" and before == "."):
            yield f"operator {token}"


parts = sorted(glob.glob(os.path.join(ROOT, "src", "install", "*.sql")))
script = "".join(open(part).read() for part in parts)
ok(len(parts) > 3, "the script has its parts", parts)
ok(script.startswith('\\echo Use "CREATE EXTENSION agentrl"'), "psql is told to use CREATE EXTENSION")
same(re.findall(r"(?i)\bor\s+replace\b|\bif\s+not\s+exists\b", script), [], "nothing is replaced or made only when missing")
same(re.findall(r"(?i)\bset\s+search_path\b|\bsecurity\s+definer\b", script), [], "no function changes the search path or its user")

same(offences(script), [], "no name of the script can mean an object that was planted in its schema")
BODY = "CREATE FUNCTION f() RETURNS int LANGUAGE sql BEGIN ATOMIC SELECT %s; END;"
for offence, text in (
        ("default 1 - 1e-6", "CREATE FUNCTION f(x float8 DEFAULT 1 - 1e-6) RETURNS int AS 'MODULE_PATHNAME' LANGUAGE C;"),
        ("default now(", "CREATE FUNCTION f(x timestamptz DEFAULT now(), y int DEFAULT 1) RETURNS int AS 'MODULE_PATHNAME' LANGUAGE C;"),
        ("body as text in CREATE FUNCTION f() RETURNS in", "CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1';"),
        ("body as text in CREATE FUNCTION f() RETURNS in", "CREATE FUNCTION f() RETURNS int AS 'BEGIN RETURN 1; END' LANGUAGE plpgsql;"),
        ("statement DO 'BEGIN END';", "DO 'BEGIN END';"), ("statement SELECT 1;", "SELECT 1;"),
        ("statement CREATE SCHEMA s;", "CREATE SCHEMA s;"), ("statement ALTER FUNCTION f() COST 1;", "ALTER FUNCTION f() COST 1;"),
        ("operator +", BODY % "1 + 2"), ("operator ||", BODY % "'a' || 'b'"), ("operator =", BODY % "1 OPERATOR(public.=) 2"),
        ("function length", BODY % "length('a')"), ("function abs", BODY % "public.abs(1)"), ("function max", BODY % "(SELECT max(x) FROM t)"),
        ("type text", BODY % "1::text"), ("type theirs", BODY % "1::theirs.numeric"), ("word IN", BODY % "1 IN (2, 3)"),
        ("word nullif", BODY % "nullif(1, 2)"), ("word BETWEEN", BODY % "1 BETWEEN 2 AND 3"), ("a case of values", BODY % "CASE 1 WHEN 2 THEN 3 END")):
    ok(offence in offences(text), f"refused: {offence}", f"{text}\n{offences(text)}")
for text in ("1 OPERATOR(pg_catalog.+) 2", "pg_catalog.abs(1)::bigint", "t.* FROM f() t", "u.x FROM pg_catalog.unnest(a) u(x)", "f(a => 1)",
             "CASE WHEN true THEN ' + ' END", "1::pg_catalog.text"):
    same(offences(BODY % text), [], f"not refused: {text}")

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
