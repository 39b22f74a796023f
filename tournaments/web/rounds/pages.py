"""Running a round: its tables as they come in, the clock, opening and closing."""

import json
from collections.abc import Callable, Mapping
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.models import Round, Tournament
from tournaments.queries.tournaments import load_course
from tournaments.services.tournaments.clocks import (
    Added,
    NotThatLong,
    add_time,
    pause_clock,
    start_clock,
)
from tournaments.services.tournaments.leading import Depended, WrongState
from tournaments.services.tournaments.rounds import (
    RoundNotReady,
    accept_changes,
    changes_since_closing,
    close_round,
    fingerprint,
    open_round,
    reopen_round,
)
from tournaments.visitors import actor_of, directed_tournament, directed_tournament_round
from tournaments.web.rounds.view import etag_of_round, running_tables
from tournaments.web.rounds.words import UNREADY
from tournaments.web.scoring.clock_view import clock_of
from tournaments.web.scoring.pages import number_in
from tournaments.web.tournaments.corrections import standings_moved
from tournaments.web.tournaments.pages import page_of
from tournaments.web.tournaments.words import ROUND_STATES, round_name

MINUTES = (1, 3, 5, 10)
"""What can be given by one press."""


@never_cache
@require_safe
def running(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """A round with all its tables; the page asks again every few seconds."""
    row, place = directed_tournament_round(request, slug, tournament, number)
    if place.published_at is None:
        # Not laid yet: its seating has a page of its own.
        return redirect("seating", slug, row.slug, number)
    etag = etag_of_round(request, row, timezone.now())
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    if fragment:
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
    page = _page(request, row, place)
    page["headers"] = json.dumps({"If-None-Match": etag})
    template = "tournaments/_running.html" if fragment else "tournaments/running.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


def _page(request: HttpRequest, row: Tournament, place: Round) -> dict[str, Any]:
    now = timezone.now()
    place.event = row.event
    tables = running_tables(row, place, now)
    return page_of(request, row) | {
        "round": place,
        "round_name": round_name(place),
        "round_state": ROUND_STATES[place.state],
        "tables": tables,
        "finished": sum(each.finished for each in tables),
        "ready": all(each.ready for each in tables),
        "troubled": sum(bool(each.troubles) for each in tables),
        "clock": clock_of(place, now),
        "minutes": MINUTES,
        "rulings": place.rulings.filter(withdrawn_at=None).count(),
        "corrected": standings_moved(row),
    }


@require_POST
def open_now(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Let the tables of a round begin."""
    row, place = directed_tournament_round(request, slug, tournament, number)
    try:
        open_round(place.pk, actor_of(request), at=timezone.now())
    except (WrongState, Round.DoesNotExist):
        messages.error(request, _("Publish the seating first: then the round can be opened."))
        return redirect("tournament", slug, row.slug)
    return redirect("running", slug, row.slug, number)


@require_POST
def close(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Close a round, or say which tables keep it from being closed."""
    row, place = directed_tournament_round(request, slug, tournament, number)
    try:
        close_round(place.pk, actor_of(request), at=timezone.now())
    except RoundNotReady as refused:
        page = _page(request, row, place)
        page["unready"] = [(each.number, UNREADY[each.why]) for each in refused.tables]
        return render(request, "tournaments/running.html", page, status=409)
    except (WrongState, Round.DoesNotExist):
        messages.error(request, _("The round is not open."))
        return redirect("tournament", slug, row.slug)
    messages.success(request, _("The round is closed: its standings count."))
    return redirect("tournament", slug, row.slug)


@require_POST
def reopen(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Let the phones of a round write once more."""
    row, place = directed_tournament_round(request, slug, tournament, number)
    try:
        reopen_round(place.pk, actor_of(request), at=timezone.now())
    except (Depended, Round.DoesNotExist):
        said = _("A later round was seated by this one. You can still correct every sheet here.")
        messages.error(request, said)
    return redirect("running", slug, row.slug, number)


@require_POST
def clock(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Start the clock of a round, stop it, or give all tables time."""
    row, place = directed_tournament_round(request, slug, tournament, number)
    by, now = actor_of(request), timezone.now()
    does: Mapping[str, Callable[[], Round]] = {
        "start": lambda: start_clock(place.pk, by, at=now),
        "pause": lambda: pause_clock(place.pk, by, at=now),
        "add": lambda: add_time(place.pk, added_in(request), by, at=now),
    }
    asked = does.get(request.POST.get("do", ""))
    try:
        if asked is not None:
            asked()
    except NotThatLong:
        messages.error(request, _("Between 1 minute and 2 hours, and not below nothing."))
    except WrongState:
        messages.error(request, _("The clock goes while the round is open."))
    except Round.DoesNotExist as error:
        raise Http404 from error
    return redirect("running", slug, row.slug, number)


def added_in(request: HttpRequest) -> Added:
    """The time that a form gives, in minutes, and what stood there when it was shown."""
    back = -1 if request.POST.get("less") else 1
    minutes = number_in(request.POST, "less", 0) or number_in(request.POST, "minutes", 0)
    return Added(back * minutes * 60, number_in(request.POST, "seen", -1))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def changes(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """What corrections in closed rounds have changed, until a director has seen it."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        seen = request.POST.get("seen", "")
        if accept_changes(row.pk, seen, actor_of(request), at=timezone.now()):
            messages.success(request, _("Seen. The standings are kept as they are now."))
            return redirect("tournament", slug, row.slug)
        messages.error(request, _("More has changed meanwhile: here is all of it."))
        return redirect("round_changes", slug, row.slug)
    course = load_course(row)
    moved = changes_since_closing(course)
    rounds = {drawn.row.number: round_name(drawn.row) for drawn in course.drawn}
    lines: dict[str, list[dict[str, Any]]] = {}
    # Whose points are others comes first; the places of the rest follow from that.
    for each in sorted(moved, key=lambda each: (each.round, each.before[1] == each.after[1])):
        said = {
            "name": course.entrants[each.entrant].shown_name,
            "before": each.before,
            "after": each.after,
        }
        lines.setdefault(rounds[each.round], []).append(said)
    number = len({each.entrant for each in moved})
    entrants = ngettext(
        "%(number)s entrant stands otherwise.", "%(number)s entrants stand otherwise.", number
    )
    page = page_of(request, row) | {
        "rounds": lines,
        "seen": fingerprint(moved),
        "summary": entrants % {"number": number},
        "later": any(drawn.row.closed_at is None for drawn in course.drawn),
    }
    return render(request, "tournaments/running_changes.html", page)
