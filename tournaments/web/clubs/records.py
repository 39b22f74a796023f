"""The club in numbers, for whoever may see its ratings."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Club
from tournaments.models.clubs import DIRECTING
from tournaments.web.clubs.records_view import Wanted, numbers_shown
from tournaments.web.standings.league_view import Looker
from tournaments.web.visitors import role_in


@never_cache
@require_safe
def club_records(request: HttpRequest, slug: str) -> HttpResponse:
    """Champions, records, and when and how often a club plays, of all the time or a season."""
    club = get_object_or_404(Club.objects.showing_ratings_to(request.user), slug=slug)
    role = role_in(request, club)
    looker = Looker(member=role is not None, directs=role in DIRECTING)
    wanted = Wanted(request.GET.get("game", ""), request.GET.get("season", ""), looker)
    shown = numbers_shown(club, request.user, wanted)
    page = {"club": club, "looker": looker, "scope": shown.scope, "numbers": shown.html}
    return render(request, "tournaments/club_records.html", page)
