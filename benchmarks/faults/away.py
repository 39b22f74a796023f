"""A database that is away for a while, or locked: what phones and programs are told meanwhile."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from benchmarks.evening.machines import running
from benchmarks.faults.disk import Trouble, compared, play_through
from benchmarks.faults.programs import FaultySite
from tests.phones import Phone
from tests.postgres import Postgres

LOCKED_FOR = 30.0
"""Seconds: longer than a writer waits for another (20), and than a phone for its answer (10)."""


def stop_postgres(folder: Path) -> Iterator[str]:
    """PostgreSQL is stopped, as for an update, and started again."""
    postgres = Postgres(folder)
    with (
        running(postgres),
        closing(FaultySite(folder / "site", postgres.url())) as server,
    ):
        server.start()
        trouble = Trouble(lambda: postgres.stop("fast"), nothing, postgres.start)
        told = play_through(Phone(server.host, server.port), trouble)
        yield f"PostgreSQL stopped: {told}; {compared(server, told)}"


def lock_sqlite(folder: Path) -> Iterator[str]:
    """Another program holds SQLite's only lock for writing, as a careless backup might."""
    with closing(FaultySite(folder / "data")) as server:
        server.start()
        lock = sqlite3.connect(
            folder / "data" / "db.sqlite3", isolation_level=None, check_same_thread=False
        )
        trouble = Trouble(
            lambda: lock.execute("BEGIN IMMEDIATE"), nothing, lambda: lock.execute("ROLLBACK")
        )
        began = time.monotonic()
        told = play_through(Phone(server.host, server.port), trouble, LOCKED_FOR)
        lock.close()
        yield f"SQLite locked: {told}; {compared(server, told)}; {time.monotonic() - began:.0f} s"


def nothing() -> None:
    """It stays as it is."""


FAULTS: tuple[Callable[[Path], Iterator[str]], ...] = (stop_postgres, lock_sqlite)


def run(folder: Path) -> int:
    """Take one database after another away; whether anything was wrong."""
    failed = 0
    for fault in FAULTS:
        place = folder / fault.__name__
        place.mkdir(parents=True)
        # PostgreSQL runs as somebody else.
        folder.chmod(0o755)
        place.chmod(0o755)
        for line in fault(place):
            print(line, flush=True)
            failed += "DIFFERENT" in line
    return min(failed, 1)
