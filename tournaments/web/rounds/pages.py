"""A running round: its tables, its clock, opening and closing."""

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.models import Round, Tournament
from tournaments.permissions import (
    actor_of,
    directed_tournament,
    directed_tournament_round,
    seen_tournament,
)
from tournaments.queries.tournaments.state import load_state
from tournaments.queries.tournaments.steps import LifecycleStep
from tournaments.services.base.refusals import Refused
from tournaments.services.rounds.clocks import (
    Added,
    add_time,
    pause_clock,
    start_clock,
)
from tournaments.services.rounds.next_step import STEPS, take_step
from tournaments.services.rounds.rounds import (
    RoundNotReady,
    accept_changes,
    can_reopen,
    changes_since_closing,
    close_round,
    fingerprint,
    open_round,
    reopen_round,
)
from tournaments.services.rounds.undo import details_of, undo_act
from tournaments.services.tournaments.lifecycle import WrongState
from tournaments.texts.labels import round_name
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest, not_modified
from tournaments.web.base.refusals import refusal_shown
from tournaments.web.games.clock_view import clock_of
from tournaments.web.games.pages import number_in
from tournaments.web.rounds.view import etag_of_round, running_tables
from tournaments.web.tournaments.pages import page_of, preview_below, round_to_see
from tournaments.web.tournaments.steps import act_text
from tournaments.web.tournaments.strip import strip_etag
from tournaments.web.tournaments.texts import ROUND_STATES

MINUTES = (1, 3, 5, 10)
"""Minutes that one button adds."""


@kept_for_going_back
@require_safe
def running(request: HtmxRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Show a round with all its tables; the page of directors polls every few seconds."""
    try:
        row, round_ = directed_tournament_round(request, slug, tournament, number)
    except Http404:
        return _tables(request, seen_tournament(request, slug, tournament), number)
    if round_.published_at is None:
        # Not published yet: its seating has a page of its own.
        return redirect("seating", slug, row.slug, number)
    etag = etag_of_round(request, row, timezone.now())
    fragment = bool(request.htmx)
    if fragment:
        unchanged = not_modified(request, etag)
        if unchanged is not None:
            return unchanged
    page = _page(request, row, round_)
    page["headers"] = json.dumps({"If-None-Match": etag})
    template = "tournaments/rounds/_running.html" if fragment else "tournaments/rounds/running.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


@never_cache
@require_safe
def live(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the tables of the round that is on to everybody, directors too; it goes on by itself."""
    row = seen_tournament(request, slug, tournament)
    round_ = round_to_see(row.event, directs=False)
    if round_ is None:
        return redirect("tournament", slug, tournament)
    return _tables(request, row, round_.number)


def _tables(request: HtmxRequest, row: Tournament, number: int) -> HttpResponse:
    """Show a published round to everybody, without the results of a hidden one; the page polls."""
    rounds = list(row.event.rounds.exclude(published_at=None).with_hiding())
    round_ = next((each for each in rounds if each.number == number), None)
    if round_ is None:
        raise Http404
    now = timezone.now()
    round_.event = row.event
    etag = etag_of_round(request, row, now)
    fragment = bool(request.htmx)
    unchanged = not_modified(request, etag) if fragment else None
    if unchanged is not None:
        return unchanged
    tables = sorted(running_tables(row, round_, now), key=lambda each: each.table.number)
    hidden = round_.hides_results
    page = page_of(request, row) | {
        "round": round_,
        "rounds": rounds,
        "round_name": round_name(round_),
        "round_state": ROUND_STATES[round_.state],
        "tables": tables,
        "board": [] if hidden else [each for each in tables if not each.finished],
        "listed": [each for each in tables if each.finished or hidden],
        "hidden": hidden,
        "clock": clock_of(round_, now),
        "headers": json.dumps({"If-None-Match": etag}),
    }
    page |= preview_below(page, page["round_name"], partial(_line, page["round_name"]))
    template = "tournaments/rounds/_tables.html" if fragment else "tournaments/rounds/tables.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


def _line(round_: str) -> str:
    return _("The tables of %(round)s, who leads at each, and their sheets.") % {"round": round_}


def _page(request: HttpRequest, row: Tournament, round_: Round) -> dict[str, Any]:
    now = timezone.now()
    round_.event = row.event
    tables = running_tables(row, round_, now)
    quiet = [each for each in tables if not each.problems]
    clock = clock_of(round_, now)
    over = clock is not None and clock.over and round_.is_open
    return page_of(request, row) | {
        "round": round_,
        "round_name": round_name(round_),
        "round_state": ROUND_STATES[round_.state],
        "tables": tables,
        "in_order": sorted(tables, key=lambda each: each.table.number),
        "troubled": [each for each in tables if each.problems],
        "others": [
            (_("Playing"), [each for each in quiet if not each.finished]),
            (_("Finished"), [each for each in quiet if each.finished]),
        ],
        "can_reopen": round_.closed_at is not None and can_reopen(row, round_),
        "clock": clock,
        "time_is_up": over and not all(each.finished for each in tables),
        "minutes": MINUTES,
    }


@require_POST
def open_now(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Open the tables of a round."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    try:
        open_round(round_.pk, actor_of(request), at=timezone.now())
    except WrongState as error:
        messages.error(request, str(error))
        return redirect("tournament", slug, row.slug)
    return redirect("running", slug, row.slug, number)


@require_POST
def close(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Close a round, or name the tables that prevent it."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    try:
        close_round(round_.pk, actor_of(request), at=timezone.now())
    except RoundNotReady as refused:
        return _not_ready(request, row, round_, refused)
    except WrongState as error:
        messages.error(request, str(error))
        return redirect("tournament", slug, row.slug)
    messages.success(request, _("The round is closed: its standings count."))
    return redirect("tournament", slug, row.slug)


def _not_ready(
    request: HttpRequest, row: Tournament, round_: Round, refused: RoundNotReady
) -> HttpResponse:
    page = _page(request, row, round_) | {"unready": refused.faults}
    page["strip_at"] = reverse("running", args=[row.event.club.slug, row.slug, round_.number])
    return render(request, "tournaments/rounds/running.html", page, status=409)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def next_step(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the strip, which open pages poll, or take its step, once as it was seen."""
    row = directed_tournament(request, slug, tournament)
    if request.method != "POST":
        return _strip(request, row)
    number = number_in(request.POST, "round", 0)
    step = LifecycleStep(request.POST.get("step", ""), number)
    seen = number_in(request.POST, "seen", -1)
    if step.code not in STEPS:
        return redirect("tournament", slug, row.slug)
    try:
        take_step(row.pk, step, actor_of(request), seen=seen, at=timezone.now())
    except RoundNotReady as refused:
        return _not_ready(request, row, row.event.rounds.get(number=number), refused)
    except Refused as error:
        messages.error(request, str(error))
    if step.code in AFTER and row.event.rounds.filter(number=number).exists():
        return redirect(AFTER[step.code], slug, row.slug, number)
    return redirect("tournament", slug, row.slug)


AFTER: Mapping[str, str] = {
    "start-and-seat": "seating",
    "seat-round": "seating",
    "seat-finals": "seating",
    "publish-seating": "seating",
    "open-round": "running",
    "start-clock": "running",
}
"""The pages of a round that steps lead to; the others lead to the tournament."""


@require_POST
def undo(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Undo the last act of the directors, once as it was seen."""
    row = directed_tournament(request, slug, tournament)
    entry = number_in(request.POST, "entry", 0)
    try:
        act = undo_act(row.pk, entry, actor_of(request), at=timezone.now())
    except Refused as error:
        messages.error(request, str(error))
        return redirect("tournament", slug, row.slug)
    messages.success(request, _("Undone: “%(act)s”") % {"act": act_text(act, row)})
    if act.action in AFTER_UNDOING:
        return redirect(AFTER_UNDOING[act.action], slug, row.slug, details_of(act)["round"])
    return redirect("tournament", slug, row.slug)


AFTER_UNDOING: Mapping[str, str] = {
    "publish-round": "seating",
    "take-back-round": "seating",
    "close-round": "running",
    "exchange-seats": "seating",
    "change-seating": "seating",
    "put-line-up": "line_ups",
}
"""The pages of a round that undoing an act leads to; the others lead to the tournament."""


def _strip(request: HtmxRequest, row: Tournament) -> HttpResponse:
    if not request.htmx:
        return redirect("tournament", row.event.club.slug, row.slug)
    etag = strip_etag(request, row, timezone.now())
    unchanged = not_modified(request, etag)
    if unchanged is not None:
        return unchanged
    page = page_of(request, row) | {"strip_at": request.GET.get("at", "")}
    response = render(request, "tournaments/tournaments/_strip.html", page)
    response["ETag"] = etag
    return response


@require_POST
def reopen(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Let the phones of a round write again."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    with refusal_shown(request):
        reopen_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("running", slug, row.slug, number)


@require_POST
def clock(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Start or stop the clock of a round, or give all tables more time."""
    row, round_ = directed_tournament_round(request, slug, tournament, number)
    by, now = actor_of(request), timezone.now()
    does: Mapping[str, Callable[[], Round]] = {
        "start": lambda: start_clock(round_.pk, by, at=now),
        "pause": lambda: pause_clock(round_.pk, by, at=now),
        "add": lambda: add_time(round_.pk, added_in(request), by, at=now),
    }
    asked = does.get(request.POST.get("do", ""))
    with refusal_shown(request):
        if asked is not None:
            asked()
    return redirect("running", slug, row.slug, number)


def added_in(request: HttpRequest) -> Added:
    """Return the added time of a form, in minutes, and the value when it was shown."""
    back = -1 if request.POST.get("less") else 1
    minutes = number_in(request.POST, "less", 0) or number_in(request.POST, "minutes", 0)
    return Added(back * minutes * 60, number_in(request.POST, "seen", -1))


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def changes(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the effects of corrections in closed rounds, until a director acknowledges them."""
    row = directed_tournament(request, slug, tournament)
    if request.method == "POST":
        seen = request.POST.get("seen", "")
        if accept_changes(row.pk, seen, actor_of(request), at=timezone.now()):
            messages.success(request, _("Seen. The standings are kept as they are now."))
            return redirect("tournament", slug, row.slug)
        messages.error(request, _("More has changed meanwhile: here is all of it."))
        return redirect("round_changes", slug, row.slug)
    state = load_state(row)
    moved = changes_since_closing(state)
    rounds = {seated.row.number: round_name(seated.row) for seated in state.seated_rounds}
    lines: dict[str, list[dict[str, Any]]] = {}
    # Entrants whose points changed come first; the other places follow from them.
    for each in sorted(moved, key=lambda each: (each.round, each.before[1] == each.after[1])):
        said = {
            "name": state.entrants[each.entrant].shown_name,
            "before": each.before,
            "after": each.after,
        }
        lines.setdefault(rounds[each.round], []).append(said)
    number = len({each.entrant for each in moved})
    entrants = ngettext(
        "The place of %(number)s entrant changes.",
        "The places of %(number)s entrants change.",
        number,
    )
    page = page_of(request, row) | {
        "rounds": lines,
        "seen": fingerprint(moved),
        "summary": entrants % {"number": number},
        "later": any(seated.row.closed_at is None for seated in state.seated_rounds),
    }
    return render(request, "tournaments/rounds/changes.html", page)
