"""Fees paid and prizes by place: for directors, also to print."""

from collections import Counter
from fractions import Fraction
from itertools import groupby

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.standings.standings import share_prizes
from tournaments.permissions import actor_of, directed_tournament
from tournaments.presenters.entrants import list_entrants
from tournaments.queries.tournaments.state import load_state
from tournaments.services.entrants.registration import mark_paid
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def fees(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """List who has paid, and the prizes; `paid` or `unpaid` is the number of an entrant."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        typed = request.POST.get("paid") or request.POST.get("unpaid", "")
        number = int(typed) if typed.isdecimal() and len(typed) < 6 else 0
        found = row.entrants.filter(number=number).first()
        if found is not None:
            mark_paid(found.pk, actor_of(request), at=timezone.now(), paid="paid" in request.POST)
        return redirect(f"{reverse('fees', args=[slug, tournament])}#e{number}")
    state = load_state(row)
    lines = [each for each in list_entrants(row, directs=True).lines if not each.entrant.house]
    names = {each.entrant.key: each.name for each in lines}
    paid = Counter(each.section for each in lines if each.entrant.paid)
    fee = Fraction(state.settings.fee or 0)
    standings = state.standings_before(len(state.seated_rounds) + 1)
    shares: dict[str, Fraction] = {}
    for section, rows in groupby(standings, lambda each: each.section):
        shares |= share_prizes(state.settings.prizes, fee * paid[section], list(rows))
    page = page_of(request, row) | {
        "lines": lines,
        "paid": paid.total(),
        "pot": amount_text(fee * paid.total()),
        "prizes": [
            (each.place, names[each.entrant], amount_text(shares[each.entrant]), each.section)
            for each in standings
            if each.entrant in shares
        ],
        "hub": False,
    }
    return render(request, "tournaments/entrants/fees.html", page)


def amount_text(amount: Fraction) -> str:
    """Return an amount as settings have it: 20 or 12.50."""
    whole, cents = divmod(int(amount * 100), 100)
    return f"{whole}.{cents:02}" if cents else str(whole)
