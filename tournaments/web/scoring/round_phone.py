"""The phone of a tournament's table: the clock of its round, and a call for a director."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Game, Table
from tournaments.services.play.writing import RoundClosed
from tournaments.services.tournaments.calls import call_director
from tournaments.visitors import actor_of, writable_game
from tournaments.web.phone import address
from tournaments.web.scoring.pages import for_writing, handed_over
from tournaments.web.scoring.round_bar import round_bar

STOP_POLLING = 286
"""What htmx takes as an end of asking again."""


@never_cache
@require_safe
def table_round(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The bar above the sheet; the phone asks for it again and again."""
    asks_again = bool(request.htmx)  # type: ignore[attr-defined]
    if asks_again and Game.objects.closed_at(public_id, secret).exists():
        # The round is over: nothing is left to ask for, and the clock goes.
        return HttpResponse(status=STOP_POLLING)
    row = get_object_or_404(writable_game(request, public_id, secret))
    if not asks_again:
        return redirect(address(row, "write"))
    page = {"row": row, "secret": secret, "bar": round_bar(row, timezone.now())}
    return render(request, "tournaments/_running_bar.html", page)


@never_cache
@for_writing
def call(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Call for a director."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    bar = round_bar(row, timezone.now())
    if bar is not None:
        by = actor_of(request, bar.table.public_id)
        try:
            bar.table.called_at = call_director(bar.table.pk, by, at=timezone.now()).called_at
        except (RoundClosed, Table.DoesNotExist) as error:
            raise Http404 from error
    if not request.htmx:  # type: ignore[attr-defined]
        return redirect(address(row, "write"))
    page = {"row": row, "secret": secret, "bar": bar}
    return render(request, "tournaments/_running_bar.html", page)
