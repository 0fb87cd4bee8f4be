#!/usr/bin/env python3
"""agentrl-load through PgBouncer, which gives every transaction whichever session is free: loads at once, into one table or several, end as
loads one after the other, and leave nothing in the sessions."""
import atexit
import json
import os
import shutil
import subprocess
import tempfile
import time

from tap import done, ok, rows, same, skip, sql, use_database

HERE = os.path.dirname(os.path.abspath(__file__))
LOADER = os.path.join(os.path.dirname(HERE), "bin", "agentrl-load")
DATABASE, PORT = "agentrl_pool", "6432"
POOLER = shutil.which("pgbouncer", path=os.environ["PATH"] + ":/usr/sbin:/usr/local/sbin")
SERVER = os.environ["PGHOST"]
if not POOLER:
    skip("pgbouncer is not installed")
    done()
    raise SystemExit

folder = tempfile.mkdtemp(prefix="agentrl-pool.")
atexit.register(shutil.rmtree, folder)
# the pooler does not run as root
as_user = ["runuser", "-u", "postgres", "--"] if os.getuid() == 0 else []
if as_user:
    shutil.chown(folder, "postgres")


class Pool:
    """PgBouncer in transaction mode with so many sessions of the server."""

    def __init__(self, size):
        self.place = os.path.join(folder, str(size))
        os.mkdir(self.place, 0o700)
        config = os.path.join(self.place, "ini")
        with open(config, "w") as file:
            file.write(f"[databases]\n{DATABASE} = host={SERVER} user={os.environ.get('PGUSER', 'postgres')}\n[pgbouncer]\n"
                       f"pool_mode = transaction\ndefault_pool_size = {size}\nauth_type = any\nlisten_addr =\nlisten_port = {PORT}\n"
                       f"unix_socket_dir = {self.place}\nunix_socket_mode = 0700\nlogfile = {self.place}/log\n")
        if as_user:
            shutil.chown(self.place, "postgres")
            shutil.chown(config, "postgres")
        self.process = subprocess.Popen([*as_user, POOLER, "-q", config], cwd="/", stderr=subprocess.DEVNULL)
        atexit.register(self.stop)
        for _ in range(200):
            if os.path.exists(os.path.join(self.place, ".s.PGSQL." + PORT)):
                return
            time.sleep(0.05)
        raise SystemExit("Bail out! pgbouncer does not start: " + open(os.path.join(self.place, "log")).read())

    def environment(self):
        return {**os.environ, "PGHOST": self.place, "PGPORT": PORT}

    def ask(self, query):
        run = subprocess.run(["psql", "-XqAt", "-v", "ON_ERROR_STOP=1", "-c", query], env=self.environment(), capture_output=True, text=True)
        return (run.stdout + run.stderr).strip()

    def stop(self):
        self.process.terminate()
        self.process.wait()


def write(name, rollouts):
    path = os.path.join(folder, "files", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        for task, attempt, text in rollouts:
            steps = [{"action": text, "observation": "x" * 300}] * 3
            file.write(json.dumps({"task_id": task, "attempt_id": attempt, "trajectory": {"success": True, "steps": steps}}) + "\n")
        file.write("no rollout\n")
    return path


def loads(environment, *commands):
    """Loads at once: the exit codes, and what they say."""
    running = [subprocess.Popen([LOADER, *command], env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True) for command in commands]
    said = [process.communicate()[0] for process in running]
    return [process.returncode for process in running], said


def serial(*commands):
    for command in commands:
        subprocess.run([LOADER, *command], capture_output=True)


def contents(*tables):
    """What is in tables of rollouts and of errors; the times of loading are not."""
    return [rows(f"SELECT run, file, line, ordinal, task_id, attempt_id, md5(traj::text), warnings, content_hash FROM {table} ORDER BY 2, 3, 4; "
                 f"SELECT run, file, line, ordinal, reason, content_hash FROM {table}_errors ORDER BY 2, 3, 4, 5")
            for table in tables]


def into(table, *paths):
    return ("--table", table, "--errors", table + "_errors", *paths)


def clean():
    sql("SET client_min_messages = warning; DROP TABLE IF EXISTS one, one_errors, two, two_errors, both_errors")


use_database(DATABASE)
# of many batches, and of many files
left = [write(f"left/{n}.jsonl", [(f"l{n}", i, "go") for i in range(40)]) for n in range(8)] + \
    [write("left/long.jsonl", [("long", i, "left") for i in range(4000)])]
right = [write(f"right/r{n}.jsonl", [(f"r{n}", i, "stay") for i in range(40)]) for n in range(8)] + \
    [write("right/r_long.jsonl", [("long", i, "right") for i in range(4000)])]
same_names = [write("a/run.jsonl", [("t", i, "a") for i in range(50)]), write("b/run.jsonl", [("t", i, "b") for i in range(50)])]
left, right = os.path.dirname(left[0]), os.path.dirname(right[0])
shared = [("--table", name, "--errors", "both_errors", left) for name in ("one", "two")]

serial(into("one", left), into("two", right))
apart = contents("one", "two")
clean()
serial(into("one", left), into("one", right))
together = contents("one")
clean()
serial(into("one", left))
once = contents("one")
clean()
serial(*shared)
of_both = sql("SELECT count(*), count(DISTINCT (file, line)) FROM both_errors")
clean()
orders = []
for order in (same_names, same_names[::-1]):
    serial(*(into("one", path) for path in order))
    orders.append(contents("one"))
    clean()
ok(len(apart[0]) == 4329 and len(together[0]) == 8658 and orders[0] != orders[1], "files to load", [len(apart[0]), len(together[0])])

# without a pool
codes, said = loads(os.environ, *shared)
same((codes, sql("SELECT count(*), count(DISTINCT (file, line)) FROM both_errors")), ([1, 1], of_both), "sessions of their own: two tables that share one of errors")
clean()
codes, said = loads(os.environ, *(into("one", path) for path in same_names))
ok(codes == [1, 1] and contents("one") in orders, "sessions of their own: two files of one name are two runs", said)
clean()

STATE = """SELECT name || ' ' || setting FROM pg_settings WHERE source = 'session' AND name NOT IN ('application_name')
UNION ALL SELECT relname FROM pg_class WHERE relpersistence = 't'
UNION ALL SELECT proname FROM pg_proc WHERE pronamespace::regnamespace::text LIKE 'pg_temp%'
UNION ALL SELECT name FROM pg_prepared_statements UNION ALL SELECT locktype FROM pg_locks WHERE locktype = 'advisory' ORDER BY 1"""
for size in (1, 2):
    pool = Pool(size)
    before = pool.ask(STATE)
    name = f"pool of {size}"
    codes, said = loads(pool.environment(), into("one", left), into("two", right))
    same((codes, contents("one", "two") == apart), ([1, 1], True), f"{name}: two tables at once" + ("" if codes == [1, 1] else f" {said}"))
    clean()
    codes, said = loads(pool.environment(), into("one", left), into("one", right))
    same((codes, contents("one") == together), ([1, 1], True), f"{name}: one table" + ("" if codes == [1, 1] else f" {said}"))
    clean()
    codes, said = loads(pool.environment(), into("one", left), into("one", left), into("one", left))
    same((codes, contents("one") == once), ([1, 1, 1], True), f"{name}: the same files, three times at once" + ("" if codes == [1] * 3 else f" {said}"))
    clean()
    codes, said = loads(pool.environment(), *shared)
    same((codes, sql("SELECT count(*), count(DISTINCT (file, line)) FROM both_errors")), ([1, 1], of_both), f"{name}: two tables that share one of errors")
    clean()
    codes, said = loads(pool.environment(), *(into("one", path) for path in same_names))
    ok(codes == [1, 1] and contents("one") in orders, f"{name}: two files of one name are two runs", said)
    clean()
    codes, said = loads(pool.environment(), ("--dry-run", *into("one", left)), into("one", right), ("--dry-run", *into("one", right)))
    ok(codes == [1, 1, 1] and "dry run: nothing was stored" in said[0] and len(contents("one")[0]) == len(apart[1]), f"{name}: beside dry runs", [codes, said])
    clean()
    same(pool.ask(STATE), before, f"{name}: nothing is left in the sessions")

    # what another client of the pool left
    for _ in range(size):
        pool.ask("SET default_transaction_read_only = on")
    pool.ask("BEGIN READ WRITE; CREATE TEMP TABLE one (run text); COMMIT")
    codes, said = loads(pool.environment(), into("one", left))
    same((codes, contents("one") == once), ([1], True), f"{name}: a session that others left read-only, with a table of that name" +
         ("" if codes == [1] else f" {said}"))
    clean()
    pool.stop()
done()
