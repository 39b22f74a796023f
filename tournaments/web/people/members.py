"""Members of a club, and players that claim their results."""

from allauth.core.ratelimit import consume
from django import forms
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.views import redirect_to_login
from django.core.paginator import Paginator
from django.db.models import Q
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Club, Entrant, Invitation, Member, Player, Tournament, fields
from tournaments.models.clubs import DIRECTING, Role
from tournaments.models.people import name_order
from tournaments.permissions import account_of, actor_of, directed_club, members_club, owned_club
from tournaments.queries.players import (
    account_name,
    member_name,
    members_found,
)
from tournaments.services.clubs.membership import (
    LastOwner,
    accept_invitation,
    change_role,
    invite,
    outranks,
    remove_member,
    withdraw_invitation,
)
from tournaments.services.people.merging import (
    AlreadyPlays,
    TooManyCodes,
    WrongClaimCode,
    claim_player,
    find_by_code,
)
from tournaments.web.base.pages import access_link, add_refused, out_of_reach
from tournaments.web.clubs.forms import MAY, InvitationForm, RemovalForm, RoleForm

PAGE = 50
ROLES = list(Role)
MOST_INVITATIONS = 50
GONE = 410


@require_safe
def people(request: HttpRequest, slug: str) -> HttpResponse:
    """List the accounts of a club by role and name; show directors the open invitations, too."""
    club = members_club(request, slug)
    own = Member.objects.get(club=club, user=account_of(request))
    directs = own.role in DIRECTING
    query = request.GET.get("q", "").replace("\0", "").strip()
    found = members_found(club, query, directs=directs)
    part = Paginator(found, PAGE).get_page(request.GET.get("page"))
    managed = Invitation.objects.managed_by(request.user).filter(club=club)
    standing = Invitation.objects.standing(timezone.now()).filter(pk__in=managed)
    newest = standing.order_by("-pk")[:MOST_INVITATIONS]
    page = {
        "club": club,
        "asked": query,
        "part": part,
        "lines": sorted(
            ((each, member_name(each, directs=directs)) for each in part),
            key=lambda line: (ROLES.index(Role(line[0].role)), name_order(line[1])),
        ),
        "own": own,
        "directs": directs,
        "owns": own.role == Role.OWNER,
        "invitations": newest if directs else (),
    }
    return render(request, "tournaments/people/members.html", page)


def member(request: HttpRequest, slug: str, user: int) -> HttpResponse:
    """Change the role of a member or remove them, as an owner."""
    club = owned_club(request, slug)
    row = get_object_or_404(club.members.select_related("user"), user=user)
    form = RoleForm(request.POST if request.method == "POST" else None, initial={"role": row.role})
    if form.is_valid():
        try:
            change_role(club.pk, user, form.chosen, actor_of(request), at=timezone.now())
        except LastOwner as error:
            add_refused(form, error, "role")
        else:
            return _after_change(request, club)
    return _member_page(request, row, form)


@require_POST
def remove(request: HttpRequest, slug: str, user: int) -> HttpResponse:
    club = owned_club(request, slug)
    row = club.members.select_related("user").filter(user=user).first()
    if row is None:
        # Tapped twice.
        return redirect("people", slug)
    form = RemovalForm(request.POST)
    if form.is_valid():
        reason = form.cleaned_data["reason"]
        try:
            remove_member(club.pk, user, actor_of(request), at=timezone.now(), reason=reason)
        except LastOwner as error:
            add_refused(form, error)
        else:
            gone = {"name": account_name(row.user), "club": club.name}
            messages.success(request, _("%(name)s is no longer in %(club)s.") % gone)
            return _after_change(request, club)
    return _member_page(request, row, RoleForm(initial={"role": row.role}), form)


def _after_change(request: HttpRequest, club: Club) -> HttpResponse:
    still = Club.objects.of_member(request.user).filter(pk=club.pk).exists()
    return redirect("people", club.slug) if still else redirect("me")


def _member_page(
    request: HttpRequest, row: Member, form: RoleForm, removal: RemovalForm | None = None
) -> HttpResponse:
    links = Invitation.objects.standing(timezone.now()).filter(club=row.club)
    page = {
        "club": row.club,
        "member": row,
        "name": account_name(row.user),
        "form": form,
        "removal": removal or RemovalForm(),
        # A removed member could join again by such a link.
        "open_links": links.exists(),
    }
    status = 422 if form.is_bound or removal else 200
    return render(request, "tournaments/people/member.html", page, status=status)


def new_invitation(request: HttpRequest, slug: str) -> HttpResponse:
    """Create an invitation; owners may give any role, directors only membership."""
    club = directed_club(request, slug)
    owns = Club.objects.owned_by(request.user).filter(pk=club.pk).exists()
    roles = tuple(reversed(Role)) if owns else (Role.MEMBER,)
    posted = request.POST if request.method == "POST" else None
    form = InvitationForm(posted, roles=roles, initial={"role": Role.MEMBER})
    if form.is_valid():
        made = invite(club, form.offer, actor_of(request), at=timezone.now())
        return redirect("invitation", club.slug, made.public_id)
    page, status = {"club": club, "form": form}, 422 if form.is_bound else 200
    return render(request, "tournaments/people/invite.html", page, status=status)


@require_safe
def invitation(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the access link of an invitation, with its QR code."""
    club, row = directed_club(request, slug), _managed(request, slug, public_id)
    if not Invitation.objects.standing(timezone.now()).filter(pk=row.pk).exists():
        raise Http404
    page = {
        "club": club,
        "invitation": row,
        "link": access_link(request, reverse("join", args=[row.public_id, row.secret])),
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/people/invitation.html", page)


@require_POST
def withdraw(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = _managed(request, slug, public_id)
    withdraw_invitation(row.pk, actor_of(request), at=timezone.now())
    messages.success(request, _("The invitation is withdrawn."))
    return redirect("people", slug)


def _managed(request: HttpRequest, slug: str, public_id: str) -> Invitation:
    managed = Invitation.objects.managed_by(request.user).filter(club__slug=slug)
    return get_object_or_404(fields.named(managed, public_id))


def join(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show an invitation by its access link, and take the answer."""
    found = Invitation.objects.found_at(public_id, secret).select_related("club")
    row = get_object_or_404(found)
    user = account_of(request)
    own = Member.objects.filter(club=row.club, user=user).first() if user else None
    belongs = own is not None and not outranks(Role(row.role), Role(own.role))
    valid = Invitation.objects.standing(timezone.now()).filter(pk=row.pk).exists()
    if request.method == "POST" and (valid or belongs):
        if user is None:
            return redirect_to_login(request.get_full_path())
        try:
            accept_invitation(row.pk, actor_of(request), at=timezone.now())
        except Invitation.DoesNotExist:
            # Somebody else was faster: the page says so.
            return redirect(request.get_full_path())
        messages.success(request, _("Welcome to %(club)s.") % {"club": row.club.name})
        return redirect("club", row.club.slug)
    page = {
        "club": row.club,
        "role": row.get_role_display(),
        "may": MAY[row.role],
        "valid": valid,
        "belongs": belongs,
        "name": account_name(user) if user else "",
    }
    status = 200 if valid or belongs else GONE
    return render(request, "tournaments/people/join.html", page, status=status)


class CodeForm(forms.Form):
    code = forms.CharField(
        label=gettext_lazy("Code"),
        max_length=60,
        error_messages={"required": gettext_lazy("Type the code that you were given.")},
        widget=forms.TextInput(
            attrs={
                "autocomplete": "off",
                "autocapitalize": "none",
                "spellcheck": "false",
                "placeholder": "123-abcd-efgh",
            }
        ),
    )


@login_required
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
            add_refused(form, error, "code")
        else:
            return redirect("claim", found.public_id, found.claim_secret)
    status = 422 if form.is_bound else 200
    return render(request, "tournaments/people/claim_code.html", {"form": form}, status=status)


def _at_the_door(request: HttpRequest, player: Player) -> str:
    """Return the address of a player's line at the door of a tournament, for its directors."""
    entries = Entrant.objects.filter(
        Q(player=player) | Q(partner=player),
        tournament__in=Tournament.objects.counted().directed_by(request.user),
        tournament__state__in=("registration", "running"),
    )
    entry = entries.select_related("tournament").order_by("-tournament__event__held_on").first()
    if entry is None:
        return ""
    at = reverse("entrants", args=[player.club.slug, entry.tournament.slug])
    return f"{at}?q={entry.number}"


def claim(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Show a player and the club to the holder of the link, and ask whether to claim."""
    user = account_of(request)
    if user is None and request.method == "POST":
        return redirect_to_login(request.get_full_path())
    found = Player.objects.claimable_at(public_id, secret).select_related("club").first()
    if found is None:
        # An account that has claimed the player, as after a lost answer, is led to the page.
        own = fields.named(Player.objects.belonging_to(request.user), public_id)
        claimed = get_object_or_404(own.select_related("club"))
        return redirect("player", claimed.club.slug, claimed.public_id)
    other = Player.objects.filter(club=found.club, account=user).first() if user else None
    if request.method == "POST" and other is None:
        try:
            row = claim_player(public_id, secret, actor_of(request), at=timezone.now())
        except AlreadyPlays as already:
            other = already.player
        else:
            welcome = _("Welcome to %(club)s. These are your games.") % {"club": row.club.name}
            messages.success(request, welcome)
            return redirect("player", row.club.slug, row.public_id)
    line = _at_the_door(request, found)
    if line and other is not None and request.method != "POST":
        # Whose account is another player here can only be looking for the line.
        return redirect(line)
    page = {
        "player": found,
        "club": found.club,
        "other": other,
        "line": line,
        "name": account_name(user) if user else "",
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "tournaments/people/claim.html", page, status=status)
