"""The club in numbers: what its games add up to, and who leads a season or has won it."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils import timezone

from tournaments.engine.club_sums import ClubSums, add_up
from tournaments.engine.rulesets import Points
from tournaments.models import Club, RatingPool, Season, Tournament, Visitor
from tournaments.queries.clubs import ClubGame, load_games
from tournaments.queries.ratings import ShownRating
from tournaments.queries.seasons import ListedInSeason
from tournaments.telling.game_scope import Scope, family_asked, scope_of
from tournaments.telling.league import Looker, league_of

MOST_ACTIVE = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the address asks for, as it was typed, and who asks."""

    family: str
    season: str
    looker: Looker


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


@dataclass(frozen=True, slots=True)
class ClubNumbers:
    """What the games of a club add up to that are asked for, and who leads the season."""

    scope: Scope
    sums: ClubSums
    champion: Champion | None


def numbers_of(
    club: Club, visitor: Visitor, wanted: Wanted, seasons: Sequence[Season]
) -> ClubNumbers:
    """The club in numbers, of one kind of game and perhaps a season of its `seasons`."""
    games = load_games(club, visitor)
    scope = _scope_of(games, wanted, seasons)
    of_scope = [
        game.played
        for game in games
        if game.family == scope.family and scope.season in (None, game.season)
    ]
    season = _season_of(seasons, scope.season)
    champion = None
    if season is not None:
        champion = champion_of(season, scope.family, visitor, wanted.looker)
    return ClubNumbers(scope, add_up(of_scope, MOST_ACTIVE), champion)


def _scope_of(games: Sequence[ClubGame], wanted: Wanted, seasons: Sequence[Season]) -> Scope:
    """What the address asks for; without a word the kind that is played most."""
    by_family = Counter(game.family for game in games)
    family = family_asked(by_family, wanted.family)
    by_season = Counter(game.season for game in games if game.family == family)
    with_games = [(season, by_season[season.pk]) for season in seasons if by_season[season.pk]]
    return scope_of(by_family, family, with_games, wanted.season)


def _season_of(seasons: Sequence[Season], asked: int | None) -> Season | None:
    """The season that is asked for, else the last one that has begun."""
    today = timezone.localdate()
    if asked is not None:
        return next(season for season in seasons if season.pk == asked)
    return next((season for season in seasons if season.starts_on <= today), None)
