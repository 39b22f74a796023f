"""Tournaments of the demo: some finished, one in its third round, others to come."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tournaments.engine.standings.tournament_settings import TournamentSettings
from tournaments.models import Game, Round, Season, Tournament
from tournaments.services.demo.cast import Cast
from tournaments.services.demo.names import VISITING_CLUBS
from tournaments.services.demo.sheets import Pace, play_tables
from tournaments.services.entrants.lists import Entry
from tournaments.services.entrants.registration import register_entrants
from tournaments.services.events.events import EventPlan
from tournaments.services.rounds.running import close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    create_tournament,
    move_tournament,
)

State = Tournament.State

ROUND = timedelta(minutes=100)
"""Time between the starts of two rounds."""

KING = "turkish-king"
EUCHRE = "euchre"


@dataclass(frozen=True, slots=True)
class Contest:
    """A tournament: name, season, start, and entrants."""

    name: str
    season: Season
    begins: datetime
    entries: Sequence[Entry] = ()
    ruleset: str = KING
    settings: TournamentSettings = field(default_factory=TournamentSettings)
    confirmations: str = "none"
    starts_at: str = ""
    venue: str = ""


def announce(cast: Cast, contest: Contest, *, at: datetime) -> Tournament:
    """Create a draft tournament."""
    event = EventPlan(
        contest.name,
        contest.begins.date(),
        contest.ruleset,
        season=contest.season,
        published=True,
        confirmations=contest.confirmations,
        starts_at=contest.starts_at,
        venue=contest.venue,
    )
    plan = TournamentPlan(event, contest.settings, seed=cast.chance.randrange(2**31))
    return create_tournament(cast.club, plan, cast.director, at=at)


def take_entries(cast: Cast, contest: Contest, *, at: datetime) -> Tournament:
    """Create a tournament and register its entrants."""
    tournament = announce(cast, contest, at=at)
    move_tournament(tournament.pk, State.REGISTRATION, cast.director, at=at)
    register_entrants(tournament.pk, contest.entries, cast.director, at=at)
    return tournament


def hold_contest(cast: Cast, contest: Contest) -> Tournament:
    """Run a tournament from draft to finished."""
    at = contest.begins
    tournament = take_entries(cast, contest, at=at - timedelta(days=21))
    move_tournament(tournament.pk, State.RUNNING, cast.director, at=at)
    for number in range(contest.settings.rounds):
        hold_round(cast, tournament, at + number * ROUND)
    end = at + contest.settings.rounds * ROUND
    return move_tournament(tournament.pk, State.FINISHED, cast.director, at=end)


def hold_round(cast: Cast, tournament: Tournament, at: datetime, *, confirmed: int = 0) -> Round:
    """Run a round from seating to closing."""
    round_ = begin_round(cast, tournament, at)
    games = Game.objects.filter(table__round=round_)
    begins, ends = at + timedelta(minutes=5), at + ROUND - timedelta(minutes=15)
    play_tables(cast, games, Pace(begins, ends, confirmed=confirmed))
    return close_round(round_.pk, cast.director, at=at + ROUND - timedelta(minutes=10))


def begin_round(cast: Cast, tournament: Tournament, at: datetime) -> Round:
    """Seat, publish and open the next round."""
    round_ = seat_next_round(tournament.pk, cast.director, at=at - timedelta(minutes=8))
    publish_round(round_.pk, cast.director, at=at - timedelta(minutes=5))
    return open_round(round_.pk, cast.director, at=at)


def singles(cast: Cast, number: int) -> list[Entry]:
    """Return `number` players, some of them from other clubs."""
    names = cast.some(number)
    return [Entry(name, represents=_from_where(cast)) for name in names]


def pairs(cast: Cast, number: int) -> list[Entry]:
    """Return `number` pairs."""
    names = cast.some(2 * number)
    return [Entry(*two) for two in zip(names[::2], names[1::2], strict=True)]


def _from_where(cast: Cast) -> str:
    visits = cast.chance.random() < 0.3
    return cast.chance.choice(VISITING_CLUBS) if visits else ""
