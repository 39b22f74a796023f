"""The leaderboards: of a club for whoever may see it, and of the whole server for everybody."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Club, RatingPool
from tournaments.models.clubs import Role
from tournaments.queries.leaderboard import pools_with_ratings
from tournaments.telling.leaderboard import Looker
from tournaments.visitors import account_of, members_club
from tournaments.web.ratings.view import Asked, board_of


@never_cache
@require_safe
def server_ratings(request: HttpRequest) -> HttpResponse:
    """The ratings of all clubs that take part, for everybody."""
    return _show(request, None, pools_with_ratings(RatingPool.objects.filter(club=None)))


@never_cache
@require_safe
def club_ratings(request: HttpRequest, slug: str) -> HttpResponse:
    """The ratings of a club; its members see the page before anybody is rated, too."""
    seen = RatingPool.objects.seen_by(request.user).filter(club__slug=slug)
    pools = pools_with_ratings(seen.select_related("club"))
    club = pools[0].club if pools else members_club(request, slug)
    return _show(request, club, pools)


def _show(request: HttpRequest, club: Club | None, pools: list[RatingPool]) -> HttpResponse:
    """The leaderboard that is asked for; htmx asks for what is found while one types."""
    asked = Asked.of(request)
    looker = Looker.of(account_of(request))
    board = board_of(asked, club, pools, looker, timezone.now()) if pools else None
    page = {
        "club": club,
        "asked": asked,
        "board": board,
        "owns": club is not None and looker.roles.get(club.pk) == Role.OWNER,
    }
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    template = "tournaments/_ratings_live.html" if fragment else "tournaments/ratings.html"
    return render(request, template, page)
