"""The processes of a server, started as in production and stopped by process id."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import redis

from tests.postgres import Postgres
from tests.servers import ROOT, Server, free_ports
from tests.waiting import wait_until
from tournaments.management.programs import open_listener, web_words, worker_words

PATIENCE = 7200
"""Filling a million games takes long on a busy machine."""

TICK = os.sysconf("SC_CLK_TCK")


class Redis:
    """The broker: it keeps nothing, for a message is only a wake-up."""

    def __init__(self, folder: Path) -> None:
        self.folder, (self.port,) = folder, free_ports(1)
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """The address it listens on."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it and wait until it answers."""
        words = ["redis-server", "--bind", "127.0.0.1", "--port", str(self.port), "--save", ""]
        words += ["--dir", str(self.folder), "--logfile", str(self.folder / "redis.log")]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, start_new_session=True)
        wait_until(self.answers, 10)

    def answers(self) -> bool:
        """Whether it does its work."""
        try:
            return bool(redis.Redis.from_url(self.url).ping())
        except redis.ConnectionError:
            return False

    def stop(self) -> None:
        """End it."""
        end(self.process)


class Site(Server):
    """The web server, and a worker with the clock, on PostgreSQL and Redis."""

    def __init__(self, folder: Path, database: str, broker: str) -> None:
        self.broker = broker
        self.worker: subprocess.Popen[bytes] | None = None
        folder.mkdir(exist_ok=True)
        super().__init__(folder, database)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of web server and worker."""
        environment: dict[str, str] = super().environment
        return environment | {"KINGSCORE_BROKER_URL": self.broker}

    def run_python(self, code: str) -> str:
        """Run code in the project, with more patience than a test has."""
        done = subprocess.run(
            [sys.executable, "-c", f"import django; django.setup()\n{code}"],
            cwd=ROOT,
            # Statements that fill are slow ones.
            env=self.environment | {"KINGSCORE_SLOW_QUERY_MS": "0"},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            text=True,
            timeout=PATIENCE,
            check=True,
        )
        return done.stdout

    def start_worker(self) -> None:
        """Start the worker, in a group of its own."""
        with (self.folder / "worker.log").open("ab") as log:
            self.worker = subprocess.Popen(
                [sys.executable, "-m", *worker_words(beat=True)],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def close(self) -> None:
        """Stop both."""
        end(self.worker)
        super().close()


class Bare:
    """The same web server with an application that answers 304 and nothing else."""

    def __init__(self) -> None:
        self.listener = open_listener("127.0.0.1", 0)
        self.host, self.port = self.listener.getsockname()
        words = web_words(f"fd://{self.listener.fileno()}")
        words[words.index("kingscore.asgi:application")] = "benchmarks.evening.bare:application"
        self.process = subprocess.Popen(
            [sys.executable, "-m", *words],
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            pass_fds=[self.listener.fileno()],
            start_new_session=True,
        )

    def close(self) -> None:
        """Stop it."""
        end(self.process)
        self.listener.close()


def end(process: subprocess.Popen[bytes] | None) -> None:
    """Ask a process to end, and end it when it does not."""
    if process is None or process.poll() is not None:
        return
    process.terminate()
    try:
        process.wait(timeout=15)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def processor_seconds(pid: int) -> float:
    """The processor time of a process and its children so far."""
    return sum(family(pid).values())


def family(pid: int) -> dict[int, float]:
    """The processor time of a process, and of each below it."""
    parents: dict[int, list[int]] = {}
    used: dict[int, float] = {}
    for place in Path("/proc").glob("[0-9]*"):
        try:
            # Behind the name, which may have anything in it.
            parts = (place / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents.setdefault(int(parts[1]), []).append(int(place.name))
        # Of its own, and of children that are gone.
        used[int(place.name)] = sum(map(int, parts[11:15])) / TICK
    return {each: used.get(each, 0) for each in _with_children(pid, parents)}


def _with_children(pid: int, parents: dict[int, list[int]]) -> Iterator[int]:
    yield pid
    for child in parents.get(pid, ()):
        yield from _with_children(child, parents)


@contextmanager
def running(*servers: Postgres | Redis) -> Iterator[None]:
    """Start one after the other; all are stopped whatever happens."""
    with ExitStack() as stack:
        for server in servers:
            stack.callback(server.stop)
            server.start()
        yield
