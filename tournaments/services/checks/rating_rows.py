"""Stored rating changes, read together with the change before each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from tournaments.engine.ratings.ratings import MODEL, Rating, Spread
from tournaments.models import (
    Club,
    PlayerRating,
    RatedRound,
    RatingChange,
    RatingDue,
    RatingLedger,
    Round,
)

ROUNDS_AT_ONCE = 25
"""About 500 games, some tenths of a second: see `sheets.AT_ONCE`."""

ROWS_AT_ONCE = 2000

PoolKey = tuple[int | None, str]
"""A pool by its club (None: the server) and its family."""


@dataclass(frozen=True, slots=True)
class TimeSpan:
    """Moments from `since` up to, but without, `until`; None means no limit."""

    since: datetime | None
    until: datetime | None

    @property
    def rows(self) -> Q:
        since = Q() if self.since is None else Q(at__gte=self.since)
        return since if self.until is None else since & Q(at__lt=self.until)


def stretch_from(since: datetime | None) -> tuple[TimeSpan, set[int]]:
    """Return the next stretch of a few closed rounds, and their clubs."""
    closed = Round.objects.closed().in_order_of_play().select_related("event")
    coming = closed if since is None else closed.played_since(since)
    rounds = list(coming[:ROUNDS_AT_ONCE])
    if len(rounds) < ROUNDS_AT_ONCE:
        return TimeSpan(since, None), {each.event.club_id for each in rounds}
    last = rounds[-1]
    # Rounds of the same moment stay together.
    same = closed.filter(event__held_on=last.event.held_on, number=last.number)
    until = last.played_at + timedelta(seconds=1)
    return TimeSpan(since, until), {each.event.club_id for each in (*rounds, *same)}


class StoredChange(NamedTuple):
    """A stored change; `prior` is the change with the number before, if it exists."""

    club: int | None
    family: str
    person: str
    game: int
    seat: int
    number: int
    at: datetime
    before: Rating
    after: Rating
    prior: "Prior | None"

    @property
    def pool(self) -> PoolKey:
        return self.club, self.family


class Prior(NamedTuple):
    """The values after the change before."""

    game: int
    at: datetime
    after: Rating


def stored_changes(stretch: TimeSpan) -> Iterator[StoredChange]:
    """Yield the changes of a stretch."""
    before = RatingChange.objects.filter(rating=OuterRef("rating"), number=OuterRef("less"))
    priors = ("game_id", "at", "mean", "variance")
    rows = RatingChange.objects.filter(stretch.rows).order_by().alias(less=F("number") - 1)
    details = {f"prior_{name}": Subquery(before.values(name)[:1]) for name in priors}
    values: Any = rows.annotate(**details).values_list(
        *("rating__pool__club_id", "rating__pool__family", "rating__person"),
        *("game_id", "seat", "number", "at", "mean_before", "variance_before"),
        *("mean", "variance", "rating__start", *details),
    )
    for club, family, person, game, seat, number, at, *said in values.iterator(ROWS_AT_ONCE):
        mean_before, variance_before, mean, variance, start, prior, prior_at, *after = said
        yield StoredChange(
            *(club, family, person, game, seat, number, at),
            Rating(mean_before, variance_before, start),
            Rating(mean, variance, start),
            None if prior is None else Prior(prior, prior_at, Rating(after[0], after[1], start)),
        )


def orphans(stretch: TimeSpan) -> QuerySet[RatingChange]:
    """Return changes of a stretch whose rating is gone; no constraint prevents that."""
    there = PlayerRating.objects.filter(pk=OuterRef("rating_id"))
    return RatingChange.objects.filter(~Exists(there), stretch.rows).order_by()


def rated_rounds(stretch: TimeSpan) -> dict[tuple[PoolKey, int], RatedRound]:
    """Map pool and key of the round to each round rated in a stretch."""
    rows = RatedRound.objects.filter(stretch.rows).select_related("pool")
    return {((row.pool.club_id, row.pool.family), row.round_id): row for row in rows}


def spreads_before(pools: Iterable[PoolKey], since: datetime | None) -> dict[PoolKey, Any]:
    """Return the stored spreads of pools at the begin of a stretch."""
    found: dict[PoolKey, Any] = {}
    for club, family in pools:
        rows = RatedRound.objects.filter(pool__club=club, pool__family=family)
        last = rows.filter(at__lt=since).order_by("-at", "-round_id") if since else rows.none()
        found[club, family] = last.values_list("spreads", flat=True).first() or {}
    return found


def read_spreads(stored: Any) -> dict[str, Spread]:
    """Convert stored spreads to those of the engine."""
    return {name: Spread(*spread) for name, spread in stored.items()}


@dataclass(frozen=True)
class Pending:
    """The moment from which ratings will be recomputed; `everything` means all of them."""

    everything: bool
    since: dict[int | None, datetime]

    def covers(self, club: int | None, at: datetime) -> bool:
        """Return whether what was rated at `at`, in a club or on the server, is pending."""
        since = self.since.get(club)
        return self.everything or (since is not None and at >= since)


def load_pending() -> Pending:
    """Load pending ratings, in the same snapshot as the other reads (3 queries)."""
    taking_part = set(Club.objects.filter(in_server_ratings=True).values_list("pk", flat=True))
    since: dict[int | None, datetime] = {}
    for club, moment in RatingDue.objects.values_list("club_id", "since"):
        # Computing a participating club then requests the server's ratings.
        for scope in {club, None} if club in taking_part else {club}:
            since[scope] = min(moment, since.get(scope, moment))
    ledger = RatingLedger.objects.first()
    return Pending(ledger is not None and ledger.model != MODEL, since)
