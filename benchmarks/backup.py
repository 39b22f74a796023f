"""A backup of all that is kept, and its restore, beside the copies of the database's own tools.

Four-player games of one club with 20 deals each, as tournaments leave them. The commands are run
as a host runs them, in processes of their own: seconds by the clock from start to end, and the most
memory they held. Beside them is SQLite's own copy of the file, or `pg_dump` and `pg_restore`. A
tenth of the games first, to see how it grows.
"""

import itertools
import json
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from statistics import median
from typing import NamedTuple

from django.db import connection

from benchmarks.figures import Figure, readable, settle
from benchmarks.one import ROOT
from benchmarks.rebuild_ratings import BEGIN, TABLES, Evenings, write
from tests.deals import WHOLE_GAME
from tests.servers import database_of_its_own, migrated
from tournaments.models import Backup, Revision

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"games": 40, "times": 1},
    "usual": {"games": 40_000, "times": 3},
    "full": {"games": 1_000_000, "times": 1},
}
PLAYERS = 2_000


class Ran(NamedTuple):
    """The cost of a program: seconds, processor seconds, peak memory in megabytes."""

    waited: float
    used: float
    memory: float


def run(*words: str, **environment: str) -> Ran:
    """Run a program to its end."""
    start, memory = time.perf_counter(), 0.0
    more = os.environ | environment
    process = subprocess.Popen(words, cwd=ROOT, env=more, stdout=subprocess.DEVNULL)
    while not (ended := os.wait4(process.pid, os.WNOHANG))[0]:
        memory = max(memory, most_held(process.pid))
        time.sleep(0.01)
    _, status, taken = ended
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise RuntimeError(f"{words[1:]} ended with {process.returncode}")
    return Ran(time.perf_counter() - start, taken.ru_utime + taken.ru_stime, memory)


def most_held(pid: int) -> float:
    """Megabytes so far. What `wait4` tells counts those of this process, which started it."""
    with suppress(OSError):
        told = Path(f"/proc/{pid}/status").read_text()
        if found := re.search(r"VmHWM:\s*(\d+)", told):
            return int(found[1]) / 1024
    return 0.0


def manage(*words: str, **environment: str) -> Ran:
    return run(sys.executable, "manage.py", *words, **environment)


def play(evenings: Evenings, rounds: range) -> None:
    """Rounds of games, each with its deals."""
    evenings.play(rounds)
    bodies = [json.dumps(body) for body in WHOLE_GAME]
    games = range(rounds.start * TABLES, rounds.stop * TABLES)
    keys = itertools.count(rounds.start * TABLES * len(bodies))
    write(
        Revision,
        "id, game_id, revision, key, kind, position, body, author, phone, reason, at,"
        " by_phone, result",
        (
            (next(keys), game, at + 1, f"{game}-{at}-0123456789", "entry", at, body, "Ayşe", "",
             "", str(BEGIN), False, "")
            for game in games
            for at, body in enumerate(bodies)
        ),
    )  # fmt: skip


def measure(games: int, times: int) -> Iterator[Figure]:
    evenings, begun = Evenings(PLAYERS), 1
    for number in (games // 10, games) if games // 10 >= TABLES else (games,):
        rounds = range(begun, number // TABLES + 1)
        play(evenings, rounds)
        begun = rounds.stop
        settle()
        with tempfile.TemporaryDirectory(prefix="kingscore-backups-") as place:
            yield from taken(number, times, Path(place))


def taken(games: int, times: int, place: Path) -> Iterator[Figure]:
    """A backup and a restore of what is there now, in turn with the tools of the database."""
    path = place / "all.zip"
    copy = copy_sqlite if connection.vendor == "sqlite" else copy_postgresql
    backups, restores, copies = [], [], []
    for number in range(times):
        backups.append(manage("backup", "--force", str(path)))
        copies.append(copy(place / f"copy-{number}"))
        restores.append(restore(path, place / f"restored-{number}"))
    made = Backup.objects.latest("pk")
    told = f"{made.rows:,} rows in {made.size / 1e6:,.1f} MB"
    control = "SQLite's own copy" if connection.vendor == "sqlite" else "pg_dump and pg_restore"
    yield figure(f"a backup of {games:,} games", backups, control, [c[0] for c in copies], told)
    yield figure(f"its restore, {games:,} games", restores, control, [c[-1] for c in copies], "")


def figure(what: str, own: list[Ran], control: str, other: list[float], told: str) -> Figure:
    used, memory = median(ran.used for ran in own), max(ran.memory for ran in own)
    note = f"{readable(used)} s of CPU, at most {memory:,.0f} MB"
    waited = median(ran.waited for ran in own)
    return Figure(what, waited, "s", control, median(other), "; ".join(filter(None, (note, told))))


def restore(path: Path, folder: Path) -> Ran:
    """Into a folder in which `up` ran once, and a database of its own where there is PostgreSQL."""
    shutil.copytree(migrated(), folder)
    with database_of_its_own(os.environ.get("KINGSCORE_DATABASE_URL")) as url:
        own = {"KINGSCORE_DATABASE_URL": url} if url else {}
        return manage("restore", str(path), KINGSCORE_DATA=str(folder), **own)


def copy_sqlite(path: Path) -> tuple[float]:
    """All pages of the file, while others may write."""
    start = time.perf_counter()
    source = connection.settings_dict["NAME"]
    with closing(sqlite3.connect(source)) as one, closing(sqlite3.connect(path)) as other:
        one.backup(other)
    return (time.perf_counter() - start,)


def copy_postgresql(path: Path) -> tuple[float, float]:
    """Out of the database as its own archive, and into another."""
    url = os.environ["KINGSCORE_DATABASE_URL"]
    dumped = run("pg_dump", "--format", "custom", "--file", str(path), url)
    with database_of_its_own(url) as other:
        loaded = run("pg_restore", "--clean", "--no-owner", "--dbname", str(other), str(path))
    return dumped.waited, loaded.waited
