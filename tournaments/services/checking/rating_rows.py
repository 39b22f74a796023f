"""Changes of ratings as they are stored, read with the change before each."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import Exists, F, OuterRef, Q, QuerySet, Subquery

from tournaments.engine.ratings import Rating, Spread
from tournaments.models import PlayerRating, RatedRound, RatingChange, Round

ROUNDS_AT_ONCE = 25
"""Half a thousand games, some tenths of a second: see `sheets.AT_ONCE`."""

ROWS_AT_ONCE = 2000

PoolKey = tuple[int | None, str]
"""A pool by its club (None: the server) and its family."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """Moments from `since` up to, and without, `until`; None: without an end."""

    since: datetime | None
    until: datetime | None

    @property
    def rows(self) -> Q:
        """What was rated in it."""
        since = Q() if self.since is None else Q(at__gte=self.since)
        return since if self.until is None else since & Q(at__lt=self.until)


def stretch_from(since: datetime | None) -> tuple[Stretch, set[int]]:
    """The next stretch of a few closed rounds, and the clubs whose they are."""
    closed = Round.objects.filter(closed_at__isnull=False).order_by("closed_at")
    coming = closed if since is None else closed.filter(closed_at__gte=since)
    fields = ("closed_at", "event__club_id")
    rounds = list(coming.values_list(*fields)[:ROUNDS_AT_ONCE])
    if len(rounds) < ROUNDS_AT_ONCE:
        return Stretch(since, None), {club for _at, club in rounds}
    later = closed.filter(closed_at__gt=rounds[-1][0])
    stretch = Stretch(since, later.values_list("closed_at", flat=True).first())
    # Those closed at one moment are never apart.
    same = closed.filter(closed_at=rounds[-1][0]).values_list(*fields)
    return stretch, {club for _at, club in (*rounds, *same)}


class StoredChange(NamedTuple):
    """A change as it is stored; `prior` is the one with the number before, if it is there."""

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
        """The pool it is in."""
        return self.club, self.family


class Prior(NamedTuple):
    """What the change before has come to."""

    game: int
    at: datetime
    after: Rating


def stored_changes(stretch: Stretch) -> Iterator[StoredChange]:
    """The changes of a stretch."""
    before = RatingChange.objects.filter(rating=OuterRef("rating"), number=OuterRef("less"))
    priors = ("game_id", "at", "mean", "variance")
    rows = RatingChange.objects.filter(stretch.rows).order_by().alias(less=F("number") - 1)
    told = {f"prior_{name}": Subquery(before.values(name)[:1]) for name in priors}
    values: Any = rows.annotate(**told).values_list(
        *("rating__pool__club_id", "rating__pool__family", "rating__person"),
        *("game_id", "seat", "number", "at", "mean_before", "variance_before"),
        *("mean", "variance", *told),
    )
    for club, family, person, game, seat, number, at, *said in values.iterator(ROWS_AT_ONCE):
        mean_before, variance_before, mean, variance, prior, prior_at, *prior_after = said
        yield StoredChange(
            *(club, family, person, game, seat, number, at),
            Rating(mean_before, variance_before),
            Rating(mean, variance),
            None if prior is None else Prior(prior, prior_at, Rating(*prior_after)),
        )


def orphans(stretch: Stretch) -> QuerySet[RatingChange]:
    """Changes of a stretch whose rating is gone: the database does not look."""
    there = PlayerRating.objects.filter(pk=OuterRef("rating_id"))
    return RatingChange.objects.filter(~Exists(there), stretch.rows).order_by()


def rated_rounds(stretch: Stretch) -> dict[tuple[PoolKey, int], RatedRound]:
    """The rounds rated in a stretch, by pool and key of the round."""
    rows = RatedRound.objects.filter(stretch.rows).select_related("pool")
    return {((row.pool.club_id, row.pool.family), row.round_id): row for row in rows}


def spreads_before(pools: Iterable[PoolKey], since: datetime | None) -> dict[PoolKey, Any]:
    """The spreads with which pools begin a stretch, as they are stored."""
    found: dict[PoolKey, Any] = {}
    for club, family in pools:
        rows = RatedRound.objects.filter(pool__club=club, pool__family=family)
        last = rows.filter(at__lt=since).order_by("-at", "-round_id") if since else rows.none()
        found[club, family] = last.values_list("spreads", flat=True).first() or {}
    return found


def read_spreads(stored: Any) -> dict[str, Spread]:
    """Spreads as the engine has them."""
    return {name: Spread(*spread) for name, spread in stored.items()}
