"""The caches of games: what one came to, its revision, and the names in its head."""

from collections.abc import Iterable

from django.db import transaction
from django.db.models import F, Max, Prefetch, QuerySet
from django.db.models.functions import Coalesce

from tournaments.models import Club, Game, Player, Seat
from tournaments.services.checking.caches import Found, Looked
from tournaments.services.checking.moment import one_moment
from tournaments.services.people.head_names import let_names_follow
from tournaments.services.people.players import names_at_table
from tournaments.services.play.results import UNFIT, rebuild_result, results_of

AT_ONCE = 100
"""Some tenths of a second: no look at one moment keeps the log of SQLite from being cleared."""

NO_RESULT = "entries that do not fit each other"


def look_at_results(after: int | None) -> Looked:
    """Compare what games came to with the fold of their writes."""
    with one_moment():
        keys = _keys_after(after, AT_ONCE)
        differing = [
            (row, NO_RESULT if result is UNFIT else result)
            for row, result in results_of(keys)
            if row.result != result
        ]
        clubs = _clubs_of(row.pk for row, _ in differing)
    found = [Found(clubs[row.pk], _named(row), row.result, result) for row, result in differing]
    return Looked(len(keys), tuple(found), _last(keys, AT_ONCE))


def repair_results(found: Iterable[Found]) -> None:
    """Write results anew; where entries do not fit there is nothing to make one of."""
    for row in _games_of(found):
        rebuild_result(row.pk)


def look_at_revisions(after: int | None) -> Looked:
    """Compare the revisions of games with those of their last writes."""
    with one_moment():
        keys = _keys_after(after, 10 * AT_ONCE)
        rows = Game.objects.filter(pk__in=keys).annotate(
            club=F("table__round__event__club_id"), last=Coalesce(Max("writes__revision"), 0)
        )
        differing = rows.exclude(revision=F("last")).order_by("pk")
        fields = ("club", "public_id", "revision", "last")
        found = [
            Found(club, f"game:{name}", *said)
            for club, name, *said in differing.values_list(*fields)
        ]
    return Looked(len(keys), tuple(found), _last(keys, 10 * AT_ONCE))


def repair_revisions(found: Iterable[Found]) -> None:
    """Put games to the revision of their last writes, and to what they then came to."""
    for row in _games_of(found):
        with transaction.atomic():
            game = Game.objects.select_for_update().get(pk=row.pk)
            game.revision = game.writes.aggregate(last=Max("revision"))["last"] or 0
            game.save(update_fields=["revision"])
            rebuild_result(game.pk)


def look_at_names(after: int | None) -> Looked:
    """Compare the names in the heads of clubs' games with what their players are called."""
    with one_moment():
        keys = _keys_after(after, 5 * AT_ONCE)
        rows = Game.objects.filter(pk__in=keys, table__isnull=False).order_by("pk")
        # Joined: of a thousand players prefetched SQLite finds the query too deep.
        seats = Prefetch("seats", Seat.objects.select_related("player"))
        games = list(rows.prefetch_related(seats))
        differing = [row for row in games if row.players != names_in_head(row)]
        clubs = _clubs_of(row.pk for row in differing)
    found = [Found(clubs[row.pk], _named(row)) for row in differing]
    return Looked(len(keys), tuple(found), _last(keys, 5 * AT_ONCE))


def names_in_head(game: Game) -> list[str]:
    """What is to stand in the head of a game; guests keep the names that were written."""
    sitting = {seat.number: seat.player for seat in game.seats.all()}
    written = enumerate(game.players)
    return names_at_table([sitting.get(seat) or Player(name=name) for seat, name in written])


def repair_names(found: Iterable[Found]) -> None:
    """Write the names of players into the heads of their games."""
    for each in found:
        with transaction.atomic():
            # As whoever renames a player does: first the people of the club, then the game.
            list(Club.objects.select_for_update().filter(pk__in=[each.club]))
            for row in _games_of([each]):
                seats = Seat.objects.filter(game=row)
                for number, pk in seats.values_list("number", "pk"):
                    let_names_follow(seats.filter(pk=pk), {row.players[number]})


def _keys_after(after: int | None, number: int) -> list[int]:
    rows = Game.objects.filter(pk__gt=after or 0).order_by("pk")
    return list(rows.values_list("pk", flat=True)[:number])


def _last(keys: list[int], number: int) -> int | None:
    return keys[-1] if len(keys) == number else None


def _clubs_of(keys: Iterable[int]) -> dict[int, int | None]:
    """The clubs of games; None for open tables."""
    rows = Game.objects.filter(pk__in=list(keys))
    return dict(rows.values_list("pk", "table__round__event__club_id"))


def _named(game: Game) -> str:
    return f"game:{game.public_id}"


def _games_of(found: Iterable[Found]) -> QuerySet[Game]:
    """The games that differences tell of, as far as they are still there."""
    names = [each.subject.removeprefix("game:") for each in found]
    return Game.objects.filter(public_id__in=names).order_by("pk")
