"""The leaderboard of a pool: ranks counted at once, and only the page that is asked for read."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import accumulate
from operator import itemgetter, neg
from typing import Any

from django.db.models import OuterRef, QuerySet, Subquery, Sum

from tournaments.engine.ratings import Rating
from tournaments.models import Club, PlayerRating, RatedRound, RatingChange, RatingCount, RatingPool
from tournaments.models.people import PlayerQuerySet
from tournaments.models.ratings import RatingPoolQuerySet
from tournaments.queries.ratings import ShownRating, month_of, rating_at, shown, shown_points

ACTIVE_MONTHS = 6
"""Whoever has played in this month or the five before is active."""

CHANGE_DAYS = 30
"""The change of a rating is told from so many days ago on."""

MOST_FOUND = 100
"""A search shows so many at most: further ones have to be read in vain before they are found."""


@dataclass(frozen=True)
class Ranks:
    """How many of a list have which points.

    `points` are those that somebody has, the most first; `above` is how many have more than each.
    """

    points: tuple[int, ...]
    above: tuple[int, ...]
    total: int

    @staticmethod
    def of(counted: Iterable[tuple[int, int]]) -> "Ranks":
        """From points and how many have them, the most first."""
        rows = list(counted)
        *above, total = accumulate(map(itemgetter(1), rows), initial=0)
        return Ranks(tuple(points for points, _number in rows), tuple(above), total)

    def rank(self, points: int) -> int:
        """The rank, from 1, of who has these points: equals share one."""
        index = bisect_left(self.points, -points, key=neg)
        return 1 + (self.above[index] if index < len(self.above) else self.total)

    def start(self, offset: int) -> tuple[int, int]:
        """The points of whoever comes after so many, and how many with the same come before."""
        index = bisect_right(self.above, offset) - 1
        return self.points[index], offset - self.above[index]


@dataclass(frozen=True)
class Line:
    """Somebody on a leaderboard: `earlier` are the points the change is told from.

    None for whoever had played no game then.
    """

    rank: int
    row: PlayerRating
    rating: ShownRating
    games: int
    earlier: int | None

    @property
    def change(self) -> int | None:
        """By how many points the rating has changed."""
        return None if self.earlier is None else self.rating.points - self.earlier


@dataclass(frozen=True)
class Listed:
    """Who is on the leaderboard of a pool today: all, or the active ones, or the settled ones."""

    pool: RatingPool
    now: datetime
    active: bool = False
    provisional: bool = True

    @cached_property
    def ranks(self) -> Ranks:
        """Who has which rank (1 query)."""
        rows = RatingCount.objects.filter(pool=self.pool, **self._limits)
        counted = rows.values_list("points").annotate(number=Sum("ratings")).order_by("-points")
        return Ranks.of(counted)

    def keys(self, first: int, size: int) -> list[int]:
        """The keys of so many ratings after the `first` ones, read from where they stand."""
        if first >= self.ranks.total:
            return []
        points, skipped = self.ranks.start(first)
        keys = self._ratings.filter(points__lte=points).values_list("pk", flat=True)
        return list(keys[skipped : skipped + size])

    def keys_called(self, players: PlayerQuerySet) -> list[int]:
        """The keys of the ratings of some players, one more than are shown where there are more."""
        keys = self._ratings.filter(player__in=players).values_list("pk", flat=True)
        return list(keys[: MOST_FOUND + 1])

    def place(self, row: PlayerRating) -> tuple[int, int] | None:
        """The rank of a rating and how many lines are before it (1 query); None if not listed."""
        if (row.provisional and not self.provisional) or (self.active and self.rests(row)):
            return None
        rank = self.ranks.rank(row.points)
        return rank, rank - 1 + self._ratings.filter(points=row.points, pk__lt=row.pk).count()

    def rests(self, row: PlayerRating) -> bool:
        """Whether whoever has a rating is not active now."""
        return row.month < self._first_month

    def lines(self, keys: Sequence[int]) -> list[Line]:
        """The lines of some ratings in their order, changed since 30 days ago (1 query).

        They are as sure as they are now; who is on the list goes by the last game.
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
        """The highest first, and equals always in the same order."""
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
    """Those of some pools in which somebody is rated, the most played first (1 query)."""
    last = RatedRound.objects.filter(pool=OuterRef("pk")).order_by("-at", "-round_id")
    counts = RatingCount.objects.filter(pool=OuterRef("pk"))
    rows = pools.annotate(
        spreads=Subquery(last.values("spreads")[:1]),
        # Not Exists, for which PostgreSQL reads the counts of all pools.
        rated=Subquery(counts.values("pk")[:1]),
    )
    # With what the type checker does not see: the annotations.
    found: list[Any] = list(rows.order_by("family"))
    rated = (row for row in found if row.rated is not None)
    return sorted(rated, key=lambda row: -_games(row.spreads or {}))


def has_ratings(club: Club | None) -> bool:
    """Whether anybody is rated in a club, or on the server (1 query)."""
    return RatingCount.objects.filter(pool__club=club).exists()


def _games(spreads: dict[str, list[float]]) -> int:
    return int(sum(games for games, _squares in spreads.values()))


def rating_of_account(pool: RatingPool, account: int) -> PlayerRating | None:
    """The rating of whoever has claimed a player who is rated in a pool (1 query)."""
    rows = PlayerRating.objects.filter(pool=pool, player__account=account)
    return rows.order_by("-last_at", "pk").first()
