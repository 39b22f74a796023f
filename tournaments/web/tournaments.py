"""Tournaments of a club: made, changed, and led step by step."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.models import Club, Tournament
from tournaments.services.tournaments import (
    Depended,
    WrongState,
    move_tournament,
    remove_tournament,
    replace_links,
)
from tournaments.web.visitors import (
    actor_of,
    directed_club,
    directed_tournament,
    directs_club,
    seen_tournament,
)


def page_of(request: HttpRequest, row: Tournament) -> dict[str, Any]:
    """What every page of a tournament needs (up to 2 queries)."""
    event = row.event
    seen = event.club.published or not event.published
    return {
        "tournament": row,
        "event": event,
        "club": event.club,
        "club_seen": seen or Club.objects.of_member(request.user).filter(pk=event.club_id).exists(),
        "directs": directs_club(request, event.club),
    }


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def new_tournament(request: HttpRequest, slug: str) -> HttpResponse:
    """Make a tournament."""
    club = directed_club(request, slug)
    return redirect("events", club.slug)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def change(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Change what was said of a tournament."""
    row = directed_tournament(request, slug, tournament)
    return redirect("tournament", slug, row.slug)


@never_cache
@require_safe
def tournament(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Where a tournament stands; to its directors, also what comes next."""
    row = seen_tournament(request, slug, tournament)
    return render(request, "tournaments/tournament.html", page_of(request, row) | {"hub": True})


@require_POST
def move(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Lead a tournament one step on or back."""
    row = directed_tournament(request, slug, tournament)
    state = request.POST.get("state", "")
    try:
        if state in Tournament.State.values:
            move_tournament(row.pk, state, actor_of(request), at=timezone.now())
    except (WrongState, Depended):
        messages.error(request, _("Somebody was faster: look at how it stands now."))
    return redirect("tournament", slug, tournament)


@require_POST
def remove(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Take a tournament away in which no round was seated."""
    club = directed_club(request, slug)
    row = Tournament.objects.filter(event__club=club, slug=tournament).first()
    if row is None:
        # Tapped twice.
        return redirect("events", slug)
    try:
        remove_tournament(row.pk, actor_of(request), at=timezone.now())
    except Depended:
        messages.error(request, _("A round was seated in this tournament, so that it stays."))
        return redirect("tournament", slug, tournament)
    messages.success(request, _("%(name)s is removed.") % {"name": row.event.name})
    return redirect("events", slug)


@require_POST
def replace(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """Make the links to register and to check in worthless."""
    row = directed_tournament(request, slug, tournament)
    replace_links(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The old links work no more; there are new ones."))
    return redirect("tournament", slug, tournament)
