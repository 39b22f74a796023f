"""A person's choices about their own player: initials, data, account, removal."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from tournaments.models import Player, fields
from tournaments.services.people.changes import remove_player
from tournaments.services.people.merging import unlink_account
from tournaments.web.people.changes import (
    ask_removal,
    change_player,
    put_initials,
    send_export,
)


@never_cache
@login_required
@require_POST
def my_initials(request: HttpRequest, public_id: str) -> HttpResponse:
    """Show the player by initials, or by the whole name again."""
    put_initials(request, _my_player(request, public_id))
    return redirect("me")


@never_cache
@login_required
@require_POST
def my_data(request: HttpRequest, public_id: str) -> FileResponse:
    """Return all data that the club keeps about one's player, as a document."""
    return send_export(request, _my_player(request, public_id))


@never_cache
@login_required
@require_POST
def my_release(request: HttpRequest, public_id: str) -> HttpResponse:
    """Unlink a player from one's account, such as one claimed by mistake."""
    change_player(request, unlink_account, _my_player(request, public_id))
    messages.success(request, _("The player has no account any more."))
    return redirect("me")


@never_cache
@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def my_removal(request: HttpRequest, public_id: str) -> HttpResponse:
    """Remove one's name for good, after a confirmation."""
    row = _my_player(request, public_id)
    if request.method != "POST":
        return ask_removal(request, row, reverse("me"), own=True)
    change_player(request, remove_player, row)
    messages.success(request, _("The name is removed. The results stay."))
    return redirect("me")


def _my_player(request: HttpRequest, public_id: str) -> Player:
    own = fields.named(Player.objects.belonging_to(request.user), public_id)
    return get_object_or_404(own.select_related("club"))
