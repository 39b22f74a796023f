"""The requests to confirm the deals of a game, and its result at the end."""

from dataclasses import dataclass, replace

from django.http import HttpRequest
from django.urls import reverse

from tournaments.models import Event
from tournaments.permissions import account_of, actor_of
from tournaments.presenters.games.sheets import numbers_of
from tournaments.queries.games.sheets import ReviewedDeal, ReviewedDeals, Sheet, load_reviews
from tournaments.services.games.playing import Agreement, agreement_on, own_seat


@dataclass(frozen=True)
class ConfirmPage:
    """Players who may confirm one revision, at `address`: seat, name, and whether they have."""

    address: str
    revision: int
    seats: tuple[tuple[int, str, bool], ...]
    agreement: Agreement
    own: bool


@dataclass(frozen=True)
class DealToConfirm:
    """A deal that is not confirmed, or disputed, and the seats and names that may confirm it."""

    deal: ReviewedDeal
    number: int
    seats: tuple[tuple[int, str], ...]
    disputed_by: str


def reviews_to_show(sheet: Sheet) -> ReviewedDeals | None:
    """Return the reviews of a sheet; the confirmed result covers its unconfirmed deals."""
    reviews = load_reviews(sheet)
    if reviews is None or not sheet.game.finished:
        return reviews
    left = {at: deal for at, deal in reviews.deals.items() if deal.state != "unconfirmed"}
    if len(left) == len(reviews.deals):
        return reviews
    event = Event.objects.get(rounds__tables=sheet.row.table_id)
    agreement = agreement_on(sheet, event.confirmations, sheet.row.confirmations.all())
    return replace(reviews, deals=left) if agreement.needed and agreement.enough else reviews


def deals_to_confirm(sheet: Sheet, reviews: ReviewedDeals) -> list[DealToConfirm]:
    """Return the deals that wait for a player or a director, the newest first."""
    numbers, players = numbers_of(sheet.game), sheet.row.players
    waiting = [
        DealToConfirm(
            deal,
            numbers[deal.entry],
            tuple((seat, players[seat]) for seat in deal.confirmers),
            players[deal.dispute.seat] if deal.dispute else "",
        )
        for deal in reviews.deals.values()
        if deal.state in ("unconfirmed", "disputed")
    ]
    return waiting[::-1]


def confirm_at_table(sheet: Sheet) -> ConfirmPage | None:
    """Return the request for the phone of a club's finished game, if one is needed (2 queries)."""
    secret = sheet.row.secret("write")
    path = reverse("confirm", args=[sheet.row.public_id, secret])
    return _page(sheet, path, tuple(range(len(sheet.row.players))), own=False)


def confirm_own(request: HttpRequest, sheet: Sheet) -> ConfirmPage | None:
    """Return the request for a signed-in player who follows; None for all others."""
    row = sheet.row
    if row.table_id is None or not sheet.game.finished or account_of(request) is None:
        return None
    seat = own_seat(row, actor_of(request))
    path = reverse("confirm_own", args=[row.public_id])
    return None if seat is None else _page(sheet, path, (seat,), own=True)


def _page(sheet: Sheet, path: str, seats: tuple[int, ...], *, own: bool) -> ConfirmPage | None:
    row = sheet.row
    event = Event.objects.get(rounds__tables=row.table_id)
    agreement = agreement_on(sheet, event.confirmations, row.confirmations.all())
    if not agreement.needed:
        return None
    shown = tuple((seat, row.players[seat], seat in agreement.confirmed) for seat in seats)
    return ConfirmPage(path, row.revision, shown, agreement, own)
