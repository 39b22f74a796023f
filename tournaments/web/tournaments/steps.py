"""What a director does next in a tournament, and what can be taken back."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from django.db.models import Count, Q
from django.urls import reverse
from django.utils.translation import gettext as _

from tournaments.models import Game, Round, Table, Tournament
from tournaments.tournament_queries import settings_of

State = Tournament.State


@dataclass(frozen=True)
class Step:
    """A step to be offered: a button that sends `sends` to the page `name`, or a link there."""

    label: str
    name: str
    args: tuple[str | int, ...]
    sends: Mapping[str, str] = field(default_factory=dict)
    is_link: bool = False

    @property
    def url(self) -> str:
        """Where the button leads."""
        return reverse(self.name, args=self.args)


@dataclass(frozen=True)
class Progress:
    """How many tables of a round there are, have begun, and are finished."""

    tables: int
    begun: int
    finished: int


def progress_of(place: Round) -> Progress:
    """How far the tables of a round are (2 queries)."""
    games = Game.objects.filter(table__round=place)
    counts = games.aggregate(
        begun=Count("table", filter=Q(revision__gt=0), distinct=True),
        finished=Count("table", filter=Q(result__isnull=False), distinct=True),
    )
    return Progress(Table.objects.filter(round=place).count(), **counts)


def current_round(rounds: Iterable[Round]) -> Round | None:
    """The first round that is not closed, or else the last one; `rounds` are in order."""
    last = None
    for last in rounds:
        if last.closed_at is None:
            break
    return last


def next_step(
    tournament: Tournament, rounds: Sequence[Round], progress: Progress | None, *, enough: bool
) -> Step:
    """What comes next; `rounds` are all of the tournament's, in order.

    `progress` is that of the current round, and `enough` whether entrants for a table are there.
    """
    if tournament.state == State.DRAFT:
        return _move(tournament, State.REGISTRATION, _("Open registration"))
    if tournament.state == State.REGISTRATION and not enough:
        return Step(_("Add entrants"), "entrants", _at(tournament), is_link=True)
    if tournament.state == State.REGISTRATION:
        return _move(tournament, State.RUNNING, _("Start the tournament"))
    if tournament.state == State.FINISHED:
        return Step(_("See the standings"), "standings", _at(tournament), is_link=True)
    return _running_step(tournament, rounds, progress, enough=enough)


def step_back(
    tournament: Tournament, rounds: Sequence[Round], progress: Progress | None
) -> Step | None:
    """What can be taken back; `progress` is that of the current round."""
    if tournament.state == State.DRAFT:
        return None
    if tournament.state == State.REGISTRATION:
        return _move(tournament, State.DRAFT, _("Back to the draft"))
    if tournament.state == State.FINISHED:
        return _move(tournament, State.RUNNING, _("It is not finished after all"))
    place = current_round(rounds)
    if place is None:
        return _move(tournament, State.REGISTRATION, _("Back to registration"))
    if place.closed_at is None and progress is not None and progress.begun:
        return None
    name, label = {
        "seated": ("unseat_round", _("Throw the proposal away")),
        "published": ("take_back_round", _("Take the seating back")),
        "open": ("take_back_round", _("Take the seating back")),
        "closed": ("reopen_tournament_round", _("Open the last round again")),
    }[place.state]
    return _of_round(name, label, tournament, place)


def _running_step(
    tournament: Tournament, rounds: Sequence[Round], progress: Progress | None, *, enough: bool
) -> Step:
    place = current_round(rounds)
    if place is not None and place.closed_at is None:
        return _round_step(tournament, place, progress)
    if not _is_over(tournament, rounds):
        if not enough and not _all_rounds_drawn(tournament, rounds):
            return Step(_("Look at the entrants"), "entrants", _at(tournament), is_link=True)
        return Step(_seating_label(tournament, rounds), "seat_round", _at(tournament))
    return _move(tournament, State.FINISHED, _("Finish the tournament"))


def _round_step(tournament: Tournament, place: Round, progress: Progress | None) -> Step:
    if place.is_open and progress is not None and progress.finished < progress.tables:
        # A round is closed once every table is finished.
        at = (*_at(tournament), place.number)
        return Step(_("Look at the tables"), "running", at, is_link=True)
    name, label = {
        "seated": ("publish_round", _("Publish the seating")),
        "published": ("open_tournament_round", _("Open the round")),
        "open": ("close_tournament_round", _("Close the round")),
    }[place.state]
    return _of_round(name, label, tournament, place)


def _is_over(tournament: Tournament, rounds: Sequence[Round]) -> bool:
    """Whether every round is drawn, and the final where there is one."""
    if not _all_rounds_drawn(tournament, rounds):
        return False
    has_finals = settings_of(tournament).finals > 0
    return not has_finals or any(place.stage == "final" for place in rounds)


def _all_rounds_drawn(tournament: Tournament, rounds: Sequence[Round]) -> bool:
    return sum(not place.stage for place in rounds) >= settings_of(tournament).rounds


def _seating_label(tournament: Tournament, rounds: Sequence[Round]) -> str:
    if _all_rounds_drawn(tournament, rounds):
        return _("Seat the finals")
    return _("Seat round %(number)s") % {"number": len(rounds) + 1}


def _move(tournament: Tournament, state: str, label: str) -> Step:
    return Step(label, "move_tournament", _at(tournament), {"state": state})


def _of_round(name: str, label: str, tournament: Tournament, place: Round) -> Step:
    return Step(label, name, (*_at(tournament), place.number))


def _at(tournament: Tournament) -> tuple[str, str]:
    return tournament.event.club.slug, tournament.slug
