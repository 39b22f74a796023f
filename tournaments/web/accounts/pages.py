"""The user's own account: clubs, players, and its deletion."""

from allauth.account.decorators import reauthentication_required
from django.contrib import messages
from django.contrib.auth import logout
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from tournaments.models import Member, Player, User
from tournaments.models.clubs import DIRECTING
from tournaments.origin import absolute
from tournaments.permissions import account_of, actor_of, directed_club
from tournaments.queries.people.players import account_name
from tournaments.services.clubs.membership import LastOwner, delete_account
from tournaments.services.clubs.month_emails import remember_language, switch_month
from tournaments.web.clubs.forms import DeletionForm
from tournaments.web.clubs.pages import memberships_of


@never_cache
@login_required
@require_safe
def me(request: HttpRequest) -> HttpResponse:
    """Show the clubs and players of the signed-in user, with all actions of the account."""
    user = account_of(request)
    assert user is not None
    players = Player.objects.belonging_to(user).select_related("club")
    memberships = memberships_of(request)
    page = {
        "name": account_name(user),
        "address": user.email,
        "memberships": memberships,
        "mailed": _mailed(user),
        # A former member of a club keeps the player, but sees no pages of the club.
        "clubs": [club for club, _role in memberships],
        "players": players.order_by("club__name", "pk"),
        "calendar": absolute(request, reverse("calendar", args=[user.pk, user.calendar_secret])),
    }
    return render(request, "tournaments/accounts/me.html", page)


def _mailed(user: User) -> list[Member]:
    """Return the memberships of a user that get, or can get, month reports (1 query)."""
    directing = Member.objects.of_user(user, DIRECTING).select_related("club")
    return list(directing.order_by("club__name", "club"))


@never_cache
@require_POST
def my_month(request: HttpRequest, slug: str) -> HttpResponse:
    """Subscribe one of a club's directors to its month report, or unsubscribe."""
    club = directed_club(request, slug)
    user = account_of(request)
    assert user is not None
    wanted = request.POST.get("month") == "yes"
    switch_month(Member.objects.get(club=club, user=user), wanted=wanted)
    remember_language(user.pk, get_language() or "")
    return redirect(f"{reverse('me')}#mails")


@never_cache
@login_required
@reauthentication_required  # type: ignore[untyped-decorator]  # allauth has no types
@require_http_methods(["GET", "HEAD", "POST"])
def delete(request: HttpRequest) -> HttpResponse:
    """Delete the account for good, after its name was typed."""
    user = account_of(request)
    assert user is not None
    form = DeletionForm(user.email or user.username, request.POST or None)
    if not form.is_valid():
        return _delete_page(request, form, 422 if form.is_bound else 200)
    try:
        delete_account(actor_of(request), at=timezone.now())
    except LastOwner as error:
        form.add_error(None, str(error))
        return _delete_page(request, form, 422)
    logout(request)
    messages.success(request, _("Your account is deleted."))
    return redirect("home")


def _delete_page(request: HttpRequest, form: DeletionForm, status: int) -> HttpResponse:
    return render(request, "tournaments/accounts/delete.html", {"form": form}, status=status)
