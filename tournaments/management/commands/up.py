"""Run everything Kingscore needs, the web server and the worker, under one process."""

import hashlib
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.metadata import version
from pathlib import Path
from typing import Any

import segno
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tournaments.management.programs import (
    keep_private,
    note_failed_starts,
    web_words,
    worker_words,
)
from tournaments.management.watchdog import end_groups
from tournaments.origin import lan_address

# Number of consecutive lives shorter than `Program.short_life` that count as failing to start.
SHORT_LIVES = 3
# Seconds before each further try to start the worker; the pause doubles each time.
FIRST_PAUSE, LONGEST_PAUSE = 5, 300
# A little more than the web server allows for requests under way.
PATIENCE = 12


class Program:
    """One program kept running, in a process group of its own so that Ctrl-C reaches only us."""

    # Seconds; a program that ends sooner has not really started.
    short_life = 10

    def __init__(
        self, name: str, words: list[str], watchdog: "Watchdog", keep: tuple[int, ...] = ()
    ) -> None:
        self.name, self.words, self.watchdog, self.keep = name, words, watchdog, keep
        self.short_lives = 0
        self.start()

    def start(self) -> None:
        self.born = time.monotonic()
        self.runs = True
        self.process = subprocess.Popen(
            [sys.executable, "-m", *self.words],
            stdin=subprocess.DEVNULL,
            start_new_session=True,
            pass_fds=self.keep,
            # Python finds the project in the current folder.
            cwd=settings.BASE_DIR,
        )
        self.watchdog.hold(self.process.pid)

    def revive(self) -> None:
        """Restart a program that has ended; raise if that does not help."""
        if self.process.poll() is None:
            return
        self.count_end()
        if self.short_lives >= SHORT_LIVES:
            raise CommandError(f"{self.does_not_stay()} Everything is stopped.")
        self.start_again()

    def count_end(self) -> None:
        """Clean up after a program that has ended, and count it if it had not really started."""
        self.end_rest()
        self.short_lives = 0 if self.has_lived() else self.short_lives + 1

    def has_lived(self) -> bool:
        return time.monotonic() - self.born >= self.short_life

    def does_not_stay(self) -> str:
        return (
            f"The {self.name} does not stay up (status {self.process.returncode});"
            " its last words are above."
        )

    def start_again(self) -> None:
        sys.stderr.write(f"The {self.name} ended by itself; it is started again.\n")
        self.start()

    def end_rest(self) -> None:
        """End the processes that the program left behind, such as the clock of a killed worker."""
        end_groups([self.process.pid], signal.SIGKILL)
        self.watchdog.let_go(self.process.pid)
        # From here on the process id may belong to another program.
        self.runs = False


class WorkerProgram(Program):
    """The worker; without it documents and e-mails wait, but games are still scored."""

    # A task that kills the worker may run for a while first.
    short_life = 60
    again_at = 0.0

    def revive(self) -> None:
        """Restart a worker that has ended, after longer and longer pauses."""
        if not self.runs:
            if time.monotonic() >= self.again_at:
                self.start_again()
        elif self.process.poll() is not None:
            self.count_end()
            self.again_at = time.monotonic() + self.pause()
        elif self.short_lives and self.has_lived():
            self.short_lives = 0
            note_failed_starts(0)

    def pause(self) -> int:
        """Return the seconds until the next try, and print them; none at first."""
        more = self.short_lives - SHORT_LIVES
        if more < 0:
            return 0
        # Limit the doubling: a worker that fails for weeks would make a huge number.
        seconds: int = min(FIRST_PAUSE * 2 ** min(more, 10), LONGEST_PAUSE)
        note_failed_starts(self.short_lives)
        sys.stderr.write(
            f"{self.does_not_stay()} The site runs without it; next try in {seconds} seconds.\n"
        )
        return seconds


class Watchdog:
    """The watchdog process, which ends the programs if this process is killed."""

    def __init__(self) -> None:
        far_end, self.end = os.pipe()
        words = [sys.executable, "-m", "tournaments.management.watchdog"]
        self.process = subprocess.Popen(
            words, stdin=far_end, start_new_session=True, cwd=settings.BASE_DIR
        )
        os.close(far_end)

    def hold(self, group: int) -> None:
        self.tell(f"+{group}\n")

    def let_go(self, group: int) -> None:
        self.tell(f"-{group}\n")

    def tell(self, line: str) -> None:
        # Without the watchdog everything works except in that emergency.
        with suppress(BrokenPipeError):
            os.write(self.end, line.encode())

    def close(self) -> None:
        os.close(self.end)
        self.process.wait()


def open_listener(host: str, port: int) -> socket.socket:
    """Listen for connections.

    The web server inherits the socket: while it restarts, connections wait in the queue instead of
    being refused.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host}, port {port}: {error.strerror}."
            " Is Kingscore running already? Another port: --port 8001"
        ) from error


def addresses(host: str, port: int) -> list[str]:
    """Return the URLs of the site, that for this machine first."""
    if host not in {"0.0.0.0", "::", ""}:  # noqa: S104 - compared, not listened on
        name = f"[{host}]" if ":" in host else host
        return [f"http://{name}:{port}/"]
    lan = lan_address()
    return [f"http://{name}:{port}/" for name in ("localhost", lan) if name]


def migrate_if_needed() -> None:
    """Migrate the database; checking first is faster than a migration without changes."""
    executor = MigrationExecutor(connections["default"])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    # No migration creates this table, since the settings choose the cache.
    call_command("createcachetable", verbosity=0)
    # The programs started later have connections of their own.
    connections.close_all()


def static_fingerprint() -> str:
    """Return a digest that changes when a static file changes."""
    parts = [f"django {version('django')}", f"whitenoise {version('whitenoise')}"]
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            parts.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


def collect_static_if_needed() -> None:
    """Collect and compress the static files if one has changed."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    fingerprint = static_fingerprint()
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(fingerprint)


@contextmanager
def stop_signals() -> Iterator[threading.Event]:
    """Yield an event that Ctrl-C, SIGTERM and a closed terminal set."""
    stop = threading.Event()
    kinds = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {kind: signal.signal(kind, lambda *_: stop.set()) for kind in kinds}
    try:
        yield stop
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


class Command(BaseCommand):
    """The one command that a club needs."""

    help = "Set up what is missing and run the web server and the worker until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="0.0.0.0")  # noqa: S104 - phones must reach it
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")

    def handle(self, *_: Any, **options: Any) -> None:
        with stop_signals() as stop, open_listener(options["host"], options["port"]) as listener:
            keep_private(settings.DATA)
            migrate_if_needed()
            call_command("compile_translations", verbosity=0)
            collect_static_if_needed()
            found_at = addresses(options["host"], listener.getsockname()[1])
            if not settings.SITE_ADDRESS:
                # For e-mails and QR codes: phones can reach the last one, too.
                os.environ["KINGSCORE_FOUND_AT"] = found_at[-1]
            self.run(listener, found_at, stop)

    def run(self, listener: socket.socket, found_at: list[str], stop: threading.Event) -> None:
        watchdog = Watchdog()
        programs: list[Program] = []
        bind = f"fd://{listener.fileno()}"
        try:
            programs.append(Program("web server", web_words(bind), watchdog, (listener.fileno(),)))
            programs.append(WorkerProgram("worker", worker_words(beat=True), watchdog))
            self.announce(found_at)
            # Restart rather than give up: a table at its 17th deal wants the page back, and nobody
            # there watches the laptop. A web server that never starts stops everything; a worker
            # never does.
            while not stop.wait(0.5):
                for program in programs:
                    program.revive()
        finally:
            self.stop([program for program in programs if program.runs])
            note_failed_starts(0)
            watchdog.close()

    def announce(self, found_at: list[str]) -> None:
        self.stdout.write("Kingscore is at " + " and ".join(found_at))
        if self.stdout.isatty():
            segno.make(found_at[-1], micro=False).terminal(sys.stdout, compact=True)
        self.stdout.write("Stop it with Ctrl-C.")
        self.stdout.flush()

    def stop(self, programs: list[Program]) -> None:
        for program in programs:
            program.process.terminate()
        deadline = time.monotonic() + PATIENCE
        for program in programs:
            with suppress(subprocess.TimeoutExpired):
                program.process.wait(max(0, deadline - time.monotonic()))
            program.end_rest()
