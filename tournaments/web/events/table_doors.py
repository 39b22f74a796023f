"""The door of a table: its card leads here, and on to the sheet that the phone writes."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Game, Table
from tournaments.models.events import MOST_WRONG_CODES
from tournaments.services.play.tables import DoorShut, WrongCode, current_game, enter_table
from tournaments.visitors import actor_of, directs_club
from tournaments.web.phone import address, address_on_phone, remember_game

LONGEST_CODE = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def table_door(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Let a phone in, after the code where the evening has codes, and lead it to the sheet."""
    tables = Table.objects.found_at(public_id, secret)
    row = get_object_or_404(tables.select_related("round__event__club"))
    game, event = current_game(row), row.round.event
    if not row.round.is_open and not directs_club(request, event.club):
        return _outside(request, row, game)
    if not event.table_codes or address_on_phone(request, game) == address(game, "write"):
        return _inside(request, game)
    if request.method != "POST":
        return _ask(request, row, "")
    try:
        code = request.POST.get("code", "").strip()[:LONGEST_CODE]
        enter_table(row.pk, row.generation, code, actor_of(request), at=timezone.now())
    except Table.DoesNotExist as error:
        raise Http404 from error
    except WrongCode as wrong:
        return _ask(request, row, _wrong(wrong.left), status=422)
    except DoorShut:
        row.wrong_codes = MOST_WRONG_CODES
        return _ask(request, row, "", status=422)
    return _inside(request, game)


def _outside(request: HttpRequest, table: Table, game: Game) -> HttpResponse:
    """A round that is over is followed; before it begins one waits at its table."""
    if table.round.closed_at:
        return redirect(f"{address(game, 'follow')}?closed=1")
    page = {"table": table, "event": table.round.event, "names": game.players}
    return render(request, "tournaments/table_wait.html", page)


def _inside(request: HttpRequest, game: Game) -> HttpResponse:
    response = redirect(address(game, "write"))
    remember_game(request, response, game, "write")
    return response


def _ask(request: HttpRequest, table: Table, error: str, status: int = 200) -> HttpResponse:
    page = {
        "table": table,
        "event": table.round.event,
        "error": error,
        "shut": table.wrong_codes >= MOST_WRONG_CODES,
    }
    return render(request, "tournaments/table_door.html", page, status=status)


def _wrong(left: int) -> str:
    tries = ngettext("%(left)s try is left.", "%(left)s tries are left.", left) % {"left": left}
    return f"{_('That is not the code of this table.')} {tries}"
