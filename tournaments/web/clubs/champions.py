"""Who leads a season of a club, or has won it."""

from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils import timezone

from tournaments.engine.rulesets import Points
from tournaments.league_telling import Looker, league_of
from tournaments.models import RatingPool, Season, Tournament
from tournaments.queries import Visitor
from tournaments.rating_queries import ShownRating
from tournaments.season_queries import ListedInSeason


@dataclass(frozen=True, slots=True)
class Champion:
    """The first of a season, by the league with its points, or by the rating after it.

    Several `players` (keys) where they are equal.
    """

    season: str
    ends_on: date
    players: tuple[int, ...]
    league: str = ""
    points: Points | None = None
    # Of equals, whose points are the same, that of one.
    rating: ShownRating | None = None

    @property
    def is_final(self) -> bool:
        """Whether the season is over."""
        return self.ends_on < timezone.localdate()


def champion_of(season: Season, family: str, visitor: Visitor, looker: Looker) -> Champion | None:
    """Who leads a season: in its league, else by rating in a kind of game (up to 8 queries)."""
    seen = Tournament.objects.seen_by(visitor).filter(event__season=season)
    rows = list(seen.select_related("event").order_by("event__held_on", "pk"))
    found = league_of(season, rows, looker) if rows else None
    if found is not None and found.rows:
        first = [row for row in found.rows if row.place == 1]
        return Champion(
            season.name,
            season.ends_on,
            tuple(int(row.player) for row in first),
            league=reverse("league", args=[season.club.slug, season.pk]),
            points=first[0].points,
        )
    pool = RatingPool.objects.seen_by(visitor).filter(club=season.club, family=family).first()
    best = ListedInSeason(pool, season, provisional=False).best if pool is not None else []
    if not best:
        return None
    players = tuple(each.player for each in best)
    return Champion(season.name, season.ends_on, players, rating=best[0].after)
