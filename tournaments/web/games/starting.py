"""A new table, and a rematch."""

from dataclasses import replace

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.rules.problems import InvalidEntry
from tournaments.models import Game
from tournaments.permissions import writable_game
from tournaments.presenters.games.beginnings import beginning_of, begins
from tournaments.queries.games.open_tables import last_game_after
from tournaments.queries.games.sheets import rules_of
from tournaments.queries.rulesets import offered_rulesets
from tournaments.services.games.open_tables import start_rematch, start_table
from tournaments.services.games.playing import GameSetup
from tournaments.texts import labels
from tournaments.web.base.phone import (
    LastTable,
    address,
    new_key,
    phone_table,
    remember_game,
    remember_table,
    suggested_names,
)
from tournaments.web.base.refusals import add_refused
from tournaments.web.games.forms import (
    MATCHES,
    NewTableForm,
    RematchForm,
    key_of,
)
from tournaments.web.games.matches import match_text, terms_text

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
            return _to_table(request, row)
    return _form(request, form, status=UNPROCESSABLE)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rematch(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Start a rematch with the same seats, or with each player one seat further on."""
    # At a club's event directors decide who sits where.
    games = writable_game(request, public_id, secret).filter(table=None)
    row = get_object_or_404(games.select_related("match"))
    rules = rules_of(row)
    if request.method == "POST":
        form = RematchForm(rules.seats, request.POST)
        if form.is_valid():
            return _start_rematch(request, row, form.head(head_of(row)))
    else:
        started = last_game_after(row)
        if started is not None:
            return redirect(address(started, "write"))
    page = {
        "row": row,
        "ruleset": labels.name_of(rules),
        "match": row.match and terms_text(row.match.length, row.match.number),
        "begins": begins(rules),
        "question": beginning_of(rules).question,
        "back": address(row, "write"),
        "key": new_key(),
    }
    status = UNPROCESSABLE if request.method == "POST" else 200
    return render(request, "tournaments/games/rematch.html", page, status=status)


def _start_rematch(request: HttpRequest, row: Game, head: GameSetup) -> HttpResponse:
    terms = (row.match.length, row.match.number) if row.match else None
    key = key_of(request.POST)
    game, opened = start_rematch(row.pk, head, terms, at=timezone.now(), key=key)
    # Whoever wrote the last game writes the next, also where another phone was faster.
    return _to_table(request, game) if opened else redirect(address(game, "write"))


def head_of(row: Game) -> GameSetup:
    """Return the setup of a game."""
    return GameSetup(
        row.ruleset,
        row.players,
        row.first_declarer,
        row.options,
        row.title,
        row.place,
        row.document,
    )


def _without_players(last: LastTable, request: HttpRequest) -> LastTable:
    """Return the last table, or the game linked from a page of rules, without players."""
    asked = request.GET.get("ruleset", last.ruleset)
    return replace(last, players=()) if asked == last.ruleset else LastTable(ruleset=asked)


def _form(request: HttpRequest, form: NewTableForm, status: int = 200) -> HttpResponse:
    page = {
        "form": form,
        "names": suggested_names(request),
        "matches": [("", _("One game")), *((name, match_text(name)) for name in MATCHES)],
    }
    return render(request, "tournaments/games/new.html", page, status=status)


def _to_table(request: HttpRequest, row: Game) -> HttpResponse:
    response = redirect(address(row, "write"))
    remember_game(request, response, row, "write")
    remember_table(request, response, row)
    return response
