"""Ratings as shown: in whole points, with their uncertainty."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

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


def last_changes(
    ratings: QuerySet[PlayerRating], before: datetime | None = None
) -> QuerySet[RatingChange]:
    """Return the last change of each rating that has one, with its `player`."""
    last = RatingChange.objects.filter(rating=OuterRef("pk")).order_by("-number")
    if before is not None:
        last = last.filter(at__lt=before)
    kept = ratings.annotate(change=Subquery(last.values("pk")[:1])).values("change")
    seat = Seat.objects.filter(game=OuterRef("game"), number=OuterRef("seat"))
    rows = RatingChange.objects.filter(pk__in=kept).order_by()
    return rows.annotate(player=Subquery(seat.values("player")[:1]))
