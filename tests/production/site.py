"""A whole site as deploy/ describes it, on this machine and without containers.

Each part is a process that is started, waited for and stopped by hand.
"""

import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from contextlib import closing
from http.client import HTTPConnection
from pathlib import Path

import psycopg

from tests import postgres
from tests.production import laying
from tests.servers import READ_SHEETS, free_ports
from tests.waiting import PATIENCE, wait_until


def listens_at(port, says=b"", answers=b""):
    try:
        with closing(socket.create_connection(("127.0.0.1", port), 2)) as line:
            line.sendall(says)
            return not answers or line.recv(len(answers)) == answers
    except OSError:
        return False


class Part:
    """A program that runs until it is told to stop, in a process group of its own."""

    stops_by = signal.SIGTERM
    ends_by = signal.SIGKILL

    def __init__(self, name, words, log, answers=None, **more):
        """`answers` says whether the part does its work; one without it is taken at its word."""
        self.name, self.words, self.answers, self.more = name, words, answers, more
        self.log = Path(log) / f"{name}.log"
        self.process = None

    def start(self):
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                self.words,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                **self.more,
            )

    def wait(self):
        wait_until(self.is_ready, said=self.last_words)

    def is_ready(self):
        assert self.process.poll() is None, f"{self.name} ended: {self.last_words()}"
        return self.answers is None or self.answers()

    def stop(self):
        self.process.send_signal(self.stops_by)
        self.process.wait(PATIENCE)

    def end(self):
        if self.process is not None and self.process.poll() is None:
            os.killpg(self.process.pid, self.ends_by)
            self.process.wait()

    @property
    def said(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""

    def last_words(self):
        return self.said[-3000:]


class Postgres(Part):
    # It waits for nobody who is connected: its fast way, and its immediate one.
    stops_by = signal.SIGINT
    # Its processes are in groups of their own, and share memory that somebody must give back.
    ends_by = signal.SIGQUIT


class Ports:
    """Where each part listens, on the loopback."""

    def __init__(self):
        self.http, self.https, self.admin, self.postgres, self.redis, *self.webs = free_ports(7)


class Site:
    """PostgreSQL, Redis, two web servers, a worker, beat and the proxy in front."""

    def __init__(self):
        # PostgreSQL, which is not root, is let into no folder of the tests.
        self.folder = Path(tempfile.mkdtemp(prefix="kingscore-production-"))
        self.folder.chmod(0o755)
        self.logs = self.folder / "logs"
        self.logs.mkdir()
        (self.folder / "data").mkdir(mode=0o700)
        self.ports = Ports()
        laying.lay_program(self.folder / "app")
        laying.lay_static_files(self.folder / "static", self.folder / "srv" / "static")
        laying.lay_database(self.folder / "database", self.folder / "password")
        self.authority = laying.lay_proxy(self.folder)
        self.environment = laying.environment_of_programs(self.folder, self.ports)
        programs = [self.web(number, port) for number, port in enumerate(self.ports.webs, 1)]
        programs += [
            self.program(name, laying.SERVICES[name]["command"]) for name in ("worker", "beat")
        ]
        made = [self.postgres(), self.redis(), *programs, self.proxy()]
        self.parts = {part.name: part for part in made}

    def postgres(self):
        words = [postgres.program("postgres"), "-D", self.folder / "database"]
        words += postgres.options(self.ports.postgres)
        log, answers = self.logs, self.database_answers
        return Postgres("postgres", words, log, answers, cwd="/", **postgres.UNPRIVILEGED)

    def redis(self):
        port = self.ports.redis
        place = ("--port", str(port), "--bind", "127.0.0.1", "--dir", str(self.folder))
        words = ["redis-server", *place, *laying.SERVICES["broker"]["command"][1:]]
        return Part("redis", words, self.logs, lambda: listens_at(port, b"PING\r\n", b"+PONG"))

    def web(self, number, port):
        words = [*laying.START_WEB, "--port", str(port)]
        words[words.index("0.0.0.0")] = "127.0.0.1"
        return self.program(f"web {number}", words, lambda: is_ready(port))

    def program(self, name, words, answers=None):
        place = {"cwd": self.folder / "app", "env": self.environment}
        return Part(name, words, self.logs, answers, **place)

    def proxy(self):
        words = ["caddy", "run", "--adapter", "caddyfile", "--config", laying.DEPLOY / "Caddyfile"]
        own = laying.environment_of_proxy(self.folder, self.ports)
        return Part("proxy", words, self.logs, lambda: listens_at(self.ports.https), env=own)

    def start(self):
        for name in ("postgres", "redis"):
            self.parts[name].start()
        self.parts["postgres"].wait()
        with self.ask_database() as connection:
            connection.execute("CREATE DATABASE kingscore")
        self.run(laying.SERVICES["migrate"]["command"])
        for part in self.parts.values():
            if part.process is None:
                part.start()
        for part in self.parts.values():
            part.wait()

    def ask_database(self):
        url = f"postgresql://kingscore:{laying.PASSWORD}@127.0.0.1:{self.ports.postgres}/postgres"
        return psycopg.connect(url, autocommit=True, connect_timeout=2)

    def database_answers(self):
        try:
            self.ask_database().close()
        except psycopg.OperationalError:
            return False
        return True

    def run(self, words):
        """Run something once, as in a container that ends, and return what it printed."""
        done = subprocess.run(
            words,
            cwd=self.folder / "app",
            env=self.environment | {"DJANGO_SETTINGS_MODULE": "kingscore.settings"},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run_python(self, code):
        return self.run(["python", "-c", f"import django; django.setup()\n{code}"])

    def read_sheets(self):
        return json.loads(self.run_python(READ_SHEETS))

    def close(self):
        for part in self.parts.values():
            part.end()
        shutil.rmtree(self.folder, ignore_errors=True)


def is_ready(port):
    """As a balancer of load asks a web server, by the address of the machine and without TLS."""
    line = HTTPConnection("127.0.0.1", port, timeout=5)
    try:
        line.request("GET", "/readyz")
        return line.getresponse().status == 200
    except OSError:
        return False
    finally:
        line.close()
