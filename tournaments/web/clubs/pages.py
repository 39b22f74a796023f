"""Clubs: one's own, the page of one, its settings, and leaving it."""

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
from tournaments.queries.leaderboard import has_ratings
from tournaments.services.checking.notices import CALLED, counts_of
from tournaments.services.clubs.membership import (
    LastOwner,
    change_settings,
    create_club,
    leave_club,
)
from tournaments.visitors import (
    account_of,
    actor_of,
    members_club,
    owned_club,
    seen_club,
)
from tournaments.web.club_words import role_name
from tournaments.web.clubs.forms import ClubForm, LogoForm, SettingsForm
from tournaments.words import Text

SHOWN_EVENTS = 5


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def clubs(request: HttpRequest) -> HttpResponse:
    """The clubs of whoever is signed in, and a form to make one."""
    form, status = ClubForm(), 200
    if request.method == "POST":
        form = ClubForm(request.POST)
        if form.is_valid():
            made = create_club(form.cleaned_data["name"], actor_of(request), at=timezone.now())
            return redirect("club", made.slug)
        status = 422
    page = {"memberships": memberships_of(request), "form": form}
    return render(request, "tournaments/clubs.html", page, status=status)


def memberships_of(request: HttpRequest) -> list[tuple[Club, str]]:
    """The clubs of whoever is signed in, each with what they are in it (1 query)."""
    user = account_of(request)
    if user is None:
        return []
    members = Member.objects.filter(user=user).select_related("club")
    return [(each.club, role_name(each.role)) for each in members.order_by("club__name", "club")]


@never_cache
@require_safe
def club(request: HttpRequest, slug: str) -> HttpResponse:
    """A club: its evenings and the ways to all the rest; visitors see what is published."""
    row = seen_club(request, slug)
    member = Member.objects.filter(club=row, user=account_of(request)).first()
    role = member.role if member is not None else ""
    events = Event.objects.seen_by(request.user).filter(club=row).select_related("tournament")
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
    }
    return render(request, "tournaments/club.html", page)


def differences_of(club: Club) -> list[tuple[Text, int]]:
    """What the nightly check has found in a club, and nobody has repaired (1 query)."""
    return [(CALLED[cache], number) for cache, number in counts_of(club.pk)]


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def club_settings(request: HttpRequest, slug: str) -> HttpResponse:
    """What the owners of a club set."""
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
    return render(request, "tournaments/club_settings.html", page, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def leave(request: HttpRequest, slug: str) -> HttpResponse:
    """Leave a club, after being asked once."""
    row = members_club(request, slug)
    problem, status = "", 200
    if request.method == "POST":
        try:
            leave_club(row.pk, actor_of(request), at=timezone.now())
        except LastOwner:
            problem, status = last_owner_sentence(row), 422
        else:
            messages.success(request, _("You have left %(club)s.") % {"club": row.name})
            return redirect("me")
    page = {"club": row, "problem": problem}
    return render(request, "tournaments/leave_club.html", page, status=status)


def last_owner_sentence(club: Club) -> str:
    """Why the only owner cannot go, and what would help."""
    return _(
        "%(club)s has no other owner. Make somebody else an owner first, then this can be done."
    ) % {"club": club.name}
