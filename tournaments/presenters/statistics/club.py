"""A club's statistics: sums over its games, and the leader or winner of a season."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from django.urls import reverse
from django.utils import timezone

from tournaments.engine.rules.rulesets import Points
from tournaments.engine.statistics import ClubSums, add_up
from tournaments.models import Club, RatingPool, Season, Tournament, Visitor
from tournaments.presenters.standings.league import LeagueReader, league_of
from tournaments.presenters.statistics.scope import NumbersFilter, family_asked, scope_of
from tournaments.queries.ratings.ratings import ShownRating
from tournaments.queries.ratings.season_leaderboard import ListedInSeason
from tournaments.queries.statistics import ClubGame, load_games

MOST_ACTIVE = 10


@dataclass(frozen=True, slots=True)
class Wanted:
    """The raw query of the address, and the visitor."""

    family: str
    season: str
    looker: LeagueReader


@dataclass(frozen=True, slots=True)
class Champion:
    """The first of a season, by league points or by the rating after it.

    Several `players` (keys) if they are equal.
    """

    season: str
    ends_on: date
    players: tuple[int, ...]
    league: str = ""
    points: Points | None = None
    # With equal ratings, that of one of the players.
    rating: ShownRating | None = None

    @property
    def is_final(self) -> bool:
        return self.ends_on < timezone.localdate()


def champion_of(
    season: Season, family: str, visitor: Visitor, looker: LeagueReader
) -> Champion | None:
    """Return the leader of a season, by its league or else by rating (up to 8 queries)."""
    seen = Tournament.objects.counted().seen_by(visitor).filter(event__season=season)
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
    """Sums over the selected games of a club, and the leader of the season."""

    scope: NumbersFilter
    sums: ClubSums
    champion: Champion | None


def numbers_of(
    club: Club, visitor: Visitor, wanted: Wanted, seasons: Sequence[Season]
) -> ClubNumbers:
    """Return the statistics of one family of games and, if given, one of the `seasons`."""
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


def _scope_of(
    games: Sequence[ClubGame], wanted: Wanted, seasons: Sequence[Season]
) -> NumbersFilter:
    """Return the scope from the address; by default the most played family."""
    by_family = Counter(game.family for game in games)
    family = family_asked(by_family, wanted.family)
    by_season = Counter(game.season for game in games if game.family == family)
    listed = [
        (season, by_season[season.pk])
        for season in seasons
        if by_season[season.pk] or str(season.pk) == wanted.season
    ]
    return scope_of(by_family, family, listed, wanted.season)


def _season_of(seasons: Sequence[Season], asked: int | None) -> Season | None:
    """Return the requested season, else the last one that has begun."""
    today = timezone.localdate()
    if asked is not None:
        return next(season for season in seasons if season.pk == asked)
    return next((season for season in seasons if season.starts_on <= today), None)
