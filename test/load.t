#!/usr/bin/env python3
"""agentrl-load: files in, rows and reasons out. Runs in the cluster that PGHOST names."""
import gzip
import io
import json
import os
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time
import zipfile
import zlib

from tap import done, has, ok, same

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(HERE)
LOADER = os.path.join(ROOT, "bin", "agentrl-load")
FIXTURES = os.path.join(HERE, "fixtures", "load")
DATABASE = "agentrl_load_test"
os.environ["PGDATABASE"] = DATABASE
sys.path.insert(0, os.path.join(ROOT, "bin"))
import agentrl_files as files

def load(*arguments):
    run = subprocess.run([LOADER, *arguments], capture_output=True, text=True)
    return run.returncode, run.stdout, run.stderr


def sql(query):
    run = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", query],
                          capture_output=True, text=True)
    if run.returncode:
        raise SystemExit(f"Bail out! {run.stderr}")
    return run.stdout.strip()


def reasons(name):
    """(line, reason) of what could not be read of the file of that name."""
    rows = sql(f"SELECT to_json(q) FROM (SELECT line, reason FROM rollout_load_errors "
               f"WHERE file LIKE '%/{name}' ORDER BY line, ordinal) q").splitlines()
    return [(r["line"], r["reason"]) for r in map(json.loads, rows)]


def clean():
    sql("TRUNCATE rollouts, rollout_load_errors")


def fixture(name):
    return os.path.join(FIXTURES, name)


tmp = tempfile.mkdtemp(prefix="agentrl-load.")


def write(name, data):
    path = os.path.join(tmp, name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(data)
    return path


def line(task, attempt, action="go", success=True):
    return json.dumps({"task_id": task, "attempt_id": attempt, "trajectory": {
        "success": success, "steps": [{"action": action, "observation": "gone"}]}}).encode() + b"\n"


PLAIN = open(fixture("plain.jsonl"), "rb").read()
try:
    subprocess.run(["createdb", DATABASE], check=True)

    code, out, err = load(fixture("plain.jsonl"))
    same((code, "CREATE EXTENSION agentrl" in err), (2, True), "says what is missing where the extension is not")
    sql("CREATE EXTENSION agentrl")

    # what a plain file becomes
    code, out, err = load(fixture("plain.jsonl"))
    same((code, err), (0, ""), "a file that can be read: exit code 0, nothing on stderr")
    same(sql("SELECT run, line, ordinal, task_id, attempt_id, success(traj), turns(traj), meta ->> 'policy', "
             "warnings FROM rollouts ORDER BY line"),
         "plain.jsonl|1|1|cup|1|t|2|p|{}\nplain.jsonl|3|1|cup|2|f|3|p|{}\nplain.jsonl|4|1|door|1|t|1|p|{}",
         "each rollout with its run, place, keys and trajectory; blank lines count as lines")
    same(out.splitlines()[0].split(), ["run", "rollouts", "tasks", "turns", "solved", "unscored", "warned", "errors"],
         "the summary has its columns")
    same(out.splitlines()[1].split(), ["plain.jsonl", "3", "2", "6", "2", "0", "0", "0"], "and a line for the file")

    # the same content again, under other names
    code, out, err = load(fixture("plain.jsonl"))
    same((code, sql("SELECT count(*) FROM rollouts")), (0, "3"), "the same file again adds nothing")
    has(out, "already loaded: " + fixture("plain.jsonl"), "and says so")
    packed = write("packed.jsonl.gz", gzip.compress(PLAIN))
    code, out, err = load("--run", "other", packed)
    same((code, sql("SELECT count(*) FROM rollouts")), (0, "3"), "nor does a packed copy under another run")
    has(out, "as run plain.jsonl, from " + fixture("plain.jsonl"), "which names the first")
    clean()
    subprocess.run(["zstd", "-q", fixture("plain.jsonl"), "-o", os.path.join(tmp, "z.jsonl.zst")], check=True)
    code, out, err = load(packed)
    same((code, sql("SELECT count(*) FROM rollouts")), (0, "3"), ".gz is read")
    clean()
    code, out, err = load(os.path.join(tmp, "z.jsonl.zst"))
    same((code, sql("SELECT count(*) FROM rollouts")), (0, "3"), ".zst is read")
    code, out, err = load(fixture("plain.jsonl"))
    same(sql("SELECT count(*) FROM rollouts"), "3", "the plain file after its .zst adds nothing")

    # duplicates
    clean()
    code, out, err = load(fixture("retry.jsonl"))
    same((code, reasons("retry.jsonl")), (1, [(3, "duplicate of line 1: task key, attempt 1")]),
         "a retry is named with the line of the first, exit code 1")
    same(sql("SELECT attempt_id, success(traj) FROM rollouts ORDER BY line"), "1|f\n2|t", "and the first is kept")
    code, out, err = load(fixture("retry.jsonl"))
    same((code, reasons("retry.jsonl")), (1, [(3, "duplicate of line 1: task key, attempt 1")]),
         "loading it again neither doubles nor forgets the reason")
    has(out, "duplicate of line 1", "which the summary shows again")
    again = write("again.jsonl", line("key", "2", "turn harder") + line("key", "3"))
    load("--run", "retry.jsonl", again)
    same(reasons("again.jsonl"), [(1, f"duplicate of line 2 of {fixture('retry.jsonl')} in the same run: "
                                      "task key, attempt 2")], "under one run the rule spans files")
    same(sql("SELECT count(*) FROM rollouts"), "3", "and only the new attempt is added")
    load(write("again/retry.jsonl", line("key", "2", "turn harder")))
    same(sql("SELECT count(DISTINCT run) FROM rollouts"), "2", "two files of one name are two runs without --run")

    # a file that grows
    clean()
    growing = write("growing.jsonl", line("a", "1") + line("a", "2"))
    load(growing)
    write("growing.jsonl", line("a", "1") + line("a", "2") + line("a", "3"))
    code, out, err = load(growing)
    same((code, sql("SELECT count(*), count(DISTINCT attempt_id) FROM rollouts")), (0, "3|3"),
         "a file that has grown adds what is new")
    has(out, "already loaded: 2 rollouts", "and says how many it had")
    unnamed = [json.dumps({"task_id": "a", "trajectory": {"success": s, "steps": [{"action": "x"}]}}).encode() + b"\n"
               for s in (True, False, True)]
    clean()
    load(write("unnamed.jsonl", unnamed[0] + unnamed[1]))
    same(sql("SELECT count(*) FROM rollouts WHERE attempt_id IS NULL"), "2",
         "attempts without a name are no duplicates of each other")
    load(write("unnamed.jsonl", b"".join(unnamed)))
    same(sql("SELECT count(*) FROM rollouts"), "3", "and are not added twice when their file grows")
    code, out, err = load(write("unnamed.jsonl", unnamed[1] + unnamed[1]))
    same((code, reasons("unnamed.jsonl")),
         (1, [(1, f"duplicate of line 1 of {tmp}/unnamed.jsonl in the same run: the same place, other content")]),
         "a file rewritten in place is not mixed with what it was")

    # what cannot be read
    clean()
    same(load(fixture("empty.jsonl"))[0], 1, "an empty file: exit code 1")
    same(reasons("empty.jsonl"), [(None, "the file is empty")], "and its reason")
    load(write("blank.json", b" \n\n"))
    same(reasons("blank.json"), [(None, "the file holds only white space")], "a blank file")
    load(write("blank.jsonl", b" \n\n"))
    same(reasons("blank.jsonl"), [(None, "the file holds only white space")], "likewise by line")
    code, out, err = load(fixture("torn.jsonl"))
    same((code, [r[0] for r in reasons("torn.jsonl")], sql("SELECT count(*) FROM rollouts")), (1, [2], "1"),
         "a torn last line loses that line only")
    ok(reasons("torn.jsonl")[0][1].startswith("not valid JSON"), "with a reason that does not count lines again",
       reasons("torn.jsonl"))
    load(fixture("words.json"))
    same(len(reasons("words.json")), 1, "what is not JSON has a reason")
    load(fixture("unknown.json"))
    same(len(reasons("unknown.json")), 1, "so has an unknown format")
    load(write("packed.jsonl.bz2", b"BZh91AY&SY"))
    same(reasons("packed.jsonl.bz2"), [(None, "unsupported compression: bzip2")], "unsupported compression")
    load(write("half.jsonl.gz", gzip.compress(line("half", "1") * 1 + os.urandom(4096).hex().encode())[:-900]))
    same(reasons("half.jsonl.gz")[-1], (None, "the gzip data ends early: the file is torn"), "a torn .gz")
    load(write("bad.jsonl.zst", b"\x28\xb5\x2f\xfdgarbage"))
    ok(reasons("bad.jsonl.zst")[0][1].startswith("zstd: "), "a damaged .zst", reasons("bad.jsonl.zst"))
    load(write("wide.json", "[]".encode("utf-16")))
    same(reasons("wide.json"), [(None, "UTF-16 text: convert it to UTF-8 first")], "UTF-16")
    load(write("none.json", b"[]"))
    same(len(reasons("none.json")), 1, "a document without rollouts is not passed over in silence")
    os.mkfifo(os.path.join(tmp, "pipe.json"))
    load(os.path.join(tmp, "pipe.json"))
    same(reasons("pipe.json"), [(None, "not a regular file")], "a pipe is not waited for")
    os.symlink("nowhere", os.path.join(tmp, "link.json"))
    load(os.path.join(tmp, "link.json"))
    same(reasons("link.json"), [(None, "No such file or directory")], "a dangling link")
    shut = write("shut.json", b"{}")
    os.chmod(shut, 0)
    if os.access(shut, os.R_OK):
        ok(True, "no permission # SKIP this user may read everything")
    else:
        load(shut)
        same(reasons("shut.json"), [(None, "Permission denied")], "no permission")
    load(write("fixed.jsonl", b"not yet\n"))
    load(write("fixed.jsonl", line("fixed", "1")))
    same((reasons("fixed.jsonl"), sql("SELECT count(*) FROM rollouts WHERE task_id = 'fixed'")), ([], "1"),
         "a file that was mended is loaded, and its old reasons go")

    # mending
    clean()
    code, out, err = load(write("bytes.jsonl", line("m", "1").replace(b"gone", b"a\0b\xff\xc3c\xe2\x82")))
    same((code, sql("SELECT s.observation FROM rollouts, steps(traj) s")), (0, "a\ufffdb\ufffd\ufffdc\ufffd"),
         "raw NUL bytes and bad UTF-8 become U+FFFD")
    same(sql("SELECT array_to_string(warnings, '|') FROM rollouts"),
         "1 raw NUL byte became U+FFFD; 3 invalid UTF-8 sequences became U+FFFD", "with a warning on the row")
    clean()
    text = "caf\u00e9 \U0001f600 tab\\t back\\\\slash \u2028 \\\\N \\\\."
    load(write("text.jsonl", line("t", "1").replace(b"gone", text.encode())))
    same(sql("SELECT s.observation FROM rollouts, steps(traj) s"), text.replace("\\t", "\t").replace("\\\\", "\\"),
         "every other character passes unchanged")
    clean()
    load(write("long.jsonl", line("k" * 3000, "1") + line("k" * 3000, "2")))
    same(sql("SELECT count(*), min(task_id) LIKE 'md5:%', count(DISTINCT task_id) FROM rollouts"), "2|t|1",
         "a task id too long for an index becomes its MD5")

    # documents and lines
    clean()
    load(fixture("array.json"))
    same(sql("SELECT line, ordinal, task_id, attempt_id, success(traj), turns(traj) FROM rollouts ORDER BY ordinal"),
         "|1|0|0|t|2\n|2|0|1|f|1\n|3|1|0|t|3\n|4|1|1|f|0", "one document with a list of rollouts")
    clean()
    load(write("lines.json", line("l", "1") + line("l", "2")))
    same(sql("SELECT line FROM rollouts ORDER BY line"), "1\n2", "a .json file of lines is read by line")
    load(write("pretty.jsonl", json.dumps(json.loads(line("p", "1")), indent=2).encode()))
    same(sql("SELECT line FROM rollouts WHERE task_id = 'p'"), "", "a .jsonl file of one pretty document as one")
    same(sql("SELECT count(*) FROM rollouts WHERE task_id = 'p'"), "1", "with its rollout")

    # an Inspect archive, and a damaged member
    clean()
    sample = {"id": "s1", "epoch": 1, "input": "Hi", "target": "x", "messages": [
        {"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello"}],
        "scores": {"match": {"value": "C"}}}
    archive = os.path.join(tmp, "log.eval")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as z:
        z.writestr("header.json", json.dumps({"version": 2, "status": "success", "eval": {
            "task": "greet", "model": "none/none", "dataset": {"sample_ids": ["s1", "s2"]}}}))
        z.writestr("samples/s1_epoch_1.json", json.dumps(sample))
        z.writestr("samples/s2_epoch_1.json", json.dumps({**sample, "id": "s2", "scores": {"match": {"value": "I"}}}))
        z.writestr("samples/s3_epoch_1.json", b"x" * 50)
        z.writestr("summaries.json", b"[]")
    code, out, err = load(archive)
    same(sql("SELECT line, task_id, attempt_id, success(traj) FROM rollouts ORDER BY line"),
         "1|s1|1|t\n2|s2|1|f", ".eval: each sample is a rollout, and nothing else in the archive")
    same((code, [r[0] for r in reasons("log.eval")]), (1, [3]), "a sample that is not JSON is named by its number")
    hollow = os.path.join(tmp, "hollow.eval")
    with zipfile.ZipFile(hollow, "w") as z:
        z.writestr("header.json", "{}")
    load(hollow)
    same(reasons("hollow.eval"), [(None, "the archive holds no samples")], "an archive without samples")
    write("cut.eval", open(archive, "rb").read()[:200])
    load(os.path.join(tmp, "cut.eval"))
    ok(reasons("cut.eval")[0][1].startswith("not a whole zip archive"), "a torn archive", reasons("cut.eval"))

    def zip_by_hand(name, method, packed, plain):
        """An archive of one sample by a method that zipfile cannot write."""
        member = b"samples/a_epoch_1.json"
        sizes = struct.pack("<LLL", zlib.crc32(plain), len(packed), len(plain))
        local = b"PK\3\4" + struct.pack("<HHHHH", 63, 0, method, 0, 33) + sizes + struct.pack("<HH", len(member), 0)
        central = (b"PK\1\2" + struct.pack("<HHHHHH", 63, 63, 0, method, 0, 33) + sizes
                   + struct.pack("<HHHHHLL", len(member), 0, 0, 0, 0, 0, 0) + member)
        start = len(local) + len(member) + len(packed)
        end = b"PK\5\6" + struct.pack("<HHHHLLH", 0, 0, 1, 1, len(central), start, 0)
        return write(name, local + member + packed + central + end)

    clean()
    plain = json.dumps(sample).encode()
    zstd = subprocess.run(["zstd", "-qc"], input=plain, capture_output=True, check=True).stdout
    load(zip_by_hand("zstd.eval", 93, zstd, plain))
    same((sql("SELECT task_id FROM rollouts"), reasons("zstd.eval")), ("s1", []), "a sample packed by zstd, as newer logs have it")
    load(zip_by_hand("wrong.eval", 93, zstd, plain + b" "))
    same(reasons("wrong.eval"), [(1, "samples/a_epoch_1.json: damaged (it is not what the archive says)")], "a damaged one")
    load(zip_by_hand("junk.eval", 93, zstd[:9] + b"junk", plain))
    ok(reasons("junk.eval")[0][1].startswith("samples/a_epoch_1.json: damaged ("), "another", reasons("junk.eval"))
    load(zip_by_hand("new.eval", 97, zstd, plain))
    same(reasons("new.eval"), [(1, "samples/a_epoch_1.json: unsupported compression (method 97)")], "an unknown method")
    load(zip_by_hand("flate.eval", 8, b"\xff" * 20, plain))
    ok(reasons("flate.eval")[0][1].startswith("samples/a_epoch_1.json: damaged ("), "a damaged deflated one",
       reasons("flate.eval"))

    # outcomes in a second file
    clean()
    code, out, err = load(fixture("bfcl"))
    same(sql("SELECT task_id, success(traj) FROM rollouts ORDER BY task_id"),
         "multi_turn_base_0|t\nmulti_turn_base_1|f", "BFCL results take their outcome from the score file")
    has(err, "BFCL_v3_multi_turn_base_score.json: read together with", "which is not read by itself")
    clean()
    code, out, err = load(fixture("trial"))
    same(sql("SELECT reward(traj), success(traj) FROM rollouts"), "1|t", "an ATIF trajectory from the trial's result")

    # folders
    clean()
    code, out, err = load("--run", "all", FIXTURES)
    has(err, "skipped " + fixture("notes.txt") + ": .txt is no rollout file", "a folder's other files are named")
    ok(code == 1 and int(sql("SELECT count(*) FROM rollouts WHERE run = 'all'")) >= 10,
       "a folder is read to its end, whatever is in it", out)
    same(load("--quiet", FIXTURES)[1:], ("", ""), "--quiet is quiet")

    # options
    clean()
    sql('CREATE SCHEMA "odd one"')
    code, out, err = load("--table", '"odd one"."roll""outs"', "--errors", '"odd one".Errors', fixture("retry.jsonl"))
    same((code, sql('SELECT count(*) FROM "odd one"."roll""outs"'), sql('SELECT count(*) FROM "odd one".errors')),
         (1, "2", "1"), "tables in another schema, with names that need quotes")
    has(out, "(table odd one.errors)", "and the summary names the table of errors")
    code, out, err = load("--dry-run", "--table", "dry", "--errors", "dry_errors", fixture("retry.jsonl"))
    same((code, sql("SELECT to_regclass('dry') IS NULL AND to_regclass('dry_errors') IS NULL")), (1, "t"),
         "--dry-run leaves no trace")
    has(out, "duplicate of line 1", "but says what it found")
    bare = write("bare.jsonl", b'{"trajectory": {"steps": [{"action": "x"}]}}\n')
    load("--task-id", "it's", "--attempt-id", "7", "--budget", "9", "--reward", "0.6",
         "--success-threshold", "0.5", "--run", "o'run", bare)
    same(sql("SELECT run, task_id, attempt_id, budget(traj), reward(traj), success(traj) FROM rollouts"),
         "o'run|it's|7|9|0.6|t", "what the file does not say comes from the options")
    load("--task-id", "it's", "--attempt-id", "8", "--run", "o'run", bare)
    same(sql("SELECT count(*) FROM rollouts"), "2", "the same content for another attempt is another rollout")

    clean()
    odd = os.path.join(os.fsencode(tmp), b"odd \xff 'n:name\\\n.jsonl")
    with open(odd, "wb") as file:
        file.write(line("o", "1"))
    ended = subprocess.run([LOADER, odd], capture_output=True)
    same((ended.returncode, sql("SELECT replace(run, E'\\n', '|') FROM rollouts")), (0, "odd \ufffd 'n:name\\|.jsonl"),
         "a file name may hold anything")

    # usage and connection
    for arguments, part in (((), "required"), (("/no/such/file",), "no such file or folder: /no/such/file"),
                            (("--table", "a.b.c", bare), "not a table name: a.b.c"),
                            (("--budget", "0", bare), "--budget must be at least 1"),
                            (("--run", "", bare), "--run must have 1 to 500 bytes"),
                            (("-d", "no_such_database", bare), 'database "no_such_database" does not exist')):
        code, out, err = load(*arguments)
        ok(code == 2 and part in err, "usage: " + part, f"{code}\n{err}")
    code, out, err = load("-d", f"dbname={DATABASE}", "-h", os.environ["PGHOST"], "-U", os.environ["PGUSER"], bare)
    same(code, 0, "connection options as psql's")

    programs = os.path.join(tmp, "programs")
    os.mkdir(programs)
    ended = subprocess.run([sys.executable, LOADER, bare], capture_output=True, text=True,
                          env={**os.environ, "PATH": programs})
    same((ended.returncode, ended.stderr), (2, "agentrl-load: the psql client is not installed\n"), "without psql")
    os.symlink(shutil.which("psql"), os.path.join(programs, "psql"))
    subprocess.run([sys.executable, LOADER, os.path.join(tmp, "z.jsonl.zst")], capture_output=True,
                   env={**os.environ, "PATH": programs})
    same(reasons("z.jsonl.zst"), [(None, "zstd compression needs the command zstd, which is not installed")],
         "without zstd")
    ended = subprocess.run([LOADER, write("notes/a.txt", b"-") and os.path.join(tmp, "notes")],
                          capture_output=True, text=True)
    same((ended.returncode, ended.stderr.splitlines()[-1]), (1, "no rollout files found"), "a folder without rollouts")

    # limits
    def limited(call):
        files.MAX_DOC = 40
        try:
            return call()
        except files.Unreadable as e:
            return str(e)
        finally:
            files.MAX_DOC = 256 << 20

    text = b"1\n" + b"x" * 100 + b"\n[2]\n"
    same(limited(lambda: [(d.line, d.data if isinstance(d, files.Doc) else d.reason)
                          for d in files.jsonl_docs(files.Counted(io.BytesIO(text)), None)]),
         [(1, b"1"), (2, "the line is longer than 256 MB"), (3, b"[2]")], "a line too long is passed over, and counted")
    same(limited(lambda: [getattr(s, "reason", s) for _, s in files.EvalReader(archive).samples()])[0],
         "samples/s1_epoch_1.json is over 256 MB", "a sample too large")
    same(limited(lambda: files.Partner(fixture("trial/result.json"), False).load()),
         fixture("trial/result.json") + " is over 256 MB", "an outcome file too large")

    # cutting documents that are too large to send
    def cut(text, limit=200, batch=80):
        files.MAX_DOC, files.BATCH_BYTES = limit, batch
        try:
            return [(d.base, json.loads(d.data)) for d in files.elements_as_docs(text.encode())]
        finally:
            files.MAX_DOC, files.BATCH_BYTES = 256 << 20, 8 << 20

    def refusal(text, **limits):
        try:
            return cut(text, **limits)
        except files.Unreadable as e:
            return str(e)

    rollouts = [{"n": i, "s": '] } , [ { \\ " é', "deep": [[i], {"a": [1, 2]}]} for i in range(12)]
    parts = cut(json.dumps(rollouts))
    same([r for _, part in parts for r in part], rollouts, "a long list is cut between its elements")
    same([base for base, _ in parts], [sum(len(q) for _, q in parts[:i]) for i in range(len(parts))],
         "and each part knows how many stood before it")
    ok(len(parts) > 3, "into several parts", len(parts))
    whole = {"info": {"model": "m", "list": [1, 2, 3]}, "simulations": rollouts, "end": [True]}
    parts = cut(json.dumps(whole, indent=1), limit=2000)
    same([r for _, part in parts for r in part["simulations"]], rollouts, "a list inside an object likewise")
    same({json.dumps({**p, "simulations": 0}) for _, p in parts}, {json.dumps({**whole, "simulations": 0})},
         "with all that stands around it in each part")
    same(refusal('[{"a": "b'), "torn: a string does not end", "torn in a string")
    same(refusal('[{"a": 1}, {"a"'), "torn: the document does not end", "torn elsewhere")
    same(refusal('[1]]'), "not JSON: something follows the document's end", "rubbish at the end")
    same(refusal('{"a": 1}'), "the document is over 256 MB and holds no list of rollouts to cut it at", "no list")
    same(refusal(json.dumps(["x" * 300])), "rollout 1 alone is over 256 MB", "an element too large")
    same(refusal(json.dumps({"a": "x" * 300, "b": [1]})),
         "the document is over 256 MB, and too much of it stands outside its largest list", "too much around it")
    clean()
    shim = ("import sys, runpy; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\n"
            "import agentrl_files as f; f.MAX_DOC = 300; f.BATCH_BYTES = 150\n"
            "sys.argv = sys.argv[2:]; runpy.run_path(sys.argv[0], run_name='__main__')")
    whole = json.load(open(fixture("array.json")))
    whole[2] = "not a rollout"
    broken = write("broken.json", json.dumps(whole).encode())
    subprocess.run([sys.executable, "-c", shim, os.path.dirname(LOADER), LOADER, broken], capture_output=True)
    same(sql("SELECT ordinal, task_id, attempt_id FROM rollouts ORDER BY ordinal"), "1|0|0\n2|0|1\n4|1|1",
         "a document fed in parts numbers its rollouts as a whole would")
    same(sql("SELECT ordinal FROM rollout_load_errors"), "3", "and the one that cannot be read keeps its number")

    clean()
    shim = ("import sys, runpy, hashlib; sys.path.insert(0, sys.argv[1]); sys.dont_write_bytecode = True\n"
            "import agentrl_files as f; f.content_hash = lambda path: hashlib.sha256(b'before')\n"
            "sys.argv = sys.argv[2:]; runpy.run_path(sys.argv[0], run_name='__main__')")
    subprocess.run([sys.executable, "-c", shim, os.path.dirname(LOADER), LOADER, fixture("plain.jsonl")],
                   capture_output=True)
    same((sql("SELECT count(*) FROM rollouts"), reasons("plain.jsonl")),
         ("0", [(None, "the file changed while it was being read")]), "a file that changes meanwhile is not stored")

    # an interrupted load
    clean()
    blocker = subprocess.Popen(["psql", "-XqAt"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    blocker.stdin.write("BEGIN; LOCK TABLE rollout_load_errors;\n\\echo locked\n")
    blocker.stdin.flush()
    blocker.stdout.readline()
    # a shell's background job, which these tests may be, has SIGINT ignored, and children inherit that
    loading = subprocess.Popen([LOADER, fixture("plain.jsonl")], stderr=subprocess.PIPE, text=True,
                               preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
    for _ in range(200):
        if sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "1":
            break
        time.sleep(0.05)
    loading.send_signal(signal.SIGINT)
    said = loading.communicate()[1]
    blocker.communicate("COMMIT;\n")
    same((loading.returncode, "interrupted" in said), (130, True), "Ctrl-C ends with 130 and says so")
    for _ in range(200):
        if sql("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'") == "0":
            break
        time.sleep(0.05)
    same(sql("SELECT count(*) FROM rollouts"), "0", "and leaves nothing of the file at hand")
    code, out, err = load(fixture("plain.jsonl"))
    same((code, sql("SELECT count(*) FROM rollouts")), (0, "3"), "so that loading it again loads it whole")
finally:
    shutil.rmtree(tmp, ignore_errors=True)
    subprocess.run(["dropdb", "--if-exists", "--force", DATABASE])

done()
