"""What tells a page that is open whether its sheet has changed since.

Phones that look on ask it every two seconds, and nearly always nothing has changed: of all that a
server is asked, most is this. So it is one query, put together by Django once for each process.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

from django.db import connection
from django.db.models import Exists, F, Func, OuterRef, Subquery

from tournaments.models import Confirmation, Game, RatingChange, addresses

NAME = "?"
"""What stands for the name of the game in the query that is kept; no game is called so."""


@dataclass(frozen=True, slots=True)
class Mark:
    """All that can be seen of a game at a moment and may be otherwise at the next.

    `generation` of the addresses to follow it; `players` as they wish to be shown, which changes
    without a write; `goes_on` whether its match has; `confirmed` how many seats have confirmed;
    `rated` the last rating change, 0 for none.
    """

    generation: int
    revision: int
    players: Sequence[str]
    goes_on: bool
    confirmed: int
    rated: int

    def of(self, row: Game) -> "Mark":
        """The same for a sheet that was read a moment before: of what it shows, not of later."""
        generation = row.follow_generation
        return replace(self, generation=generation, revision=row.revision, players=row.players)


def mark_of(row: Game) -> Mark:
    """The mark of a game whose row was read before (1 query).

    Raises:
        Game.DoesNotExist: it was deleted.
    """
    found = _look(row.public_id)
    if found is None:
        raise Game.DoesNotExist
    return found.of(row)


def mark_followed(public_id: str, secret: str) -> Mark | None:
    """The mark of the game that may be followed at an address; None where none may (1 query)."""
    found = None if "\0" in public_id else _look(public_id)
    if found is None or not addresses.matches(secret, "follow", public_id, found.generation):
        return None
    return found


def _look(public_id: str) -> Mark | None:
    statement, params = _statement()
    with connection.cursor() as cursor:
        cursor.execute(statement, [public_id if each == NAME else each for each in params])
        found = cursor.fetchone()
    if found is None:
        return None
    generation, revision, players, goes_on, confirmed, rated = found
    shown = json.loads(players) if isinstance(players, str) else players
    return Mark(generation, revision, shown, bool(goes_on), confirmed or 0, rated or 0)


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    """The query: putting it together takes longer than asking it."""
    match = {"match": OuterRef("match"), "match_number__gt": OuterRef("match_number")}
    seats = Confirmation.objects.filter(game=OuterRef("pk")).order_by()
    changes = RatingChange.objects.filter(game=OuterRef("pk")).order_by()
    rows = Game.objects.filter(public_id=NAME).values_list(
        "follow_generation",
        "revision",
        "players",
        Exists(Game.objects.filter(**match)),
        Subquery(seats.annotate(all=Func(F("pk"), function="COUNT")).values("all")),
        Subquery(changes.annotate(last=Func(F("pk"), function="MAX")).values("last")),
    )
    statement, params = rows.query.sql_with_params()
    return statement, tuple(params)
