"""A whole site of real programs, each in a process group of its own that can be killed alone."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException
from pathlib import Path

from benchmarks.evening.machines import Redis, Site, running
from benchmarks.faults.sinks import MailSink
from tests.postgres import Postgres
from tests.servers import ROOT
from tests.services.webhooks.receiver import Receiver, receiving
from tests.waiting import wait_until
from tournaments.management.programs import beat_words, worker_words


@dataclass
class Program:
    """A worker or a clock: killed and started again."""

    words: list[str]
    environment: dict[str, str]
    log: Path
    process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start it."""
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(
                [sys.executable, "-m", *self.words],
                cwd=ROOT,
                env=self.environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def kill(self) -> None:
        """End it at once, without a word to it."""
        kill_group(self.process)

    def stop(self) -> None:
        """Ask it to end."""
        if self.process is not None and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(timeout=15)
            except subprocess.TimeoutExpired:
                self.kill()


def kill_group(process: "subprocess.Popen[bytes] | None") -> None:
    """SIGKILL for a process and all it has started."""
    if process is not None and process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


class FaultySite(Site):
    """A web server with more said to its programs; without servers it has SQLite and a folder."""

    def __init__(
        self, folder: Path, database: str = "", broker: str = "folder://localhost", **more: str
    ) -> None:
        self.more = more
        super().__init__(folder, database, broker)

    @property
    def environment(self) -> dict[str, str]:
        """The variables of all its programs."""
        return super().environment | self.more


@dataclass
class Whole:
    """Everything that runs: `sites` are web servers on one database, each with its own port."""

    postgres: Postgres
    broker: Redis
    mails: MailSink
    receiver: Receiver
    sites: list[FaultySite] = field(default_factory=list)
    workers: list[Program] = field(default_factory=list)
    beats: list[Program] = field(default_factory=list)

    @property
    def site(self) -> FaultySite:
        """The first web server."""
        return self.sites[0]

    def program(self, words: list[str], name: str, **more: str) -> Program:
        """A worker or a clock beside the first web server, not yet started."""
        return Program(words, self.site.environment | more, self.site.folder / f"{name}.log")

    def kill_postgres(self) -> None:
        """SIGKILL for every process of PostgreSQL."""
        first = self.postgres.pid
        children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
        for pid in [str(first), *children]:
            with suppress(ProcessLookupError):
                os.kill(int(pid), signal.SIGKILL)
        wait_until(lambda: not Path(f"/proc/{first}").exists(), 10)


@contextmanager
def whole(folder: Path, webs: int = 1, workers: int = 1, beats: int = 1) -> Iterator[Whole]:
    """Start everything, and stop everything by its process at the end."""
    folder.chmod(0o755)
    postgres, broker = Postgres(folder), Redis(folder)
    with running(postgres, broker), MailSink() as mails, receiving() as receiver:
        all_of_it = Whole(postgres, broker, mails, receiver)
        more = {
            "KINGSCORE_EMAIL_URL": f"smtp://127.0.0.1:{mails.port}?tls=0&from=king@club.example",
            "KINGSCORE_WEBHOOK_NETWORKS": "127.0.0.0/8",
        }
        try:
            for _ in range(webs):
                # One folder: the secret that addresses come from must be the same.
                site = FaultySite(folder / "site", postgres.url(), broker.url, **more)
                all_of_it.sites.append(site)
                site.start()
            for number in range(workers):
                all_of_it.workers.append(
                    all_of_it.program(worker_words(beat=False), f"worker{number}")
                )
            for number in range(beats):
                all_of_it.beats.append(all_of_it.program(beat_words(), f"beat{number}"))
            for program in [*all_of_it.workers, *all_of_it.beats]:
                program.start()
            yield all_of_it
        finally:
            for program in [*all_of_it.beats, *all_of_it.workers]:
                program.stop()
            for site in all_of_it.sites:
                site.close()


def answers(site: Site, path: str = "/") -> bool:
    """Whether a page comes, of a server that need not be there."""
    visitor = HTTPConnection(site.host, site.port, timeout=30)
    try:
        visitor.request("GET", path)
        return visitor.getresponse().status == 200
    except (OSError, HTTPException):
        return False
    finally:
        visitor.close()
