"""Ratings as shown: in whole points, with their uncertainty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from django.db.models import OuterRef, QuerySet, Subquery

from tournaments.engine.ratings.ratings import Rating
from tournaments.models import PlayerRating, RatingChange, Seat

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A rating for a page: in 19 of 20 cases the strength is within `within` of `points`."""

    points: int
    within: int
    provisional: bool


def shown_points(rating: Rating) -> int:
    """Return a rating in whole points, as shown and ranked."""
    return int(rating.mean + 0.5)


def shown(rating: Rating) -> ShownRating:
    """Return a rating as shown."""
    return ShownRating(shown_points(rating), round(2 * rating.deviation), rating.provisional)


def rating_at(row: PlayerRating, at: datetime) -> Rating:
    """Return a rating at a time after its last game: its deviation grows with time."""
    return row.rating.rested((at - row.last_at).total_seconds() / DAY)


def games_in(spreads: Mapping[str, Sequence[float]]) -> int:
    """Return the number of games in the spreads of a rated round."""
    return int(sum(games for games, _squares in spreads.values()))


def month_of(at: datetime) -> int:
    """Return a consecutive number for a month in UTC."""
    return at.year * 12 + at.month - 1


class LastChange(NamedTuple):
    """The last change of a rating, given by its key; `player` is who sat there."""

    rating: int
    mean: float
    variance: float
    number: int
    at: datetime
    player: int | None


def last_changes(
    ratings: QuerySet[PlayerRating], before: datetime | None = None
) -> list[LastChange]:
    """Return the last change of each rating that has one (1 query)."""
    last = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-number")
    if before is not None:
        last = last.filter(at__lt=before)
    # Joined: for keys of two columns from a subquery, Django lets SQLite read all changes.
    rows = ratings.filter(changes__number=Subquery(last.values("number")[:1])).order_by()
    seat = Seat.objects.filter(game=OuterRef("changes__game"), number=OuterRef("changes__seat"))
    fields = (f"changes__{name}" for name in ("mean", "variance", "number", "at"))
    return [
        LastChange(*row) for row in rows.values_list("pk", *fields, Subquery(seat.values("player")))
    ]
