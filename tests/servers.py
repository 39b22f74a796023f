"""A real web server of the project, started as `up` starts it, on data of its own."""

import fcntl
import hashlib
import json
import os
import secrets
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from functools import cache
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.waiting import PATIENCE, wait_until
from tournaments.management.programs import open_listener, web_words

ROOT = Path(__file__).resolve().parent.parent

MIGRATE = """
from tournaments.management.commands import up
up.migrate_if_needed()
"""

PREPARE = f"""{MIGRATE}
from django.core.management import call_command
call_command("compile_translations", verbosity=0)
up.collect_static_if_needed()
"""


@cache
def migrated():
    return made_once("migrated", migrate)


@cache
def prepared():
    """A folder in which everything is ready for `up`."""
    return made_once("prepared", prepare)


def made_once(name, make):
    """A folder that the processes of a run share, for it takes a while to make.

    It is removed with the folder of the tests, unless several runs share one that they are given.
    """
    shared = os.environ.get("KINGSCORE_TEST_PREPARED") or os.environ["KINGSCORE_TEST_DATA"]
    folder = Path(shared) / name
    with folder.with_suffix(".lock").open("w") as lock:
        # Held until the file is closed.
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            # Aside until it is whole.
            aside = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=folder.parent))
            make(aside)
            # Each site makes its own secret.
            (aside / "secret-key").unlink()
            aside.rename(folder)
    return folder


def migrate(folder, **more):
    # As tests do: what outlives a power cut is written ten times more slowly on a busy disk.
    of_tests = {"DJANGO_SETTINGS_MODULE": "tests.settings", "KINGSCORE_TEST_DATA": str(folder)}
    run_python(MIGRATE, environment_of(folder, **of_tests, **more))


def prepare(folder):
    shutil.copytree(migrated(), folder, dirs_exist_ok=True)
    in_folder = environment_of(folder, DJANGO_SETTINGS_MODULE="kingscore.settings")
    run_python(PREPARE, in_folder)


def environment_of(folder, **more):
    """The variables of this process without those of the tests, and the data in a folder."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("KINGSCORE_", "DJANGO_"))}
    return {**kept, "KINGSCORE_DATA": str(folder), **more}


def run_python(code, environment):
    done = subprocess.run(
        [sys.executable, "-c", f"import django; django.setup()\n{code}"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(done.stderr)
    return done.stdout


READ_SHEETS = """
import json
from tournaments.models import Game
from tournaments.queries.sheets import load_sheets
print(json.dumps({
    sheet.row.public_id: {
        "title": sheet.row.title,
        "revision": sheet.row.revision,
        "writes": [[write.revision, write.key, write.body] for write in sheet.revisions],
        "totals": list(sheet.game.totals),
        "expected_sum": sheet.game.expected_sum,
    }
    for sheet in load_sheets(Game.objects.all())
}))
"""


class Server:
    """The web server on a folder, at an address that stays when it is started again."""

    def __init__(self, folder, database_url=None, settings="kingscore.settings", processes=2):
        self.folder, self.database_url, self.settings = Path(folder), database_url, settings
        self.web_processes = processes
        self.process = None
        # A database of PostgreSQL is made from one that is ready.
        if not (self.folder / "db.sqlite3").exists():
            self.run_python(PREPARE)
        # Held here as `up` holds it: a server started again is found at the same address.
        self.listener = open_listener("127.0.0.1", 0)
        self.host, self.port = self.listener.getsockname()

    @property
    def environment(self):
        own = {"KINGSCORE_DATABASE_URL": self.database_url} if self.database_url else {}
        own["WEB_CONCURRENCY"] = str(self.web_processes)
        return environment_of(self.folder, DJANGO_SETTINGS_MODULE=self.settings, **own)

    def run_python(self, code):
        return run_python(code, self.environment)

    def read_sheets(self):
        return json.loads(self.run_python(READ_SHEETS))

    def start(self):
        words = web_words(f"fd://{self.listener.fileno()}", self.web_processes)
        with (self.folder / "log").open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *words],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[self.listener.fileno()],
                # A group of its own: killed whole, the master with its workers.
                start_new_session=True,
            )
        self.wait()

    def wait(self):
        """Wait for the first answer; until then visitors stand in the queue of the listener."""
        wait_until(self.answers, said=lambda: self.said)

    def answers(self):
        if self.process.poll() is not None:
            raise RuntimeError(self.said)
        visitor = HTTPConnection(self.host, self.port, timeout=5)
        try:
            visitor.request("HEAD", "/")
            visitor.getresponse()
        except (OSError, HTTPException):
            return False
        else:
            return True
        finally:
            visitor.close()

    @property
    def said(self):
        return (self.folder / "log").read_text()

    def kill(self):
        """End all its processes at once, as a power cut would, without a word to any."""
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.kill()

    def close(self):
        self.stop()
        self.listener.close()


def free_ports(count):
    listeners = [socket.create_server(("127.0.0.1", 0)) for _ in range(count)]
    try:
        return [listener.getsockname()[1] for listener in listeners]
    finally:
        for listener in listeners:
            listener.close()


@contextmanager
def serve(folder, database_url=None, settings="kingscore.settings", ready=None, processes=2):
    """A server on a folder, and on a database of its own where a PostgreSQL address is given.

    `ready` is a prepared folder to begin with, instead of making everything again. One process
    starts in half the time of two: enough where it is not about several.
    """
    if ready is not None:
        shutil.copytree(ready, folder, dirs_exist_ok=True)
    with database_of_its_own(database_url) as own_url:
        server = Server(folder, own_url, settings, processes)
        try:
            server.start()
            yield server
        finally:
            server.close()


@contextmanager
def database_of_its_own(database_url):
    """A database beside the one at the address, ready and dropped at the end; None stays None."""
    if not database_url:
        yield None
        return
    name = f"kingscore_served_{secrets.token_hex(4)}"
    ready = prepared_database(database_url)
    tell_database(database_url, f"CREATE DATABASE {name} TEMPLATE {ready}")
    try:
        yield beside(database_url, name)
    finally:
        tell_database(database_url, f"DROP DATABASE {name} WITH (FORCE)")


@cache
def prepared_database(database_url):
    """The name of a database to copy, in which every table is: made once for all of a run."""
    name = name_of_prepared()

    def make(folder):
        # Left over where making it broke off.
        tell_database(database_url, f"DROP DATABASE IF EXISTS {name}")
        tell_database(database_url, f"CREATE DATABASE {name}")
        migrate(folder, KINGSCORE_DATABASE_URL=beside(database_url, name))

    made_once(name, make)
    return name


@contextmanager
def database_to_test_with():
    """Give Django a database to test with in which every table is: it need not migrate one."""
    from django.conf import settings

    to_test = settings.DATABASES["default"]["TEST"]
    with database_of_its_own(os.environ.get("KINGSCORE_DATABASE_URL")) as own_url:
        if own_url:
            to_test["NAME"] = urlsplit(own_url).path.strip("/")
        else:
            shutil.copyfile(migrated() / "db.sqlite3", to_test["NAME"])
        yield


def name_of_prepared():
    """As no other run calls it: that of the folder of this one."""
    folder = os.environ["KINGSCORE_TEST_DATA"].encode()
    return f"kingscore_prepared_{hashlib.sha256(folder).hexdigest()[:12]}"


def drop_prepared_database():
    """Leave nothing behind on a server of PostgreSQL that is there for longer than the tests."""
    if database_url := os.environ.get("KINGSCORE_DATABASE_URL"):
        name = name_of_prepared()
        tell_database(database_url, f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")


def beside(database_url, name):
    return urlunsplit(urlsplit(database_url)._replace(path=f"/{name}"))


def tell_database(database_url, statement):
    import psycopg

    with psycopg.connect(database_url, autocommit=True) as connection:
        connection.execute(statement)
