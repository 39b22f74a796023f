"""Two entrants of a seated round change places, once the director has seen what it costs."""

from datetime import datetime

from django.db import transaction

from tournaments.engine.pairing.judging import judge
from tournaments.engine.pairing.manual import Swapped, swap
from tournaments.models import Round
from tournaments.queries.tournaments import Course
from tournaments.services.auditing import Actor
from tournaments.services.tournaments.drawing import (
    Draft,
    field_seated,
    lock_seated,
    put_seating,
)


class SeatingMoved(Exception):
    """The seating is not as it was seen, as when a button is tapped twice."""


def swap_of(course: Course, place: Round, one: str, other: str) -> Swapped:
    """A seated round after two entrants, by key, change places, and what that changes.

    Raises:
        InvalidSeating: one of them is not in the seating, or no entrant who is there.
    """
    seating = place.seating or {"tables": [], "byes": []}
    field = field_seated(course, place)
    return swap(field, judge(field, seating["tables"], seating["byes"]), one, other)


def swap_seats(  # noqa: PLR0913 - who, with whom, and as it was seen
    round_pk: int, one: str, other: str, by: Actor, *, seen: int, at: datetime
) -> Round:
    """Let two entrants, by key, change places; `seen` is the revision of the tournament shown.

    Raises:
        SeatingMoved: it has changed meanwhile; sent twice, a swap would undo itself.
        WrongState, InvalidSeating: as in `put_seating`.
    """
    with transaction.atomic():
        tournament, place = lock_seated(round_pk)
        if tournament.revision != seen:
            raise SeatingMoved
        turned = {one: other, other: one}
        seating = place.seating or {"tables": [], "byes": [], "locked": []}
        tables = [[turned.get(name, name) for name in table] for table in seating["tables"]]
        byes = [turned.get(name, name) for name in seating["byes"]]
        draft = Draft(tables, byes, seating.get("locked", []))
        return put_seating(round_pk, draft, by, at=at)
