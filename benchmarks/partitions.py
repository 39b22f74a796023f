"""Pages of an evening beside a million stored games, without and with partitions, and beside none.

The same evening is laid in an empty database and in one that `evening/stored.py` has filled, each
asked by a process of its own, in turn. Then a partition is begun beside the stored games, a new
evening is laid, and both are asked again. With an address in KINGSCORE_DATABASE_URL the filled
database, named after its games, stays on that server; drop it before it is used again.
"""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from django.db import connection

from benchmarks.figures import Figure, readable, take_time
from tests.servers import beside, tell_database

DATABASES = ("PostgreSQL",)
SIZES = {
    "tiny": {"games": 100, "tables": 1, "times": 1},
    "usual": {"games": 20_000, "tables": 10, "times": 15},
    "full": {"games": 1_000_000, "tables": 10, "times": 40},
}
ROOT = Path(__file__).resolve().parent.parent
FILL = """
from django.core.management import call_command
from benchmarks.evening.stored import fill
call_command("migrate", verbosity=0)
fill({})
"""
BEGIN = """
from django.core.management import call_command
call_command("partitions", "begin")
"""


class Asked:
    """A process that asks for the pages of an evening in its database."""

    def __init__(self, url: str, tables: int) -> None:
        self.environment = os.environ | {"KINGSCORE_DATABASE_URL": url}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "benchmarks.partitions", str(tables)],
            cwd=ROOT, env=self.environment, text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        )  # fmt: skip

    def __call__(self, word: str) -> dict[str, float]:
        """Have an evening laid, or its pages asked for once: milliseconds of each."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        print(word, file=self.process.stdin, flush=True)
        told: dict[str, float] = json.loads(self.process.stdout.readline())
        return told

    def close(self) -> None:
        """Let it end."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait()


@contextmanager
def asking(url: str, tables: int) -> Iterator[Asked]:
    asked = Asked(url, tables)
    try:
        yield asked
    finally:
        asked.close()


def measure(games: int, tables: int, times: int) -> Iterator[Figure]:
    empty = os.environ["KINGSCORE_DATABASE_URL"]
    name = f"kingscore_stored_{games}"
    stored = beside(empty, name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT FROM pg_database WHERE datname = %s", [name])
        is_new = cursor.fetchone() is None
    if is_new:
        tell_database(empty, f"CREATE DATABASE {name}")
        run(FILL.format(games), stored)
    with asking(empty, tables) as one, asking(stored, tables) as other:
        yield from compared(one, other, times, f"{games:,} games in one table")
        run(BEGIN, stored)
        yield from compared(one, other, times, f"{games:,} games in another partition")


def run(code: str, url: str) -> None:
    """Run code on a database, whatever time it takes."""
    environment = os.environ | {"KINGSCORE_DATABASE_URL": url, "KINGSCORE_SLOW_QUERY_MS": "0"}
    code = f"import django; django.setup()\n{code}"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, env=environment, check=True)


def compared(one: Asked, other: Asked, times: int, stored: str) -> Iterator[Figure]:
    """Ask both in turn on a new evening; the first time of each warms it up."""
    for asked in (one, other):
        asked("lay")
        asked("ask")
    taken = [(one("ask"), other("ask")) for _ in range(times)]
    for name in taken[0][0]:
        empty, full = ([each[at][name] for each in taken] for at in range(2))
        told = f"fastest {readable(min(full))} and {readable(min(empty))} ms"
        yield Figure(
            f"{name}, {stored}", median(full), "ms", "an empty database", median(empty), told
        )


def answer(tables: int) -> None:
    """Do what is asked for on the standard input, and tell the times."""
    from benchmarks.growth import ROUNDS, Season, hottest
    from tournaments.models import Game

    season = Season(tables)
    for word in sys.stdin:
        if word == "lay\n":
            season.play(ROUNDS * tables)
            games = list(Game.objects.filter(table__round=season.lay(1)))
            with connection.cursor() as cursor:
                cursor.execute("ANALYZE")
            works, times = hottest(season, games), {}
        else:
            times = {name: take_time(work).waited for name, work in works.items()}
        print(json.dumps(times), flush=True)


if __name__ == "__main__":
    import django

    django.setup()
    answer(int(sys.argv[1]))
