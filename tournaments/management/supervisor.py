"""The process of `up` that keeps the web server and the worker running.

It replaces the one that prepared everything, and imports nothing of Django, so that it takes a
tenth of the memory. A nursery imports everything and forks the programs, which share its memory.
"""

import ctypes
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import ClassVar, NoReturn, TypedDict

from tournaments.management.watchdog import end_groups

# Number of consecutive lives shorter than `Program.short_life` that count as failing to start.
SHORT_LIVES = 3
# Seconds before each further try to start the worker; the pause doubles each time.
FIRST_PAUSE, LONGEST_PAUSE = 5, 300
# A little more than the web server allows for requests under way.
PATIENCE = 12


# Seconds until the nursery must have imported everything.
LONGEST_IMPORT = 120
# <linux/prctl.h>
PR_SET_CHILD_SUBREAPER = 36


class Plan(TypedDict):
    """Commands of Python modules, the socket of the web server, the file that notes failures.

    `shared` is a module that imports what they have in common.
    """

    shared: str
    web: list[str]
    worker: list[str]
    listener: int
    failures: str


class DoesNotStay(Exception):
    """A program ends each time soon after its start."""


class Forked:
    """A process that the nursery has forked, and this one adopted; used as a `Popen` is."""

    alive: ClassVar[dict[int, "Forked"]] = {}

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self.alive[pid] = self

    def poll(self) -> int | None:
        """Return the status of a process that has ended, else None."""
        self.reap()
        return self.returncode

    def terminate(self) -> None:
        if self.poll() is None:
            os.kill(self.pid, signal.SIGTERM)

    def wait(self, timeout: float) -> None:
        """Wait for the end; raise TimeoutExpired if there is none in time."""
        deadline = time.monotonic() + timeout
        while self.poll() is None:
            if time.monotonic() > deadline:
                raise subprocess.TimeoutExpired(str(self.pid), timeout)
            time.sleep(0.05)

    @classmethod
    def reap(cls) -> None:
        """Take note of all that ended, also of the orphans that others left to this process."""
        with suppress(ChildProcessError):
            while (ended := os.waitpid(-1, os.WNOHANG))[0]:
                if process := cls.alive.pop(ended[0], None):
                    process.returncode = os.waitstatus_to_exitcode(ended[1])


class Nursery:
    """The process that has imported what all programs share, and forks them; see `nursery.py`."""

    def __init__(self, shared: str, listener: int) -> None:
        self.shared, self.listener = shared, listener
        self.process: subprocess.Popen[bytes] | None = None
        self.line = socket.socket()

    def start(self, words: list[str], keep: tuple[int, ...]) -> "Forked | subprocess.Popen[bytes]":
        """Start a program; without a nursery it imports everything itself."""
        try:
            return Forked(self.ask(words, keep))
        # No Linux, none that answers, or a file of the program that is broken.
        except (AttributeError, OSError, ValueError):
            self.close()
            return subprocess.Popen(
                [sys.executable, "-m", *words],
                stdin=subprocess.DEVNULL,
                start_new_session=True,
                pass_fds=keep,
            )

    def ask(self, words: list[str], keep: tuple[int, ...]) -> int:
        """Ask the nursery to start a program, and return the process id."""
        if self.process is None or self.process.poll() is not None:
            self.open()
        closed = [] if keep else [self.listener]
        self.line.sendall(json.dumps({"words": words, "closed": closed}).encode() + b"\n")
        return int(self.line.recv(100))

    def open(self) -> None:
        self.close()
        # Its orphans become children of this process.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
        self.line, far_end = socket.socketpair()
        self.line.settimeout(LONGEST_IMPORT)
        with far_end:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tournaments.management.nursery", self.shared],
                stdin=far_end.fileno(),
                start_new_session=True,
                pass_fds=(self.listener,),
            )

    def close(self) -> None:
        """End the nursery, and none of the programs."""
        self.line.close()
        if self.process:
            self.process.kill()
            self.process.wait()
        self.process = None


class Program:
    """One program kept running, in a process group of its own so that Ctrl-C reaches only us."""

    # Seconds; a program that ends sooner has not really started.
    short_life = 10

    def __init__(
        self,
        name: str,
        words: list[str],
        nursery: Nursery,
        watchdog: "Watchdog",
        keep: tuple[int, ...] = (),
    ) -> None:
        self.name, self.words, self.keep = name, words, keep
        self.nursery, self.watchdog = nursery, watchdog
        self.short_lives = 0
        self.start()

    def start(self) -> None:
        self.born = time.monotonic()
        self.runs = True
        self.process = self.nursery.start(self.words, self.keep)
        self.watchdog.hold(self.process.pid)

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

    def __init__(
        self, words: list[str], nursery: Nursery, watchdog: "Watchdog", failures: Path
    ) -> None:
        self.failures = failures
        super().__init__("worker", words, nursery, watchdog)

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


def supervise(plan: Plan, stop: threading.Event) -> None:
    """Run the programs until `stop`.

    Raises:
        DoesNotStay: the web server does not start.
    """
    watchdog, listener, failures = Watchdog(), plan["listener"], Path(plan["failures"])
    nursery = Nursery(plan["shared"], listener)
    programs: list[Program] = []
    try:
        programs.append(Program("web server", plan["web"], nursery, watchdog, (listener,)))
        programs.append(WorkerProgram(plan["worker"], nursery, watchdog, failures))
        # Restart rather than give up: a table at its 17th deal wants the page back, and nobody
        # there watches the laptop. A web server that never starts stops everything; a worker
        # never does.
        while not stop.wait(0.5):
            for program in programs:
                program.revive()
    finally:
        end([program for program in programs if program.runs])
        note_failed_starts(failures, 0)
        nursery.close()
        watchdog.close()


def end(programs: list[Program]) -> None:
    """Give all programs time to end by themselves, then end what is left."""
    for program in programs:
        program.process.terminate()
    deadline = time.monotonic() + PATIENCE
    for program in programs:
        with suppress(subprocess.TimeoutExpired):
            program.process.wait(max(0, deadline - time.monotonic()))
        program.end_rest()


def become_supervisor(plan: Plan, folder: Path) -> NoReturn:
    """Replace this process by one that supervises."""
    # Python finds the project in the current folder.
    os.chdir(folder)
    os.execv(sys.executable, [sys.executable, "-m", __name__, json.dumps(plan)])  # noqa: S606


def main() -> None:
    """Supervise what the argument says."""
    with stop_signals() as stop:
        try:
            supervise(json.loads(sys.argv[1]), stop)
        except DoesNotStay as fault:
            sys.exit(str(fault))


if __name__ == "__main__":
    main()
