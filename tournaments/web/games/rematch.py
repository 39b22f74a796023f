"""The next game at a table: an open one, or a club's outside of tournaments."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Game
from tournaments.permissions import actor_of, writable_game
from tournaments.presenters.games.evenings import beginning_of, begins
from tournaments.queries.games.sheets import games_until
from tournaments.queries.rulesets import offered_rulesets
from tournaments.services.games.tables import NextGame, TableFull, start_rematch
from tournaments.services.games.writing import NotFinished, RoundClosed
from tournaments.texts import labels
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import address, address_on_phone, new_key, suggested_names
from tournaments.web.base.refusals import add_refused
from tournaments.web.games.forms import key_of
from tournaments.web.games.going_on import going_on
from tournaments.web.games.matches import terms_text
from tournaments.web.games.pages import number_in
from tournaments.web.games.rematch_form import RematchForm
from tournaments.web.games.starting import UNPROCESSABLE, lead_to, matches_to_choose, to_table

FIELDS_AT_CLUB = {"csrfmiddlewaretoken", "key", "first"}
"""At a club's table who sits there and the game stay as they are."""


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rematch(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Ask for the next game: with the same people and rules, one tap on who begins starts it."""
    # In a tournament directors decide who plays on.
    rows = writable_game(request, public_id, secret)
    rows = rows.filter(table__round__event__tournament=None)
    row = get_object_or_404(rows.select_related("match"))
    games, rulesets = games_until(row), dict(offered_rulesets(request.user))
    if request.method != "POST":
        started = going_on(request, row, "write")
        if started is not None:
            return redirect(started.address)
        return _page(request, row, RematchForm(games, rulesets))
    if row.table_id is not None and not request.POST.keys() <= FIELDS_AT_CLUB:
        # From the form of open tables, which a phone shows without a signal: its deals may be
        # those of other seats.
        return _page(request, row, RematchForm(games, rulesets), status=UNPROCESSABLE)
    form = RematchForm(games, rulesets, request.POST)
    if request.htmx or "swap" in request.POST:
        # Asked for as it would be with what is typed; nothing is refused yet.
        swap = number_in(request.POST, "swap", -1)
        return _page(request, row, RematchForm(games, rulesets, typed=form.swapped(swap)))
    if form.is_valid():
        try:
            return _start(request, row, form)
        except (InvalidEntry, TableFull) as error:
            add_refused(form, error)
    return _page(request, row, form, status=UNPROCESSABLE)


def _start(request: HttpRequest, row: Game, form: RematchForm) -> HttpResponse:
    key, at = key_of(request.POST), timezone.now()
    following = NextGame(form.head, form.terms, form.resting)
    by = actor_of(request, row.table.public_id if row.table else "")
    try:
        game, opened = start_rematch(row.pk, following, at=at, key=key, by=by)
    except (NotFinished, RoundClosed):
        return redirect(address(row, "write"))
    # Whoever wrote the last game writes the next, also where another phone was faster.
    if opened:
        return to_table(request, game)
    if game.table_id != row.table_id:
        # A club has taken in one of the two: who writes there does not write here.
        return redirect(address_on_phone(request, game))
    return lead_to(request, game)


def _page(request: HtmxRequest, row: Game, form: RematchForm, status: int = 200) -> HttpResponse:
    rules = form.rules
    page: dict[str, Any] = {
        "row": row,
        "form": form,
        "ruleset": labels.name_of(rules),
        "match": row.match and terms_text(row.match.length, row.match.number),
        "begins": begins(rules),
        "question": beginning_of(rules).question,
        "back": address(row, "write"),
        "key": new_key(),
        "names": suggested_names(request),
        "matches": matches_to_choose(),
        "changed": form.has_changed_game(),
    }
    name = "_rematch_begins" if request.htmx else "rematch"
    return render(request, f"tournaments/games/{name}.html", page, status=status)
