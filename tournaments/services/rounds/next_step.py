"""The next step of a tournament, taken once however many directors press its button."""

from collections.abc import Callable, Mapping
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.models import Round, Tournament
from tournaments.queries.tournaments.steps import LifecycleStep
from tournaments.services.audit import Actor
from tournaments.services.rounds.clocks import start_clock
from tournaments.services.rounds.rounds import close_round, open_round
from tournaments.services.rounds.seating import publish_round, seat_next_round
from tournaments.services.tournaments.lifecycle import (
    WrongState,
    lock_tournament,
    move_tournament,
)

State = Tournament.State


MOVES: Mapping[str, str] = {
    "open-registration": State.REGISTRATION,
    "start": State.RUNNING,
    "start-and-seat": State.RUNNING,
    "finish": State.FINISHED,
}

SEATS = frozenset({"start-and-seat", "seat-round", "seat-finals"})

OF_ROUNDS: Mapping[str, tuple[Callable[..., Round], ...]] = {
    "publish-seating": (publish_round,),
    "open-round": (open_round,),
    "start-clock": (open_round, start_clock),
    "close-round": (close_round,),
}

STEPS = frozenset({*MOVES, *SEATS, *OF_ROUNDS})
"""The steps that need no choice; the others lead to a page."""


def take_step(
    tournament_pk: int, step: LifecycleStep, by: Actor, *, seen: int, at: datetime
) -> None:
    """Take the step that a director saw at revision `seen` of the tournament.

    Raises:
        WrongState: the tournament has changed since, or the step is not possible.
        Refused: as the services of the steps say.
    In each case nothing is written.
    """
    with transaction.atomic():
        tournament = lock_tournament(tournament_pk)
        if tournament.revision != seen:
            said = _("Something has changed meanwhile: this is how it stands now.")
            raise WrongState(tournament.state, said)
        if step.code in MOVES:
            move_tournament(tournament_pk, MOVES[step.code], by, at=at)
        if step.code in SEATS:
            seat_next_round(tournament_pk, by, at=at)
        for lead in OF_ROUNDS.get(step.code, ()):
            for round_ in tournament.event.rounds.filter(number=step.round or 0):
                lead(round_.pk, by, at=at)
