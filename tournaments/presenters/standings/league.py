"""The league of a season as a visitor may see it: the added points of its evenings."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.season_sums import SeasonStanding, evening_points, league
from tournaments.models import Club, Player, Season, Tournament
from tournaments.models.clubs import LeaguePoints
from tournaments.models.people import fold_name
from tournaments.presenters.standings.standings import last_counted
from tournaments.queries.tournaments.state import TournamentState, load_states
from tournaments.queries.tournaments.steps import PLAYED
from tournaments.services.events.seasons import added_by, added_text
from tournaments.texts.documents import LEAGUE_POINTS


@dataclass(frozen=True, slots=True)
class LeagueReader:
    """The visitor: a director sees hidden results, a member the players' pages."""

    member: bool
    directs: bool


EVERYBODY = LeagueReader(member=False, directs=False)


@dataclass(frozen=True, slots=True)
class LeagueEvening:
    """A tournament of the season up to its round `last`, with points by player key."""

    tournament: Tournament
    last: int
    points: dict[str, Points]

    @property
    def over(self) -> bool:
        return self.tournament.state == Tournament.State.FINISHED


@dataclass(frozen=True, slots=True)
class League:
    """A season's league: its evenings, the rows by place and name, and the players.

    `added` are the points that it adds, as text; `mixed` ones make no sensible sum.
    """

    evenings: Sequence[LeagueEvening]
    rows: Sequence[SeasonStanding]
    people: Mapping[str, Player]
    finals: bool
    added: str
    mixed: bool


def league_of(season: Season, rows: Sequence[Tournament], looker: LeagueReader) -> League:
    """Return the league of a season's tournaments as the visitor may see it (5 queries)."""
    courses = load_states([row for row in rows if row.state in PLAYED])
    people: dict[str, Player] = {}
    by_places = season.league_points == LeaguePoints.EVENING
    evenings = [_evening(state, people, looker, by_places=by_places) for state in courses]
    evenings = [each for each in evenings if each.last]
    standings = league([each.points for each in evenings], season.league_best)
    # Equal places are sorted by name.
    in_order = sorted(standings, key=lambda row: (row.place, fold_name(people[row.player].name)))
    counted = {added_by(each.settings) for each in courses}
    return League(
        *(evenings, in_order, people),
        finals=any(state.stages for state in courses) and not by_places,
        added=str(LEAGUE_POINTS[LeaguePoints.EVENING]) if by_places else added_text(counted),
        mixed=len(counted) > 1 and not by_places,
    )


def public_league(club: Club, today: date) -> tuple[Season, League] | None:
    """Return the latest season that has begun, with its league as everybody sees it.

    Up to 7 queries; None without anybody in it.
    """
    season = club.seasons.filter(starts_on__lte=today).select_related("club").first()
    if season is None:
        return None
    seen = Tournament.objects.counted().seen_by(None).filter(event__season=season)
    rows = list(seen.select_related("event").order_by("event__held_on", "pk"))
    found = league_of(season, rows, EVERYBODY)
    return (season, found) if found.rows else None


def _evening(
    state: TournamentState, people: dict[str, Player], looker: LeagueReader, *, by_places: bool
) -> LeagueEvening:
    """Return the points of an evening up to its last closed round; add its players to `people`.

    Points of finals are left out: only some entrants play them, and they may start from zero. The
    places are those after the finals.
    """
    closed = sum(each.row.closed_at is not None for each in state.seated_rounds)
    last = min(closed, last_counted(state, directs=looker.directs))
    made: dict[str, Points] = {}
    if by_places and last:
        made = evening_points(state.standings_before(last + 1))
    elif last:
        last = min(last, state.settings.rounds)
        made = state.points_after(last)
    points: dict[str, Points] = {}
    for key, worth in made.items():
        for player in state.entrants[key].players:
            people[str(player.pk)] = player
            points[str(player.pk)] = whole(points.get(str(player.pk), 0) + worth)
    return LeagueEvening(state.tournament, last, points)
