"""What tells a page that is open whether its sheet has changed since.

Phones that look on ask it every two seconds, and nearly always nothing has changed: of all that a
server is asked, most is this. So it is one query, put together by Django once for each process.
"""

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from threading import Lock
from time import monotonic
from typing import Any

from django.db import connection
from django.db.models import BooleanField, Exists, ExpressionWrapper, F, Func, OuterRef, Subquery

from tournaments.models import Confirmation, Game, RatingChange, addresses
from tournaments.models.play import AT_OPEN_ROUND

FORGET = 10.0
"""Seconds after which a game that nobody asks for is looked at no more."""

NAME = "?"
"""What stands for the name of the game in the query that is kept; no game is called so."""


@dataclass(frozen=True, slots=True)
class Mark:
    """All that can be seen of a game at a moment and may be otherwise at the next.

    `generation` of the addresses to follow it, `write_generation` of those to write; `is_open`
    whether its round is, as an open table always is; `players` as they wish to be shown, which
    changes without a write; `goes_on` whether its match has; `confirmed` how many seats have
    confirmed; `rated` the last rating change, 0 for none.
    """

    generation: int
    write_generation: int
    is_open: bool
    revision: int
    players: Sequence[str]
    goes_on: bool
    confirmed: int
    rated: int

    def of(self, row: Game) -> "Mark":
        """The same for a sheet that was read a moment before: of what it shows, not of later."""
        return replace(
            self,
            generation=row.follow_generation,
            write_generation=row.write_generation,
            revision=row.revision,
            players=row.players,
        )


def mark_of(row: Game) -> Mark:
    """The mark of a game whose row was read before (1 query).

    Raises:
        Game.DoesNotExist: it was deleted.
    """
    found = mark_named(row.public_id)
    if found is None:
        raise Game.DoesNotExist
    return found.of(row)


def mark_followed(public_id: str, secret: str) -> Mark | None:
    """The mark of the game that may be followed at an address; None where none may (1 query)."""
    return followed(mark_named(public_id), public_id, secret)


def followed(mark: Mark | None, public_id: str, secret: str) -> Mark | None:
    """The mark where the game may be followed at this address."""
    if mark is None or not addresses.matches(secret, "follow", public_id, mark.generation):
        return None
    return mark


def written(mark: Mark | None, public_id: str, secret: str) -> Mark | None:
    """The mark where whoever has this address may write the game; not where only directors may."""
    if mark is None or not mark.is_open:
        return None
    return mark if addresses.matches(secret, "write", public_id, mark.write_generation) else None


class Watch:
    """The marks of all games that phones have lately asked after, looked at together.

    Each process has one. As few queries as there are moments, and not as many as there are phones:
    a mark is at most so old as is said.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.marks: dict[str, Mark] = {}
        self.asked: dict[str, float] = {}
        self.looked = -math.inf
        self.looking = Lock()

    def mark(self, public_id: str) -> Mark | None:
        """The mark of a game; None where there is none of that name."""
        now = monotonic()
        # Whoever comes while another looks takes what was there a moment before.
        if now - self.looked >= self.seconds and self.looking.acquire(blocking=False):
            try:
                self._look_again(now)
            finally:
                self.looking.release()
        mark = self.marks.get(public_id) or mark_named(public_id)
        if mark is not None:
            self.marks[public_id], self.asked[public_id] = mark, now
        return mark

    def _look_again(self, now: float) -> None:
        self.asked = {name: at for name, at in self.asked.copy().items() if now - at < FORGET}
        rows = Game.objects.filter(public_id__in=list(self.asked)).values_list(
            "public_id", *_seen()
        )
        self.marks = {name: _mark(*seen) for name, *seen in rows} if self.asked else {}
        self.looked = now


def mark_named(public_id: str) -> Mark | None:
    """The mark of the game of this name (1 query)."""
    if "\0" in public_id:
        return None
    statement, params = _statement()
    with connection.cursor() as cursor:
        cursor.execute(statement, [public_id if each == NAME else each for each in params])
        found = cursor.fetchone()
    return None if found is None else _mark(*found)


def _mark(*found: Any) -> Mark:
    generation, writes, is_open, revision, players, goes_on, confirmed, rated = found
    shown = json.loads(players) if isinstance(players, str) else players
    state = (revision, shown, bool(goes_on), confirmed or 0, rated or 0)
    return Mark(generation, writes, bool(is_open), *state)


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    """The query of one game: putting it together takes longer than asking it."""
    rows = Game.objects.filter(public_id=NAME).values_list(*_seen())
    statement, params = rows.query.sql_with_params()
    return statement, tuple(params)


def _seen() -> Sequence[Any]:
    """What a mark is made of."""
    match = {"match": OuterRef("match"), "match_number__gt": OuterRef("match_number")}
    seats = Confirmation.objects.filter(game=OuterRef("pk")).order_by()
    changes = RatingChange.objects.filter(game=OuterRef("pk")).order_by()
    return (
        "follow_generation",
        "write_generation",
        ExpressionWrapper(AT_OPEN_ROUND, BooleanField()),
        "revision",
        "players",
        Exists(Game.objects.filter(**match)),
        Subquery(seats.annotate(all=Func(F("pk"), function="COUNT")).values("all")),
        Subquery(changes.annotate(last=Func(F("pk"), function="MAX")).values("last")),
    )
