"""A new table, and the same four once more."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments import words
from tournaments.engine.problems import InvalidEntry
from tournaments.models import Game
from tournaments.services.playing import Head, start_game
from tournaments.web.forms import NewTableForm, RematchForm, key_of, new_key
from tournaments.web.phone import (
    Table,
    address,
    phone_table,
    remember_game,
    remember_table,
    suggested_names,
)

UNPROCESSABLE = 422


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Ask who plays what and where, and open the table."""
    if request.method != "POST":
        last = phone_table(request)
        rules = Table(ruleset=last.ruleset, options=last.options)
        return _form(request, NewTableForm(table=last if "again" in request.GET else rules))
    form = NewTableForm(request.POST)
    if form.is_valid():
        try:
            row = start_game(form.head, at=timezone.now(), key=form.key)
        except InvalidEntry as error:
            form.add_problems(error.problems)
        else:
            return _to_table(request, row)
    return _form(request, form, status=UNPROCESSABLE)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def rematch(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The same four again, at the seats they have or each one seat further on."""
    row = get_object_or_404(Game.objects.writable_at(public_id, secret))
    if request.method == "POST":
        form = RematchForm(request.POST)
        if form.is_valid():
            head = form.head(head_of(row))
            return _to_table(request, start_game(head, at=timezone.now(), key=key_of(request.POST)))
    page = {
        "row": row,
        "ruleset": words.ruleset_name(row.ruleset),
        "back": address(row, "write"),
        "key": new_key(),
    }
    status = UNPROCESSABLE if request.method == "POST" else 200
    return render(request, "tournaments/rematch.html", page, status=status)


def head_of(row: Game) -> Head:
    """What stands above the sheet of a game."""
    return Head(row.ruleset, row.players, row.first_declarer, row.options, row.title, row.place)


def _form(request: HttpRequest, form: NewTableForm, status: int = 200) -> HttpResponse:
    page = {"form": form, "names": suggested_names(request)}
    return render(request, "tournaments/new.html", page, status=status)


def _to_table(request: HttpRequest, row: Game) -> HttpResponse:
    response = redirect(address(row, "write"))
    remember_game(request, response, row, "write")
    remember_table(request, response, row)
    return response
