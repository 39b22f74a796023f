"""Tournaments of the demonstration: some finished, one in its third round, others to come."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tournaments.engine.tournament_settings import TournamentSettings
from tournaments.models import Game, Round, Season, Tournament
from tournaments.services.clubs.events import EventPlan
from tournaments.services.demo.cast import Cast
from tournaments.services.demo.names import VISITING_CLUBS
from tournaments.services.demo.sheets import Pace, play_tables
from tournaments.services.tournaments.drawing import publish_round, seat_next_round
from tournaments.services.tournaments.entering import register_entrants
from tournaments.services.tournaments.entering_lists import Entry
from tournaments.services.tournaments.leading import (
    TournamentPlan,
    create_tournament,
    move_tournament,
)
from tournaments.services.tournaments.rounds import close_round, open_round

State = Tournament.State

ROUND = timedelta(minutes=100)
"""From the beginning of one round to that of the next."""

KING = "turkish-king"
EUCHRE = "euchre"


@dataclass(frozen=True, slots=True)
class Contest:
    """A tournament: what it is called, in which season, when it begins, and who enters."""

    name: str
    season: Season
    begins: datetime
    entries: Sequence[Entry] = ()
    ruleset: str = KING
    settings: TournamentSettings = field(default_factory=TournamentSettings)
    confirmations: str = "none"


def announce(cast: Cast, contest: Contest, *, at: datetime) -> Tournament:
    """Make a tournament, a draft."""
    event = EventPlan(
        contest.name,
        contest.begins.date(),
        contest.ruleset,
        season=contest.season,
        published=True,
        confirmations=contest.confirmations,
    )
    plan = TournamentPlan(event, contest.settings, seed=cast.chance.randrange(2**31))
    return create_tournament(cast.club, plan, cast.director, at=at)


def take_entries(cast: Cast, contest: Contest, *, at: datetime) -> Tournament:
    """Make a tournament for which entrants are registered."""
    tournament = announce(cast, contest, at=at)
    move_tournament(tournament.pk, State.REGISTRATION, cast.director, at=at)
    register_entrants(tournament.pk, contest.entries, cast.director, at=at)
    return tournament


def hold_contest(cast: Cast, contest: Contest) -> Tournament:
    """Hold a tournament from its draft to its end."""
    at = contest.begins
    tournament = take_entries(cast, contest, at=at - timedelta(days=21))
    move_tournament(tournament.pk, State.RUNNING, cast.director, at=at)
    for number in range(contest.settings.rounds):
        hold_round(cast, tournament, at + number * ROUND)
    end = at + contest.settings.rounds * ROUND
    return move_tournament(tournament.pk, State.FINISHED, cast.director, at=end)


def hold_round(cast: Cast, tournament: Tournament, at: datetime, *, confirmed: int = 0) -> Round:
    """Hold a round from its seating to its end."""
    place = begin_round(cast, tournament, at)
    games = Game.objects.filter(table__round=place)
    begins, ends = at + timedelta(minutes=5), at + ROUND - timedelta(minutes=15)
    play_tables(cast, games, Pace(begins, ends, confirmed=confirmed))
    return close_round(place.pk, cast.director, at=at + ROUND - timedelta(minutes=10))


def begin_round(cast: Cast, tournament: Tournament, at: datetime) -> Round:
    """Seat, publish and open the next round."""
    place = seat_next_round(tournament.pk, cast.director, at=at - timedelta(minutes=8))
    publish_round(place.pk, cast.director, at=at - timedelta(minutes=5))
    return open_round(place.pk, cast.director, at=at)


def singles(cast: Cast, number: int) -> list[Entry]:
    """So many players, some of whom come from elsewhere."""
    names = cast.some(number)
    return [Entry(name, represents=_from_where(cast)) for name in names]


def pairs(cast: Cast, number: int) -> list[Entry]:
    """So many pairs."""
    names = cast.some(2 * number)
    return [Entry(*two) for two in zip(names[::2], names[1::2], strict=True)]


def _from_where(cast: Cast) -> str:
    visits = cast.chance.random() < 0.3
    return cast.chance.choice(VISITING_CLUBS) if visits else ""
