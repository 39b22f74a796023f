"""How long ratings take to be computed in the database: all anew, and one round more.

    python benchmarks/rebuild_ratings.py [--games 1000000] [--players 25000]

Four-player games of one club, 40 tables a round, as tournaments leave them, with results as they
are stored. On SQLite, and with KINGSCORE_DATABASE_URL on PostgreSQL (in a database of its own). The
control is the engine's loop over the same number of games without a database; the library's own
loop stands beside it in `rating_speed.py`.
"""

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import median
from typing import Any

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# Measured in processes of their own, with folders and databases of their own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from django.core.management import call_command  # noqa: E402 - the path comes first
from django.db import connection, models, transaction  # noqa: E402

from tests.factories import WHOLE_GAME, GameFactory  # noqa: E402
from tests.servers import database_of_its_own  # noqa: E402
from tournaments.engine.outcomes import rank  # noqa: E402
from tournaments.engine.ratings import Rating, Spread, rate, scores_of  # noqa: E402
from tournaments.models import (  # noqa: E402
    Club,
    Event,
    Game,
    Player,
    PlayerRating,
    RatingChange,
    Round,
    Seat,
    Table,
    Tournament,
)
from tournaments.services.ratings.computing import rebuild_ratings, sweep_ratings  # noqa: E402
from tournaments.services.ratings.due import rate_since  # noqa: E402

TABLES, ROUNDS_OF_EVENT = 40, 5
BEGIN = datetime(2000, 1, 1, 20, tzinfo=UTC)
ONE_MORE = 7
CORRECTED = 20_000
AT_ONCE = 20_000

Row = tuple[Any, ...]


def write(model: type[models.Model], columns: str, rows: Iterable[Row]) -> None:
    """Put rows into a table, past everything that would look at them."""
    table = model._meta.db_table  # noqa: SLF001 - public in all but its name
    heaps = iter(rows)
    with connection.cursor() as cursor:
        while heap := list(itertools.islice(heaps, AT_ONCE)):
            if connection.vendor == "postgresql":
                with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                    for row in heap:
                        copy.write_row(row)
                continue
            values = ", ".join(["%s"] * len(heap[0]))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({values})", heap)  # noqa: S608 - our names


def closing(number: int) -> datetime:
    """When a round, from 1, was closed: four a day."""
    return BEGIN + timedelta(hours=6 * number)


class Evenings:
    """A club with players, and rounds laid one after the other; keys are counted from 1."""

    def __init__(self, players: int) -> None:
        self.chance = random.Random(20)
        self.players = range(1, players + 1)
        self.results = list(self._results())
        Club.objects.create(pk=1, slug="moda", name="Moda", created_at=BEGIN)
        names = "id, club_id, public_id, name, name_key, search_key, initials, claim_generation"
        write(
            Player,
            f"{names}, wrong_claims, created_at",
            (
                (
                    n,
                    1,
                    f"p{n}",
                    f"Oyuncu {n}",
                    f"oyuncu {n}",
                    f"oyuncu {n}",
                    False,
                    1,
                    0,
                    str(BEGIN),
                )
                for n in self.players
            ),
        )

    def _results(self) -> Iterator[str]:
        """Results as a whole game leaves them, with points that are drawn."""
        game = GameFactory(entries=WHOLE_GAME)
        game.refresh_from_db()
        told = dict(game.result)
        Game.objects.all().delete()
        for _ in range(2000):
            totals = [10 * self.chance.randint(-90, 60) for _ in range(3)]
            totals.append(-sum(totals))
            yield json.dumps({**told, "totals": totals, "ranks": list(rank(totals))})

    def play(self, rounds: range) -> None:
        """Rounds by their numbers, with tables, games and seats."""
        with transaction.atomic():
            first = {number // ROUNDS_OF_EVENT: number for number in rounds}
            new = [n for n in first if not Event.objects.filter(pk=n + 1).exists()]
            self._events(new)
            write(
                Round,
                "id, event_id, number, stage, published_at, opened_at, closed_at, clock_used",
                (
                    (
                        n,
                        n // ROUNDS_OF_EVENT + 1,
                        n % ROUNDS_OF_EVENT + 1,
                        "",
                        *[str(closing(n))] * 3,
                        0,
                    )
                    for n in rounds
                ),
            )
            tables = range(rounds.start * TABLES, rounds.stop * TABLES)
            write(
                Table,
                "id, round_id, number, public_id, generation, wrong_codes, extra_seconds",
                ((t, t // TABLES, t % TABLES + 1, f"t{t}", 1, 0, 0) for t in tables),
            )
            write(
                Game,
                "id, public_id, ruleset, options, players, first_declarer, title, place, played_at,"
                " revision, write_generation, follow_generation, taken_with, result, table_id",
                (
                    (t, f"g{t}", "turkish-king", "{}", '["A", "B", "C", "D"]', 0, "", "",
                     str(closing(t // TABLES)), 20, 1, 1, "", self.chance.choice(self.results), t)
                    for t in tables
                ),
            )  # fmt: skip
            seats = itertools.chain.from_iterable(map(self._seats, rounds))
            write(Seat, "id, game_id, number, player_id", seats)

    def _seats(self, number: int) -> Iterator[Row]:
        first = number * TABLES * 4
        for at, player in enumerate(self.chance.sample(self.players, 4 * TABLES), first):
            yield at, at // 4, at % 4, player

    def _events(self, numbers: Sequence[int]) -> None:
        write(
            Event,
            "id, club_id, public_id, name, held_on, ruleset, options, published, table_codes,"
            " confirmations, created_at",
            (
                (n + 1, 1, f"e{n}", "Cuma", str(BEGIN.date()), "turkish-king", "{}", True, False,
                 "none", str(BEGIN))
                for n in numbers
            ),
        )  # fmt: skip
        write(
            Tournament,
            "id, event_id, slug, public_id, state, settings, seed, revision, link_generation",
            ((n + 1, n + 1, f"t{n}", f"t{n}", "finished", "{}", 0, 0, 1) for n in numbers),
        )


def engine_loop(games: int, players: int) -> None:
    """The engine alone, over as many games."""
    chance, spread = random.Random(20), Spread()
    ratings = [Rating()] * players
    for _ in range(games):
        seats = chance.sample(range(players), 4)
        totals = [10 * chance.randint(-90, 60) for _ in range(3)]
        totals.append(-sum(totals))
        scores = scores_of(totals, rank(totals))
        spread = spread.seeing(scores)
        after = rate([ratings[seat] for seat in seats], range(4), scores, spread.unit)
        for seat, rating in zip(seats, after, strict=True):
            ratings[seat] = rating


def timed(name: str, do: Callable[[], object]) -> float:
    """Seconds by the clock, printed with those of this process."""
    start, computing = time.perf_counter(), time.process_time()
    do()
    taken = time.perf_counter() - start
    print(f"  {name:38} {taken:8.2f} s, of them {time.process_time() - computing:.2f} here")
    return taken


def measure(games: int, players: int) -> None:
    """Print what each takes."""
    call_command("migrate", verbosity=0)
    evenings = Evenings(players)
    rounds = games // TABLES
    timed("(writing the games)", lambda: evenings.play(range(1, rounds + 1)))
    with connection.cursor() as cursor:
        cursor.execute("VACUUM ANALYZE" if connection.vendor == "postgresql" else "ANALYZE")
    timed(f"control: engine, {games:,} games", lambda: engine_loop(games, players))
    taken = timed(f"rebuild of {games:,} games", rebuild_ratings)
    assert RatingChange.objects.count() == 4 * rounds * TABLES
    print(f"  {rounds * TABLES / taken:38,.0f} games a second")
    sweep_ratings()
    one = [one_round(evenings, rounds + n) for n in range(1, ONE_MORE + 1)]
    told = f"{1000 * median(one):8.1f} ms, slowest {1000 * max(one):.1f}"
    print(f"  {f'one round more, of {TABLES} tables (median)':38} {told}")
    last = rounds + ONE_MORE
    since = max(1, last - CORRECTED // TABLES + 1)
    rate_since(1, closing(since))
    timed(f"correction {(last - since + 1) * TABLES:,} games ago", sweep_ratings)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"  {PlayerRating.objects.count():,} players rated; at most {peak:,.0f} MB of memory")


def one_round(evenings: Evenings, number: int) -> float:
    """Seconds until a round that was just closed is rated."""
    evenings.play(range(number, number + 1))
    rate_since(1, closing(number))
    start = time.perf_counter()
    sweep_ratings()
    return time.perf_counter() - start


def run(where: str, database_url: str | None, words: list[str]) -> None:
    """Measure in a process of its own, since settings are read once."""
    print(f"{where}:", flush=True)
    with tempfile.TemporaryDirectory(prefix="kingscore-ratings-") as folder:
        kept = {k: v for k, v in os.environ.items() if not k.startswith(("KINGSCORE_", "DJANGO_"))}
        own = {"KINGSCORE_DATA": folder, "DJANGO_SETTINGS_MODULE": "kingscore.settings"}
        if database_url:
            own["KINGSCORE_DATABASE_URL"] = database_url
        command = [sys.executable, __file__, "--here", *words]
        subprocess.run(command, env={**kept, **own}, cwd=ROOT, check=True)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--games", type=int, default=50_000)
    words.add_argument("--players", type=int, default=25_000)
    words.add_argument("--here", action="store_true", help=argparse.SUPPRESS)
    chosen = words.parse_args()
    if chosen.here:
        measure(chosen.games, chosen.players)
        return
    passed = [word for word in sys.argv[1:] if word != "--here"]
    run("SQLite", None, passed)
    if url := os.environ.get("KINGSCORE_DATABASE_URL"):
        with database_of_its_own(url) as own_url:
            run("PostgreSQL", own_url, passed)


if __name__ == "__main__":
    main()
