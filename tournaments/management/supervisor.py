"""The process of `up`, which keeps the web server and the worker running.

It imports nothing of Django, so that it takes a tenth of the memory.
"""

import ctypes
import json
import os
import select
import signal
import socket
import subprocess
import sys
import time
from argparse import ArgumentParser
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import ClassVar

from tournaments.management.nursery import Answer, Task
from tournaments.management.opening import HELP, add_arguments, open_listener
from tournaments.management.watchdog import end_groups

PROJECT = Path(__file__).resolve().parents[2]
# Number of consecutive lives shorter than `Program.short_life` that count as failing to start.
SHORT_LIVES = 3
# Seconds before each further try to start the worker; the pause doubles each time.
FIRST_PAUSE, LONGEST_PAUSE = 5, 300
# A little more than the web server allows for requests under way.
PATIENCE = 12

# <linux/prctl.h>
PR_SET_CHILD_SUBREAPER = 36


class DoesNotStay(Exception):
    """A program ends each time soon after its start."""


class NothingStarted(Exception):
    """There is nothing to run: `status` is that of the process that should have started it."""

    def __init__(self, status: int) -> None:
        self.status = status


class Process:
    """A process that this one has started or adopted; used as a `Popen` is."""

    alive: ClassVar[dict[int, "Process"]] = {}

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.alive[pid] = self

    def poll(self) -> int | None:
        """Return the status of a process that has ended, else None.

        Take note of all that ended, also of the orphans that others left to this process.
        """
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if process := self.alive.pop(ended[0], None):
                    process.returncode = os.waitstatus_to_exitcode(ended[1])
        return self.returncode

    def wait(self, timeout: float) -> bool:
        """Return whether the process ended in time."""
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                return False
            time.sleep(0.05)
        return True


def spawn(words: list[str], closed: Iterable[int] = ()) -> Process:
    """Start a Python module in a session of its own, without input and without some files."""
    no_input = (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0)
    actions = [no_input, *((os.POSIX_SPAWN_CLOSE, number) for number in closed)]
    command = [sys.executable, "-m", *words]
    return Process(
        os.posix_spawn(sys.executable, command, os.environ, file_actions=actions, setsid=True)
    )


def adopt_orphans() -> bool:
    """Become the parent of the orphans among one's own, and return whether this system can."""
    try:
        prctl = ctypes.CDLL(None).prctl
    except AttributeError:
        return False
    return bool(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0)


class Stop:
    """Whether a signal has come that ends the programs.

    `threading.Event` has a lock: a second signal that interrupts the first handler would wait for
    it for ever. make sends one: it passes on the signal that its group gets as well.
    """

    def __init__(self) -> None:
        self.signals: SimpleQueue[None] = SimpleQueue()

    def set(self) -> None:
        self.signals.put(None)

    def is_set(self) -> bool:
        return not self.signals.empty()

    def wait(self, seconds: float) -> bool:
        """Return whether one has come, after some seconds at most."""
        with suppress(Empty):
            self.signals.get(timeout=seconds)
            self.set()
        return self.is_set()


class Start:
    """The start of both programs by one process, which becomes the web server; see `nursery.py`.

    Whichever is started again later imports everything itself.
    """

    def __init__(self, host: str, listener: socket.socket) -> None:
        self.answer, answer_end = os.pipe()
        self.listener = listener.fileno()
        for number in (answer_end, self.listener):
            os.set_inheritable(number, True)  # noqa: FBT003 - it takes no keyword
        task = Task(
            host=host,
            port=listener.getsockname()[1],
            listener=self.listener,
            answer_to=answer_end,
            forks=adopt_orphans(),
        )
        self.web = spawn(["tournaments.management.nursery", json.dumps(task)])
        os.close(answer_end)

    def wait(self, stop: Stop) -> Answer:
        """Return what was started.

        Raises: NothingStarted: it failed with a message, or was stopped.
        """
        with os.fdopen(self.answer) as answer:
            # A database that is migrated may take long.
            while not select.select([answer], [], [], 0.1)[0]:
                if stop.is_set():
                    raise NothingStarted(0)
            if text := answer.read():
                started: Answer = json.loads(text)
                return started
        self.web.wait(PATIENCE)
        raise NothingStarted(self.web.returncode or 1)


class Program:
    """One program kept running, in a process group of its own so that Ctrl-C reaches only us."""

    # Seconds; a program that ends sooner has not really started.
    short_life = 10

    def __init__(
        self,
        name: str,
        process: Process,
        words: list[str],
        watchdog: "Watchdog",
        closed: Iterable[int] = (),
    ) -> None:
        self.name, self.words, self.closed, self.watchdog = name, words, closed, watchdog
        self.short_lives = 0
        self.begin(process)

    def begin(self, process: Process) -> None:
        self.born = time.monotonic()
        self.runs = True
        self.process = process
        self.watchdog.tell(f"+{process.pid}\n")

    def revive(self) -> None:
        """Restart a program that has ended; raise if that does not help."""
        if self.process.poll() is None:
            return
        self.count_end()
        if self.short_lives >= SHORT_LIVES:
            raise DoesNotStay(f"{self.does_not_stay()} Everything is stopped.")
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
        self.begin(spawn(self.words, self.closed))

    def end_rest(self) -> None:
        """End the processes that the program left behind, such as the clock of a killed worker."""
        end_groups([self.process.pid], signal.SIGKILL)
        self.watchdog.tell(f"-{self.process.pid}\n")
        # From here on the process id may belong to another program.
        self.runs = False


class WorkerProgram(Program):
    """The worker; without it documents and e-mails wait, but games are still scored."""

    # A task that kills the worker may run for a while first.
    short_life = 60
    again_at = 0.0

    def __init__(self, started: Answer, listener: int, watchdog: "Watchdog") -> None:
        self.failures = Path(started["failures"])
        pid = started["pid"]
        process = spawn(started["worker"], [listener]) if pid is None else Process(pid)
        super().__init__("worker", process, started["worker"], watchdog, [listener])

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
            note_failed_starts(self.failures, 0)

    def pause(self) -> int:
        """Return the seconds until the next try, and print them; none at first."""
        more = self.short_lives - SHORT_LIVES
        if more < 0:
            return 0
        # Limit the doubling: a worker that fails for weeks would make a huge number.
        seconds: int = min(FIRST_PAUSE * 2 ** min(more, 10), LONGEST_PAUSE)
        note_failed_starts(self.failures, self.short_lives)
        sys.stderr.write(
            f"{self.does_not_stay()} The site runs without it; next try in {seconds} seconds.\n"
        )
        return seconds


class Watchdog:
    """The watchdog process, which ends the programs if this process is killed."""

    def __init__(self) -> None:
        far_end, self.end = os.pipe()
        words = [sys.executable, "-m", "tournaments.management.watchdog"]
        self.process = subprocess.Popen(words, stdin=far_end, start_new_session=True)
        os.close(far_end)

    def tell(self, line: str) -> None:
        """Say that a process group has begun ("+") or ended ("-")."""
        # Without the watchdog everything works except in that emergency.
        with suppress(BrokenPipeError):
            os.write(self.end, line.encode())

    def close(self) -> None:
        os.close(self.end)
        self.process.wait()


@contextmanager
def stop_signals() -> Iterator[Stop]:
    """Yield what Ctrl-C, SIGTERM and a closed terminal set."""
    stop = Stop()
    kinds = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
    before = {kind: signal.signal(kind, lambda *_: stop.set()) for kind in kinds}
    try:
        yield stop
    finally:
        for kind, handler in before.items():
            signal.signal(kind, handler)


def note_failed_starts(path: Path, times: int) -> None:
    """Store how many times in a row the worker failed to start; 0 if it runs.

    A file stores the number, because the worker may fail for lack of a database. If the disk is
    full, nothing is stored.
    """
    with suppress(OSError):
        if times:
            path.write_text(str(times))
        else:
            path.unlink(missing_ok=True)


def supervise(host: str, listener: socket.socket, stop: Stop) -> None:
    """Run the programs until `stop`.

    Raises:
        DoesNotStay: the web server does not start.
        NothingStarted: neither can be started.
    """
    watchdog, start = Watchdog(), Start(host, listener)
    web = Program("web server", start.web, [], watchdog)
    programs = [web]
    try:
        started = start.wait(stop)
        os.environ["KINGSCORE_FOUND_AT"] = started["found_at"]
        web.words = started["web"]
        worker = WorkerProgram(started, listener.fileno(), watchdog)
        programs.append(worker)
        # Restart rather than give up: a table at its 17th deal wants the page back, and nobody
        # there watches the laptop. A web server that never starts stops everything; a worker
        # never does.
        while not stop.wait(0.5):
            for program in programs:
                program.revive()
    finally:
        end([program for program in programs if program.runs])
        if len(programs) > 1:
            note_failed_starts(worker.failures, 0)
        watchdog.close()


def end(programs: list[Program]) -> None:
    """Give all programs time to end by themselves, then end what is left."""
    for program in programs:
        if program.process.poll() is None:
            os.kill(program.process.pid, signal.SIGTERM)
    deadline = time.monotonic() + PATIENCE
    for program in programs:
        program.process.wait(max(0, deadline - time.monotonic()))
        program.end_rest()


def run_up(arguments: Sequence[str]) -> int | None:
    """Run `up` until a signal, and return its status; None if it needs Django's own options."""
    parser = ArgumentParser("manage.py up", description=HELP)
    add_arguments(parser)
    options, others = parser.parse_known_args(arguments)
    if others:
        return None
    # Python finds the project in the current folder.
    os.chdir(PROJECT)
    os.umask(0o077)
    # Python lets one thread at a time allocate; more arenas than one only keep what each has freed.
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")
    # By itself glibc keeps ever more of what has been freed: once 32 MB were, up to 64 MB.
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "1048576")
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "1048576")
    with open_listener(options.host, options.port) as listener, stop_signals() as stop:
        try:
            supervise(options.host, listener, stop)
        except NothingStarted as fault:
            return fault.status
        except DoesNotStay as fault:
            sys.exit(str(fault))
    return 0
