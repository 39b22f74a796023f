"""A director's rulings on an entrant's round: penalties, adjusted scores, forfeits."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import LONGEST_REASON, Points, number_of
from tournaments.engine.standings.round_results import PENALTY, RULINGS
from tournaments.engine.standings.tournament_settings import LARGEST_WORTH
from tournaments.models import Entrant, Round, Ruling
from tournaments.services.audit import Actor
from tournaments.services.base.refusals import Refused
from tournaments.services.events.sealing import seal_rounds
from tournaments.services.rounds.seating import lock_drawn
from tournaments.services.tournaments.lifecycle import WrongState, note, touch


class NotInRound(Refused, code="not-in-round", where="entrant"):
    sentence = _("They do not take part in this round any more.")


class NoReason(Refused, code="no-reason", status=422, where="reason"):
    sentence = _("Say why: everybody will ask.")


class NoSuchPoints(Refused, code="no-such-points", status=422, where="points"):
    sentence = _("A penalty takes points: a number above 0.")


@dataclass(frozen=True, slots=True)
class RulingDecision:
    """A ruling as in `engine.round_results.Ruling`; points as in a record."""

    kind: str
    points: int | str
    reason: str


def rule(
    round_pk: int, entrant_pk: int, said: RulingDecision, by: Actor, *, at: datetime
) -> Ruling:
    """Rule on an entrant's round. An equal ruling is stored once.

    A ruling other than a penalty replaces the one before.

    Raises:
        NotInRound, NoReason, NoSuchPoints: the ruling is invalid.
        WrongState: the round is not published.
    In each case nothing is written.
    """
    points, reason = _points(said), said.reason.replace("\0", "").strip()[:LONGEST_REASON]
    if not reason:
        raise NoReason
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None:
            raise WrongState(round_.state)
        entrant = _entrant_in(round_, entrant_pk)
        fields = {"kind": said.kind, "points": write_points(points), "reason": reason}
        standing = round_.rulings.filter(entrant=entrant, withdrawn_at=None)
        for ruling in standing:
            if all(getattr(ruling, name) == value for name, value in fields.items()):
                return ruling
        if said.kind != PENALTY:
            standing.exclude(kind=PENALTY).update(withdrawn_at=at)
        ruling = Ruling.objects.create(round=round_, entrant=entrant, at=at, **fields)
        touch(tournament)
        note(tournament, "rule", by, at, after=_details(ruling), reason=reason)
        if round_.closed_at is not None:
            seal_rounds(tournament, by, at=at)
    return ruling


def withdraw_ruling(ruling_pk: int, by: Actor, *, at: datetime) -> Ruling:
    """Withdraw a ruling; it stays in the list. Idempotent.

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
            note(
                tournament, "withdraw-ruling", by, at, before=_details(ruling), reason=ruling.reason
            )
            if ruling.round.closed_at is not None:
                seal_rounds(tournament, by, at=at)
    return ruling


def _entrant_in(round_: Round, entrant_pk: int) -> Entrant:
    entrants = Entrant.objects.competing().filter(sittings__round=round_, pk=entrant_pk)
    entrant = entrants.select_related("player", "partner").first()
    if entrant is None:
        raise NotInRound
    return entrant


def _points(said: RulingDecision) -> Points:
    points = number_of(said.points)
    if said.kind not in RULINGS or points is None:
        raise NoSuchPoints
    if not -LARGEST_WORTH <= points <= LARGEST_WORTH:
        raise NoSuchPoints
    if said.kind == PENALTY and points <= 0:
        raise NoSuchPoints
    return points


def _details(ruling: Ruling) -> dict[str, object]:
    return {
        "round": ruling.round.number,
        "entrants": [ruling.entrant.key],
        "ruling": ruling.kind,
        "points": ruling.points,
    }
