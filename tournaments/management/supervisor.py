"""The process of `up`: keeps web server, worker and copying running. Begin at `main`.

`up` becomes it once all is set up. It imports nothing of Django, which takes 40 MB.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from time import monotonic, sleep

SHORT_LIVES = 3
"""So many short lives in a row count as failing to start."""

FIRST_PAUSE, LONGEST_PAUSE = 5, 300
"""Seconds before each further try to start the worker; the pause doubles each time."""

PATIENCE = 12
"""Seconds; a little more than the web server allows for requests under way."""

PR_SET_PDEATHSIG = 1
"""Of <linux/prctl.h>."""


def main() -> None:
    """Run all programs until a signal; end with a message if the web server does not stay."""
    listener, failures = int(sys.argv[1]), Path(sys.argv[2])
    web, worker, *copying = json.loads(sys.argv[3])
    # Python lets one thread at a time allocate; more arenas than one only keep what each has freed.
    os.environ.setdefault("MALLOC_ARENA_MAX", "1")
    # By itself glibc keeps ever more of what has been freed: once 32 MB were, up to 64 MB.
    os.environ.setdefault("MALLOC_TRIM_THRESHOLD_", "1048576")
    os.environ.setdefault("MALLOC_MMAP_THRESHOLD_", "1048576")
    signals: list[int] = []
    for kind in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(kind, lambda number, _frame: signals.append(number))
    programs = [WebServer(web, failures, (listener,)), Program(worker, failures)]
    programs += [Copying(words, failures.with_name("copying-failures")) for words in copying]
    try:
        while not signals:
            sleep(0.2)
            for program in programs:
                program.look()
    finally:
        end(programs)
        note_failed_starts(failures, 0)


class Program:
    """A program that is kept running, in a session of its own so that Ctrl-C reaches only us.

    One that does not stay up is tried again after longer and longer pauses.
    """

    name, short_life = "worker", 60
    """A life of fewer seconds is no start. A task that kills the worker may run for a while."""

    def __init__(self, words: list[str], failures: Path, files: tuple[int, ...] = ()) -> None:
        self.words, self.failures, self.files = words, failures, files
        self.short_lives, self.again_at = 0, 0.0
        self.start()

    def start(self) -> None:
        self.born = monotonic()
        self.process: subprocess.Popen[bytes] | None = subprocess.Popen(
            [sys.executable, "-m", *self.words],
            stdin=subprocess.DEVNULL,
            pass_fds=self.files,
            start_new_session=True,
            # No other thread runs here.
            preexec_fn=end_with_parent,  # noqa: PLW1509
        )

    def look(self) -> None:
        """Start the program again if it has ended."""
        has_lived = monotonic() - self.born >= self.short_life
        if self.process is None:
            if monotonic() >= self.again_at:
                sys.stderr.write(f"The {self.name} ended by itself; it is started again.\n")
                self.start()
        elif self.process.poll() is not None:
            self.end_rest()
            # From here on its process id may belong to another program.
            status, self.process = self.process.returncode, None
            self.short_lives = 0 if has_lived else self.short_lives + 1
            if self.short_lives >= SHORT_LIVES:
                self.fail(f"The {self.name} does not stay up (status {status}); see above.")
        elif self.short_lives and has_lived:
            self.short_lives = 0
            note_failed_starts(self.failures, 0)

    def fail(self, sentence: str) -> None:
        """Wait for the next try; what the program does waits, but games are still scored."""
        # Limit the doubling: a worker that fails for weeks would make a huge number.
        seconds = min(FIRST_PAUSE * 2 ** min(self.short_lives - SHORT_LIVES, 10), LONGEST_PAUSE)
        self.again_at = monotonic() + seconds
        note_failed_starts(self.failures, self.short_lives)
        sys.stderr.write(f"{sentence} The site runs without it; next try in {seconds} seconds.\n")

    def end_rest(self) -> None:
        """End what the program left behind, such as the processes of a killed web server."""
        if self.process is not None:
            with suppress(ProcessLookupError):
                os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()


class WebServer(Program):
    """A table at its 17th deal wants the page back; one that never starts stops everything."""

    name, short_life = "web server", 10

    def fail(self, sentence: str) -> None:
        sys.exit(f"{sentence} Everything is stopped.")


class Copying(Program):
    """The continuous copy; how old it is says whether it runs."""

    name, short_life = "copying", 10


def end(programs: list[Program]) -> None:
    """Give all programs time to end by themselves, then end what is left."""
    running = [program.process for program in programs if program.process is not None]
    for process in running:
        process.terminate()
    deadline = monotonic() + PATIENCE
    for process in running:
        with suppress(subprocess.TimeoutExpired):
            process.wait(max(0.0, deadline - monotonic()))
    for program in programs:
        program.end_rest()


# Loaded here, and not between fork and exec. Other systems than Linux have no such call: there the
# programs outlive an `up` that is killed by force.
prctl = getattr(ctypes.CDLL(None), "prctl", None)


def end_with_parent() -> None:
    """Have the kernel end a program when `up` is killed."""
    if prctl is not None:
        prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


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


if __name__ == "__main__":
    main()
