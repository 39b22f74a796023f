"""Leaderboards: of a club for visitors who may see it, and of the whole server for everybody."""

import json

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Club, RatingDue, RatingPool
from tournaments.models.clubs import DIRECTING, Role
from tournaments.permissions import account_of, directed_club, directs_club, members_club
from tournaments.presenters.ratings.ratings import BoardReader, calibration_view
from tournaments.queries.ratings.ratings import pools_with_ratings
from tournaments.queries.watching import watched_ratings
from tournaments.reports.ratings_document import ratings_document
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest, not_modified, tag_of
from tournaments.web.base.link_preview import LinkPreview, club_page_preview
from tournaments.web.ratings.view import BoardQuery, board_of


@kept_for_going_back
@require_safe
def server_ratings(request: HtmxRequest) -> HttpResponse:
    """Show the ratings of all participating clubs."""
    return _show(request, None, pools_with_ratings(RatingPool.objects.filter(club=None)))


@kept_for_going_back
@require_safe
def club_ratings(request: HtmxRequest, slug: str) -> HttpResponse:
    """Show the ratings of a club; members see the page before anybody is rated, too."""
    seen = RatingPool.objects.seen_by(request.user).filter(club__slug=slug)
    pools = pools_with_ratings(seen.select_related("club"))
    club = pools[0].club if pools else members_club(request, slug)
    return _show(request, club, pools)


@require_safe
def server_calibration(request: HttpRequest) -> HttpResponse:
    """Show how well the ratings of all participating clubs predict."""
    return _calibration(request, pools_with_ratings(RatingPool.objects.filter(club=None)))


@require_safe
def club_calibration(request: HttpRequest, slug: str) -> HttpResponse:
    """Show how well the ratings of a club predict."""
    seen = RatingPool.objects.seen_by(request.user).filter(club__slug=slug)
    return _calibration(request, pools_with_ratings(seen.select_related("club")))


@never_cache
@require_safe
def export(request: HttpRequest, slug: str) -> HttpResponse:
    """Download the club's ratings with all rated games as a document."""
    club = directed_club(request, slug)
    if RatingDue.objects.filter(club=club).exists():
        messages.error(request, _("The ratings are being computed: try again in a moment."))
        return redirect("club_ratings", slug)
    answer = JsonResponse(ratings_document(club), json_dumps_params={"ensure_ascii": False})
    answer["Content-Disposition"] = f'attachment; filename="{slug}-ratings.json"'
    return answer


def _calibration(request: HttpRequest, pools: list[RatingPool]) -> HttpResponse:
    if not pools:
        raise Http404
    seen = calibration_view(pools, request.GET.get("game", ""))
    club = pools[0].club
    page = {"club": club, "seen": seen, "directs": club and directs_club(request, club)}
    return render(request, "tournaments/ratings/calibration.html", page)


def _preview(request: HttpRequest, club: Club) -> LinkPreview | None:
    line = _("How strong the players of %(club)s are: their ratings, and how they have moved.")
    return club_page_preview(request, club, _("Ratings"), line)


def _show(request: HtmxRequest, club: Club | None, pools: list[RatingPool]) -> HttpResponse:
    """Show the requested leaderboard; htmx requests matches while one types, or changes."""
    asked = BoardQuery.of(request)
    looker = BoardReader.of(account_of(request))
    key = str(club.pk if club else 0)
    seen = [key, watched_ratings([key]), asked, looker, timezone.localdate(), get_language()]
    etag = tag_of([*seen, request.COOKIES.get("theme")])
    unchanged = not_modified(request, etag) if request.htmx else None
    if unchanged is not None:
        return unchanged
    board = board_of(asked, club, pools, looker, timezone.now()) if pools else None
    page = {
        "club": club,
        "asked": asked if board is None else board.asked,
        "board": board,
        "preview": _preview(request, club) if club else None,
        "headers": json.dumps({"If-None-Match": etag}),
        "owns": club is not None and looker.roles.get(club.pk) == Role.OWNER,
        "directs": club is not None and looker.roles.get(club.pk) in DIRECTING,
    }
    fragment = bool(request.htmx)
    template = "tournaments/ratings/_live.html" if fragment else "tournaments/ratings/ratings.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response
