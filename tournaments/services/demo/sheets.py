"""Sheets of whole games stored at once, with the same rows as revisions made one by one."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice

from django.db.models import QuerySet

from tournaments.models import Club, Confirmation, Game, Revision
from tournaments.queries.games.sheets import fold_sheet, put_computed, ruleset_of
from tournaments.services.demo.cast import Cast
from tournaments.services.demo.play import play_game

AT_ONCE = 500
"""Rows in one statement."""


@dataclass(frozen=True, slots=True)
class Pace:
    """The pace of a table: `deals` of its game (None: all), between two moments.

    Afterwards `confirmed` of its players confirm the result.
    """

    since: datetime
    until: datetime
    deals: int | None = None
    confirmed: int = 0


def play_tables(cast: Cast, games: QuerySet[Game], pace: Pace) -> None:
    """Play all these games at one pace."""
    write_sheets(cast, [(game, pace) for game in seated(games)])


def seated(games: QuerySet[Game]) -> list[Game]:
    """Return games in order of their tables, with seats loaded."""
    rows = games.order_by("table__number", "pk").select_related("table")
    return list(rows.prefetch_related("seats__player"))


def write_sheets(cast: Cast, played: Iterable[tuple[Game, Pace]]) -> None:
    """Play games at club tables at random, and store their sheets and audit entries."""
    games, writes, confirmations = [], [], []
    for game, pace in played:
        sheet = list(_write_game(cast, game, pace))
        games.append(game)
        writes += sheet
        confirmations += list(_confirm(cast.club, game, pace))
    Revision.objects.bulk_create(writes, AT_ONCE)
    Confirmation.objects.bulk_create(confirmations, AT_ONCE)
    Game.objects.bulk_update(games, ["revision", "result", "digest"], AT_ONCE)


def _write_game(cast: Cast, game: Game, pace: Pace) -> Iterator[Revision]:
    """Yield the revisions of a game, and set its row to the last of them."""
    ruleset = ruleset_of(game)
    strengths = [0.0] * ruleset.side_count
    for seat in game.seats.all():
        strengths[ruleset.sides[seat.number]] += cast.strength[seat.player.name]
    bodies = play_game(cast.chance, ruleset, strengths, pace.deals)
    step = (pace.until - pace.since) / max(1, len(bodies))
    author = cast.chance.choice(game.players)
    writes = tuple(
        Revision(
            game=game,
            revision=number,
            key=f"demo-{number:04}",
            kind=Revision.Kind.ENTRY,
            position=number - 1,
            body=body,
            author=author,
            at=pace.since + step * number,
            club=cast.club,
            by_phone=True,
        )
        for number, body in enumerate(bodies, 1)
    )
    game.revision = len(writes)
    put_computed(fold_sheet(game, writes))
    return iter(writes)


def _confirm(club: Club, game: Game, pace: Pace) -> Iterator[Confirmation]:
    """Yield confirmations as from the phone of the table."""
    for seat, player in islice(enumerate(game.players), pace.confirmed):
        yield Confirmation(
            game=game,
            seat=seat,
            revision=game.revision,
            player=player,
            at=pace.until,
            club=club,
            by_phone=True,
        )
