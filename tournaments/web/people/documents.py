"""A player's season as a document, for the members of the club."""

from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from tournaments.models import Report
from tournaments.permissions import members_club
from tournaments.web.documents.asked import ask_for_members
from tournaments.web.people.pages import present_player


@never_cache
@require_POST
def player_document(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Request the season shown on the page of a player, or all time."""
    club = members_club(request, slug)
    player = present_player(club, public_id)
    parameters: dict[str, object] = {}
    if asked := request.POST.get("season"):
        season = next((row for row in club.seasons.all() if str(row.pk) == asked), None)
        if season is None:
            raise Http404
        parameters = {"season": season.pk, "season_name": season.name}
    if game := request.POST.get("game"):
        parameters["game"] = game[:40]
    return ask_for_members(request, Report.Kind.PLAYER_SEASON, player, parameters)
