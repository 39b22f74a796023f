"""How far a tournament is, what its directors do next, and what can be taken back."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from tournaments.models import Game, Round, Table, Tournament
from tournaments.queries.tournaments import rules_of_tournament, settings_of

State = Tournament.State

PLAYED = (State.RUNNING, State.FINISHED)
"""The states in which it is decided what is played."""

NEXT_STEPS = (
    "open-registration",
    "add-entrants",
    "start",
    "look-at-entrants",
    "seat-round",
    "seat-finals",
    "publish-seating",
    "open-round",
    "look-at-tables",
    "close-round",
    "finish",
    "see-standings",
)
"""What comes next, in the order of an evening."""

STEPS_BACK = (
    "back-to-draft",
    "back-to-registration",
    "throw-seating-away",
    "take-seating-back",
    "reopen-round",
    "not-finished",
)
"""What can be taken back."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step by its code, with the number of the round it is about, if it is about one."""

    code: str
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Progress:
    """How many tables of a round there are, have begun, and are finished."""

    tables: int
    begun: int
    finished: int


@dataclass(frozen=True, slots=True)
class HowFar:
    """How far a tournament is, and what can be done about it.

    `progress` is that of its current round (`place`) once it is published; `here` are those who
    have checked in, None where nobody is asked. `needed` entrants fill a table.
    """

    rounds: Sequence[Round]
    place: Round | None
    progress: Progress | None
    playing: int
    here: int | None
    withdrawn: int
    needed: int
    enough: bool
    step: Step
    back: Step | None


def how_far(row: Tournament) -> HowFar:
    """How far a tournament is (5 queries)."""
    rounds = list(row.event.rounds.order_by("number"))
    place = current_round(rounds)
    progress = progress_of(place) if place is not None and place.published_at else None
    entrants = row.entrants.competing()
    playing, needed = entrants.playing().count(), rules_of_tournament(row).side_count
    here = checked_in(row, rounds)
    enough = (playing if here is None else here) >= needed
    return HowFar(
        rounds=rounds,
        place=place,
        progress=progress,
        playing=playing,
        here=here,
        withdrawn=entrants.exclude(withdrawn_at=None).count(),
        needed=needed,
        enough=enough,
        step=next_step(row, rounds, progress, enough=enough),
        back=step_back(row, rounds, progress),
    )


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


def checked_in(row: Tournament, rounds: Sequence[Round]) -> int | None:
    """How many have said that they are there for the next round; None where nobody is asked."""
    asked = {"none": 0, "once": 1, "round": len(rounds) + 1}[settings_of(row).check_in]
    if not asked or row.state != State.RUNNING or any(place.closed_at is None for place in rounds):
        return None
    playing = row.entrants.competing().playing()
    return playing.filter(checked_in__gte=asked, joins_in__lte=len(rounds) + 1).count()


def next_step(
    tournament: Tournament, rounds: Sequence[Round], progress: Progress | None, *, enough: bool
) -> Step:
    """What comes next; `rounds` are all of the tournament's, in order.

    `progress` is that of the current round, and `enough` whether entrants for a table are there.
    """
    if tournament.state == State.DRAFT:
        return Step("open-registration")
    if tournament.state == State.REGISTRATION:
        return Step("start" if enough else "add-entrants")
    if tournament.state == State.FINISHED:
        return Step("see-standings")
    return _running_step(tournament, rounds, progress, enough=enough)


def step_back(
    tournament: Tournament, rounds: Sequence[Round], progress: Progress | None
) -> Step | None:
    """What can be taken back; `progress` is that of the current round."""
    if tournament.state == State.DRAFT:
        return None
    if tournament.state == State.REGISTRATION:
        return Step("back-to-draft")
    if tournament.state == State.FINISHED:
        return Step("not-finished")
    place = current_round(rounds)
    if place is None:
        return Step("back-to-registration")
    if place.closed_at is None and progress is not None and progress.begun:
        return None
    code = {"seated": "throw-seating-away", "closed": "reopen-round"}.get(place.state)
    return Step(code or "take-seating-back", place.number)


def _running_step(
    tournament: Tournament, rounds: Sequence[Round], progress: Progress | None, *, enough: bool
) -> Step:
    place = current_round(rounds)
    if place is not None and place.closed_at is None:
        return _round_step(place, progress)
    if _is_over(tournament, rounds):
        return Step("finish")
    all_drawn = _all_rounds_drawn(tournament, rounds)
    if not enough and not all_drawn:
        return Step("look-at-entrants")
    return Step("seat-finals" if all_drawn else "seat-round", len(rounds) + 1)


def _round_step(place: Round, progress: Progress | None) -> Step:
    if place.is_open and progress is not None and progress.finished < progress.tables:
        # A round is closed once every table is finished.
        return Step("look-at-tables", place.number)
    codes = {"seated": "publish-seating", "published": "open-round", "open": "close-round"}
    return Step(codes[place.state], place.number)


def _is_over(tournament: Tournament, rounds: Sequence[Round]) -> bool:
    """Whether every round is drawn, and the final where there is one."""
    if not _all_rounds_drawn(tournament, rounds):
        return False
    has_finals = settings_of(tournament).finals > 0
    return not has_finals or any(place.stage == "final" for place in rounds)


def _all_rounds_drawn(tournament: Tournament, rounds: Sequence[Round]) -> bool:
    return sum(not place.stage for place in rounds) >= settings_of(tournament).rounds
