"""The league of a season: the points of its tournaments, summed for each player."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Club, Report, Season, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import members_club, role_in
from tournaments.presenters.standings.standings import LeagueReader
from tournaments.queries.tournaments.steps import with_versions
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.link_preview import club_page_preview
from tournaments.web.documents.asked import ask_for_members, asking
from tournaments.web.standings.league_view import league_html


@kept_for_going_back
@require_safe
def league(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the league of a season, from the tournaments that the visitor may see."""
    seasons = Season.objects.filter(club__in=Club.objects.seen_by(request.user), club__slug=slug)
    season = get_object_or_404(seasons.select_related("club"), pk=pk)
    role = role_in(request, season.club)
    looker = LeagueReader(member=role is not None, directs=role in DIRECTING)
    seen = Tournament.objects.counted().seen_by(request.user).filter(event__season=season)
    in_order = seen.select_related("event").order_by("event__held_on", "pk")
    page = {
        "club": season.club,
        "season": season,
        "looker": looker,
        "preview": club_page_preview(
            request,
            season.club,
            f"{_('League')} · {season.name}",
            _("Who leads the season of %(club)s, with the points of each evening."),
        ),
        "league": league_html(season, with_versions(in_order), looker),
    }
    if looker.member:
        page["asking"] = asking(Report.Kind.LEAGUE)
    if looker.directs:
        days = (season.starts_on, season.ends_on)
        page["outside"] = season.club.events.filter(season=None, held_on__range=days).count()
    return render(request, "tournaments/standings/league.html", page)


@never_cache
@require_POST
def document(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Request the league of a season as a document, for members."""
    club = members_club(request, slug)
    season = get_object_or_404(Season, club=club, pk=pk)
    parameters = {"season": season.pk, "season_name": season.name}
    return ask_for_members(request, Report.Kind.LEAGUE, club, parameters)
