"""The access links of a tournament, for registration and check-in by players."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import urlencode
from django.views.decorators.http import require_safe

from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Entrant, Player, Tournament
from tournaments.models.people import name_order
from tournaments.permissions import actor_of, directed_tournament
from tournaments.queries.overview import found_in, line_of, list_entrants
from tournaments.queries.state import can_register
from tournaments.services.entrants.registration import (
    EntrantsRefused,
    TooMany,
    check_in,
    is_for_pairs,
    register_by_link,
)
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.web.base.pages import HtmxRequest, access_link, add_refused, out_of_reach, too_many
from tournaments.web.base.phone import remember_entrant
from tournaments.web.entrants.forms import EntrantForm
from tournaments.web.entrants.views import directed_entrant
from tournaments.web.tournaments.views import page_of

KINDS = ("register", "check-in")
MOST_SHOWN = 60


@require_safe
def register_card(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the registration link, for the director to display and print."""
    return _card(request, directed_tournament(request, slug, tournament), "register")


@require_safe
def check_in_card(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the check-in link, for the director to display and print."""
    return _card(request, directed_tournament(request, slug, tournament), "check-in")


@require_safe
def badge(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Show the name badge of an entrant, to print; its code opens their line at the door."""
    row = directed_entrant(request, slug, tournament, entrant)
    address = f"{reverse('entrants', args=[slug, tournament])}?{urlencode({'q': row.number})}"
    page = page_of(request, row.tournament) | {
        "kind": "badge",
        "entrant": row,
        "card": access_link(request, address),
        "works": True,
        "out_of_reach": out_of_reach(request),
        "hub": False,
    }
    return render(request, "tournaments/entrants/card.html", page)


def _card(request: HttpRequest, row: Tournament, kind: str) -> HttpResponse:
    address = reverse(kind.replace("-", "_"), args=[row.public_id, row.secret(kind)])
    page = page_of(request, row) | {
        "kind": kind,
        "card": access_link(request, address),
        "works": can_register(row, timezone.now())
        if kind == "register"
        else list_entrants(row, directs=True).checking_in,
        "out_of_reach": out_of_reach(request),
        "hub": False,
    }
    return render(request, "tournaments/entrants/card.html", page)


def register(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Register for a tournament by its access link; show the entrant's number."""
    row = _found_at("register", public_id, secret)
    if request.method != "POST":
        return _register_page(request, row, _entry_form(request, row))
    if refused := too_many(request, "register_entrant"):
        return refused
    form = _entry_form(request, row)
    if form.is_valid() and can_register(row, timezone.now()):
        try:
            entrant = register_by_link(row.pk, form.entry, actor_of(request), at=timezone.now())
        except (EntrantsRefused, TooMany) as error:
            add_refused(form, error)
        except WrongState:
            row.refresh_from_db()
        else:
            response = redirect(f"{request.path}?{urlencode({'number': entrant.number})}")
            remember_entrant(request, response, row, entrant.number)
            return response
    return _register_page(request, row, form, status=422)


def _entry_form(request: HttpRequest, row: Tournament) -> EntrantForm:
    data = request.POST if request.method == "POST" else None
    players = Player.objects.belonging_to(request.user).filter(club=row.event.club)
    own = players.values_list("name", flat=True).first() or ""
    return EntrantForm(data, pairs=is_for_pairs(row), own=own)


def _register_page(
    request: HttpRequest, row: Tournament, form: EntrantForm, status: int = 200
) -> HttpResponse:
    number = request.GET.get("number", "")
    number = number if number.isdecimal() and len(number) < 6 else ""
    page = _page(row) | {
        "form": form,
        "waits": number and row.entrants.queued().filter(number=number).exists(),
        "open": can_register(row, timezone.now()),
        "soon": row.state == Tournament.State.DRAFT,
        "number": number,
        "seen": number and _sees(request, row),
    }
    return render(request, "tournaments/entrants/register.html", page, status=status)


def check_in_link(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Check in by the access link: find one's own name, and confirm it."""
    row = _found_at("check-in", public_id, secret)
    everybody = list_entrants(row, directs=False)
    number = (request.POST if request.method == "POST" else request.GET).get("entrant", "")
    query = request.GET.get("q", "")[:LONGEST_NAME]
    lines = [line for line in everybody.lines if line.can_check_in]
    line = next((each for each in lines if str(each.entrant.number) == number), None)
    if request.method == "POST" and line is not None:
        try:
            entrant = check_in(line.entrant.pk, actor_of(request), at=timezone.now())
        except (WrongState, Entrant.DoesNotExist):
            return redirect(request.path)
        entrant.tournament = row
        page = _page(row) | {"done": line_of(entrant, directs=False), "seen": _sees(request, row)}
        response = render(request, "tournaments/entrants/check_in.html", page)
        remember_entrant(request, response, row, entrant.number)
        return response
    # In the order of the names shown: it reveals nothing beyond them.
    matching = found_in(lines, query, directs=False)
    found = sorted(matching, key=lambda line: name_order(line.name))
    page = _page(row) | {
        "open": everybody.checking_in,
        "round": everybody.asked_for if row.settings.get("check_in") == "round" else None,
        "line": line,
        "asked": query,
        "found": found[:MOST_SHOWN],
        "more": len(found) > MOST_SHOWN,
        "here": [each for each in lines if each.state == "here"],
    }
    fragment = bool(request.htmx)
    template = (
        "tournaments/entrants/_check_in_found.html"
        if fragment
        else "tournaments/entrants/check_in.html"
    )
    status = 409 if request.method == "POST" else 200
    return render(request, template, page, status=status)


def _sees(request: HttpRequest, row: Tournament) -> bool:
    return Tournament.objects.seen_by(request.user).filter(pk=row.pk).exists()


def _found_at(kind: str, public_id: str, secret: str) -> Tournament:
    rows = Tournament.objects.found_at(kind, public_id, secret)
    return get_object_or_404(rows.select_related("event__club"))


def _page(row: Tournament) -> dict[str, Any]:
    return {"tournament": row, "event": row.event, "club": row.event.club}
