"""The league of a season as somebody may see it: the points of its evenings, added up."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tournaments.engine.rulesets import Points, whole
from tournaments.engine.season_sums import SeasonStanding, league
from tournaments.models import Player, Season, Tournament
from tournaments.models.people import fold_name
from tournaments.queries.steps import PLAYED
from tournaments.queries.tournaments import Course, load_courses
from tournaments.telling.standings import last_counted


@dataclass(frozen=True, slots=True)
class Looker:
    """Who looks at the league: a director sees what is hidden, a member the players' pages."""

    member: bool
    directs: bool


@dataclass(frozen=True, slots=True)
class Evening:
    """A tournament of the season up to its round `last`, with the points of players by keys."""

    tournament: Tournament
    last: int
    points: dict[str, Points]

    @property
    def over(self) -> bool:
        """Whether nothing more will count."""
        return self.tournament.state == Tournament.State.FINISHED


@dataclass(frozen=True, slots=True)
class League:
    """A season added up: its evenings, the rows in order of place and name, and who they are of."""

    evenings: Sequence[Evening]
    rows: Sequence[SeasonStanding]
    people: Mapping[str, Player]
    finals: bool


def league_of(season: Season, rows: Sequence[Tournament], looker: Looker) -> League:
    """The league of a season's tournaments as somebody may see it (5 queries)."""
    courses = load_courses([row for row in rows if row.state in PLAYED])
    people: dict[str, Player] = {}
    evenings = [_evening(course, people, looker) for course in courses]
    evenings = [each for each in evenings if each.last]
    standings = league([each.points for each in evenings], season.league_best)
    # Who shares a place stands there by name.
    in_order = sorted(standings, key=lambda row: (row.place, fold_name(people[row.player].name)))
    return League(evenings, in_order, people, finals=any(course.stages for course in courses))


def _evening(course: Course, people: dict[str, Player], looker: Looker) -> Evening:
    """What an evening gave to whom, up to its last closed round; its players go to `people`.

    Finals are left out: only some play them, and their points may start from zero.
    """
    closed = sum(each.row.closed_at is not None for each in course.drawn)
    counted = last_counted(course, directs=looker.directs)
    last = min(closed, counted, course.settings.rounds)
    points: dict[str, Points] = {}
    for key, worth in course.points_after(last).items() if last else ():
        for player in course.entrants[key].players:
            people[str(player.pk)] = player
            points[str(player.pk)] = whole(points.get(str(player.pk), 0) + worth)
    return Evening(course.tournament, last, points)
