"""The caches of games: result, revision, and the names in the setup."""

from collections.abc import Iterable, Iterator
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, Max, OuterRef, Prefetch, QuerySet
from django.db.models.functions import Coalesce

from tournaments.models import Club, Game, Partition, Player, Seat
from tournaments.services.base.moment import one_moment
from tournaments.services.checks.caches import Mismatch, ScanResult, batches_of
from tournaments.services.games.results import UNFIT, rebuild_result, results_of
from tournaments.services.people.players import names_at_table
from tournaments.services.people.sheet_names import let_names_follow

AT_ONCE = 100
"""Takes some tenths of a second: a longer snapshot would keep SQLite's WAL from being reset."""

NO_RESULT = "entries that do not fit each other"


def look_at_results() -> Iterator[ScanResult]:
    """Compare results of games with the fold of their revisions."""
    for keys in batches_of(Game.objects.all(), AT_ONCE):
        with one_moment():
            differing = [
                (row, NO_RESULT if result is UNFIT else result)
                for row, result in results_of(keys)
                if row.result != result and not _is_of_before(row.result, result)
            ]
            clubs = clubs_of(row.pk for row, _ in differing)
        found = [
            Mismatch(clubs[row.pk], named(row), row.result, result) for row, result in differing
        ]
        yield ScanResult(len(keys), tuple(found))


def _is_of_before(stored: Any, result: Any) -> bool:
    """Return whether a result lacks only what was not stored before the second tie-breaks."""
    if not isinstance(stored, dict) or not isinstance(result, dict) or "unplayed" in stored:
        return False
    return bool(stored == {name: each for name, each in result.items() if name != "unplayed"})


def repair_results(found: Iterable[Mismatch]) -> None:
    """Store results again; a game whose entries do not fit keeps its result."""
    for row in games_of(found):
        rebuild_result(row.pk)


def look_at_revisions() -> Iterator[ScanResult]:
    """Compare the revision number of each game with its last revision."""
    fields = ("club", "public_id", "revision", "last")
    archived = Partition.objects.archived(OuterRef("pk"))
    here = Game.objects.exclude(Exists(archived), result__isnull=False)
    for keys in batches_of(here, 10 * AT_ONCE):
        # A single query is a consistent snapshot by itself.
        rows = Game.objects.filter(pk__in=keys).annotate(
            club=F("table__round__event__club_id"), last=Coalesce(Max("revisions__revision"), 0)
        )
        differing = rows.exclude(revision=F("last")).order_by("pk").values_list(*fields)
        found = (Mismatch(club, f"game:{name}", *said) for club, name, *said in differing)
        yield ScanResult(len(keys), tuple(found))


def repair_revisions(found: Iterable[Mismatch]) -> None:
    """Set games to the number and the result of their last revision."""
    for row in games_of(found):
        with transaction.atomic():
            game = Game.objects.select_for_update().get(pk=row.pk)
            game.revision = game.revisions.aggregate(last=Max("revision"))["last"] or 0
            game.save(update_fields=["revision"])
            rebuild_result(game.pk)


def look_at_names() -> Iterator[ScanResult]:
    """Compare the names in the setup of club games with the names of their players."""
    # Joined: with a thousand prefetched players SQLite rejects the query as too deep.
    seats = Prefetch("seats", Seat.objects.select_related("player"))
    for keys in batches_of(Game.objects.filter(table__isnull=False), 5 * AT_ONCE):
        with one_moment():
            games = Game.objects.filter(pk__in=keys).order_by("pk").prefetch_related(seats)
            differing = [row for row in games if row.players != names_in_head(row)]
            clubs = clubs_of(row.pk for row in differing)
        yield ScanResult(len(keys), tuple(Mismatch(clubs[row.pk], named(row)) for row in differing))


def names_in_head(game: Game) -> list[str]:
    """Return the names the setup of a game should have; guests keep the names as typed."""
    sitting = {seat.number: seat.player for seat in game.seats.all()}
    written = enumerate(game.players)
    return names_at_table([sitting.get(seat) or Player(name=name) for seat, name in written])


def repair_names(found: Iterable[Mismatch]) -> None:
    """Write current player names into the setup of their games."""
    for each in found:
        with transaction.atomic():
            # Same order as in renaming a player: lock the people of the club, then the game.
            list(Club.objects.select_for_update().filter(pk__in=[each.club]))
            for row in games_of([each]):
                seats = Seat.objects.filter(game=row)
                for number, pk in seats.values_list("number", "pk"):
                    let_names_follow(seats.filter(pk=pk), {row.players[number]})


def clubs_of(keys: Iterable[int]) -> dict[int, int | None]:
    """Map games to their clubs; None for open tables."""
    rows = Game.objects.filter(pk__in=list(keys))
    return dict(rows.values_list("pk", "table__round__event__club_id"))


def named(game: Game) -> str:
    """Return the subject of a difference in a game."""
    return f"game:{game.public_id}"


def games_of(found: Iterable[Mismatch]) -> QuerySet[Game]:
    """Return the games of some differences, without deleted ones."""
    names = [each.subject.removeprefix("game:") for each in found]
    return Game.objects.filter(public_id__in=names).order_by("pk")
