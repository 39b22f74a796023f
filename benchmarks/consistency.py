"""Every stored cache checked: how fast, how much memory, and whether phones wait for it.

Whole games of one club that takes part in the server's ratings, 40 tables a round, with all their
writes. Two controls in the same run: the engine folding as many games without a database, and a
table that writes deals while nothing else happens, against one that writes meanwhile, and one that
writes while all ratings are computed anew and thrown away (`rebuild_ratings --check`).
"""

import resource
import time
from collections.abc import Iterator
from typing import NamedTuple

from django.db import connection
from django.db.models import Prefetch

from benchmarks.figures import Figure, readable, take_time
from benchmarks.rebuild_ratings import TABLES, Evenings
from benchmarks.writing_table import told, with_a_table
from tests.deals import WHOLE_GAME
from tests.factories import GameFactory
from tournaments.models import Club, Game, Revision, Seat
from tournaments.queries.sheets import fold_sheet, load_sheet, result_of
from tournaments.services.checks.caches import names_in_head
from tournaments.services.checks.nights import CACHES
from tournaments.services.ratings.computing import differing_ratings, rebuild_ratings, sweep_ratings

DATABASES = ("SQLite",)
SIZES = {
    "tiny": {"games": 80, "players": 200, "quiet": 1},
    "usual": {"games": 4_000, "players": 2_000, "quiet": 5},
    "full": {"games": 20_000, "players": 5_000, "quiet": 10},
}
AT_ONCE = 1000

FAR = 10**9
"""Keys of revisions written past `NewLine`, which gives those of all others."""


def lay(games: int, players: int) -> None:
    """So many games as tables leave them, rated."""
    Evenings(players).play(range(1, games // TABLES + 1))
    Club.objects.update(in_server_ratings=True)
    first = GameFactory(entries=WHOLE_GAME)
    first.refresh_from_db()
    columns = (
        "revision, key, kind, position, body, before, author, phone, reason, at, by_phone, result"
    )
    told = ", ".join(f"w.{name}" for name in columns.split(", "))
    with connection.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO tournaments_revision (id, game_id, {columns})"  # noqa: S608 - our names
            f" SELECT {FAR} + 100 * g.id + w.revision, g.id, {told}"
            " FROM tournaments_game g JOIN tournaments_revision w"
            " ON w.game_id = %s WHERE g.id <> %s",
            [first.pk, first.pk],
        )
    Game.objects.update(revision=first.revision, result=first.result)
    for key in range(0, games + TABLES, AT_ONCE):
        rows = Game.objects.filter(pk__gte=key, pk__lt=key + AT_ONCE, table__isnull=False)
        seats = Prefetch("seats", Seat.objects.select_related("player"))
        batch = list(rows.prefetch_related(seats))
        for game in batch:
            game.players = names_in_head(game)
        Game.objects.bulk_update(batch, ["players"], batch_size=200)
    rebuild_ratings()
    sweep_ratings()


def fold(games: int) -> None:
    """The control: the engine alone."""
    sheet = load_sheet(GameFactory(entries=WHOLE_GAME))
    row, writes = Game.objects.get(pk=sheet.row.pk), tuple(Revision.objects.filter(game=sheet.row))
    for _ in range(games):
        result_of(fold_sheet(row, writes))


class CheckTime(NamedTuple):
    """The rows of a whole check, and its longest batch in ms."""

    rows: int
    longest: float


def check() -> CheckTime:
    """Check all caches, as the nightly check does."""
    rows, longest = 0, 0.0
    for cache in CACHES.values():
        started = time.perf_counter()
        for number, differing in cache.look():
            assert not differing, differing[:3]
            rows += number
            now = time.perf_counter()
            longest, started = max(longest, now - started), now
    return CheckTime(rows, 1000 * longest)


def measure(games: int, players: int, quiet: int) -> Iterator[Figure]:
    lay(games, players)
    alone = take_time(lambda: fold(games))
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    calm, _none = with_a_table(lambda: time.sleep(quiet))
    found: list[CheckTime] = []
    meanwhile = [with_a_table(lambda: found.append(check()))]
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    taken = take_time(check)
    yield Figure(
        f"check of all caches of {games:,} games", taken.waited / 1000, "s",
        "the engine folding as many", alone.waited / 1000,
        f"{found[0].rows:,} rows, longest part {readable(found[0].longest)} ms;"
        f" memory {before:,.0f} MB before, {after:,.0f} MB after",
    )  # fmt: skip
    meanwhile.append(with_a_table(differing_ratings))
    for name, (waits, refused) in zip(("it", "rebuild_ratings --check"), meanwhile, strict=True):
        yield told(f"a deal written during {name}", waits, refused, calm)
