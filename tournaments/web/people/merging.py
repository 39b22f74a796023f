"""Merge two players as a director, and undo a merge."""

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST

from tournaments.models import Player, fields
from tournaments.permissions import actor_of
from tournaments.services.people.merging import (
    WHY_NOT,
    MergedFurther,
    NotOnePerson,
    StillPlaying,
    Unlike,
    merge_players,
    undo_merge,
    why_not_one,
)
from tournaments.web.people.pages import directed_player

MOST_FOUND = 20


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def merge(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Search the other player, preview the merge, and merge."""
    kept = directed_player(request, slug, public_id)
    others = Player.objects.present().filter(club=kept.club).exclude(pk=kept.pk)
    name = (request.POST if request.method == "POST" else request.GET).get("other", "")
    if not name:
        return _search_page(request, kept)
    gone = get_object_or_404(fields.named(others, name))
    if request.method != "POST":
        return _ask_page(request, kept, gone, why_not_one(kept, gone))
    try:
        merge_players(kept.pk, gone.pk, actor_of(request), at=timezone.now())
    except NotOnePerson as problem:
        return _ask_page(request, kept, gone, problem.why, status=422)
    done = _("%(gone)s is now %(kept)s.") % {"gone": gone.name, "kept": kept.name}
    messages.success(request, done)
    return redirect("player", slug, public_id)


@never_cache
@require_POST
def part(request: HttpRequest, slug: str, public_id: str, pk: int) -> HttpResponse:
    """Undo a merge."""
    kept = directed_player(request, slug, public_id)
    row = get_object_or_404(kept.merges.select_related("gone"), pk=pk)
    try:
        undo_merge(row.pk, actor_of(request), at=timezone.now())
    except MergedFurther as error:
        # The page of a merged player does not exist either.
        raise Http404 from error
    except StillPlaying as error:
        messages.error(request, str(error))
        return redirect("player", slug, public_id)
    done = _("%(gone)s is a player of their own again.") % {"gone": row.gone.name}
    messages.success(request, done)
    return redirect("player", slug, public_id)


def _search_page(request: HttpRequest, kept: Player) -> HttpResponse:
    asked = request.GET.get("q", kept.name.split()[0]).replace("\0", "").strip()
    others = Player.objects.present().filter(club=kept.club).exclude(pk=kept.pk)
    found = list(others.matching(asked).order_by("name_key")[: MOST_FOUND + 1]) if asked else []
    page = {
        "club": kept.club,
        "player": kept,
        "asked": asked,
        "found": found[:MOST_FOUND],
        "more": len(found) > MOST_FOUND,
    }
    return render(request, "tournaments/people/merge.html", page)


def _ask_page(
    request: HttpRequest, kept: Player, gone: Player, why: Unlike | None, status: int = 200
) -> HttpResponse:
    page = {
        "club": kept.club,
        "kept": kept,
        "gone": gone,
        "games": gone.seats.count(),
        "problem": WHY_NOT[why] if why else "",
    }
    return render(request, "tournaments/people/merge_ask.html", page, status=status)
