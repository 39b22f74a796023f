"""The evenings of a club, and the page of one."""

import json
from collections.abc import Callable

from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Club, Event, Round, Season, Table
from tournaments.permissions import (
    actor_of,
    directed_club,
    directed_evening,
    directs_club,
    seen_club,
    seen_event,
)
from tournaments.queries.rulesets import rulesets_of_club
from tournaments.services.audit import Actor
from tournaments.services.events.events import (
    EventHasTables,
    EventPlan,
    change_event,
    close_round,
    create_event,
    open_round,
    remove_event,
    reopen_round,
)
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest, not_modified
from tournaments.web.base.link_preview import club_page_preview
from tournaments.web.base.refusals import add_refused, refusal_shown
from tournaments.web.events.forms import EventForm
from tournaments.web.events.view import etag_of, rounds_of
from tournaments.web.games.forms import key_of

PAGE = 20


@kept_for_going_back
@require_safe
def events(request: HttpRequest, slug: str) -> HttpResponse:
    """List the evenings of a club, the last first, optionally of one season."""
    club = seen_club(request, slug)
    rows = Event.objects.listed_for(request.user).filter(club=club)
    rows = rows.select_related("club", "season", "tournament")
    asked = request.GET.get("season", "")
    season = (
        club.seasons.filter(pk=asked).first() if asked.isdecimal() and len(asked) < 15 else None
    )
    if season is not None:
        rows = rows.filter(season=season)
    page = {
        "club": club,
        "season": season,
        "part": Paginator(rows, PAGE).get_page(request.GET.get("page")),
        "directs": directs_club(request, club),
        "preview": club_page_preview(
            request,
            club,
            _("Evenings"),
            _("All evenings and tournaments of %(club)s, with their tables and winners."),
        ),
    }
    return render(request, "tournaments/events/events.html", page)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_event(request: HttpRequest, slug: str) -> HttpResponse:
    """Create an evening."""
    club = directed_club(request, slug)

    def create(plan: EventPlan, by: Actor) -> Event:
        return create_event(club, plan, by, at=timezone.now(), key=key_of(request.POST))

    return _edit(request, club, None, create)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Change the description of an evening."""
    row = directed_evening(request, slug, public_id)

    def store(plan: EventPlan, by: Actor) -> Event:
        return change_event(row.pk, plan, by, at=timezone.now())

    return _edit(request, row.club, row, store)


@require_POST
def remove(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Delete an evening without games."""
    club = directed_club(request, slug)
    row = club.events.filter(public_id=public_id, tournament=None).first()
    if row is None:
        # Tapped twice.
        return redirect("events", slug)
    try:
        remove_event(row.pk, actor_of(request), at=timezone.now())
    except EventHasTables as error:
        messages.error(request, str(error))
        return redirect("event", slug, public_id)
    messages.success(request, _("%(name)s is removed.") % {"name": row.name})
    return redirect("events", slug)


def _edit(
    request: HttpRequest,
    club: Club,
    event: Event | None,
    store: Callable[[EventPlan, Actor], Event],
) -> HttpResponse:
    """Show the form of an evening, or store it."""
    posted = request.POST if request.method == "POST" else None
    rulesets = dict(rulesets_of_club(club))
    today = timezone.localdate()
    form = EventForm(club, posted, rulesets=rulesets, event=event, today=today)
    if form.is_valid():
        try:
            row = store(form.plan, actor_of(request))
        except Season.DoesNotExist:
            form.add_error("season", _("This season has been removed meanwhile."))
        except InvalidEntry as error:
            add_refused(form, error)
        else:
            return redirect("event", club.slug, row.public_id)
    empty = event is not None and not Table.objects.filter(round__event=event).exists()
    page = {"club": club, "event": event, "form": form, "removable": empty}
    status = 200 if posted is None else 422
    return render(request, "tournaments/events/form.html", page, status=status)


@kept_for_going_back
@require_safe
def event(request: HtmxRequest, slug: str, public_id: str) -> HttpResponse:
    """Show an evening with the state of its tables; the page polls every few seconds."""
    row = seen_event(request, slug, public_id)
    tournament = getattr(row, "tournament", None)
    if tournament is not None:
        return redirect("tournament", slug, tournament.slug)
    directs = directs_club(request, row.club)
    etag = etag_of(request, row, directs=directs)
    fragment = bool(request.htmx)
    if fragment:
        unchanged = not_modified(request, etag)
        if unchanged is not None:
            return unchanged
    rounds = rounds_of(row)
    lines = [line for part in rounds for line in part.tables]
    page = {
        "event": row,
        "club": row.club,
        "club_seen": row.club.published or not row.published or _is_member(request, row.club),
        "directs": directs,
        "rounds": rounds,
        "tables": len(lines),
        "is_coming": not lines and row.held_on >= timezone.localdate(),
        "unconfirmed": sum(bool(line.reminder) for line in lines),
        # An explicit request header: otherwise the browser would turn the 304 into a 200.
        "headers": json.dumps({"If-None-Match": etag}),
    }
    template = "tournaments/events/_event.html" if fragment else "tournaments/events/event.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response


@require_POST
def open_next(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Open the next round of an evening."""
    row = directed_evening(request, slug, public_id)
    with refusal_shown(request):
        open_round(row.pk, actor_of(request), at=timezone.now())
    return redirect("event", slug, public_id)


@require_POST
def close(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Close a round, so that its phones can no longer write."""
    round_ = directed_round(request, slug, public_id, number)
    close_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("event", slug, public_id)


@require_POST
def reopen(request: HttpRequest, slug: str, public_id: str, number: int) -> HttpResponse:
    """Let the phones of a round write again."""
    round_ = directed_round(request, slug, public_id, number)
    reopen_round(round_.pk, actor_of(request), at=timezone.now())
    return redirect("event", slug, public_id)


def directed_round(request: HttpRequest, slug: str, public_id: str, number: int) -> Round:
    """Return a round of an evening for one of its directors; 404 for all others."""
    row = directed_evening(request, slug, public_id)
    rounds = Round.objects.select_related("event__club")
    round_: Round = get_object_or_404(rounds, event=row, number=number)
    return round_


def _is_member(request: HttpRequest, club: Club) -> bool:
    return Club.objects.of_member(request.user).filter(pk=club.pk).exists()
