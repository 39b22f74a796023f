"""Leaderboards: of a club for visitors who may see it, and of the whole server for everybody."""

import json

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import get_conditional_response
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from tournaments.models import Club, RatingPool
from tournaments.models.clubs import Role
from tournaments.permissions import account_of, members_club
from tournaments.presenters.ratings.calibration import calibration_view
from tournaments.presenters.ratings.leaderboard import BoardReader
from tournaments.queries.ratings.leaderboard import pools_with_ratings
from tournaments.queries.watching import watched_ratings
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest, tag_of
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


def _calibration(request: HttpRequest, pools: list[RatingPool]) -> HttpResponse:
    if not pools:
        raise Http404
    seen = calibration_view(pools, request.GET.get("game", ""))
    page = {"club": pools[0].club, "seen": seen}
    return render(request, "tournaments/ratings/calibration.html", page)


def _show(request: HtmxRequest, club: Club | None, pools: list[RatingPool]) -> HttpResponse:
    """Show the requested leaderboard; htmx requests matches while one types, or changes."""
    asked = BoardQuery.of(request)
    looker = BoardReader.of(account_of(request))
    key = str(club.pk if club else 0)
    seen = [key, watched_ratings([key]), asked, looker, timezone.localdate(), get_language()]
    etag = tag_of([*seen, request.COOKIES.get("theme")])
    unchanged = get_conditional_response(request, etag=etag) if request.htmx else None
    if unchanged is not None:
        return unchanged
    board = board_of(asked, club, pools, looker, timezone.now()) if pools else None
    page = {
        "club": club,
        "asked": asked if board is None else board.asked,
        "board": board,
        "headers": json.dumps({"If-None-Match": etag}),
        "owns": club is not None and looker.roles.get(club.pk) == Role.OWNER,
    }
    fragment = bool(request.htmx)
    template = "tournaments/ratings/_live.html" if fragment else "tournaments/ratings/ratings.html"
    response = render(request, template, page)
    response["ETag"] = etag
    return response
