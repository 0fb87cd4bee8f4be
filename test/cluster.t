#!/usr/bin/env python3
"""The throwaway cluster is the caller's alone, and starts whatever the caller's environment says. The first part looks at the cluster
that PGHOST names, the second starts others with scripts/with-cluster."""
import os
import pwd
import shutil
import stat
import subprocess
import tempfile

from tap import done, has, ok, same, skip

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SOCKETS = os.environ["PGHOST"]
DATA = os.environ["AGENTRL_DATADIR"]
SERVER = pwd.getpwuid(os.stat(DATA).st_uid)
ADDRESS = os.path.join(SOCKETS, ".s.PGSQL.5432")
# variables of libpq and of the server, and what would become of a connection that heard them
HOSTILE = {"PGHOST": "/nowhere", "PGHOSTADDR": "192.0.2.1", "PGPORT": "6543", "PGUSER": "nobody", "PGDATABASE": "nowhere", "PGPASSWORD": "x",
           "PGSERVICE": "nowhere", "PGSERVICEFILE": "/nowhere", "PGPASSFILE": "/nowhere", "PGSYSCONFDIR": "/nowhere", "PGOPTIONS": "-c no.such",
           "PGDATA": "/nowhere", "PGSSLMODE": "require", "PGSSLROOTCERT": "/nowhere", "PGREQUIRESSL": "1", "PGGSSENCMODE": "require",
           "PGCHANNELBINDING": "require", "PGREQUIREPEER": "nobody", "PGREQUIREAUTH": "scram-sha-256", "PGTARGETSESSIONATTRS": "standby",
           "PGCLIENTENCODING": "SQL_ASCII", "PGTZ": "Nowhere", "PGDATESTYLE": "German", "PGGEQO": "x", "PGAPPNAME": "%", "PGCONNECT_TIMEOUT": "x",
           "PGLOCALEDIR": "/nowhere", "PGMINPROTOCOLVERSION": "9.9", "PGLOADBALANCEHOSTS": "x"}
SAYS = "SELECT current_user, current_database(), current_setting('port'), to_char(date '2026-02-01', 'YYYY'), date '2026-02-01'"


def mode(path):
    return stat.S_IMODE(os.stat(path).st_mode)


def as_nobody(*command):
    nobody = pwd.getpwnam("nobody")
    return subprocess.run(command, user=nobody.pw_uid, group=nobody.pw_gid, extra_groups=[], cwd="/", capture_output=True, text=True)


def with_cluster(changes, *command, umask=-1):
    """Runs a command through scripts/with-cluster from an environment with these changes."""
    environment = {**{name: value for name, value in os.environ.items() if not name.startswith("PG") or name == "PG_CONFIG"},
                   "AGENTRL_STAGED": "1", **changes}
    return subprocess.run(["scripts/with-cluster", *command], cwd=ROOT, env=environment, umask=umask, capture_output=True, text=True)


def closed(folder):
    return mode(folder) & 0o007 == 0


same([mode(path) for path in (SOCKETS, DATA, ADDRESS)], [0o700] * 3, "sockets and data are their owner's")
same({os.stat(path).st_uid for path in (SOCKETS, DATA, ADDRESS)}, {SERVER.pw_uid}, "their owner is the server's user")
ok(closed(os.path.dirname(SOCKETS)), "no other user enters the folder around them", oct(mode(os.path.dirname(SOCKETS))))
if os.getuid() == 0:
    ran = as_nobody(shutil.which("psql"), "-h", SOCKETS, "-U", "postgres", "-d", "postgres", "-XAtc", "SELECT 1")
    ok(ran.returncode == 2 and "Permission denied" in ran.stderr, "another user cannot connect", ran.stdout + ran.stderr)
    for folder in (os.path.dirname(SOCKETS), SOCKETS, DATA):
        ok(as_nobody("ls", folder).returncode != 0, f"another user does not see {os.path.basename(folder)}")
else:
    skip("not root: another user is not tried")

with tempfile.TemporaryDirectory(dir="/tmp") as folder:
    os.chmod(folder, 0o711)
    home = os.path.join(folder, "home")
    os.mkdir(home)
    with open(os.path.join(home, ".psqlrc"), "w") as file:
        file.write("SELECT 'read';\n\\q\n")
    with open(os.path.join(home, ".pgpass"), "w") as file:
        file.write("*:*:*:*:wrong\n")
    os.chmod(file.name, 0o600)
    spaced = os.path.join(folder, "a folder with spaces")
    os.mkdir(spaced, 0o711)
    ran = with_cluster({**HOSTILE, "HOME": home, "TMPDIR": spaced}, "psql", "-XAtc", SAYS, umask=0o077)
    same((ran.stdout, ran.returncode), ("postgres|agentrl|5432|2026|2026-02-01\n", 0),
         "variables of other servers, a psqlrc, a umask of 077 and spaces in TMPDIR change nothing")
    same(ran.stderr, "", "and nothing is said of them")
    same(os.listdir(spaced), [], "nothing is left of the cluster")

    ran = with_cluster({"TMPDIR": spaced}, "sh", "-c", 'stat -c %a "$PGHOST" "$AGENTRL_DATADIR" "$(dirname "$PGHOST")"; umask', umask=0)
    sockets, data, around, umask = ran.stdout.split() or [None] * 4
    ok((sockets, data, umask) == ("700", "700", "0000") and around in ("710", "700"), "a umask of 0 opens nothing, and stays the command's", ran.stdout + ran.stderr)

    unfit = [("a path too long", os.path.join(folder, "x" * 80), "has a path too long for a socket"), ("a comma", os.path.join(folder, "a,b"), "has a character"),
             ("no folder", os.path.join(folder, "none"), "is no folder to write to"), ("a relative path", "test", "is not an absolute path")]
    if os.getuid() == 0:
        unfit.append(("a folder of root's own", os.path.join(folder, "shut"), "cannot be entered by the server's user"))
    for name, path, reason in unfit:
        if name in ("a path too long", "a comma", "a folder of root's own"):
            os.mkdir(path, 0o700)
        ran = with_cluster({"TMPDIR": path}, "sh", "-c", 'psql -XAtc "SELECT 1" && echo "$PGHOST"')
        ok(ran.returncode == 0 and ran.stdout.startswith("1\n/tmp/agentrl."), f"TMPDIR with {name}: the cluster lives in /tmp", ran.stdout + ran.stderr)
        has(ran.stderr, f"agentrl: the folder TMPDIR ({path}) {reason}", f"TMPDIR with {name}: it says so")
done()
