"""Versions of games, which tell an open page whether its sheet has changed.

Phones that follow a game poll every two seconds, and nearly always nothing has changed. Most
requests to a server are such polls, so each takes one query, which Django compiles once per
process.
"""

import json
import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from threading import Lock
from time import monotonic
from typing import Any

from django.db import connections, router
from django.db.models import BooleanField, Exists, ExpressionWrapper, F, Func, OuterRef, Subquery

from tournaments.models import Confirmation, DealReview, Game, RatedRound, fields
from tournaments.models.games import AT_OPEN_ROUND

FORGET = 10.0
"""Seconds without a request after which a game is no longer polled."""

FEW = 3
"""The number of games up to which compiling a query takes longer than asking for each."""

MOST_ANNOUNCED = 1000
"""The number of games whose announced versions a process keeps."""

NAME = "?"
"""Placeholder for the game's name in the compiled query; no game has this name."""


@dataclass(frozen=True, slots=True)
class GameVersion:
    """Everything visible of a game that can change between two polls.

    `generation` revokes the addresses to follow it, `write_generation` those to score it. `is_open`
    is the state of its round; an open table is always open. `players` are the shown names and
    `phones` those at the seats, which change without a revision. `goes_on` says whether another
    game followed, `confirmed` is the number of seats that have confirmed, `reviews` that of what
    was said of its deals, and `rated` the last rating of its round, 0 for none.
    """

    generation: int
    write_generation: int
    is_open: bool
    revision: int
    players: Sequence[str]
    phones: Sequence[Any]
    goes_on: bool = False
    confirmed: int = 0
    reviews: int = 0
    rated: int = 0

    @property
    def digest(self) -> str:
        return sha256(repr(self).encode()).hexdigest()[:16]

    def of(self, row: Game) -> "GameVersion":
        """Return this version limited to the contents of a sheet that was read a moment before."""
        return replace(
            self,
            generation=row.follow_generation,
            write_generation=row.write_generation,
            revision=row.revision,
            players=row.players,
            phones=row.phones,
        )


def mark_of(row: Game) -> GameVersion:
    """Load the version of a game whose row was read before (1 query).

    Raises:
        Game.DoesNotExist: it was deleted.
    """
    found = mark_named(row.public_id)
    if found is None:
        raise Game.DoesNotExist
    return found.of(row)


def mark_written(row: Game) -> GameVersion:
    """Return the version of a game after a write to its locked row (1 query, none if it runs).

    A running game at an open table has no confirmations, reviews or rating, and no game after it.
    Where it has, after a correction, the phone loads its sheet once more.
    """
    if row.result is not None or row.table_id is not None or row.match_id is not None:
        return mark_of(row)
    return GameVersion(
        generation=row.follow_generation,
        write_generation=row.write_generation,
        is_open=True,
        revision=row.revision,
        players=row.players,
        phones=row.phones,
    )


def mark_followed(public_id: str, secret: str) -> GameVersion | None:
    """Load the version of the game of a follow address; None if it is not valid (1 query)."""
    return followed(mark_named(public_id), public_id, secret)


def followed(mark: GameVersion | None, public_id: str, secret: str) -> GameVersion | None:
    """Return the version if this address may follow the game, else None."""
    if mark is None or not fields.matches(secret, "follow", public_id, mark.generation):
        return None
    return mark


def written(mark: GameVersion | None, public_id: str, secret: str) -> GameVersion | None:
    """Return the version if this address may score the game; None if only directors may."""
    if mark is None or not mark.is_open:
        return None
    return mark if fields.matches(secret, "write", public_id, mark.write_generation) else None


class VersionCache:
    """The versions of all games that phones have lately polled, loaded together.

    Each process has one. The number of queries depends on the elapsed time, not on the number of
    phones. A version is at most `seconds` old.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.marks: dict[str, GameVersion] = {}
        self.asked_at: dict[str, float] = {}
        self.announced: dict[str, tuple[float, GameVersion]] = {}
        self.looked = -math.inf
        self.looking = Lock()

    def mark(self, public_id: str) -> GameVersion | None:
        """Return the version of a game; None if there is no game of that name."""
        now = monotonic()
        # While another thread is loading, callers take the previous version.
        if now - self.looked >= self.seconds and self.looking.acquire(blocking=False):
            try:
                names = self.asked_at.copy().items()
                self.asked_at = {name: at for name, at in names if now - at < FORGET}
                self.marks = versions_named(self.asked_at) if self.asked_at else {}
                self.looked = now
            finally:
                self.looking.release()
        mark = self.marks.get(public_id) or mark_named(public_id)
        if mark is not None:
            self.marks[public_id], self.asked_at[public_id] = mark, now
        return mark

    def mark_announced(self, public_id: str, digest: str) -> GameVersion | None:
        """Return the version of a game that a stream announced, or a newer one.

        All pages of a game ask at the same moment: the first one takes a query.
        """
        now = monotonic()
        at, mark = self.announced.get(public_id, (-math.inf, None))
        if mark is None or mark.digest != digest or now - at >= self.seconds:
            mark = mark_named(public_id)
            if len(self.announced) >= MOST_ANNOUNCED:
                self.announced.clear()
            if mark is not None:
                self.announced[public_id] = now, mark
        return mark


def versions_named(names: Collection[str]) -> dict[str, GameVersion]:
    """Load the versions of the games of these names, without those that are gone.

    A query for each of a few, which is compiled already, and 1 for many.
    """
    if len(names) <= FEW:
        found = {name: mark_named(name) for name in names}
        return {name: mark for name, mark in found.items() if mark}
    rows = Game.objects.filter(public_id__in=list(names)).values_list("public_id", *_seen())
    return {name: _mark(*seen) for name, *seen in rows}


def mark_named(public_id: str) -> GameVersion | None:
    """Load the version of the game of this name (1 query)."""
    if "\0" in public_id:
        return None
    statement, params = _statement()
    with connections[router.db_for_read(Game)].cursor() as cursor:
        cursor.execute(statement, [public_id if param == NAME else param for param in params])
        found = cursor.fetchone()
    return None if found is None else _mark(*found)


def _mark(*found: Any) -> GameVersion:
    generation, writes, is_open, revision, players, phones, *counts = found
    goes_on, confirmed, reviews, rated = counts
    names, seats = (json.loads(v) if isinstance(v, str) else v for v in (players, phones))
    state = (revision, names, seats, bool(goes_on), confirmed or 0, reviews or 0, rated or 0)
    return GameVersion(generation, writes, bool(is_open), *state)


@cache
def _statement() -> tuple[str, tuple[Any, ...]]:
    """Return the compiled query for one game: compiling takes longer than running it."""
    rows = Game.objects.filter(public_id=NAME).values_list(*_seen())
    statement, params = rows.query.sql_with_params()
    return statement, tuple(params)


def _seen() -> Sequence[Any]:
    of_match = {"match": OuterRef("match"), "match_number__gt": OuterRef("match_number")}
    at_table = {"open_table": OuterRef("open_table"), "number__gt": OuterRef("number")}
    seats = Confirmation.objects.filter(game=OuterRef("pk")).order_by()
    reviews = DealReview.objects.filter(game=OuterRef("pk")).order_by()
    # Made anew whenever changes of ratings in it are. While a long computation has deleted them and
    # not yet stored the new ones, pages keep the old ratings.
    rounds = RatedRound.objects.filter(round=OuterRef("table__round")).order_by()
    return (
        "follow_generation",
        "write_generation",
        ExpressionWrapper(AT_OPEN_ROUND, BooleanField()),
        "revision",
        "players",
        "phones",
        ExpressionWrapper(
            Exists(Game.objects.filter(**of_match)) | Exists(Game.objects.filter(**at_table)),
            BooleanField(),
        ),
        Subquery(seats.annotate(all=Func(F("pk"), function="COUNT")).values("all")),
        Subquery(reviews.annotate(all=Func(F("pk"), function="COUNT")).values("all")),
        Subquery(rounds.annotate(last=Func(F("pk"), function="MAX")).values("last")),
    )
