"""A PostgreSQL of one's own, on the loopback and without a socket in a folder of all.

Run as a program, it runs the tests of races on one that is thrown away: on SQLite, which lets one
process write at a time, they pass without a lock.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path

import psycopg
from psycopg import sql

from tests.servers import free_ports

# It refuses to run as root.
UNPRIVILEGED = (
    {"user": "postgres", "group": "postgres", "extra_groups": []} if os.geteuid() == 0 else {}
)


def program(name):
    """The path of one of its programs, of the newest there is; Debian keeps them off the path."""
    found = Path("/usr/lib/postgresql").glob(f"*/bin/{name}")
    newest = max(found, key=lambda path: int(path.parts[-3]), default=None)
    return str(newest) if newest else shutil.which(name)


def lay(data, *ways):
    """Make an empty one in a folder, which belongs to the user kingscore."""
    data.mkdir(parents=True)
    if UNPRIVILEGED:
        shutil.chown(data, "postgres", "postgres")
    run("initdb", "--pgdata", data, "--username", "kingscore", *ways)


FORGETFUL = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c autovacuum=off"
"""What is thrown away need not outlive a power cut."""


def options(port):
    return f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories=".split()


def run(name, *words):
    # From the root folder: postgres may not enter every one. A server that stays would hold a pipe.
    subprocess.run(
        [program(name), *map(str, words)],
        cwd="/",
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=True,
        **UNPRIVILEGED,
    )


class Postgres:
    """One in a folder, as the package comes: every commit is on the disk."""

    def __init__(self, folder):
        if program("initdb") is None:
            raise RuntimeError("There is no PostgreSQL here: apt install postgresql")
        self.data, (self.port,) = Path(folder).resolve() / "postgres", free_ports(1)
        if not self.data.exists():
            lay(self.data, "--auth", "trust", "--encoding", "UTF8", "--locale", "C.UTF-8")

    def url(self, name="postgres"):
        return f"postgresql://kingscore@127.0.0.1:{self.port}/{name}"

    def start(self, more=""):
        words = " ".join([*options(self.port), more])
        self.control("--wait", "--log", self.data / "log", "--options", words, "start")

    def stop(self, mode="fast"):
        """Stop it; `immediate` is how a power cut looks to it."""
        if (self.data / "postmaster.pid").exists():
            self.control("--mode", mode, "stop")

    def control(self, *words):
        run("pg_ctl", "--pgdata", self.data, "--silent", "--timeout", 120, *words)

    def has(self, name):
        return bool(self.ask("SELECT FROM pg_database WHERE datname = %s", name))

    def ask(self, question, *values):
        with psycopg.connect(self.url()) as connection:
            return connection.execute(question, values).fetchall()

    def tell(self, statement, *names):
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(sql.SQL(statement).format(*map(sql.Identifier, names)))

    @property
    def pid(self):
        return int((self.data / "postmaster.pid").read_text().splitlines()[0])


@contextmanager
def started(more=""):
    """A folder into which PostgreSQL is let, unlike those of the tests, and one that runs in it."""
    with tempfile.TemporaryDirectory(prefix="kingscore-postgres-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        postgres = Postgres(folder)
        postgres.start(more)
        try:
            yield folder, postgres
        finally:
            postgres.stop("immediate")


def run_races():
    """Run every `test_*together.py` on a PostgreSQL of its own; return the status of pytest."""
    if program("initdb") is None:
        sys.stdout.write("No PostgreSQL on this machine, so no races. apt install postgresql\n")
        return int(os.environ.get("KINGSCORE_TEST_REQUIRE_ALL") == "1")
    races = sorted(map(str, Path("tests").rglob("test_*together.py")))
    pytest = [sys.executable, "-m", "pytest", "-n", "2", "--dist", "loadfile", *races]
    with started(FORGETFUL) as (_folder, postgres):
        environment = {**os.environ, "KINGSCORE_DATABASE_URL": postgres.url()}
        return subprocess.run(pytest, env=environment, check=False).returncode


if __name__ == "__main__":
    # Make ends it; the database is to end with it.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(run_races())
