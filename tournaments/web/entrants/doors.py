"""The doors of a tournament: links by which players register and say that they are here."""

from typing import Any

from allauth.core.ratelimit import consume, respond_429
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.models import Entrant, Player, Tournament
from tournaments.models.people import fold_name
from tournaments.services.tournaments.entering import (
    EntrantsRefused,
    TooMany,
    check_in,
    register_by_link,
)
from tournaments.services.tournaments.entering_lists import is_for_pairs
from tournaments.services.tournaments.leading import WrongState
from tournaments.telling.entrants import EntrantLine, found_in, line_of, list_entrants
from tournaments.visitors import actor_of, directed_tournament
from tournaments.web.doors import door, out_of_reach
from tournaments.web.entrants.forms import EntryForm, list_refusal, refusal
from tournaments.web.tournaments.pages import page_of

KINDS = ("register", "check-in")
MOST_SHOWN = 60


@never_cache
@require_safe
def register_card(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """The link by which players register, for the director to show and to print."""
    return _card(request, directed_tournament(request, slug, tournament), "register")


@never_cache
@require_safe
def check_in_card(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """The link by which players say that they are here, for the director to show and to print."""
    return _card(request, directed_tournament(request, slug, tournament), "check-in")


def _card(request: HttpRequest, row: Tournament, kind: str) -> HttpResponse:
    address = reverse(kind.replace("-", "_"), args=[row.public_id, row.secret(kind)])
    page = page_of(request, row) | {
        "kind": kind,
        "card": door(request, address),
        "works": _registers(row) if kind == "register" else list_entrants(row, directs=True).asks,
        "out_of_reach": out_of_reach(request),
        "hub": False,
    }
    return render(request, "tournaments/entrants_card.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def register(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Register for a tournament, for whoever has its link; says which number one is."""
    row = _found_at("register", public_id, secret)
    if request.method != "POST":
        return _register_page(request, row, _entry_form(request, row))
    if not consume(request, action="register_entrant"):
        response: HttpResponse = respond_429(request)
        return response
    form = _entry_form(request, row)
    if form.is_valid() and _registers(row):
        try:
            entrant = register_by_link(row.pk, form.entry, actor_of(request), at=timezone.now())
        except EntrantsRefused as refused:
            form.add_error("name", refusal(refused.problems[0], pairs=is_for_pairs(row)))
        except TooMany:
            form.add_error(None, list_refusal("long"))
        except WrongState:
            row.refresh_from_db()
        else:
            return redirect(f"{request.path}?{urlencode({'number': entrant.number})}")
    return _register_page(request, row, form, status=422)


def _entry_form(request: HttpRequest, row: Tournament) -> EntryForm:
    data = request.POST if request.method == "POST" else None
    players = Player.objects.belonging_to(request.user).filter(club=row.event.club)
    own = players.values_list("name", flat=True).first() or ""
    return EntryForm(data, pairs=is_for_pairs(row), own=own)


def _register_page(
    request: HttpRequest, row: Tournament, form: EntryForm, status: int = 200
) -> HttpResponse:
    number = request.GET.get("number", "")
    page = _page(row) | {
        "form": form,
        "open": _registers(row),
        "soon": row.state == Tournament.State.DRAFT,
        "number": number if number.isdecimal() and len(number) < 6 else "",
    }
    return render(request, "tournaments/register.html", page, status=status)


def _registers(row: Tournament) -> bool:
    return row.state == Tournament.State.REGISTRATION


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def check_in_door(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Say that one is here, for whoever has the link: find the own name, and confirm it."""
    row = _found_at("check-in", public_id, secret)
    everybody = list_entrants(row, directs=False)
    number = (request.POST if request.method == "POST" else request.GET).get("entrant", "")
    asked = request.GET.get("q", "")[:80]
    lines = [line for line in everybody.lines if line.can_check_in]
    line = next((each for each in lines if str(each.entrant.number) == number), None)
    if request.method == "POST" and line is not None:
        return _check_in(request, row, line)
    found = sorted(found_in(lines, asked, directs=False), key=_by_name)
    page = _page(row) | {
        "open": everybody.asks,
        "round": everybody.asked_for if row.settings.get("check_in") == "round" else None,
        "line": line,
        "asked": asked,
        "found": found[:MOST_SHOWN],
        "more": len(found) > MOST_SHOWN,
        "here": [each for each in lines if each.state == "here"],
    }
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    template = "tournaments/_check_in_found.html" if fragment else "tournaments/check_in.html"
    status = 409 if request.method == "POST" else 200
    return render(request, template, page, status=status)


def _by_name(line: EntrantLine) -> str:
    # As it is shown: the order tells nothing that the name does not.
    return fold_name(line.name)


def _check_in(request: HttpRequest, row: Tournament, line: EntrantLine) -> HttpResponse:
    try:
        entrant = check_in(line.entrant.pk, actor_of(request), at=timezone.now())
    except (WrongState, Entrant.DoesNotExist):
        return redirect(request.path)
    entrant.tournament = row
    page = _page(row) | {"done": line_of(entrant, directs=False)}
    return render(request, "tournaments/check_in.html", page)


def _found_at(kind: str, public_id: str, secret: str) -> Tournament:
    rows = Tournament.objects.found_at(kind, public_id, secret)
    return get_object_or_404(rows.select_related("event__club"))


def _page(row: Tournament) -> dict[str, Any]:
    return {"tournament": row, "event": row.event, "club": row.event.club}
