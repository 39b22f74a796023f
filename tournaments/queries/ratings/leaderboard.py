"""The leaderboard of a pool: it counts all ranks at once and reads only the requested page."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate
from operator import itemgetter, neg
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum

from tournaments.engine.ratings.ratings import Rating
from tournaments.models import Club, PlayerRating, RatedRound, RatingChange, RatingCount, RatingPool
from tournaments.models.people import PlayerQuerySet
from tournaments.models.ratings import RatingPoolQuerySet
from tournaments.queries.ratings.ratings import (
    ShownRating,
    games_in,
    month_of,
    rating_at,
    shown,
    shown_points,
)

ACTIVE_MONTHS = 6
"""A player is active with a game in this month or the five before."""

CHANGE_DAYS = 30
"""Days over which the change of a rating is measured."""

MOST_FOUND = 100
"""Most results of a search: for each one, rows that do not match have to be read, too."""


@dataclass(frozen=True)
class Ranks:
    """How many ratings of a list have which points.

    `points` has each value that occurs, the highest first; `above` the number with more than each.
    """

    points: tuple[int, ...]
    above: tuple[int, ...]
    total: int

    @staticmethod
    def of(counted: Iterable[tuple[int, int]]) -> "Ranks":
        """Build from pairs of points and their count, the highest points first."""
        rows = list(counted)
        *above, total = accumulate(map(itemgetter(1), rows), initial=0)
        return Ranks(tuple(points for points, _number in rows), tuple(above), total)

    def rank(self, points: int) -> int:
        """Return the rank, from 1, for these points; equal points share a rank."""
        index = bisect_left(self.points, -points, key=neg)
        return 1 + (self.above[index] if index < len(self.above) else self.total)

    def start(self, offset: int) -> tuple[int, int]:
        """Return the points after `offset` ratings, and how many with these points come before."""
        index = bisect_right(self.above, offset) - 1
        return self.points[index], offset - self.above[index]


@dataclass(frozen=True)
class Line:
    """A line of a leaderboard; `earlier` are the points that the change is measured from.

    `earlier` is None for anybody who had played no game then.
    """

    rank: int
    row: PlayerRating
    rating: ShownRating
    games: int
    earlier: int | None

    @property
    def change(self) -> int | None:
        """Return the change of the rating in points, or None."""
        return None if self.earlier is None else self.rating.points - self.earlier


@dataclass(frozen=True)
class Listed:
    """The leaderboard of a pool today: all ratings, or only the active or settled ones."""

    pool: RatingPool
    now: datetime
    active: bool = False
    provisional: bool = True

    @cached_property
    def ranks(self) -> Ranks:
        """Count the ranks (1 query)."""
        rows = RatingCount.objects.filter(pool=self.pool, **self._limits)
        counted = rows.values_list("points").annotate(number=Sum("ratings")).order_by("-points")
        return Ranks.of(counted)

    def keys(self, first: int, size: int) -> list[int]:
        """Return the keys of `size` ratings after the `first` ones, read from that position."""
        if first >= self.ranks.total:
            return []
        points, skipped = self.ranks.start(first)
        keys = self._ratings.filter(points__lte=points).values_list("pk", flat=True)
        return list(keys[skipped : skipped + size])

    def keys_called(self, players: PlayerQuerySet) -> list[int]:
        keys = self._ratings.filter(player__in=players).values_list("pk", flat=True)
        return list(keys[: MOST_FOUND + 1])

    def place(self, row: PlayerRating) -> tuple[int, int] | None:
        """Return the rank of a rating and how many lines come before it (1 query), or None."""
        if (row.provisional and not self.provisional) or (self.active and self.rests(row)):
            return None
        rank = self.ranks.rank(row.points)
        return rank, rank - 1 + self._ratings.filter(points=row.points, pk__lt=row.pk).count()

    def rests(self, row: PlayerRating) -> bool:
        return row.month < self._first_month

    def lines(self, keys: Sequence[int]) -> list[Line]:
        """Return the lines of some ratings in their order, with the change in 30 days (1 query).

        Their deviation is the current one; the list itself goes by the last game.
        """
        then = self.now - timedelta(days=CHANGE_DAYS)
        earlier = RatingChange.objects.filter(rating=OuterRef("pk"), at__lt=then)
        last = Subquery(earlier.order_by("-number").values("mean")[:1])
        rows = PlayerRating.objects.filter(pk__in=keys).select_related("player__club")
        found = {row.pk: (row, row.earlier) for row in rows.annotate(earlier=last)}
        return [self._line(*found[pk]) for pk in keys if pk in found]

    def _line(self, row: PlayerRating, mean: float | None) -> Line:
        rating = shown(rating_at(row, self.now))
        earlier = None if mean is None else shown_points(Rating(mean))
        return Line(self.ranks.rank(row.points), row, rating, row.games, earlier)

    @property
    def _ratings(self) -> QuerySet[PlayerRating]:
        """Return the ratings, the highest first, with a stable order of equals."""
        rows = PlayerRating.objects.filter(pool=self.pool, **self._limits)
        return rows.order_by("-points", "pk")

    @property
    def _first_month(self) -> int:
        return month_of(self.now) - ACTIVE_MONTHS + 1

    @property
    def _limits(self) -> dict[str, Any]:
        limits: dict[str, Any] = {"month__gte": self._first_month} if self.active else {}
        return limits if self.provisional else {**limits, "provisional": False}


def pools_with_ratings(pools: RatingPoolQuerySet) -> list[RatingPool]:
    """Filter to the pools that have ratings, the most played first (1 query)."""
    last = RatedRound.objects.filter(pool=OuterRef("pk")).order_by("-at", "-round_id")
    counts = RatingCount.objects.filter(pool=OuterRef("pk"))
    rows = pools.annotate(
        spreads=Subquery(last.values("spreads")[:1]),
        # Not Exists, for which PostgreSQL reads the counts of all pools.
        rated=Subquery(counts.values("pk")[:1]),
    )
    # The type checker does not see the annotations.
    found: list[Any] = list(rows.order_by("family"))
    rated = (row for row in found if row.rated is not None)
    return sorted(rated, key=lambda row: -games_in(row.spreads or {}))


def has_ratings(club: Club | None) -> bool:
    """Return whether a club, or the server, has any ratings (1 query)."""
    return RatingCount.objects.filter(pool__club=club).exists()


def rating_of_account(pool: RatingPool, account: int) -> PlayerRating | None:
    """Return the rating in a pool of the player that an account has claimed (1 query)."""
    rows = PlayerRating.objects.filter(pool=pool, player__account=account)
    return rows.order_by("-last_at", "pk").first()
