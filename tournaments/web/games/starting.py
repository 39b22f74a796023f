"""A new table."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game
from tournaments.queries.rulesets import offered_rulesets
from tournaments.services.games.tables import start_table
from tournaments.web.base.phone import (
    MATCHES,
    LastTable,
    address,
    phone_table,
    remember_game,
    remember_table,
    suggested_names,
)
from tournaments.web.base.refusals import add_refused
from tournaments.web.games.forms import (
    NewTableForm,
)
from tournaments.web.games.matches import match_text

UNPROCESSABLE = 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Ask for game, players and seats, and open the table (1 query to ask)."""
    rulesets = dict(offered_rulesets(request.user))
    if request.method != "POST":
        last = phone_table(request)
        table = last if "again" in request.GET else _without_players(last, request)
        return _form(request, NewTableForm(table=table, rulesets=rulesets))
    form = NewTableForm(request.POST, rulesets=rulesets)
    if form.is_valid():
        try:
            row = start_table(form.head, form.terms, at=timezone.now(), key=form.key)
        except InvalidEntry as error:
            add_refused(form, error)
        else:
            return to_table(request, row)
    return _form(request, form, status=UNPROCESSABLE)


def _without_players(last: LastTable, request: HttpRequest) -> LastTable:
    """Return the last table, or the game linked from a page of rules, without players."""
    asked = request.GET.get("ruleset", last.ruleset)
    return replace(last, players=()) if asked == last.ruleset else LastTable(ruleset=asked)


def _form(request: HttpRequest, form: NewTableForm, status: int = 200) -> HttpResponse:
    page = {
        "form": form,
        "names": suggested_names(request),
        "matches": matches_to_choose(),
    }
    return render(request, "tournaments/games/new.html", page, status=status)


def matches_to_choose() -> list[tuple[str, str]]:
    return [("", _("One game")), *((name, match_text(name)) for name in MATCHES)]


def lead_to(request: HttpRequest, row: Game) -> HttpResponse:
    """Lead to a game; a script gets its addresses, as it may have entries to send there."""
    write = address(row, "write")
    if request.accepts("text/html"):
        return redirect(write)
    said = {"game": row.public_id, "address": write, "base": write}
    return JsonResponse(said, status=201)


def to_table(request: HttpRequest, row: Game) -> HttpResponse:
    """Lead to a game that this phone has started, and remember it for the next."""
    response = lead_to(request, row)
    remember_game(request, response, row, "write")
    remember_table(request, response, row)
    return response
