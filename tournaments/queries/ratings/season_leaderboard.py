"""The leaderboard of a season: the ratings after it of everybody rated in it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.db.models import Count, F, QuerySet, Window
from django.db.models.functions import FirstValue, RowNumber

from tournaments.engine.ratings.ratings import Rating
from tournaments.models import PlayerRating, RatingChange, RatingPool, Season
from tournaments.models.people import PlayerQuerySet
from tournaments.queries.ratings.leaderboard import MOST_FOUND, Line, Ranks
from tournaments.queries.ratings.ratings import ShownRating, shown, shown_points


@dataclass(frozen=True)
class Stand:
    """A person's rating after their last game in a season; `rating` and `player` are keys."""

    rating: int
    player: int
    after: ShownRating
    games: int
    # Points before their first game in the season; None if they had played none before.
    before: int | None


@dataclass(frozen=True)
class ListedInSeason:
    """The people with rated games in a season, by their ratings after the last of them."""

    pool: RatingPool
    season: Season
    provisional: bool = True

    @cached_property
    def stands(self) -> list[Stand]:
        """Return the whole list, the highest first (1 query)."""
        found = (_stand(change) for change in self._last_changes())
        stands = [each for each in found if self.provisional or not each.after.provisional]
        return sorted(stands, key=lambda each: (-each.after.points, each.rating))

    @cached_property
    def ranks(self) -> Ranks:
        counted = Counter(each.after.points for each in self.stands)
        return Ranks.of(sorted(counted.items(), reverse=True))

    @property
    def best(self) -> list[Stand]:
        return [each for each in self.stands if each.after.points == self.stands[0].after.points]

    def keys(self, first: int, size: int) -> list[int]:
        """Return the keys of `size` ratings after the `first` ones."""
        return [each.rating for each in self.stands[first : first + size]]

    def keys_called(self, players: PlayerQuerySet) -> list[int]:
        """Return the keys of the ratings of some players, at most one more than are shown."""
        rows = PlayerRating.objects.filter(pool=self.pool, player__in=players)
        found = set(rows.values_list("pk", flat=True))
        return [each.rating for each in self.stands if each.rating in found][: MOST_FOUND + 1]

    def place(self, row: PlayerRating) -> tuple[int, int] | None:
        """Return the rank of a rating and the number of lines before it; None if not listed."""
        for before, each in enumerate(self.stands):
            if each.rating == row.pk:
                return self.ranks.rank(each.after.points), before
        return None

    def lines(self, keys: Sequence[int]) -> list[Line]:
        """Return the lines of some ratings, in their order (1 query)."""
        stands = {each.rating: each for each in self.stands}
        rows = PlayerRating.objects.select_related("player__club").in_bulk(keys)
        return [self._line(stands[pk], rows[pk]) for pk in keys if pk in rows]

    def _line(self, stand: Stand, row: PlayerRating) -> Line:
        rank = self.ranks.rank(stand.after.points)
        return Line(rank, row, stand.after, stand.games, stand.before)

    def _last_changes(self) -> "QuerySet[RatingChange, tuple[Any, ...]]":
        """Query each rating's last change in the season, with its first change and their number."""

        def of_each(what: Any, order: Any = None) -> Window:
            return Window(what, partition_by=F("rating"), order_by=order)

        changes = RatingChange.objects.filter(
            rating__pool=self.pool, game__table__round__event__season=self.season
        )
        changes = changes.annotate(
            from_last=of_each(RowNumber(), F("number").desc()),
            games_in_season=of_each(Count("pk")),
            first=of_each(FirstValue("number"), F("number").asc()),
            began=of_each(FirstValue("mean_before"), F("number").asc()),
        )
        last = changes.filter(from_last=1).order_by()
        keys = ("rating_id", "rating__player_id")
        after = ("mean", "variance", "rating__start")
        return last.values_list(*keys, *after, "games_in_season", "first", "began")


def _stand(change: tuple[Any, ...]) -> Stand:
    pk, player, mean, variance, start, games, first, began = change
    before = None if first == 1 else shown_points(Rating(began))
    return Stand(pk, player, shown(Rating(mean, variance, start)), games, before)
