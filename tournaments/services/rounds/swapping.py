"""Swap two entrants of a seated round, after the director has seen the effect."""

from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.pairing.judging import judge
from tournaments.engine.pairing.manual import Swapped, swap
from tournaments.models import Round
from tournaments.queries.tournaments.state import TournamentState
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.rounds.seating import SeatingDraft, field_seated, lock_seated, put_seating


class SeatingMoved(Refused, code="seating-moved"):
    sentence = _("The seating has changed meanwhile: look at it once more.")


def swap_of(state: TournamentState, round_: Round, one: str, other: str) -> Swapped:
    """Preview a seated round after swapping two entrants, by key, with the effects.

    Raises:
        InvalidSeating: one of them is not in the seating, or is not present.
    """
    seating = round_.seating or {"tables": [], "byes": []}
    field = field_seated(state, round_)
    return swap(field, judge(field, seating["tables"], seating["byes"]), one, other)


def swap_seats(  # noqa: PLR0913 - who, with whom, and as it was seen
    round_pk: int, one: str, other: str, by: Actor, *, seen: int, at: datetime
) -> Round:
    """Swap two entrants, by key; `seen` is the tournament's revision in the preview.

    Raises:
        SeatingMoved: it has changed meanwhile; repeated, a swap would undo itself.
        WrongState, InvalidSeating: as in `put_seating`.
    """
    with transaction.atomic():
        tournament, round_ = lock_seated(round_pk)
        if tournament.revision != seen:
            raise SeatingMoved
        turned = {one: other, other: one}
        seating = round_.seating or {"tables": [], "byes": [], "locked": []}
        tables = [[turned.get(name, name) for name in table] for table in seating["tables"]]
        byes = [turned.get(name, name) for name in seating["byes"]]
        draft = SeatingDraft(tables, byes, seating.get("locked", []))
        return put_seating(round_pk, draft, by, at=at)
