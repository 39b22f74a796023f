"""Calls for the director, reviews of deals, and rulings."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.rules.entries import REMARKS, Entry, write_points
from tournaments.engine.rules.rulesets import LONGEST_REASON, InvalidEntry, Points, number_of
from tournaments.engine.standings.results import BYE, PENALTY, RULINGS
from tournaments.engine.standings.tournament_settings import LARGEST_WORTH
from tournaments.models import AuditEntry, DealReview, Entrant, Game, Revision, Round, Ruling, Table
from tournaments.queries.sheets import (
    LaterEntryInvalid,
    ReviewedDeal,
    Sheet,
    load_reviews,
    load_sheet,
)
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.writes import Refused
from tournaments.services.events.events import seal_rounds
from tournaments.services.games.playing import NotSeated, correct_entry, corrected, own_seat
from tournaments.services.games.tables import subject_of
from tournaments.services.games.writing import (
    DealFixed,
    NoSuchEntry,
    RoundClosed,
    StaleRevision,
    WriteContext,
    round_for_writing,
)
from tournaments.services.rounds.seating import lock_drawn
from tournaments.services.tournaments.lifecycle import WrongState, note, touch


def call_director(table_pk: int, by: Actor, *, at: datetime) -> Table:
    """Call a director from a table of an open round. Idempotent.

    Raises: RoundClosed, Table.DoesNotExist.
    """
    with transaction.atomic():
        table = _lock(table_pk)
        if table.called_at is None:
            if not table.round.is_open:
                raise RoundClosed
            _put(table, at, "call-director", by, at)
    return table


def answer_call(table_pk: int, by: Actor, *, at: datetime) -> Table:
    """Clear the call of a table, answered or not needed. Idempotent.

    Raises: Table.DoesNotExist: the table was removed.
    """
    with transaction.atomic():
        table = _lock(table_pk)
        if table.called_at is not None:
            _put(table, None, "answer-call", by, at)
    return table


def _lock(table_pk: int) -> Table:
    rows = Table.objects.select_for_update(of=("self",))
    return rows.select_related("round__event__club").get(pk=table_pk)


def _put(table: Table, called_at: datetime | None, action: str, by: Actor, at: datetime) -> None:
    table.called_at = called_at
    table.save(update_fields=["called_at"])
    event = table.round.event
    change = Change(AuditEntry.Kind.EVENT, action, subject_of(table), event=event)
    note_change(event.club, change, by, at=at)


Kind = DealReview.Kind


class DealsNotConfirmed(Refused, code="deals-not-confirmed", status=404):
    sentence = gettext_lazy("The deals of this game are not confirmed one by one.")


class NoOpponent(Refused, code="no-opponent", status=422, where="seat"):
    sentence = gettext_lazy("Somebody else confirms this deal: an opponent who did not write it.")


class DealDisputed(Refused, code="deal-disputed"):
    sentence = gettext_lazy("This deal is disputed: the director decides.")


class SaysTheSame(Refused, code="says-the-same", status=422):
    sentence = gettext_lazy("That is how the deal is written. Enter what is right.")


@dataclass(frozen=True, slots=True)
class SeenDeal:
    """A deal as somebody saw it, by its position and the revision since which it stands.

    `by` and `at` say who speaks of it, and when.
    """

    position: int
    revision: int
    by: Actor
    at: datetime


def confirm_deal(game_pk: int, seen: SeenDeal, seat: int) -> Sheet:
    """Confirm a deal for a seat; one confirmation is enough. Idempotent.

    Raises: NoOpponent, DealDisputed, StaleRevision, DealsNotConfirmed, NoSuchEntry, RoundClosed,
    Game.DoesNotExist. Nothing is written then.
    """
    with transaction.atomic():
        sheet, deal, round_ = _locked(game_pk, seen)
        if deal.dispute is not None:
            raise DealDisputed
        if deal.state == "unconfirmed":
            if seat not in deal.confirmers:
                raise NoOpponent
            _add(sheet.row, round_, seen, DealReview(kind=Kind.CONFIRMED, seat=seat))
    return sheet


def dispute_deal(game_pk: int, seen: SeenDeal, seat: int, entry: Entry) -> Sheet:
    """Keep another version of a deal beside the written one, and call a director. Idempotent.

    Raises: SaysTheSame, InvalidEntry, DealDisputed, DealFixed, NotSeated, StaleRevision,
    DealsNotConfirmed, NoSuchEntry, RoundClosed, Game.DoesNotExist. Nothing is written then.
    """
    with transaction.atomic():
        sheet, deal, round_ = _locked(game_pk, seen)
        if seat not in range(len(sheet.row.players)):
            raise NotSeated
        body = _version(sheet, deal, entry)
        if deal.state == Kind.SETTLED:
            raise DealFixed
        if deal.dispute is not None:
            if (deal.dispute.seat, deal.dispute.body) == (seat, body):
                return sheet
            raise DealDisputed
        _add(sheet.row, round_, seen, DealReview(kind=Kind.DISPUTED, seat=seat, body=body))
        if round_.is_open and sheet.row.table_id is not None:
            call_director(sheet.row.table_id, seen.by, at=seen.at)
    return sheet


def settle_deal(game_pk: int, seen: SeenDeal, *, disputed_counts: bool) -> Sheet:
    """Let one version of a disputed deal stand, as a director decides. Idempotent.

    Raises: LaterEntryInvalid, StaleRevision, DealsNotConfirmed, NoSuchEntry, Game.DoesNotExist.
    Nothing is written then.
    """
    with transaction.atomic():
        sheet, deal, round_ = _locked(game_pk, seen, must_stand=False)
        dispute = deal.dispute
        if dispute is None or deal.revision != seen.revision:
            # Where the other version counts, the deal has a revision of its own.
            is_other = deal.revision != seen.revision
            if deal.state == Kind.SETTLED and is_other == disputed_counts:
                return sheet
            raise StaleRevision(sheet)
        if disputed_counts:
            written = sheet.body(deal.position) or {}
            remarks = {name: value for name, value in written.items() if name in REMARKS}
            body = remarks | (dispute.body or {})
            key = f"dispute-{dispute.pk:08}"
            context = WriteContext(key, sheet.row.revision, seen.at, by=seen.by)
            reason = _("disputed deal")
            sheet = correct_entry(game_pk, deal.position, parse_entry(body), reason, context)
        else:
            _add(sheet.row, round_, seen, DealReview(kind=Kind.SETTLED))
        # A call for something else stays.
        called = Table.objects.filter(games=sheet.row, called_at=dispute.at).first()
        if called is not None:
            answer_call(called.pk, seen.by, at=seen.at)
    return sheet


def _locked(
    game_pk: int, seen: SeenDeal, *, must_stand: bool = True
) -> tuple[Sheet, ReviewedDeal, Round]:
    row = Game.objects.select_for_update().get(pk=game_pk)
    round_ = round_for_writing(row, seen.by)
    sheet = load_sheet(row)
    reviews = load_reviews(sheet)
    if round_ is None or reviews is None:
        raise DealsNotConfirmed
    if seen.position not in reviews.deals:
        raise NoSuchEntry
    deal = reviews.deals[seen.position]
    if must_stand and deal.revision != seen.revision:
        raise StaleRevision(sheet)
    return sheet, deal, round_


def _version(sheet: Sheet, deal: ReviewedDeal, entry: Entry) -> dict[str, Any]:
    """Return a disputed version as a body; remarks, which may say names, stay with the written one.

    Raises: SaysTheSame, InvalidEntry.
    """
    written = sheet.body(deal.position) or {}
    entry = corrected(sheet.game.ruleset, written, entry)
    disputed, stands = (
        {name: value for name, value in body.items() if name not in REMARKS}
        for body in (write_entry(entry), written)
    )
    if disputed == stands:
        raise SaysTheSame
    version = Revision(kind=Revision.Kind.CORRECTION, position=deal.position, body=disputed)
    try:
        sheet.after_change(version)
    except LaterEntryInvalid as error:
        # What it does to later deals is for the director to see.
        if error.position == deal.position:
            raise InvalidEntry(error.problems) from error
    return disputed


ACTIONS = {
    Kind.CONFIRMED: "confirm-deal",
    Kind.DISPUTED: "dispute-deal",
    Kind.SETTLED: "settle-deal",
}


def _add(row: Game, round_: Round, seen: SeenDeal, review: DealReview) -> None:
    # Many hold a phone of the table; only the player's account proves who it was.
    is_own = review.seat is None or own_seat(row, seen.by) == review.seat
    review.game, review.at = row, seen.at
    review.position, review.revision = seen.position, seen.revision
    review.user = seen.by.user if is_own else None
    review.save(force_insert=True)
    after = {"line": seen.position + 1, "revision": seen.revision, "seat": review.seat}
    action, event = ACTIONS[Kind(review.kind)], round_.event
    subject = f"game:{row.public_id}"
    change = Change(AuditEntry.Kind.RESULT, action, subject, after=after, event=event)
    note_change(event.club, change, seen.by, at=seen.at)


class NotInRound(Refused, code="not-in-round", where="entrant"):
    sentence = gettext_lazy("They do not take part in this round any more.")


class NoReason(Refused, code="no-reason", status=422, where="reason"):
    sentence = gettext_lazy("Say why: everybody will ask.")


class NoSuchPoints(Refused, code="no-such-points", status=422, where="points"):
    sentence = gettext_lazy("A penalty takes points: a number above 0.")


@dataclass(frozen=True, slots=True)
class RulingDecision:
    """A ruling as in `engine.round_results.Ruling`; points as in a record."""

    kind: str
    points: int | str
    reason: str


def rule(
    round_pk: int, entrant_pk: int, decision: RulingDecision, by: Actor, *, at: datetime
) -> Ruling:
    """Rule on an entrant's round. An equal ruling is stored once.

    A ruling other than a penalty replaces the one before.

    Raises: NotInRound, NoReason, NoSuchPoints, WrongState. Nothing is written then.
    """
    points, reason = _points(decision), decision.reason.replace("\0", "").strip()[:LONGEST_REASON]
    if not reason:
        raise NoReason
    with transaction.atomic():
        tournament, round_ = lock_drawn(round_pk)
        if round_.published_at is None:
            raise WrongState(round_.state)
        entrants = Entrant.objects.competing().filter(sittings__round=round_, pk=entrant_pk)
        entrant = entrants.select_related("player", "partner").first()
        if entrant is None:
            raise NotInRound
        fields = {"kind": decision.kind, "points": write_points(points), "reason": reason}
        standing = round_.rulings.filter(entrant=entrant, withdrawn_at=None)
        for ruling in standing:
            if all(getattr(ruling, name) == value for name, value in fields.items()):
                return ruling
        if decision.kind != PENALTY:
            standing.exclude(kind=PENALTY).update(withdrawn_at=at)
        ruling = Ruling.objects.create(round=round_, entrant=entrant, at=at, **fields)
        touch(tournament)
        note(tournament, "rule", by, at, after=_details(ruling), reason=reason)
        if round_.closed_at is not None:
            seal_rounds(tournament, by, at=at)
    return ruling


def withdraw_ruling(ruling_pk: int, by: Actor, *, at: datetime) -> Ruling:
    """Withdraw a ruling; it stays in the list. Idempotent.

    Raises: Ruling.DoesNotExist: its round was taken back meanwhile.
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


def _points(decision: RulingDecision) -> Points:
    points = 0 if decision.kind == BYE else number_of(decision.points)
    if decision.kind not in RULINGS or points is None:
        raise NoSuchPoints
    if not -LARGEST_WORTH <= points <= LARGEST_WORTH:
        raise NoSuchPoints
    if decision.kind == PENALTY and points <= 0:
        raise NoSuchPoints
    return points


def _details(ruling: Ruling) -> dict[str, object]:
    return {
        "round": ruling.round.number,
        "entrants": [ruling.entrant.key],
        "ruling": ruling.kind,
        "points": ruling.points,
    }
