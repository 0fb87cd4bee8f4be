#!/usr/bin/env python3
"""What trajectory needs more than one statement for: binary COPY, broken bytes, dump and restore,
plans, big values, cancelling. Run against the server that PGHOST names; superuser."""
import os
import random
import re
import signal
import struct
import subprocess
import tempfile
import time

from tap import done, ok, raw_type

DATABASE = "agentrl_trajectory_t"
os.environ["PGDATABASE"] = DATABASE

def run(script, stop=True, database=DATABASE):
    """Output and errors of a psql script."""
    process = subprocess.run(
        ["psql", "-XqAt", "-v", f"ON_ERROR_STOP={int(stop)}", "-v", "VERBOSITY=verbose", "-d", database],
        input=script.encode(), capture_output=True)
    return process.stdout.decode(errors="replace").strip(), process.stderr.decode(errors="replace").strip()


def same(script, wanted, name):
    out, errors = run(script)
    ok(out == wanted and not errors, name, f"got {out!r}, wanted {wanted!r}\n{errors}")


def alive():
    return run("SELECT 1")[0] == "1"


subprocess.run(["dropdb", "--if-exists", DATABASE], stderr=subprocess.DEVNULL)
subprocess.run(["createdb", "-T", "template0", "-E", "UTF8", DATABASE], check=True)
folder = tempfile.TemporaryDirectory()
path = folder.name

_, errors = run("""
CREATE EXTENSION agentrl;
CREATE TABLE sample (id int, traj trajectory);
INSERT INTO sample VALUES
(1, '{}'), (2, '{"steps":[]}'), (3, '{"steps":[{},{},{}]}'),
(4, '{"success":true,"reward":0.1,"status":"completed","stop_reason":"done","budget":9,"solved_at":2,"prompt":"Gé😀\\u0001\\"",
  "steps":[{"action":"a1","observation":"o","error":true,"error_kind":"k","state":"s","reward":0.25,"value":-1e-300,"tokens":7,
            "logprob":-1.5,"ref_logprob":-2.25,"remaining":9},
           {"action":"","error":false,"value":1e300,"tokens":9223372036854775000,"remaining":-1},{"state":"\\t"}]}'),
(5, '{"status":"infra_error","reward":-3}');
-- texts that compress, that do not, that fill more than one block, and many turns
INSERT INTO sample SELECT 6, format('{"prompt":"%s"}', repeat('abc ', 1000))::trajectory;
INSERT INTO sample SELECT 7, format('{"prompt":"%s"}', string_agg(md5(i::text), '' ORDER BY i))::trajectory FROM generate_series(1, 40000) i;
INSERT INTO sample SELECT 8, format('{"steps":[{"action":"%s"},{"observation":"%s"}]}', repeat('x', 1048576), repeat('yz', 1500000))::trajectory;
INSERT INTO sample SELECT 9, format('{"steps":[%s]}', string_agg(format('{"tokens":%s,"error":%s}', i, to_json(i % 3 = 0)), ',' ORDER BY i))::trajectory
FROM generate_series(1, 5000) i;
INSERT INTO sample SELECT 10, format('{"prompt":"%s"}', repeat('p', 1048576))::trajectory;
INSERT INTO sample SELECT 11, format('{"stop_reason":"%s","steps":[{"action":"a"}]}', repeat('r', 3000))::trajectory;
""")
ok(not errors, "samples are stored", errors)

# Text, jsonb and binary forms lead back to the same value, and to the same text.
same("SELECT count(*) FROM sample WHERE traj::text::trajectory = traj AND traj::text::trajectory::text = traj::text", "11", "text round trip")
same("SELECT count(*) FROM sample WHERE traj::jsonb::trajectory = traj AND traj::json::trajectory = traj", "11", "json and jsonb round trip")
same(f"""
\\copy sample to '{path}/x' with (format binary)
CREATE TABLE binary_copy (LIKE sample);
\\copy binary_copy from '{path}/x' with (format binary)
SELECT count(*), bool_and(a.traj = b.traj AND a.traj::text = b.traj::text AND trajectory_hash(a.traj) = trajectory_hash(b.traj)
AND trajectory_send(a.traj) = trajectory_send(b.traj)) FROM sample a JOIN binary_copy b USING (id)""", "11|t", "binary round trip")
same("SET client_encoding = LATIN1; SELECT length(trajectory_send('{\"prompt\":\"\\u00e9\"}')), length(trajectory_send('{\"prompt\":\"e\"}'))",
     "8|8", "texts travel in the client's encoding")

# The same values however they are stored.
for storage in ("plain", "external", "extended", "main"):
    same(f"""CREATE TABLE stored_{storage} (id int, small "char", traj trajectory);
ALTER TABLE stored_{storage} ALTER traj SET STORAGE {storage};
INSERT INTO stored_{storage} SELECT id, 'x', traj FROM sample WHERE id <= 5 OR '{storage}' <> 'plain';
SELECT bool_and(a.traj = b.traj AND a.traj::text = b.traj::text AND facts(a.traj) IS NOT DISTINCT FROM facts(b.traj)
AND (SELECT count(*) FROM steps(a.traj)) = coalesce(turns(b.traj), 0)) FROM stored_{storage} a JOIN sample b USING (id)""", "t", f"storage {storage}")
same("SELECT turns(traj), error_turns(traj), tokens(traj), (facts(traj)).first_error_turn FROM sample WHERE id = 9",
     f"5000|{5000 // 3}|{5000 * 5001 // 2}|3", "sums over many turns")
same("SELECT array_agg(turns(t) ORDER BY turns(t)) FROM unnest(ARRAY['{\"steps\":[{}]}', '{\"steps\":[]}']::trajectory[]) t", "{0,1}", "in arrays")
same("SELECT bool_and((traj >= other) = (trajectory_cmp(traj, other) >= 0) AND trajectory_cmp(traj, other) = -trajectory_cmp(other, traj)) "
     "FROM sample, (SELECT id AS i, traj AS other FROM sample) o", "t", "comparison of toasted values is antisymmetric")

# Texts lie in blocks of 1048576 bytes, a prompt first.
same("""CREATE TABLE prompted AS SELECT p, format('{"prompt":"%s","steps":[{"observation":"%s"},{"remaining":3,"action":"%s"}]}', p, repeat('after ', 200), p)::trajectory AS traj
FROM (VALUES (0), (1), (1000), (1048575), (1048576), (1048577), (1500000)) l(n),
	(VALUES (repeat('told ', 300000)), ((SELECT string_agg(md5(i::text), '') FROM generate_series(1, 47000) i))) s(long), left(long, n) p;
SELECT count(*), bool_and(prompt(traj) = p) FROM prompted""", "14|t", "a prompt is read apart from the texts after it")

# Dump and restore.
dump = subprocess.run(["pg_dump", "-t", "sample", DATABASE], capture_output=True).stdout.decode()
run(dump.replace("public.sample", "public.restored"))
same("SELECT count(*), bool_and(a.traj = b.traj) FROM sample a JOIN restored b USING (id)", "11|t", "pg_dump and restore")

# Broken messages: an error, or a value whose text leads back to it; never anything else.
def fields_of(data):
    """(offset, length) of the second field of each row of a binary COPY."""
    at, fields = 19, []
    while struct.unpack_from(">h", data, at)[0] == 2:
        at += 2 + 4 + 4
        size = struct.unpack_from(">i", data, at)[0]
        fields.append((at + 4, size))
        at += 4 + size
    return fields


def binary_file(value):
    return b"PGCOPY\n\xff\r\n\0" + struct.pack(">iihi", 0, 0, 1, len(value)) + value + struct.pack(">h", -1)


def broken_copies(kind, values, trials):
    draw = random.Random(20)
    script = f"CREATE TABLE broken_{kind} (x {kind});\n"
    for i in range(trials):
        value = bytearray(draw.choice(values))
        if i % 4 == 0:
            value = value[:draw.randrange(len(value))]
        elif i % 4 == 1:
            value[draw.randrange(min(len(value), 16))] = draw.choice((0, 1, 2, 127, 128, 255))
        else:
            for _ in range(1 + i % 3):
                value[draw.randrange(len(value))] ^= 1 << draw.randrange(8)
        with open(f"{path}/{kind}.{i}", "wb") as file:
            file.write(binary_file(bytes(value)))
        script += f"\\copy broken_{kind} from '{path}/{kind}.{i}' with (format binary)\n"
    script += f"SELECT count(*), count(*) FILTER (WHERE x::text::{kind}::text = x::text) FROM broken_{kind}"
    out, errors = run(script, stop=False)
    states = set(re.findall(r"ERROR:\s+(\w{5}):", errors))
    kept, round_trips = out.split("|") if "|" in out else ("?", "")
    refused = len(re.findall(r"ERROR:", errors))
    ok(alive() and kept == round_trips and kept.isdigit() and int(kept) + refused == trials,
       f"{kind}: {trials} broken messages, {refused} refused, {kept} read and kept their text", f"{out}\n{errors[-2000:]}")
    ok(refused > trials / 2 and states <= {"08P01", "22003", "22021", "22023", "22P03"},
       f"{kind}: refused as bad data", states)


with open(f"{path}/x", "rb") as file:
    data = file.read()
values = [data[at:at + size] for at, size in fields_of(data) if size < 6000]
broken_copies("trajectory", values, 3000)
parts = """'[{"turn":2,"action":"b","tokens":5,"error":true},{"turn":1,"state":"s","value":0.5}]'"""
run(f"CREATE TABLE part (x trajectory_parts); INSERT INTO part VALUES ('[]'), ({parts})")
same(f"""\\copy part to '{path}/p' with (format binary)
CREATE TABLE part_copy (x trajectory_parts);
\\copy part_copy from '{path}/p' with (format binary)
SELECT string_agg(x::text, ' ' ORDER BY x::text) FROM part_copy""",
     """[] [{"turn":2,"action":"b","error":true,"tokens":5},{"turn":1,"value":0.5,"state":"s"}]""".replace(
         '"value":0.5,"state":"s"', '"state":"s","value":0.5'), "trajectory_parts: binary round trip")
broken_copies("trajectory_parts", [bytes.fromhex(run(f"SELECT encode(trajectory_parts_send({parts}), 'hex')")[0])], 1000)
for name, message in (("more steps than bytes", b"\x01\x00\x80\x7f\xff\xff\xff"), ("unknown version", b"\x02\x00\x00"),
                      ("fields that do not exist", b"\x01\x01\x00"), ("a text beyond the end", b"\x01\x00\x40\x00\x00\x10\x00ab"),
                      ("a zero byte in a text", b"\x01\x00\x40\x00\x00\x00\x02a\x00"), ("bytes left over", b"\x01\x00\x00\x00"),
                      ("a NaN", b"\x01\x00\x02\x7f\xf8" + bytes(6)),
                      ("a zero byte in a text of 2 MB", b"\x01\x00\x40\x00\x20\x00\x00" + b"a" * 2097151 + b"\x00"),
                      ("a character that a piece of a text cuts off", b"\x01\x00\x40\x00\x20\x00\x00" + b"a" * 1048575 + b"\xc3" + b"b" * 1048576)):
    with open(f"{path}/one", "wb") as file:
        file.write(binary_file(message))
    out, errors = run(f"\\copy binary_copy(traj) from '{path}/one' with (format binary)")
    ok("ERROR" in errors and alive(), f"message with {name} is refused", errors)

# The sender's text of more than 1 MB is checked in pieces: a character may lie across any two of them.
for width, character in ((2, "é"), (3, "€"), (4, "😀")):
    same("SELECT bool_and(prompt(t) = p) FROM generate_series(0, 3) n, LATERAL (SELECT repeat('a', n) || repeat('" + character + "', 1200000)) q(p), "
         "LATERAL (SELECT with_outcome('{}', prompt => p)) w(t)", "t", f"a long text of characters of {width} bytes")
run(f"""CREATE TABLE wide AS SELECT n, with_outcome('{{}}', prompt => repeat('a', n) || repeat(c, 1200000)) AS traj
FROM generate_series(0, 3) n, unnest(ARRAY['é', '€', '😀']) c;
\\copy wide to '{path}/wide' with (format binary)
CREATE TABLE wide_copy (LIKE wide);
\\copy wide_copy from '{path}/wide' with (format binary)""")
same("SELECT (SELECT count(*) FROM wide_copy), count(*) FROM (SELECT n, traj FROM wide EXCEPT ALL SELECT n, traj FROM wide_copy) q", "12|0", "long texts of wide characters: binary round trip")

# Numbers that no step may have are refused in trajectory_parts, whichever way they come.
run("""CREATE AGGREGATE parts_agg(bigint, text, text, bool) (SFUNC = trajectory_agg_transfn, STYPE = trajectory_parts);
CREATE AGGREGATE parts_agg(bigint, text, text, bool, text, text, float8, float8, bigint, float8, float8, bigint) (SFUNC = trajectory_agg_transfn, STYPE = trajectory_parts)""")
for column, value in (("reward", "'NaN'"), ("value", "'Infinity'"), ("logprob", "'-Infinity'"), ("ref_logprob", "'NaN'")):
    arguments = ", ".join(value if name == column else "NULL" for name in ("reward", "value", "tokens", "logprob", "ref_logprob", "remaining"))
    out, errors = run(f"SELECT parts_agg(3, 'a', 'b', true, 'k', 's', {arguments})")
    ok(f"22003: invalid trajectory: steps[2].{column}: must be finite" in errors, f"parts with a {column} of {value} are refused", out + errors)
out, errors = run("SELECT parts_agg(1, 'a', 'b', true, 'k', 's', 1, 1, -1, -1, -1, 1)")
ok("22003: invalid trajectory: steps[0].tokens: must be at least 0" in errors, "parts with fewer tokens than none are refused", out + errors)
out, errors = run('''SELECT '[{"turn":1},{"turn":2,"tokens":-1}]'::trajectory_parts''')
ok("22003: invalid trajectory: steps[1].tokens: must be at least 0" in errors, "so are those in text form", out + errors)
with open(f"{path}/one", "wb") as file:
    file.write(binary_file(b"\x01" + struct.pack(">iq", 1, 1) + b"\x00\x20\x7f\xf0" + bytes(6)))
out, errors = run(f"\\copy part_copy from '{path}/one' with (format binary)")
ok("22003: invalid trajectory: steps[0].reward: must be finite" in errors, "and those in binary form", out + errors)

# Broken stored bytes.
_, errors = run("SET client_min_messages = warning;" + raw_type("trajectory") + """
CREATE CAST (trajectory AS raw) WITHOUT FUNCTION;
CREATE CAST (raw AS trajectory_parts) WITHOUT FUNCTION;
CREATE CAST (trajectory_parts AS raw) WITHOUT FUNCTION;
-- what using the bytes leads to: an SQLSTATE, or 'fine'
CREATE FUNCTION use_value(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t trajectory := bytes::text::raw::trajectory;
BEGIN
	PERFORM facts(t), count(s) FROM steps(t) s;
	PERFORM length(t::text), length(trajectory_send(t)), trajectory_cmp(t, t), t = t, trajectory_hash(t), prompt(t);
	PERFORM truncate(t, 1), with_outcome(t, reward => 1);
	PERFORM error_prefixes(1, t);
	RETURN 'fine';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
-- what reads flags and error kinds, and nothing behind them
CREATE FUNCTION use_errors(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE s recovery_summary := recovery_agg(1, bytes::text::raw::trajectory);
BEGIN
	PERFORM recovery_by_kind(s, resamples => 0), length(s::text);
	RETURN 'fine';
EXCEPTION WHEN OTHERS THEN RETURN 'unreadable';
END $$;
CREATE FUNCTION errors_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN RETURN use_errors(bytes); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END $$;
-- what reads the numbers of turns and the prompt
CREATE FUNCTION numbers_of(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	PERFORM budget_audit_agg(1, 1, bytes::text::raw::trajectory, 30);
	RETURN 'fine';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE FUNCTION use_parts(bytes bytea) RETURNS text LANGUAGE plpgsql AS $$
DECLARE t trajectory_parts := bytes::text::raw::trajectory_parts;
BEGIN
	PERFORM length(t::text), length(trajectory_parts_send(t)), trajectory_agg_finalfn(t);
	RETURN 'fine';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$;
CREATE TABLE image AS SELECT id, (traj::raw)::text::bytea AS bytes FROM sample WHERE id <= 6 OR id = 11;
INSERT INTO image SELECT 12, (format('{"budget":9,"stop_reason":"%s","steps":[{"remaining":9}]}', repeat('r', 3000))::trajectory::raw)::text::bytea;
CREATE TABLE part_image AS SELECT (x::raw)::text::bytea AS bytes FROM part;
""")
ok(not errors, "bytes can pose as trajectories", errors)
same("SELECT bool_and(use_value(bytes) = 'fine') FROM image", "t", "the bytes as they were are fine")


def states_of(query, name, wanted):
    out, errors = run(f"SELECT string_agg(DISTINCT r, ' ' ORDER BY r), count(*) > 100 FROM ({query}) x(r)")
    states = set(out.split("|")[0].split())
    ok(alive() and not errors and out.endswith("|t") and "XX001" in states and states <= wanted, name, f"{out}\n{errors}")


# XX001: data corrupted. The rest is what validation says of a changed value that is packed anew.
wanted = {"fine", "XX001", "22003", "22023", "54000"}
states_of("SELECT use_value(substr(bytes, 1, n)) FROM image, generate_series(0, least(length(bytes), 600) - 1) n", "stored bytes cut short", {"XX001"})
states_of("SELECT use_value(bytes || '\\x00'::bytea || substr(bytes, 1, n)) FROM image, generate_series(0, 20) n", "stored bytes with more after them", {"XX001"})
states_of("SELECT use_value(set_byte(bytes, n, v)) FROM image, generate_series(0, least(length(bytes), 800) - 1) n, "
          "unnest(ARRAY[0, 1, 127, 128, 255]) v", "stored bytes set to extremes", wanted)
states_of("SELECT use_value(set_bit(bytes, n, 1 - get_bit(bytes, n))) FROM image, generate_series(0, 8 * least(length(bytes), 500) - 1) n",
          "stored bits flipped", wanted)
for what, query in (("cut short", "substr(bytes, 1, n)) FROM image, generate_series(0, least(length(bytes), 600) - 1) n"),
                    ("set to extremes", "set_byte(bytes, n, v)) FROM image, generate_series(0, least(length(bytes), 800) - 1) n, unnest(ARRAY[0, 1, 127, 128, 255]) v"),
                    ("flipped", "set_bit(bytes, n, 1 - get_bit(bytes, n))) FROM image, generate_series(0, 8 * least(length(bytes), 500) - 1) n")):
    states_of(f"SELECT errors_of({query}", f"stored bytes {what}: error kinds are read or the bytes refused", {"fine", "XX001"})
    states_of(f"SELECT numbers_of({query}", f"stored bytes {what}: numbers and prompt are read or the bytes refused", {"fine", "XX001", "22023"})
states_of("SELECT numbers_of(substr(bytes, 1, n)) FROM image, generate_series(1900, 3200, 5) n WHERE id = 12 AND n < length(bytes)", "stored bytes cut short within the numbers", {"XX001"})
# in a table's own page, whose bytes are not the reader's to free
_, errors = run("""CREATE TABLE in_place (x raw);
ALTER TABLE in_place ALTER x SET STORAGE plain;
INSERT INTO in_place SELECT substr(bytes, 1, n)::text::raw FROM image, generate_series(1, 3500, 37) n WHERE n < length(bytes) AND length(bytes) < 8000;
INSERT INTO in_place SELECT set_byte(bytes, n, v)::text::raw FROM image, generate_series(0, 500, 5) n, unnest(ARRAY[0, 1, 127, 255]) v
WHERE n < length(bytes) AND length(bytes) < 8000;
CREATE FUNCTION use_in_place(place tid, read text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT (%s)::text FROM (SELECT x::trajectory AS t FROM in_place WHERE ctid = %L OFFSET 0) q', read, place);
	RETURN 'fine';
EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE;
END $$""")
ok(not errors, "damaged bytes lie in a table", errors)
for read in ("facts(t)", "prompt(t)", "truncate(t, 1)", "t", "trajectory_cmp(t, t)", "pass_agg(1, t)", "recovery_agg(1, t)", "budget_audit_agg(1, 1, t, 30)"):
    states_of(f"SELECT use_in_place(ctid, '{read}') FROM in_place", f"damaged bytes in a table: {read}", wanted)
states_of("SELECT use_parts(substr(bytes, 1, n)) FROM part_image, generate_series(0, length(bytes) - 1) n", "trajectory_parts cut short", {"XX001", "fine"})
states_of("SELECT use_parts(set_bit(bytes, n, 1 - get_bit(bytes, n))) FROM part_image, generate_series(0, 8 * length(bytes) - 1) n",
          "trajectory_parts with bits flipped", wanted | {"21000"})
out, errors = run("SELECT turns((set_byte(bytes, 0, 9)::text::raw)::trajectory) FROM image WHERE id = 3")
ok("unknown version 9 of a stored trajectory" in errors, "a version of the future is named", errors)

# Soft errors, where the server has them.
if int(run("SHOW server_version_num")[0]) >= 160000:
    bad = ["", "{", "[]", '{"x":1}', '{"reward":1e999}', '{"budget":0}', '{"success":true,"steps":[]}', '{"steps":[{"tokens":-1}]}',
           '{"prompt":"' + "x" * 2000000 + '\\x"}']
    same("SELECT " + ", ".join(f"pg_input_is_valid('{text}', 'trajectory')" for text in bad + ["{}"]), "|".join("f" * len(bad) + "t"), "soft errors")
    same("""SELECT pg_input_is_valid('[{"turn":0}]', 'trajectory_parts'), pg_input_is_valid('[{"turn":1}]', 'trajectory_parts')""", "f|t",
         "soft errors of trajectory_parts")
    same("""SELECT message FROM pg_input_error_info('{"steps":[{"error":1}]}', 'trajectory')""",
         "invalid trajectory: steps[0].error: expected boolean", "a soft error keeps its place")

# trajectory_agg in parallel: the plan, the result, and turns doubled across workers.
run("""CREATE TABLE turn_log AS SELECT i / 10 AS rollout, i % 10 + 1 AS turn, 'action ' || i AS action, md5(i::text) AS observation,
	i % 7 = 0 AS error FROM generate_series(0, 99999) i ORDER BY md5(i::text);
ALTER TABLE turn_log SET (parallel_workers = 2); ANALYZE turn_log;""")
parallel = """SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET cpu_operator_cost = 1; SET parallel_tuple_cost = 1;
SET min_parallel_table_scan_size = 0; SET parallel_leader_participation = off;
"""
query = "SELECT rollout, trajectory_agg(turn, action, observation, error) AS t FROM turn_log GROUP BY rollout"
out, _ = run(parallel + "EXPLAIN (COSTS off) SELECT trajectory_agg(turn, action, observation, error) FROM turn_log WHERE rollout = 3")
ok("Partial Aggregate" in out, "trajectory_agg runs in parallel", out)
out, _ = run(parallel + "SET work_mem = '1GB'; EXPLAIN (COSTS off) " + query)
ok(re.search("Partial (Hash|Group)Aggregate", out), "trajectory_agg runs in parallel with groups", out)
same(f"""CREATE TABLE serial AS {query};
{parallel} SET work_mem = '1GB'; CREATE TABLE parallel AS SELECT * FROM ({query}) x;
SELECT count(*), bool_and(a.t = b.t), sum(turns(a.t)) FROM serial a JOIN parallel b USING (rollout)""", "10000|t|100000", "parallel and serial agree")
same(f"{parallel} SELECT trajectory_agg(turn, action, observation, error) IS NULL FROM turn_log WHERE rollout < 0", "t", "no rows in any worker")
out, errors = run(parallel + "SELECT trajectory_agg(turn, action, observation, error) FROM turn_log WHERE rollout IN (5, 6) AND turn <= 5")
ok("21000: trajectory_agg: turn 1 is given twice" in errors, "turns doubled across workers", out[:200] + errors)
same("SET enable_sort = off; SELECT count(turns(t)) FROM (SELECT trajectory_agg(1, i::text, NULL, NULL) AS t FROM generate_series(1, 100000) i GROUP BY i) x",
     "100000", "many groups by hashing")
same("SELECT turns(trajectory_agg(i, 'a', 'b', false)) FROM generate_series(1, 200000) i", "200000", "one long rollout")
out, errors = run("SELECT trajectory_agg(i, repeat('x', 20000000), NULL, NULL) FROM generate_series(1, 30) i")
ok("54000: the steps of one rollout exceed 500 MB" in errors, "a state over 500 MB is an error", errors)

# Big values.
same("SELECT length(prompt(format('{\"prompt\":\"%s\"}', repeat('x', 200000000))::trajectory))", "200000000", "a text of 200 MB")
out, errors = run("SELECT format('{\"prompt\":\"%s\"}', repeat('\\u0001', 40000000))::trajectory IS NOT NULL")
ok(out == "t", "40 million control characters", errors)
out, errors = run("SELECT with_outcome('{}', prompt => repeat(E'\\x01', 200000000))")
ok("54000: invalid trajectory: its text form would exceed 1 GB" in errors, "a value that could not be dumped is refused", errors)
# What COPY writes of a value has a bound of 10^9 bytes: a backslash takes 4, a quote or a line break 3, another control character 7.
for code, bytes_of, what in ((92, 4, "backslashes"), (34, 3, "quotes"), (10, 3, "line breaks"), (1, 7, "control characters")):
    out, errors = run(f"SELECT with_outcome('{{}}', prompt => repeat(chr({code}), {10**9 // bytes_of + 1})) IS NULL")
    ok("54000: invalid trajectory: its text form would exceed 1 GB in a dump" in errors, f"so many {what} are refused", out + errors)
out, errors = run("COPY (SELECT with_outcome('{}', prompt => repeat(chr(92), 100000000) || repeat(chr(34), 100000000) || repeat(chr(10), 76666000) || "
                  "repeat(chr(1), 10000000))) TO '/dev/null'")
ok(not errors, "texts just below the bound can be dumped", errors)
out, errors = run("SELECT trajectory_agg(i, repeat(chr(1), 75000000), NULL, NULL) IS NULL FROM generate_series(1, 2) i")
ok("54000: invalid trajectory: its text form would exceed 1 GB in a dump" in errors, "for trajectory_agg", out + errors)
out, errors = run("SELECT parts_agg(i, repeat(chr(1), 75000000), NULL, NULL)::text IS NULL FROM generate_series(1, 2) i")
ok("54000: the steps of one rollout would exceed 1 GB as text in a dump" in errors, "and for trajectory_parts", out + errors)

same("SELECT turns(format('{\"steps\":[{}%s]}', repeat(',{}', 999999))::trajectory)", "1000000", "a million turns")
out, errors = run("SELECT turns(format('{\"steps\":[{}%s]}', repeat(',{}', 1000000))::trajectory)")
ok("54000: invalid trajectory: steps: more than 1000000 turns" in errors, "more than a million turns are refused", errors)
out, errors = run("SELECT trajectory_agg(i, NULL, NULL, NULL) FROM generate_series(1, 1000001) i")
ok("54000: trajectory_agg: more than 1000000 turns" in errors, "trajectory_agg has the same limit", errors)


# Long strings are read in pieces of 1 MB: no escape may be cut, whatever its place. jsonb reads them whole.
run("""CREATE TABLE long_text AS SELECT repeat(E'\\\\n\\\\ud83d\\\\ude00\\\\"\\\\\\\\', 50000) || repeat('\\u00e9x', 100000) || repeat('é', 700000) AS body""")
same("""SELECT count(*), bool_and(prompt(doc::trajectory) = doc::jsonb->>'prompt' AND budget(doc::trajectory) = 4)
FROM long_text, generate_series(0, 25) n, LATERAL (SELECT '{"prompt":"' || repeat('a', n) || body || '","budget":4}') d(doc)""", "26|t",
     "long strings with escapes")
for tail, wanted in (('\\x"}', 'Escape sequence "\\x" is invalid.'), ("", "The string at byte 11 does not end."),
                     ('\\"', "The string at byte 11 does not end."), ('" 1}', 'Expected "," or "}", but found "1".'),
                     ('\\ud83d"}', "The JSON is malformed at byte"), ('","prompt":1}', "prompt: given twice")):
    out, errors = run(f"""SELECT ('{{"prompt":"' || body || '{tail}')::trajectory FROM long_text""")
    ok(wanted in errors, f"long string followed by {tail!r}", out[:200] + errors[:1000])
for head, wanted in (('{"', "unknown key"), ('{"status":"', "status: expected completed"), ('{"budget":"', "budget: expected integer")):
    out, errors = run(f"""SELECT ('{head}' || body || '":1}}')::trajectory FROM long_text""")
    ok(wanted in errors, f"long string after {head}", out[:200] + errors[:1000])

# A database in another encoding.
subprocess.run(["createdb", "-T", "template0", "-E", "LATIN1", "--lc-collate=C", "--lc-ctype=C", DATABASE + "_latin1"], check=True)
out, errors = run("""SET client_encoding = UTF8;
CREATE EXTENSION agentrl;
SELECT t, octet_length(prompt(t)), octet_length(convert_to(prompt(t), 'UTF8')) FROM (SELECT '{"prompt":"é\\u00e9"}'::trajectory AS t) x""",
                  database=DATABASE + "_latin1")
ok(out == '{"prompt":"éé"}|2|4' and not errors, "a LATIN1 database", f"{out} {errors}")
out, errors = run("""SELECT '{"prompt":"\\u4e2d"}'::trajectory""", database=DATABASE + "_latin1")
ok("ERROR" in errors, "a character that LATIN1 lacks is an error", errors)
subprocess.run(["dropdb", DATABASE + "_latin1"])


def cancelled(query, name):
    """Seconds from a cancel request to its effect, while the query works on a big value."""
    process = subprocess.Popen(["psql", "-XqAt", "-c", "SET statement_timeout = 0", "-c", query],
                               stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    for _ in range(500):
        time.sleep(0.02)
        pid = run("SELECT pid FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%big_mark%' AND pid <> pg_backend_pid()")[0]
        if pid:
            break
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    errors = process.communicate(timeout=60)[1].decode()
    ok("canceling statement due to user request" in errors, name, errors)


run("CREATE TABLE big AS SELECT format('{\"prompt\":\"%s\",\"steps\":[{}%s]}', repeat('x', 100000000), repeat(',{}', 900000)) AS doc; "
    "CREATE TABLE big_value AS SELECT doc::trajectory AS t FROM big")
cancelled("SELECT /* big_mark */ sum(length(doc::trajectory::text)) FROM big, generate_series(1, 50)", "cancel while reading and writing text")
cancelled("SELECT /* big_mark */ sum(length(trajectory_send(t))) FROM big_value, generate_series(1, 50)", "cancel while sending")
cancelled("SELECT /* big_mark */ count(*) FROM big_value, generate_series(1, 50), steps(t)", "cancel while listing steps")

subprocess.run(["dropdb", DATABASE])
done()
