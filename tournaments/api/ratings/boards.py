"""The requested leaderboard in the API."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, TypeVar

from django.http import Http404

from tournaments.api.paging import Part
from tournaments.models import Club, PlayerRating, RatingPool, Season
from tournaments.presenters.ratings.ratings import BoardReader, called, listed_in
from tournaments.queries.ratings.ratings import MOST_FOUND, Line, Listed, ListedInSeason

Json = dict[str, Any]
Row = TypeVar("Row")


@dataclass(frozen=True)
class BoardRequest:
    """The leaderboard requested, its subject, and the reader."""

    asked: Json
    club: Club | None
    looker: BoardReader
    now: datetime
    part: Part

    def details(self, pools: Sequence[RatingPool]) -> Json:
        """One part of it, in a fixed number of queries.

        Raises:
            Http404: there is no such kind of game, season or player on it.
        """
        seasons = list(self.club.seasons.all()) if self.club is not None else []
        season = self._season(seasons)
        details: Json = {"season": season and season.pk, "seasons": seasons}
        if not pools:
            if "family" in self.asked:
                raise Http404
            nobody = {"total": 0, "page": 1, "pages": 1, "results": []}
            return {**details, "family": None, "families": [], **nobody, **self.part.links(0)}
        pool = self._pool(pools)
        families = {"family": pool.family, "families": [each.family for each in pools]}
        return {**details, **families, **self._part(pool, season)}

    def _season(self, seasons: Sequence[Season]) -> Season | None:
        if "season" not in self.asked:
            return None
        return _first(each for each in seasons if each.pk == self.asked["season"])

    def _pool(self, pools: Sequence[RatingPool]) -> RatingPool:
        if "family" not in self.asked:
            return pools[0]
        return _first(each for each in pools if each.family == self.asked["family"])

    def _part(self, pool: RatingPool, season: Season | None) -> Json:
        asked = self.asked
        shown = {"active": asked["active"], "provisional": asked["provisional"]}
        listed = listed_in(pool, season, self.now, **shown)
        name = asked.get("name", "").strip()
        found = listed.keys_called(called(name, self.looker, self.club)) if name else None
        total = listed.ranks.total if found is None else len(found[:MOST_FOUND])
        size = self.part.size or 1
        first = self._first(pool, listed, size)
        keys = listed.keys(first, size) if found is None else found[:MOST_FOUND][first:][:size]
        return {
            "total": total,
            "page": first // size + 1,
            "pages": max(1, -(-total // size)),
            "results": [self._line(line) for line in listed.lines(keys)],
            **replace(self.part, first=first).links(total),
        }

    def _first(self, pool: RatingPool, listed: Listed | ListedInSeason, size: int) -> int:
        """How many lines come before the part that was asked for."""
        if self.part.first:
            return self.part.first
        if "player" in self.asked:
            return self._before_player(pool, listed) // size * size
        page: int = self.asked["page"]
        return (page - 1) * size

    def _before_player(self, pool: RatingPool, listed: Listed | ListedInSeason) -> int:
        """How many lines come before a player whom one may know."""
        rows = PlayerRating.objects.filter(pool=pool, player__public_id=self.asked["player"])
        row = rows.select_related("player__club").first()
        place = listed.place(row) if row is not None and self._knows(row) else None
        if place is None:
            raise Http404
        return place[1]

    def _knows(self, row: PlayerRating) -> bool:
        return row.player.club_id in self.looker.roles and row.player.removed_at is None

    def _line(self, line: Line) -> Json:
        player = line.row.player
        known = player.club_id in self.looker.roles or player.club.published
        return {
            "rank": line.rank,
            "name": player.shown_name,
            "player": player.public_id if self._knows(line.row) else None,
            "club": player.club.slug if known else None,
            "rating": line.rating,
            "games": line.games,
            "change": line.change,
        }


def _first(found: Iterator[Row]) -> Row:
    row = next(found, None)
    if row is None:
        raise Http404
    return row
