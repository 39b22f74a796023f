"""A new table, and the same players once more."""

from dataclasses import replace

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments import words
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Game
from tournaments.queries.rulesets import offered_rulesets, rules_of
from tournaments.services.play.matches import start_match, start_rematch
from tournaments.services.play.playing import Head, start_game
from tournaments.telling.beginnings import beginning_of, begins
from tournaments.visitors import writable_game
from tournaments.web.phone import (
    Table,
    address,
    address_on_phone,
    phone_table,
    remember_game,
    remember_table,
    suggested_names,
)
from tournaments.web.tables.forms import MATCHES, NewTableForm, RematchForm, key_of, new_key
from tournaments.web.tables.matches import match_text, terms_text

UNPROCESSABLE = 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Ask who plays what and where, and open the table (1 query to ask)."""
    rulesets = dict(offered_rulesets(request.user))
    if request.method != "POST":
        last = phone_table(request)
        table = last if "again" in request.GET else _without_players(last, request)
        return _form(request, NewTableForm(table=table, rulesets=rulesets))
    form = NewTableForm(request.POST, rulesets=rulesets)
    if form.is_valid():
        try:
            row = _start(form.head, form.terms, form.key)
        except InvalidEntry as error:
            form.add_problems(error.problems)
        else:
            return _to_table(request, row)
    return _form(request, form, status=UNPROCESSABLE)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rematch(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The same players again, at the seats they have or each one seat further on."""
    # At a club's event directors say who sits where.
    games = writable_game(request, public_id, secret).filter(table=None)
    row = get_object_or_404(games.select_related("match"))
    rules = rules_of(row)
    if request.method == "POST":
        form = RematchForm(rules.seats, request.POST)
        if form.is_valid():
            return _start_rematch(request, row, form.head(head_of(row)))
    else:
        started = row.rematches.first()
        if started is not None:
            return redirect(address_on_phone(request, started))
    page = {
        "row": row,
        "ruleset": words.name_of(rules),
        "match": row.match and terms_text(row.match.length, row.match.number),
        "begins": begins(rules),
        "question": beginning_of(rules).question,
        "back": address(row, "write"),
        "key": new_key(),
    }
    status = UNPROCESSABLE if request.method == "POST" else 200
    return render(request, "tournaments/rematch.html", page, status=status)


def _start_rematch(request: HttpRequest, row: Game, head: Head) -> HttpResponse:
    terms = (row.match.length, row.match.number) if row.match else None
    key = key_of(request.POST)
    try:
        game, opened = start_rematch(row.pk, head, terms, at=timezone.now(), key=key)
    except Game.DoesNotExist as error:
        raise Http404 from error
    if not opened:
        # Another phone has opened it: whoever writes there now need not be who wrote here.
        return redirect(address_on_phone(request, game))
    return _to_table(request, game)


def head_of(row: Game) -> Head:
    """What stands above the sheet of a game."""
    return Head(
        row.ruleset,
        row.players,
        row.first_declarer,
        row.options,
        row.title,
        row.place,
        row.document,
    )


def _without_players(last: Table, request: HttpRequest) -> Table:
    """What was played last, or what a page of rules leads to, with nobody at the table."""
    asked = request.GET.get("ruleset", last.ruleset)
    return replace(last, players=()) if asked == last.ruleset else Table(ruleset=asked)


def _start(head: Head, terms: tuple[str, int] | None, key: str) -> Game:
    """Open a table, for one game or for a match."""
    at = timezone.now()
    return start_match(head, *terms, at=at, key=key) if terms else start_game(head, at=at, key=key)


def _form(request: HttpRequest, form: NewTableForm, status: int = 200) -> HttpResponse:
    page = {
        "form": form,
        "names": suggested_names(request),
        "matches": [("", _("One game")), *((name, match_text(name)) for name in MATCHES)],
    }
    return render(request, "tournaments/new.html", page, status=status)


def _to_table(request: HttpRequest, row: Game) -> HttpResponse:
    response = redirect(address(row, "write"))
    remember_game(request, response, row, "write")
    remember_table(request, response, row)
    return response
