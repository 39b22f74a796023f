"""Clubs: the list of one's own, the page of a club, its settings, and leaving it."""

from django.contrib import messages
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.models import Club, Event, Member, User
from tournaments.permissions import account_of, actor_of, members_club, owned_club, seen_club
from tournaments.presenters.standings.standings import public_league
from tournaments.queries.site import coming, playing_now
from tournaments.services.checks.nights import CALLED, counts_of
from tournaments.services.clubs.membership import (
    LastOwner,
    change_settings,
    create_club,
    leave_club,
)
from tournaments.services.documents.reporting import request_club_picture
from tournaments.texts.documents import role_name
from tournaments.texts.labels import Text
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.pictures import language_of, picture_response
from tournaments.web.clubs.bar import club_bar
from tournaments.web.clubs.forms import ClubForm, LogoForm, SettingsForm
from tournaments.web.clubs.front import (
    front_page,
    next_event,
    playing_event,
    preview_of,
)
from tournaments.web.tournaments.overview import playing_text

SHOWN_EVENTS, PAGE = 3, 50


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def clubs(request: HttpRequest) -> HttpResponse:
    """List published clubs; those who are signed in also see theirs, and a form to create one."""
    form, status, user = ClubForm(), 200, account_of(request)
    if request.method == "POST":
        if user is None:
            return redirect_to_login(request.path)
        form = ClubForm(request.POST)
        if form.is_valid():
            made = create_club(form.cleaned_data["name"], actor_of(request), at=timezone.now())
            return redirect("club", made.slug)
        status = 422
    others = Club.objects.filter(published=True).exclude(pk__in=Club.objects.of_member(user))
    part = Paginator(others.order_by("name", "pk"), PAGE).get_page(request.GET.get("page"))
    page = {
        "memberships": memberships_of(request),
        "form": form if user else None,
        "part": part,
        "others": _with_next_events(list(part)),
    }
    return render(request, "tournaments/clubs/clubs.html", page, status=status)


def _with_next_events(found: list[Club]) -> list[tuple[Club, Event | None]]:
    """Return each club with its next published event (1 query)."""
    events = Event.objects.listed_for(None).filter(club__in=found)
    following: dict[int, Event] = {}
    for event in coming(events, timezone.localdate()):
        following.setdefault(event.club_id, event)
    return [(each, following.get(each.pk)) for each in found]


def memberships_of(request: HttpRequest) -> list[tuple[Club, str]]:
    """Return the clubs of the signed-in user, each with the name of the user's role (1 query)."""
    return [(each.club, role_name(each.role)) for each in members_of(account_of(request))]


def members_of(user: User | None) -> list[Member]:
    """Return the memberships of a user, each with its club (1 query)."""
    rows = Member.objects.filter(user=user).select_related("club")
    return [] if user is None else list(rows.order_by("club__name", "club"))


@kept_for_going_back
@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show the front page of a club; visitors see its published parts."""
    row = seen_club(request, slug)
    bar = club_bar(request, row)
    if bar is None:
        # Unpublished meanwhile.
        raise Http404
    events = Event.objects.listed_for(request.user).filter(club=row)
    today = timezone.localdate()
    now = playing_now(events, today)
    front = front_page(request, bar, events, now)
    playing = [each.event.pk for each in now]
    soon = list(coming(events, today).exclude(pk__in=playing)[: SHOWN_EVENTS + 1])
    lead = playing_event(row, now.pop(0)) if bar.directs and now else None
    if lead is None and soon:
        lead = next_event(soon.pop(0), bar.role)
    page = {
        "club": row,
        "bar": bar,
        "role": role_name(bar.role) if bar.role else "",
        "players": row.players.filter(removed_at=None).count(),
        "differences": differences_of(row) if bar.owns else [],
        "now": [(each, playing_text(each)) for each in now],
        "next": lead,
        "soon": soon[:SHOWN_EVENTS],
        "front": front,
        "preview": preview_of(request, row, front),
    }
    return render(request, "tournaments/clubs/club.html", page)


@never_cache
@require_safe
def club_picture(request: HttpRequest, slug: str) -> HttpResponseBase:
    """Return the picture of a published club, for the preview of a link."""
    club = get_object_or_404(Club.objects.seen_by(None), slug=slug)
    found = public_league(club, timezone.localdate())
    if found is None:
        raise Http404
    season, seen = found
    version = [season.pk, *([row.player, str(row.points)] for row in seen.rows[:4])]
    asked = request_club_picture(club, version, language=language_of(request), at=timezone.now())
    return picture_response(asked)


def differences_of(club: Club) -> list[tuple[Text, int]]:
    return [(CALLED[cache], number) for cache, number in counts_of(club.pk)]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """Change the settings of a club, as an owner."""
    row = owned_club(request, slug)
    form, status = SettingsForm.of(row), 200
    if request.method == "POST":
        form = SettingsForm(request.POST)
        if form.is_valid():
            change_settings(row.pk, form.settings, actor_of(request), at=timezone.now())
            messages.success(request, _("Saved."))
            return redirect("club", row.slug)
        status = 422
    page = {"club": row, "form": form, "logo_form": LogoForm()}
    return render(request, "tournaments/clubs/settings.html", page, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave a club, after a confirmation."""
    row = members_club(request, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            leave_club(row.pk, actor_of(request), at=timezone.now())
        except LastOwner as error:
            problem, status = str(error), 422
        else:
            messages.success(request, _("You have left %(club)s.") % {"club": row.name})
            return redirect("me")
    page = {"club": row, "problem": problem}
    return render(request, "tournaments/clubs/leave.html", page, status=status)
