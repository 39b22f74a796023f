"""Clubs: the list of one's own, the page of a club, its settings, and leaving it."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from tournaments.models import Club, Event, Member
from tournaments.models.clubs import DIRECTING, Role
from tournaments.permissions import account_of, actor_of, members_club, owned_club, seen_club
from tournaments.queries.ratings.leaderboard import has_ratings
from tournaments.services.checks.notices import CALLED, counts_of
from tournaments.services.clubs.membership import (
    LastOwner,
    change_settings,
    create_club,
    leave_club,
)
from tournaments.texts.clubs import role_name
from tournaments.texts.labels import Text
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.clubs.forms import ClubForm, LogoForm, SettingsForm

SHOWN_EVENTS = 5


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def clubs(request: HttpRequest) -> HttpResponse:
    """List the clubs of the signed-in user, with a form to create one."""
    form, status = ClubForm(), 200
    if request.method == "POST":
        form = ClubForm(request.POST)
        if form.is_valid():
            made = create_club(form.cleaned_data["name"], actor_of(request), at=timezone.now())
            return redirect("club", made.slug)
        status = 422
    page = {"memberships": memberships_of(request), "form": form}
    return render(request, "tournaments/clubs/clubs.html", page, status=status)


def memberships_of(request: HttpRequest) -> list[tuple[Club, str]]:
    """Return the clubs of the signed-in user, each with the user's role (1 query)."""
    user = account_of(request)
    if user is None:
        return []
    members = Member.objects.filter(user=user).select_related("club")
    return [(each.club, role_name(each.role)) for each in members.order_by("club__name", "club")]


@kept_for_going_back
@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """Show a club: its evenings and links to all the rest; visitors see published parts."""
    row = seen_club(request, slug)
    member = Member.objects.filter(club=row, user=account_of(request)).first()
    role = member.role if member is not None else ""
    events = Event.objects.listed_for(request.user).filter(club=row).select_related("tournament")
    today = timezone.localdate()
    coming = events.filter(held_on__gte=today).order_by("held_on", "pk")
    page = {
        "club": row,
        "role": role_name(role) if role else "",
        "directs": role in DIRECTING,
        "owns": role == Role.OWNER,
        "differences": differences_of(row) if role == Role.OWNER else [],
        "shows_ratings": row.published and row.in_server_ratings,
        "has_leaderboard": bool(role)
        or (row.published and row.in_server_ratings and has_ratings(row)),
        "coming": coming[:SHOWN_EVENTS],
        "last": events.filter(held_on__lt=today)[:SHOWN_EVENTS],
        "has_players": row.players.exists,
    }
    return render(request, "tournaments/clubs/club.html", page)


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
