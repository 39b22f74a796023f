"""A season of a player, or all seasons: read once, for its pages and its tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Entrant, Game, Player, Report, Season, Tournament
from tournaments.presenters.people.players import ListedGame, played, rating_row, rows_of
from tournaments.presenters.standings.standings import standings_seen
from tournaments.queries.people.players import (
    Meeting,
    PlayerGame,
    PlayerSums,
    RatingStep,
    add_up,
    games_of,
    meetings,
    ratings_of,
    seats_beside,
    steps_of,
)
from tournaments.queries.tournaments.state import load_states, rules_of_tournament
from tournaments.reports.contents import OnProgress

READING = Report.Step.READING

AT_ONCE = 200
"""Rows of games read at a time."""

COURSES_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class TournamentPlace:
    """The place of a player, or their pair, in a finished tournament, and the number of places."""

    tournament: Tournament
    place: int
    shared: bool
    entrants: int
    points: Points


@dataclass(frozen=True, slots=True)
class PlayerSeason:
    """The results of a player in one family of games, in a season or (None) at any time.

    `games` are finished ones, the latest first; `steps` are the rating changes in the season.
    """

    player: Player
    family: str
    season: Season | None
    games: Sequence[PlayerGame]
    sums: PlayerSums
    steps: Sequence[RatingStep]
    met: dict[int, Meeting]
    tournaments: Sequence[TournamentPlace]


def read_season(report: Report, progress: OnProgress) -> PlayerSeason:
    """Return the games of a player for a report.

    Raises:
        ValueError: the request of the report is not valid.
    """
    player = report.player
    if player is None or player.removed_at is not None:
        raise ValueError("no player to tell of")
    season = _season(report)
    every = [game for game in games_of(player, None) if game.finished]
    family = _family(every, report.parameters.get("game"))
    games = [
        game
        for game in every
        if game.family == family and (season is None or game.season == season.pk)
    ]
    progress(READING)
    keys = {game.pk for game in games}
    rating = rating_row(ratings_of(player), family)
    steps = [] if rating is None else steps_of(rating)
    return PlayerSeason(
        player=player,
        family=family,
        season=season,
        games=games,
        sums=add_up(games),
        steps=[step for step in steps if step.game in keys],
        met=meetings(games, seats_beside(player)),
        tournaments=list(_placed(player, season, family, progress)),
    )


def _season(report: Report) -> Season | None:
    key = report.parameters.get("season")
    if key is None:
        return None
    season = Season.objects.filter(club=report.club, pk=key).first()
    if season is None:
        raise ValueError("no such season")
    return season


def _family(games: Sequence[PlayerGame], asked: str | None) -> str:
    """Return the requested family, else the most played one."""
    counted = Counter(game.family for game in games)
    if asked is not None and asked in counted:
        return asked
    return max(counted, key=counted.__getitem__, default="")


def rows_in_batches(
    found: PlayerSeason, progress: OnProgress, most: int | None = None
) -> Iterator[ListedGame]:
    """Yield the games, the latest first (`most` of them), read in batches."""
    games = found.games[:most]
    total = len(games)
    for first in range(0, total, AT_ONCE):
        batch = games[first : first + AT_ONCE]
        rows: dict[int, Game] = rows_of(batch)
        # A game deleted meanwhile is left out.
        yield from played([game for game in batch if game.pk in rows], found.steps, rows)
        progress(READING, first + len(batch), total)


def _placed(
    player: Player, season: Season | None, family: str, progress: OnProgress
) -> Iterator[TournamentPlace]:
    """Yield a player's finished tournaments, the latest first (6 queries for each ten)."""
    entries = Entrant.objects.competing().filter(Q(player=player) | Q(partner=player))
    over = Tournament.objects.filter(state=Tournament.State.FINISHED, entrants__in=entries)
    if season is not None:
        over = over.filter(event__season=season)
    rows = over.select_related("event").order_by("-event__held_on", "-pk")
    of_family = [row for row in rows if rules_of_tournament(row).family == family]
    for first in range(0, len(of_family), COURSES_AT_ONCE):
        for state in load_states(of_family[first : first + COURSES_AT_ONCE]):
            standings = standings_seen(state, directs=False).rows
            for row in standings:
                if player in state.entrants[row.entrant].players:
                    yield TournamentPlace(
                        state.tournament, row.place, row.shared, len(standings), row.points
                    )
        progress(READING, first, len(of_family))
