"""The line-ups of a round: who of each team plays, who is a reserve, and which team is short."""

from dataclasses import dataclass

from tournaments.models import Entrant
from tournaments.queries.tournaments.state import TournamentState


@dataclass(frozen=True, slots=True)
class TeamMember:
    """A member of a team who `plays` a round, or is a reserve.

    `absence` is the reason why they are not here, as in `TournamentState.absence`, `table` the
    number of their table in a published round.
    """

    entrant: Entrant
    plays: bool
    absence: str
    table: int | None


@dataclass(frozen=True, slots=True)
class TeamLineUp:
    """A team in a round; `size` players are to play. It may be `named`, or as in the last round."""

    team: str
    size: int
    named: bool
    members: tuple[TeamMember, ...]

    @property
    def players(self) -> tuple[Entrant, ...]:
        return tuple(each.entrant for each in self.members if each.plays)

    @property
    def reserves(self) -> tuple[Entrant, ...]:
        return tuple(each.entrant for each in self.members if not each.plays)

    @property
    def here(self) -> int:
        return sum(each.plays and not each.absence for each in self.members)

    @property
    def missing(self) -> int:
        """Return the number of seats that nobody of the team takes."""
        return self.size - self.here


def line_ups_of(state: TournamentState, number: int) -> list[TeamLineUp]:
    """Return the line-ups of a round, by team; none if the round has no line-ups."""
    if not state.has_line_ups(number):
        return []
    seated = [r for r in state.seated_rounds if r.row.number == number and r.row.published_at]
    tables = {key: t.number for each in seated for t in each.tables for key in t.entrants}

    def member(key: str, players: tuple[str, ...]) -> TeamMember:
        entrant = state.entrants[key]
        reason = "" if seated and key in players else state.absence(entrant, number)
        absence = "" if reason == "reserve" else reason
        return TeamMember(entrant, key in players, absence, tables.get(key))

    named = state.tournament.line_ups.get(str(number), {})
    return [
        TeamLineUp(
            team,
            state.settings.line_up,
            bool(seated) or team in named,
            tuple(member(key, players) for key in state.teams[team]),
        )
        for team, players in state.line_ups(number).items()
    ]


def short_teams(state: TournamentState, number: int) -> list[TeamLineUp]:
    """Return the teams that have fewer players here than a line-up."""
    return [each for each in line_ups_of(state, number) if each.missing > 0]


@dataclass(frozen=True, slots=True)
class Filling:
    """How the tables of a round will be filled: the players, their tables, and who is left over.

    `house` players fill a table, or so many players get `byes`.
    """

    players: int
    tables: int
    byes: int
    house: int


def filling_of(state: TournamentState, number: int) -> Filling:
    """Return how the tables of a round that is not seated yet will be filled."""
    playing = sum(not each.house for each in state.here(number))
    size = state.rules.side_count
    house = state.house_wanted(playing, 0, size - 1) if state.settings.odd == "house" else 0
    tables, byes = divmod(playing + house, size)
    return Filling(playing, tables, byes, house)
