"""Line-ups: who of each team plays in a round; the others are reserves."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import Entrant, Tournament
from tournaments.queries.tournaments.state import TournamentState, load_state
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.tournaments.lifecycle import WrongState, lock_tournament, note, touch
from tournaments.texts.labels import Text


class LineUpFull(Refused, code="line-up-full"):
    sentence = _("%(team)s has %(number)s players in this round already: take one out first.")

    def __init__(self, team: str, number: int) -> None:
        super().__init__({"team": team, "number": number})


class NotOfTeam(Refused, code="not-of-team"):
    sentence = _("%(name)s is not of the team %(team)s.")

    def __init__(self, entrant: Entrant, team: str) -> None:
        super().__init__({"name": entrant.shown_name, "team": team}, {"entrant": entrant.number})


class NoSuchMember(Refused, code="unknown-entrant"):
    sentence = _("There is no such team or entrant any more.")


class NoTeam(Refused, code="no-team"):
    sentence = _("%(name)s is in no team: enter one first.")

    def __init__(self, entrant: Entrant) -> None:
        super().__init__({"name": entrant.shown_name}, {"entrant": entrant.number})


class LineUpChanged(Refused, code="line-up-changed"):
    sentence = _("Another director has changed this line-up meanwhile: this is how it stands now.")


@dataclass(frozen=True, slots=True)
class LineUp:
    """Who of a team plays in round `number`, by key, in place of those who were `seen` to."""

    number: int
    team: str
    players: Sequence[str]
    seen: Sequence[str] | None = None


def put_line_up(tournament_pk: int, line_up: LineUp, by: Actor, *, at: datetime) -> None:
    """Name who of a team plays in a round that is not published yet. Idempotent.

    Raises:
        WrongState: the round is published, is a final, or has no line-ups.
        NoSuchMember, NotOfTeam: one of them is not there, or plays for another team.
        LineUpFull: they are more than play in a round.
        LineUpChanged: others than those who were seen have been named meanwhile.
    In each case nothing is written.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        state = load_state(tournament)
        check_open(state, line_up.number)
        chosen = _members(state, line_up.team, line_up.players)
        stood = state.line_ups(line_up.number)[line_up.team]
        named = tournament.line_ups.setdefault(str(line_up.number), {})
        if chosen == stood and line_up.team in named:
            return
        if line_up.seen is not None and {*line_up.seen} != {*stood}:
            raise LineUpChanged
        named[line_up.team] = list(chosen)
        touch(tournament)
        before = {"entrants": list(stood)}
        after = {"round": line_up.number, "team": line_up.team, "entrants": list(chosen)}
        note(tournament, "put-line-up", by, at, before=before, after=after)


def check_open(state: TournamentState, number: int) -> None:
    """Check that the line-ups of a round can still be named.

    Raises:
        WrongState: the round is published, is a final, or has no line-ups.
    """
    published = sum(each.row.published_at is not None for each in state.seated_rounds)
    said: Text = ""
    if number <= published:
        said = _("This round is published: let a reserve take the place of a player instead.")
    elif not state.has_line_ups(number):
        said = _("There are no line-ups in this round.")
    if said or state.tournament.state == Tournament.State.FINISHED:
        raise WrongState(state.tournament.state, said)


def join_line_ups(state: TournamentState, number: int, names: Iterable[str]) -> None:
    """Add entrants to the line-ups of their teams, by key; the tournament must be saved after.

    Raises:
        NoTeam: one of them is in no team.
        LineUpFull: there is no place left in one of them.
    """
    if not state.has_line_ups(number):
        return
    named = state.tournament.line_ups.setdefault(str(number), {})
    for name in names:
        if state.entrants[name].house:
            continue
        team = state.entrants[name].team
        if team not in state.teams:
            raise NoTeam(state.entrants[name])
        if name not in state.line_ups(number)[team]:
            players = [*named.get(team, state.line_ups(number)[team]), name]
            named[team] = list(_members(state, team, players))


def check_room(state: TournamentState, number: int, seated: Collection[str]) -> None:
    """Check that no team has more players among the seated ones than its line-up.

    Raises:
        LineUpFull: a team has.
    """
    if state.has_line_ups(number):
        for team, members in state.teams.items():
            _members(state, team, [key for key in members if key in seated])


def _members(state: TournamentState, team: str, players: Sequence[str]) -> tuple[str, ...]:
    """Return players of a team in order of numbers.

    Raises:
        NoSuchMember, NotOfTeam, LineUpFull: as in `put_line_up`.
    """
    if team not in state.teams or any(key not in state.entrants for key in players):
        raise NoSuchMember
    for key in players:
        if key not in state.teams[team]:
            raise NotOfTeam(state.entrants[key], team)
    if len({*players}) > state.settings.line_up:
        raise LineUpFull(team, state.settings.line_up)
    return tuple(key for key in state.teams[team] if key in players)
