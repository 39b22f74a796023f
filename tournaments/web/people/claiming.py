"""Claim a player by the access link of a card, or by its code."""

from allauth.core.ratelimit import consume
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from tournaments.models import Player, fields
from tournaments.permissions import account_of, actor_of
from tournaments.queries.people.players import account_name
from tournaments.services.people.merging import (
    AlreadyPlays,
    TooManyCodes,
    WrongClaimCode,
    claim_player,
    find_by_code,
)
from tournaments.web.people.forms import CodeForm


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def code(request: HttpRequest) -> HttpResponse:
    """Take the code of a card; the right one redirects to the card's link."""
    form = CodeForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        if not consume(request, action="claim_code", dry_run=True):
            return render(request, "tournaments/people/claim_too_often.html", status=429)
        try:
            found = find_by_code(form.cleaned_data["code"], actor_of(request), at=timezone.now())
        except TooManyCodes:
            return render(request, "tournaments/people/claim_too_often.html", status=429)
        except WrongClaimCode as error:
            consume(request, action="claim_code")
            form.add_error("code", str(error))
        else:
            return redirect("claim", found.public_id, found.claim_secret)
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/people/claim_code.html", {"form": form}, status=status)


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def claim(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show a player and the club to the holder of the link, and ask whether to claim."""
    user = account_of(request)
    if user is None and request.method == "POST":
        return redirect_to_login(request.get_full_path())
    found = Player.objects.claimable_at(public_id, secret).select_related("club").first()
    if found is None:
        return _claimed_before(request, public_id)
    other = Player.objects.filter(club=found.club, account=user).first() if user else None
    if request.method == "POST" and other is None:
        try:
            return _after_claim(request, _claim(request, public_id, secret))
        except AlreadyPlays as already:
            other = already.player
    page = {
        "player": found,
        "club": found.club,
        "other": other,
        "name": account_name(user) if user else "",
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "tournaments/people/claim.html", page, status=status)


def _claim(request: HttpRequest, public_id: str, secret: str) -> Player:
    return claim_player(public_id, secret, actor_of(request), at=timezone.now())


def _claimed_before(request: HttpRequest, public_id: str) -> HttpResponse:
    """Redirect an account that has claimed the player, as after a lost answer; else 404."""
    own = fields.named(Player.objects.belonging_to(request.user), public_id)
    row = own.select_related("club").first()
    if row is None:
        raise Http404
    return redirect("player", row.club.slug, row.public_id)


def _after_claim(request: HttpRequest, row: Player) -> HttpResponse:
    welcome = _("Welcome to %(club)s. These are your games.") % {"club": row.club.name}
    messages.success(request, welcome)
    return redirect("player", row.club.slug, row.public_id)
