"""A season of a player, or all the time: read once, for its pages and its tables."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Q

from tournaments.engine.rulesets import Points
from tournaments.models import Entrant, Game, Player, Report, Season, Tournament
from tournaments.queries.players import (
    Meeting,
    PlayerGame,
    Step,
    Sums,
    add_up,
    games_of,
    meetings,
    ratings_of,
    seats_beside,
    steps_of,
)
from tournaments.queries.tournaments import load_courses, rules_of_tournament
from tournaments.reports.contents import Told
from tournaments.telling.players import Played, played, rating_row, rows_of
from tournaments.telling.standings import standings_seen

READING = Report.Step.READING

AT_ONCE = 200
"""So many rows of games are read at a time."""

COURSES_AT_ONCE = 10


@dataclass(frozen=True, slots=True)
class Placed:
    """The place of a player, or their pair, in a tournament that is over, and of how many."""

    tournament: Tournament
    place: int
    shared: bool
    entrants: int
    points: Points


@dataclass(frozen=True, slots=True)
class PlayerSeason:
    """What a player has done in one kind of game: in a season, or (None) in all the time.

    `games` are finished ones, the latest first; `steps` are those of the rating within.
    """

    player: Player
    family: str
    season: Season | None
    games: Sequence[PlayerGame]
    sums: Sums
    steps: Sequence[Step]
    met: dict[int, Meeting]
    tournaments: Sequence[Placed]


def read_season(report: Report, told: Told) -> PlayerSeason:
    """What a report of a player asks for.

    Raises:
        ValueError: it asks for what cannot be.
    """
    player = report.player
    if player is None or player.removed_at is not None:
        raise ValueError("no player to tell of")
    season = _season(report)
    every = [game for game in games_of(player) if game.finished]
    family = _family(every, report.parameters.get("game"))
    games = [
        game
        for game in every
        if game.family == family and (season is None or game.season == season.pk)
    ]
    told(READING)
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
        tournaments=list(_placed(player, season, family, told)),
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
    """The kind of game that is asked for, else the one that is played most."""
    counted = Counter(game.family for game in games)
    if asked is not None and asked in counted:
        return asked
    return max(counted, key=counted.__getitem__, default="")


def rows_in_heaps(found: PlayerSeason, told: Told, most: int | None = None) -> Iterator[Played]:
    """The games one by one, the latest first (`most` of them), read a heap at a time."""
    games = found.games[:most]
    total = len(games)
    for first in range(0, total, AT_ONCE):
        heap = games[first : first + AT_ONCE]
        rows: dict[int, Game] = rows_of(heap)
        # One that was deleted meanwhile is left out.
        yield from played([game for game in heap if game.pk in rows], found.steps, rows)
        told(READING, first + len(heap), total)


def _placed(player: Player, season: Season | None, family: str, told: Told) -> Iterator[Placed]:
    """The tournaments of a player that are over, the latest first (6 queries for each ten)."""
    entries = Entrant.objects.competing().filter(Q(player=player) | Q(partner=player))
    over = Tournament.objects.filter(state=Tournament.State.FINISHED, entrants__in=entries)
    if season is not None:
        over = over.filter(event__season=season)
    rows = over.select_related("event").order_by("-event__held_on", "-pk")
    of_family = [row for row in rows if rules_of_tournament(row).family == family]
    for first in range(0, len(of_family), COURSES_AT_ONCE):
        for course in load_courses(of_family[first : first + COURSES_AT_ONCE]):
            standings = standings_seen(course, directs=False).rows
            for row in standings:
                if player in course.entrants[row.entrant].players:
                    yield Placed(
                        course.tournament, row.place, row.shared, len(standings), row.points
                    )
        told(READING, first, len(of_family))
