"""The phone of a tournament's table: the clock of its round, and a call for a director."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Game
from tournaments.permissions import actor_of, writable_row
from tournaments.services.games.writing import RoundClosed
from tournaments.services.rounds.rulings import call_director
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import address
from tournaments.web.games.pages import for_writing, handed_over
from tournaments.web.games.round_bar import round_bar

STOP_POLLING = 286
"""The status that makes htmx stop polling."""


@never_cache
@require_safe
def table_round(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the bar above the sheet; the phone polls it."""
    asks_again = bool(request.htmx)
    is_over = asks_again and Game.objects.closed_at(public_id, secret).exists()
    row = writable_row(request, public_id, secret)
    if row is None and is_over:
        # Stop polling, and remove the clock.
        return HttpResponse(status=STOP_POLLING)
    if row is None:
        raise Http404
    if not asks_again:
        return redirect(address(row, "write"))
    page = {"row": row, "secret": secret, "bar": round_bar(request, row, timezone.now())}
    status = STOP_POLLING if is_over else 200
    return render(request, "tournaments/games/_round_bar.html", page, status=status)


@never_cache
@for_writing
def call(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Call for a director."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    bar = round_bar(request, row, timezone.now())
    if bar is not None:
        by = actor_of(request, bar.table.public_id)
        try:
            bar.table.called_at = call_director(bar.table.pk, by, at=timezone.now()).called_at
        except RoundClosed as error:
            raise Http404 from error
    if not request.htmx:
        return redirect(address(row, "write"))
    page = {"row": row, "secret": secret, "bar": bar}
    return render(request, "tournaments/games/_round_bar.html", page)
