"""Ratings computed in the database, all anew and one round more, beside the engine's loop alone.

Four-player games of one club, 40 tables a round, as tournaments leave them, with results as they
are stored. The engine's loop goes over the same number of games without a database; the library's
own loop stands beside it in `rating_speed.py`.
"""

import itertools
import json
import random
import resource
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from statistics import median
from typing import Any
from unittest.mock import patch

from django.db import connection, models, transaction

from benchmarks.figures import Figure, Taken, Work, readable, settle, take_time
from benchmarks.writing_table import told, with_a_table
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tournaments.engine.play.outcomes import rank
from tournaments.engine.ratings.ratings import Rating, Spread, rate, scores_of
from tournaments.models import (
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
from tournaments.models.events import moment_of_play
from tournaments.services.ratings.computing import rate_since, rebuild_ratings, sweep_ratings
from tournaments.services.ratings.pools import Pools

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"games": 80, "players": 200, "calm": 1},
    "usual": {"games": 50_000, "players": 25_000, "calm": 10},
    "full": {"games": 1_000_000, "players": 25_000, "calm": 10},
}
TABLES, ROUNDS_OF_EVENT = 40, 5
BEGIN = datetime(2000, 1, 1, 20, tzinfo=UTC)
ONE_MORE = 7
CORRECTED = 20_000
AT_ONCE = 20_000

Row = tuple[Any, ...]


def write(model: type[models.Model], columns: str, rows: Iterable[Row]) -> None:
    """Put rows into a table, past everything that would look at them."""
    table = model._meta.db_table  # noqa: SLF001 - public in all but its name
    remaining = iter(rows)
    # As one: SQLite would commit each row.
    with transaction.atomic(), connection.cursor() as cursor:
        while batch := list(itertools.islice(remaining, AT_ONCE)):
            if connection.vendor == "postgresql":
                with cursor.copy(f"COPY {table} ({columns}) FROM STDIN") as copy:
                    for row in batch:
                        copy.write_row(row)
                continue
            values = ", ".join(["%s"] * len(batch[0]))
            cursor.executemany(f"INSERT INTO {table} ({columns}) VALUES ({values})", batch)  # noqa: S608 - our names


def day_of(event: int) -> date:
    """Return the day of an event, from 0: one a day."""
    return (BEGIN + timedelta(days=event)).date()


def playing(number: int) -> datetime:
    """Return the moment at which ratings take a round, from 1."""
    event, at = divmod(number, ROUNDS_OF_EVENT)
    return moment_of_play(day_of(event), at + 1)


class Evenings:
    """A club with players, and rounds laid one after the other; keys are counted from 1."""

    def __init__(self, players: int) -> None:
        self.chance = random.Random(20)
        self.players = range(1, players + 1)
        self.results = list(self._results())
        Club.objects.create(pk=1, slug="moda", name="Moda", created_at=BEGIN)
        names = "id, club_id, public_id, name, name_key, search_key, initials, claim_generation"
        rows = (
            (n, 1, f"p{n}", f"Oyuncu {n}", *[f"oyuncu {n}"] * 2, False, 1, 0, str(BEGIN))
            for n in self.players
        )
        with transaction.atomic():
            write(Player, f"{names}, wrong_claims, created_at", rows)

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
                "id, event_id, number, stage, published_at, opened_at, closed_at, clock_used,"
                " digest, drawn_from",
                (
                    (
                        n,
                        n // ROUNDS_OF_EVENT + 1,
                        n % ROUNDS_OF_EVENT + 1,
                        "",
                        *[str(playing(n))] * 3,
                        0,
                        "",
                        "",
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
                " revision, write_generation, follow_generation, taken_with, result, table_id,"
                " resting, phones, digest",
                (
                    (t, f"g{t}", "turkish-king", "{}", '["A", "B", "C", "D"]', 0, "", "",
                     str(playing(t // TABLES)), 20, 1, 1, "", self.chance.choice(self.results), t,
                     "[]", "[]", "")
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
            "id, club_id, public_id, name, held_on, venue, starts_at, ruleset, options, published,"
            " table_codes, confirmations, created_at",
            (
                (n + 1, 1, f"e{n}", "Cuma", str(day_of(n)), "", "", "turkish-king", "{}", True,
                 False, "none", str(BEGIN))
                for n in numbers
            ),
        )  # fmt: skip
        write(
            Tournament,
            "id, event_id, slug, public_id, state, settings, seed, revision, link_generation,"
            " line_ups, digest",
            (
                (n + 1, n + 1, f"t{n}", f"t{n}", "finished", "{}", 0, 0, 1, "{}", "")
                for n in numbers
            ),
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
        after = rate([ratings[seat] for seat in seats], range(4), scores, spread.unit())
        for seat, rating in zip(seats, after, strict=True):
            ratings[seat] = rating


def measure(games: int, players: int, calm: int) -> Iterator[Figure]:
    evenings = Evenings(players)
    rounds = games // TABLES
    evenings.play(range(1, rounds + 1))
    settle()
    engine = take_time(lambda: engine_loop(games, players))
    rebuilt = take_time(rebuild_ratings)
    assert RatingChange.objects.count() == 4 * rounds * TABLES
    alone = "the engine alone"
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    yield Figure(
        f"all ratings of {games:,} games computed anew", rebuilt.waited / 1000, "s",
        alone, engine.waited / 1000,
        f"{readable(rebuilt.used / 1000)} s of CPU here; {PlayerRating.objects.count():,} players;"
        f" at most {peak:,.0f} MB",
    )  # fmt: skip
    sweep_ratings()
    one = [one_round(evenings, rounds + n) for n in range(1, ONE_MORE + 1)]
    of_round = engine.waited * TABLES / games
    yield Figure(
        f"one round more, of {TABLES} tables", median(one), "ms", alone, of_round,
        f"slowest {readable(max(one))} ms",
    )  # fmt: skip
    last = rounds + ONE_MORE
    since = max(1, last - CORRECTED // TABLES + 1)
    rate_since(1, playing(since))
    again = (last - since + 1) * TABLES
    quiet, _none = with_a_table(lambda: time.sleep(calm))
    taken: list[Taken] = []
    with timed_slices() as slices:
        waits, refused = with_a_table(lambda: taken.append(take_time(sweep_ratings)))
    yield Figure(
        f"a correction {again:,} games ago", taken[0].waited / 1000, "s", alone,
        engine.waited / 1000 * again / games,
        f"{readable(taken[0].used / 1000)} s of CPU here; {len(slices)} slices,"
        f" median {readable(median(slices))} ms, longest {readable(max(slices))} ms",
    )  # fmt: skip
    deal = told("a deal written meanwhile", waits, refused, quiet)
    longest = f"longest {readable(max(waits))} ms, {readable(max(quiet))} ms with nothing else"
    yield replace(deal, note=f"{deal.note}; {longest}")


@contextmanager
def timed_slices() -> Iterator[list[float]]:
    """Measure how long each slice is written, in ms, without its commit."""
    times: list[float] = []
    original = Pools.slices

    def timed(write: Work) -> None:
        times.append(take_time(write).waited)

    def slices(pools: Pools) -> Iterator[Work]:
        for write in original(pools):
            yield partial(timed, write)

    with patch.object(Pools, "slices", slices):
        yield times


def one_round(evenings: Evenings, number: int) -> float:
    """Milliseconds until a round that was just closed is rated."""
    evenings.play(range(number, number + 1))
    rate_since(1, playing(number))
    return take_time(sweep_ratings).waited
