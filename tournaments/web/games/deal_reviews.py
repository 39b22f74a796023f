"""Confirming and disputing the deals of a game, on a phone of the table."""

from dataclasses import dataclass

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game
from tournaments.permissions import actor_of, writable_row
from tournaments.presenters.games.sheets import numbers_of
from tournaments.queries.games.sheets import (
    ReviewedDeal,
    Sheet,
    load_reviews,
    load_sheet,
    ruleset_of,
)
from tournaments.services.base.writes import Refused
from tournaments.services.games.playing import own_seat
from tournaments.services.games.writing import StaleRevision
from tournaments.services.rounds.rulings import (
    DealsNotConfirmed,
    SeenDeal,
    confirm_deal,
    dispute_deal,
)
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import address
from tournaments.web.games.correcting import form_at
from tournaments.web.games.deals.entry_text import summary_of
from tournaments.web.games.deals.reading import Typed, parse_form
from tournaments.web.games.pages import (
    NOT_REFUSED,
    Refusal,
    handed_over,
    number_in,
    refusal_of,
    show_table,
)


@dataclass(frozen=True)
class Dispute:
    """A disputed deal in two versions, as lines of text: as written, and as a player says."""

    deal: ReviewedDeal
    number: int
    name: str
    written: str
    said: str


def disputes_shown(row: Game) -> list[Dispute]:
    """Return the disputes of a game that no director has settled."""
    sheet = load_sheet(row)
    reviews, numbers = load_reviews(sheet), numbers_of(sheet.game)
    return [
        Dispute(
            deal,
            numbers[deal.entry],
            row.players[deal.dispute.seat],
            summary_of(sheet.body(deal.position) or {}, sheet),
            summary_of(deal.dispute.body or {}, sheet),
        )
        for deal in (reviews.deals.values() if reviews else ())
        if deal.dispute is not None
    ]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HtmxRequest, public_id: str, secret: str, position: int) -> HttpResponse:
    """Confirm a deal for the player who taps their name."""
    if request.method != "POST":
        return redirect("write", public_id, secret)
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    try:
        seat = number_in(request.POST, "seat", -1)
        sheet = confirm_deal(row.pk, _seen(request, row, position), seat)
    except (Game.DoesNotExist, DealsNotConfirmed) as error:
        raise Http404 from error
    except Refused as error:
        sheet = error.sheet if isinstance(error, StaleRevision) else load_sheet(row)
        return show_table(request, sheet, None, refusal_of(error, sheet))
    return show_table(request, sheet) if request.htmx else redirect(address(row, "write"))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def dispute(request: HtmxRequest, public_id: str, secret: str, position: int) -> HttpResponse:
    """Enter what is right instead of a deal, and so call a director."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    sheet = load_sheet(row)
    reviews = load_reviews(sheet)
    deal = reviews.deals.get(position) if reviews else None
    if deal is None:
        raise Http404
    if request.method != "POST":
        return _dispute_page(request, sheet, deal)
    typed = request.POST.dict()
    seat = number_in(typed, "seat", -1)
    if seat not in range(len(row.players)):
        who = Refusal(422, _("Say who disputes the deal."))
        return _dispute_page(request, sheet, deal, typed, who)
    try:
        entry = parse_form(ruleset_of(row), typed)
        dispute_deal(row.pk, _seen(request, row, position), seat, entry)
    except InvalidEntry as invalid:
        refusal = Refusal(422, problems=invalid.problems)
        return _dispute_page(request, sheet, deal, typed, refusal)
    except Game.DoesNotExist as error:
        raise Http404 from error
    except Refused as error:
        refusal = Refusal(error.status, str(error))
        return _dispute_page(request, sheet, deal, typed, refusal)
    return redirect(address(row, "write"))


def _seen(request: HttpRequest, row: Game, position: int) -> SeenDeal:
    by = actor_of(request, row.table.public_id if row.table else "")
    return SeenDeal(position, number_in(request.POST, "seen", -1), by, timezone.now())


def _dispute_page(
    request: HttpRequest,
    sheet: Sheet,
    deal: ReviewedDeal,
    typed: Typed | None = None,
    refusal: Refusal = NOT_REFUSED,
) -> HttpResponse:
    row = sheet.row
    own = own_seat(row, actor_of(request))
    context = {
        "row": row,
        "back": address(row, "write"),
        "deal": deal,
        "seen": (typed or {}).get("seen", deal.revision),
        "number": numbers_of(sheet.game)[deal.entry],
        "written": summary_of(sheet.body(deal.position) or {}, sheet),
        "players": list(enumerate(row.players)),
        "seat": number_in(typed or {}, "seat", -1 if own is None else own),
        "notice": refusal.notice,
        "form": form_at(request, sheet, deal.position, typed, refusal.problems),
    }
    return render(request, "tournaments/games/dispute.html", context, status=refusal.status)
