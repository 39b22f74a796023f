"""Ratings as they are shown: in whole points, with how sure they are."""

from dataclasses import dataclass
from datetime import datetime

from tournaments.engine.ratings import Rating
from tournaments.models import PlayerRating

DAY = 86400.0


@dataclass(frozen=True, slots=True)
class ShownRating:
    """A rating for a page: in 19 of 20 cases the strength is within `within` of `points`."""

    points: int
    within: int
    provisional: bool


def shown_points(rating: Rating) -> int:
    """A rating in whole points, as it is shown and ranked."""
    return int(rating.mean + 0.5)


def shown(rating: Rating) -> ShownRating:
    """A rating as it is shown."""
    return ShownRating(shown_points(rating), round(2 * rating.deviation), rating.provisional)


def rating_at(row: PlayerRating, at: datetime) -> Rating:
    """Somebody's rating at a moment after the last of their games: less sure with time."""
    return row.rating.rested((at - row.last_at).total_seconds() / DAY)


def month_of(at: datetime) -> int:
    """The number of a month in UTC, one more for each."""
    return at.year * 12 + at.month - 1
