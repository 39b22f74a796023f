"""Pages of standings, of their reasons, and of leagues; `tables.py` builds what they show."""

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from tournaments.models import Club, Report, Season
from tournaments.permissions import in_its_time, members_club, role_in, seen_tournament
from tournaments.queries.known_games import digest_of_round
from tournaments.queries.player_pages import named_player
from tournaments.queries.standings import (
    LeagueReader,
    hides,
    last_closed,
    last_counted,
    tournaments_of,
)
from tournaments.queries.state import settings_of
from tournaments.queries.steps import version_of, with_versions
from tournaments.services.documents.reporting import request_standings_picture
from tournaments.texts.labels import points_text
from tournaments.web.base.answers import language_of, picture_response
from tournaments.web.base.pages import HtmxRequest, cached_for_going_back, not_modified, tag_of
from tournaments.web.base.phone import club_page_preview
from tournaments.web.documents.views import ask_for_members, asking
from tournaments.web.standings.tables import league_html, standings_fragment, why_page
from tournaments.web.tournaments.views import TournamentPage, page_of, preview_below


@cached_for_going_back
@require_safe
def standings(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the standings after the last closed round, after another, or of one; the page polls."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    section = request.GET.get("section", "")
    query = {
        "directs": page["directs"],
        "after": _number(request, "after"),
        "only": _number(request, "only"),
        "section": section if section in settings_of(row).section_names else "",
    }
    shared: TournamentPage = page["shared"]
    # Read before the state is: a change in between is seen as one.
    etag = tag_of([shared.version, query, get_language(), request.COOKIES.get("theme")])
    fragment = bool(request.htmx)
    if fragment and (unchanged := not_modified(request, etag)):
        return unchanged
    html, round_ = standings_fragment(shared, query)
    page |= {
        "standings": html,
        "nav_round": round_,
        "etag": etag,
        "query": request.GET.urlencode(),
    }
    page |= preview_below(page, _("Standings"), shared.line_of_leaders)
    if not fragment:
        page["digest"] = row.digest or digest_of_round(row, round_["number"] if round_ else 0)
    template = (
        "tournaments/standings/_live.html" if fragment else "tournaments/standings/standings.html"
    )
    response = render(request, template, page)
    response["ETag"] = etag
    patch_vary_headers(response, ["HX-Request"])
    return response


@require_safe
def picture(request: HttpRequest, slug: str, tournament: str) -> HttpResponseBase:
    row = seen_tournament(request, slug, tournament)
    language, now = language_of(request), timezone.now()
    report = request_standings_picture(row.event, version_of(row), language=language, at=now)
    return picture_response(report)


@cached_for_going_back
@require_safe
def why(request: HttpRequest, slug: str, tournament: str, entrant: int) -> HttpResponse:
    """Explain an entrant's place by its sum."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    state = page["shared"].state
    last = last_counted(state, directs=page["directs"])
    closed = last_closed(state, directs=page["directs"])
    after = min(_number(request, "after") or closed or last, last)
    key = f"e{entrant}"
    try:
        page["why"] = why_page(state, key, after)
    except KeyError as error:
        raise Http404 from error
    who, club, member = state.entrants[key], row.event.club, page["member"]
    page |= {
        "entrant": who,
        "players": [named_player(club, player, member=member) for player in who.players],
        "after": after,
        "of": sum(
            not each.house and each.section == page["why"]["standing"].section
            for each in state.competitors
        ),
        "hidden": hides(state) and not page["directs"],
    }
    standing = page["why"]["standing"]
    params = {"place": standing.place, "of": page["of"]}
    points = points_text(standing.points)
    page |= preview_below(
        page, who.shown_name, lambda: f"{_('Place %(place)s of %(of)s') % params} · {points}"
    )
    return render(request, "tournaments/standings/why.html", page)


def _number(request: HttpRequest, name: str) -> int | None:
    typed = request.GET.get(name, "")
    return int(typed) or None if typed.isdecimal() and len(typed) < 4 else None


@cached_for_going_back
@require_safe
def league(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Show the league of a season, from the tournaments that the visitor may see."""
    seasons = Season.objects.filter(club__in=Club.objects.seen_by(request.user), club__slug=slug)
    season = get_object_or_404(seasons.select_related("club"), pk=pk)
    in_its_time(season.club)
    reader = LeagueReader.of(role_in(request, season.club))
    page = {
        "club": season.club,
        "season": season,
        "reader": reader,
        "preview": club_page_preview(
            request,
            season.club,
            f"{_('League')} · {season.name}",
            _("Who leads the season of %(club)s, with the points of each evening."),
        ),
        "league": league_html(season, with_versions(tournaments_of(season, request.user)), reader),
    }
    if reader.member:
        page["asking"] = asking(Report.Kind.LEAGUE)
    if reader.directs:
        days = (season.starts_on, season.ends_on)
        page["outside"] = season.club.events.filter(season=None, held_on__range=days).count()
    return render(request, "tournaments/standings/league.html", page)


@require_POST
def document(request: HttpRequest, slug: str, pk: int) -> HttpResponse:
    """Request the league of a season as a document, for members."""
    club = members_club(request, slug)
    season = get_object_or_404(Season, club=club, pk=pk)
    parameters = {"season": season.pk, "season_name": season.name}
    return ask_for_members(request, Report.Kind.LEAGUE, club, parameters)
