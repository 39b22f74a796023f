"""Players confirm or dispute the deals of their game one by one; directors settle disputes."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.rules.entries import REMARKS, Entry
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import AuditEntry, DealReview, Game, Revision, Round, Table
from tournaments.queries.games.sheets import (
    LaterEntryInvalid,
    ReviewedDeal,
    Sheet,
    load_reviews,
    load_sheet,
)
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.games.confirming import NotSeated, own_seat
from tournaments.services.games.open_deals import corrected
from tournaments.services.games.playing import correct_entry
from tournaments.services.games.writing import (
    DealFixed,
    NoSuchEntry,
    StaleRevision,
    WriteContext,
    round_for_writing,
)
from tournaments.services.rounds.calls import answer_call, call_director

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

    Raises:
        NoOpponent: the seat declared the deal, or wrote it.
        DealDisputed: a director has to settle it.
        StaleRevision: it has been corrected since; the exception contains the sheet.
        DealsNotConfirmed, NoSuchEntry, RoundClosed, Game.DoesNotExist
    In each case nothing is written.
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

    Raises:
        SaysTheSame: it is the written one.
        InvalidEntry: it cannot have been played.
        DealDisputed, DealFixed: another version is waiting for a director, or was settled by one.
        NotSeated: the table has no such seat.
        StaleRevision, DealsNotConfirmed, NoSuchEntry, RoundClosed, Game.DoesNotExist
    In each case nothing is written.
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

    Raises:
        LaterEntryInvalid: a later entry does not fit the other version.
        StaleRevision: it has been settled otherwise, or corrected since.
        DealsNotConfirmed, NoSuchEntry, Game.DoesNotExist
    In each case nothing is written.
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
            body = _remarks(sheet, deal) | (dispute.body or {})
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
    """Lock a game, and return its sheet with the deal that was seen."""
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

    Raises:
        SaysTheSame, InvalidEntry
    """
    written = sheet.body(deal.position) or {}
    entry = corrected(sheet.game.ruleset, written, entry)
    said, stands = (
        {name: value for name, value in body.items() if name not in REMARKS}
        for body in (write_entry(entry), written)
    )
    if said == stands:
        raise SaysTheSame
    version = Revision(kind=Revision.Kind.CORRECTION, position=deal.position, body=said)
    try:
        sheet.after_change(version)
    except LaterEntryInvalid as error:
        # What it does to later deals is for the director to see.
        if error.position == deal.position:
            raise InvalidEntry(error.problems) from error
    return said


def _remarks(sheet: Sheet, deal: ReviewedDeal) -> dict[str, Any]:
    body = sheet.body(deal.position) or {}
    return {name: value for name, value in body.items() if name in REMARKS}


ACTIONS = {
    Kind.CONFIRMED: "confirm-deal",
    Kind.DISPUTED: "dispute-deal",
    Kind.SETTLED: "settle-deal",
}


def _add(row: Game, round_: Round, seen: SeenDeal, review: DealReview) -> None:
    """Store a review of the deal that was seen, with its audit entry."""
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
