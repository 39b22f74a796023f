"""A tournament as its page opens for an entrant: where to sit, which place, what came of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from django.db.models import F, Q
from django.http import HttpRequest
from django.utils.translation import gettext as _

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Game, RatingChange, RatingPool, Tournament
from tournaments.permissions import account_of
from tournaments.presenters.rounds.overview import Leader, Overview, PathStep, RoundSeen, TableSeen
from tournaments.queries.ratings.ratings import shown_points
from tournaments.texts.labels import points_text
from tournaments.web.base.phone import address, phone_entrant, scores, writes_games

PLACES = {2: ("bottom", "top"), 3: ("bottom", "right", "left")}
FOUR = ("bottom", "right", "top", "left")
"""The places on the drawn table from one's own, in the order of the seats."""

WIDTH, EDGE = 340, 16
"""Of the drawn way to the finals."""


@dataclass(frozen=True, slots=True)
class PointsMark:
    """Points at their place on the drawn way to the finals; `shown` if their text has room."""

    points: Points
    x: int
    shown: bool = True

    @property
    def anchor(self) -> str:
        """Return where the text begins, so that it stays within the drawing."""
        return "start" if self.x < 90 else "end" if self.x > WIDTH - 90 else "middle"


@dataclass(frozen=True, slots=True)
class CutScale:
    """The way to the finals, to scale: one's own points, those of the cut, those of the first."""

    mine: PointsMark
    cut: PointsMark
    best: PointsMark


@dataclass(frozen=True, slots=True)
class Card:
    """The card of an entrant: `chosen` on this phone, or known by the account.

    `table` is where they sit in the round that is on, `result` their place and points there once
    that game is over; `out` if they sit it out. `seats` are the places of the drawn table with
    their names, the reader's own first. `write` is the address of the sheet, if this phone writes
    it.
    """

    name: str
    number: int
    chosen: bool
    row: Leader | None = None
    of: int = 0
    round: RoundSeen | None = None
    table: TableSeen | None = None
    out: bool = False
    result: tuple[int, Points] | None = None
    seats: Sequence[tuple[str, str]] = ()
    path: Sequence[PathStep] = ()
    next: str = ""
    cut: str = ""
    scale: CutScale | None = None
    write: str = ""
    rating: tuple[int, int] | None = None
    leaves: bool = False

    @property
    def moved(self) -> int:
        return self.rating[1] - self.rating[0] if self.rating else 0


def entrant_known(request: HttpRequest, row: Tournament) -> tuple[str, bool] | None:
    """Return the key of the entrant who asks, and whether this phone has chosen it.

    None if nobody is known (1 query with an account).
    """
    number = phone_entrant(request, row)
    if number is not None:
        return f"e{number}", True
    account = account_of(request)
    if account is None:
        return None
    own = row.entrants.filter(Q(player__account=account) | Q(partner__account=account))
    found = own.filter(waiting=False).values_list("number", flat=True).first()
    return None if found is None else (f"e{found}", False)


def card_of(
    request: HttpRequest, tournament: Tournament, seen: Overview, known: tuple[str, bool] | None
) -> Card | None:
    """Return the card of the entrant who asks, if they still take part (up to 3 queries)."""
    if known is None or known[0] not in seen.names:
        return None
    key, chosen = known
    row, now = seen.row_of(key), seen.current
    table = now.table_of(key) if now else None
    rivals = [] if row is None else [each for each in seen.rows if each.section == row.section]
    is_over = tournament.state == Tournament.State.FINISHED
    return Card(
        name=seen.names[key],
        number=int(key[1:]),
        chosen=chosen,
        row=row,
        of=len(rivals),
        round=now,
        table=table,
        out=now is not None and key in now.byes,
        result=table.result_of(key) if table else None,
        seats=_seats(seen, table, key) if table else (),
        path=seen.path_of(row) if row else (),
        next=_next(seen, row) if row and not is_over else "",
        cut=_cut(seen, row) if row and not is_over else "",
        scale=_scale(seen, row) if row and not is_over else None,
        write=_write(request, tournament, now, table) if now and table else "",
        rating=_rating(request, tournament, key) if is_over else None,
        leaves=key not in seen.here,
    )


def _seats(seen: Overview, table: TableSeen, key: str) -> list[tuple[str, str]]:
    """Return the places of the drawn table, the reader's own at the bottom."""
    mine = seen.side_seats.index(table.entrants.index(key))
    players = [*table.players[mine:], *table.players[:mine]]
    return list(zip(PLACES.get(len(players), FOUR), players, strict=False))


def _next(seen: Overview, row: Leader) -> str:
    above = seen.next_of(row)
    if above is None:
        return ""
    return _("%(points)s points to place %(place)s") % {
        "points": points_text(above.points - row.points),
        "place": above.place,
    }


def _cut(seen: Overview, row: Leader) -> str:
    """Say how far the finals are, or the first one who is left out."""
    rival = seen.cut_of(row)
    if rival is None:
        return _("You play the final.") if row.entrant in seen.finalists(row.section) else ""
    inside = seen.rows.index(row) < seen.rows.index(rival)
    apart: Points = row.points - rival.points if inside else rival.points - row.points
    said = {"points": points_text(apart), "number": seen.finals, "name": rival.name}
    if inside:
        text = _(
            "Among the first %(number)s, who play the final: %(points)s points before %(name)s."
        )
    else:
        text = _("The first %(number)s play the final: %(points)s points to %(name)s.")
    return text % said


def _scale(seen: Overview, row: Leader) -> CutScale | None:
    """Return the way to the finals; None without one, or where all have the same points."""
    rival = seen.cut_of(row)
    if rival is None:
        return None
    best = next(each for each in seen.rows if each.section == row.section)
    low = min(row.points, rival.points)
    width = max(best.points, row.points) - low
    if width <= 0:
        return None

    def mark(points: Points) -> PointsMark:
        return PointsMark(points, EDGE + round((WIDTH - 2 * EDGE) * (points - low) / width))

    mine, first = mark(row.points), mark(best.points)
    has_room = abs(first.x - mine.x) > WIDTH / 2
    return CutScale(mine, mark(rival.points), replace(first, shown=has_room))


def _write(request: HttpRequest, tournament: Tournament, now: RoundSeen, table: TableSeen) -> str:
    """Return the address of the sheet of a table, if this phone writes it (up to 2 queries)."""
    if not writes_games(request):
        return ""
    games = Game.objects.filter(table__round__event=tournament.event_id)
    here = games.filter(table__round__number=now.number, table__number=table.number)
    game = here.order_by("-pk").first()
    return address(game, "write") if game is not None and scores(request, game) else ""


def _rating(request: HttpRequest, tournament: Tournament, key: str) -> tuple[int, int] | None:
    """Return the rating of a player before and after a tournament, if the reader may see it."""
    changes = RatingChange.objects.filter(
        rating__pool__club=F("game__table__round__event__club"),
        rating__pool__in=RatingPool.objects.seen_by(request.user),
        rating__player__entries__tournament=tournament,
        rating__player__entries__number=int(key[1:]),
        rating__player__entries__partner=None,
        game__table__round__event=tournament.event_id,
    )
    found = list(changes.order_by("number"))
    if not found:
        return None
    return shown_points(found[0].before), shown_points(found[-1].after)
