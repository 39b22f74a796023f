"""The access link of a table: its card opens it, and it redirects to the sheet."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Game, Round, Table, UnusedCard
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.permissions import actor_of, directs_club
from tournaments.services.games.tables import AccessLinkClosed, WrongCode, current_game, enter_table
from tournaments.web.base.phone import address, address_on_phone

LONGEST_CODE = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def table_link(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Admit a phone, after the code if the evening has codes, and redirect to the sheet."""
    tables = Table.objects.found_at(public_id, secret)
    row = tables.select_related("round__event__club").first()
    if row is None:
        return _not_laid(request, public_id, secret)
    game, event = current_game(row), row.round.event
    if not row.round.is_open and not directs_club(request, event.club):
        return _outside(request, row, game)
    if not event.table_codes or address_on_phone(request, game) == address(game, "write"):
        return _inside(game)
    return _enter(request, row, game) if request.method == "POST" else _ask(request, row, "")


def _enter(request: HttpRequest, row: Table, game: Game) -> HttpResponse:
    try:
        code = request.POST.get("code", "").strip()[:LONGEST_CODE]
        enter_table(row.pk, row.generation, code, actor_of(request), at=timezone.now())
    except WrongCode as wrong:
        return _ask(request, row, str(wrong), status=422)
    except AccessLinkClosed:
        row.wrong_codes = MOST_WRONG_CODES
        return _ask(request, row, "", status=422)
    return _inside(game)


def _not_laid(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Wait with a valid card whose table has been taken back; 404 for any other."""
    cards = UnusedCard.objects.found_at(public_id, secret).select_related("tournament__event")
    card = get_object_or_404(cards)
    event = card.tournament.event
    if event.rounds.filter(number=card.round, published_at__isnull=False).exists():
        # Laid anew, with fewer tables.
        raise Http404
    unlaid = Table(number=card.number, round=Round(event=event, number=card.round))
    page = {"table": unlaid, "event": event, "changing": True}
    return render(request, "tournaments/events/table_wait.html", page)


def _outside(request: HttpRequest, table: Table, game: Game) -> HttpResponse:
    """Redirect to the sheet of a closed round, or wait at the table before the round opens."""
    if table.round.closed_at:
        return redirect(f"{address(game, 'follow')}?closed=1")
    page = {"table": table, "event": table.round.event, "names": game.players}
    return render(request, "tournaments/events/table_wait.html", page)


def _inside(game: Game) -> HttpResponse:
    # The sheet remembers the game, and asks a phone that does not know it whose it is.
    return redirect(address(game, "write"))


def _ask(request: HttpRequest, table: Table, error: str, status: int = 200) -> HttpResponse:
    page = {
        "table": table,
        "event": table.round.event,
        "error": error,
        "shut": table.wrong_codes >= MOST_WRONG_CODES,
    }
    return render(request, "tournaments/events/table_link.html", page, status=status)
