"""Change or remove a player, and what is stored about one."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Player, fields
from tournaments.models.people import MOST_WRONG_CLAIMS
from tournaments.origin import absolute
from tournaments.permissions import actor_of, directed_club
from tournaments.services.people.changes import remove_player, rename_player, set_initials
from tournaments.services.people.export import export_player
from tournaments.services.people.merging import new_claim, unlink_account
from tournaments.services.people.players import NameTaken, NoName
from tournaments.web.base.forms import warn_of_boxes
from tournaments.web.base.pages import access_link, add_refused, out_of_reach
from tournaments.web.people.views import NameForm, directed_player, show_player

Change = Callable[..., Any]
View = Callable[[HttpRequest, Player, str], HttpResponseBase]


@require_POST
def rename(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    row = directed_player(request, slug, public_id)
    form = NameForm(row, request.POST)
    if form.is_valid():
        try:
            change_player(request, rename_player, row, form.cleaned_data["name"])
        except NameTaken as taken:
            same = _("Are they one person? Then merge the two.")
            form.add_error("name", f"{taken} {same}")
        except NoName as error:
            add_refused(form, error, "name")
        else:
            messages.success(request, _("Saved. The name follows on all sheets."))
            warn_of_boxes(request, form.cleaned_data["name"])
            return redirect("player", slug, public_id)
    return show_player(request, row, form)


def for_player(view: View) -> Callable[..., HttpResponseBase]:
    """Give a view the player of the address, and the page to go back to.

    Under a club it is for its directors; without one it is the visitor's own player.
    """

    @wraps(view)
    def answer(request: HttpRequest, public_id: str, slug: str = "") -> HttpResponseBase:
        if not slug:
            return view(request, _my_player(request, public_id), reverse("me"))
        back = reverse("player", args=[slug, public_id])
        return view(request, directed_player(request, slug, public_id), back)

    return answer


@require_POST
@for_player
def initials(request: HttpRequest, row: Player, back: str) -> HttpResponse:
    """Show a player by initials, or by the whole name again."""
    row = change_player(request, set_initials, row, request.POST.get("initials") == "yes")
    done = _("Others now see %(name)s.") % {"name": row.shown_name}
    messages.success(request, done)
    return redirect(back)


@require_safe
def card(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the card with which a person claims their player: link, QR code and code."""
    row = directed_player(request, slug, public_id)
    if row.account_id is not None:
        return redirect("player", slug, public_id)
    page = {
        "club": row.club,
        "player": row,
        "link": access_link(request, reverse("claim", args=[row.public_id, row.claim_secret])),
        "type_at": absolute(request, reverse("claim_code")),
        "spoiled": row.wrong_claims >= MOST_WRONG_CLAIMS,
        "out_of_reach": out_of_reach(request),
    }
    return render(request, "tournaments/people/card.html", page)


@require_POST
def new_code(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Create a new link and code; cards given away before are revoked."""
    change_player(request, new_claim, directed_player(request, slug, public_id))
    messages.success(request, _("The old link and code no longer work."))
    return redirect("player_card", slug, public_id)


@require_POST
@for_player
def unlink(request: HttpRequest, row: Player, back: str) -> HttpResponse:
    """Unlink a player from an account, such as one that has claimed it by mistake."""
    change_player(request, unlink_account, row)
    messages.success(request, _("The player has no account any more."))
    return redirect(back)


@require_POST
@for_player
def export(request: HttpRequest, row: Player, _back: str) -> FileResponse:
    """Export all data about a player; a POST, because it adds an audit entry."""
    return FileResponse(
        change_player(request, export_player, row),
        as_attachment=True,
        filename=f"player-{row.public_id}.json",
        content_type="application/json; charset=utf-8",
    )


def remove(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Remove a player's name for good, after a confirmation."""
    if request.method == "POST":
        gone = Player.objects.filter(club=directed_club(request, slug)).exclude(removed_at=None)
        if fields.named(gone, public_id).exists():
            # Tapped twice.
            return redirect("players", slug)
    row = directed_player(request, slug, public_id)
    back, then = reverse("player", args=[slug, public_id]), reverse("players", args=[slug])
    return _remove(request, row, back, then)


@login_required
def my_removal(request: HttpRequest, public_id: str) -> HttpResponse:
    """Remove one's name for good, after a confirmation."""
    back = reverse("me")
    return _remove(request, _my_player(request, public_id), back, back, own=True)


def _remove(
    request: HttpRequest, row: Player, back: str, then: str, *, own: bool = False
) -> HttpResponse:
    if request.method == "POST":
        change_player(request, remove_player, row)
        messages.success(request, _("The name is removed. The results stay."))
        return redirect(then)
    merges = row.merges.filter(undone_at=None).select_related("gone")
    page = {
        "player": row,
        "club": row.club,
        "own": own,
        "back": back,
        "also": [merge.gone.name for merge in merges],
    }
    return render(request, "tournaments/people/removal.html", page)


def change_player(request: HttpRequest, change: Change, row: Player, *what: Any) -> Any:
    """Change a player with the visitor as actor, at the current time.

    Raises: Http404: the player was merged or removed meanwhile.
    """
    return change(row.pk, *what, actor_of(request), at=timezone.now())


def _my_player(request: HttpRequest, public_id: str) -> Player:
    own = fields.named(Player.objects.belonging_to(request.user), public_id)
    return get_object_or_404(own.select_related("club"))
