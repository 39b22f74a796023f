"""What a director decides about an entrant's round: penalties, adjusted scores, forfeits."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction

from tournaments.engine.entry_records import write_points
from tournaments.engine.round_results import PENALTY, RULINGS
from tournaments.engine.rulesets import Points, number_of
from tournaments.engine.tournament_settings import LARGEST_WORTH
from tournaments.models import Entrant, Round, Ruling
from tournaments.models.tournaments import LONGEST_RULING
from tournaments.services.auditing import Actor
from tournaments.services.tournaments.drawing import lock_drawn
from tournaments.services.tournaments.leading import WrongState, note, touch


class NotInRound(Exception):
    """The entrant neither plays nor sits out in this round, or is a house player."""


class NoReason(Exception):
    """A ruling is given with a reason."""


class NoSuchPoints(Exception):
    """Not a number of points that can be ruled; a penalty takes some."""


@dataclass(frozen=True, slots=True)
class Decision:
    """What is decided, as `engine.round_results.Ruling` has it; points as a record has them."""

    kind: str
    points: int | str
    reason: str


def rule(round_pk: int, entrant_pk: int, said: Decision, by: Actor, *, at: datetime) -> Ruling:
    """Decide about an entrant's round; said twice in the same words, it is decided once.

    What is no penalty takes the place of what was decided before.

    Raises:
        NotInRound, NoReason, NoSuchPoints: as their names say.
        WrongState: the round is not published.
    In each case nothing is written.
    """
    points, reason = _points(said), said.reason.replace("\0", "").strip()[:LONGEST_RULING]
    if not reason:
        raise NoReason
    with transaction.atomic():
        tournament, place = lock_drawn(round_pk)
        if place.published_at is None:
            raise WrongState(place.state)
        entrant = _entrant_in(place, entrant_pk)
        fields = {"kind": said.kind, "points": write_points(points), "reason": reason}
        standing = place.rulings.filter(entrant=entrant, withdrawn_at=None)
        for ruling in standing:
            if all(getattr(ruling, name) == value for name, value in fields.items()):
                return ruling
        if said.kind != PENALTY:
            standing.exclude(kind=PENALTY).update(withdrawn_at=at)
        ruling = Ruling.objects.create(round=place, entrant=entrant, at=at, **fields)
        touch(tournament)
        note(tournament, "rule", by, at, after=_told(ruling), reason=reason)
    return ruling


def withdraw_ruling(ruling_pk: int, by: Actor, *, at: datetime) -> Ruling:
    """Take a ruling back; it stays in the list, and withdrawn twice it is withdrawn once.

    Raises:
        Ruling.DoesNotExist: its round was taken back meanwhile.
    """
    round_pk = Ruling.objects.values_list("round", flat=True).get(pk=ruling_pk)
    with transaction.atomic():
        tournament, _place = lock_drawn(round_pk)
        ruling = Ruling.objects.select_related("entrant", "round").get(pk=ruling_pk)
        if ruling.withdrawn_at is None:
            ruling.withdrawn_at = at
            ruling.save(update_fields=["withdrawn_at"])
            touch(tournament)
            note(tournament, "withdraw-ruling", by, at, before=_told(ruling), reason=ruling.reason)
    return ruling


def _entrant_in(place: Round, entrant_pk: int) -> Entrant:
    entrants = Entrant.objects.competing().filter(sittings__round=place, pk=entrant_pk)
    entrant = entrants.select_related("player", "partner").first()
    if entrant is None:
        raise NotInRound
    return entrant


def _points(said: Decision) -> Points:
    points = number_of(said.points)
    if said.kind not in RULINGS or points is None:
        raise NoSuchPoints
    if not -LARGEST_WORTH <= points <= LARGEST_WORTH:
        raise NoSuchPoints
    if said.kind == PENALTY and points <= 0:
        raise NoSuchPoints
    return points


def _told(ruling: Ruling) -> dict[str, object]:
    return {
        "round": ruling.round.number,
        "entrants": [ruling.entrant.key],
        "ruling": ruling.kind,
        "points": ruling.points,
    }
