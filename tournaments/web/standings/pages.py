"""The standings of a tournament, and the explanation of a place."""

from collections.abc import Callable
from functools import partial

from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import render
from django.utils import timezone
from django.utils.cache import patch_vary_headers
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Tournament
from tournaments.permissions import seen_tournament
from tournaments.presenters.people.players import named_player
from tournaments.presenters.standings.standings import hides, last_closed, last_counted
from tournaments.queries.digests import digest_of_round
from tournaments.queries.tournaments.state import TournamentState, settings_of
from tournaments.queries.tournaments.steps import version_of
from tournaments.services.documents.reporting import request_standings_picture
from tournaments.texts.labels import points_text
from tournaments.web.base.going_back import kept_for_going_back
from tournaments.web.base.htmx import HtmxRequest, not_modified, tag_of
from tournaments.web.base.pictures import language_of, picture_response
from tournaments.web.standings.view import (
    StandingsQuery,
    standings_shown,
)
from tournaments.web.standings.why_view import why_page
from tournaments.web.tournaments.leaders import leaders_of
from tournaments.web.tournaments.pages import page_of, preview_below
from tournaments.web.tournaments.texts import state_name


@kept_for_going_back
@require_safe
def standings(request: HtmxRequest, slug: str, tournament: str) -> HttpResponse:
    """Show the standings after the last closed round, after another, or of one; the page polls."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    section = request.GET.get("section", "")
    asked = StandingsQuery(
        page["directs"],
        _number(request, "after"),
        _number(request, "only"),
        section if section in settings_of(row).section_names else "",
    )
    version = version_of(row)
    etag = tag_of([version, asked, get_language(), request.COOKIES.get("theme")])
    fragment = bool(request.htmx)
    if fragment:
        unchanged = not_modified(request, etag)
        if unchanged is not None:
            return unchanged
    shown = standings_shown(row, asked, version)
    page |= {
        "standings": shown.html,
        "nav_round": shown.round,
        "etag": etag,
        "query": request.GET.urlencode(),
    }
    page |= preview_below(page, _("Standings"), partial(_line, row, page["load_state"]))
    if not fragment:
        number = shown.round.number if shown.round else 0
        page["digest"] = row.digest or digest_of_round(row, number)
    template = (
        "tournaments/standings/_live.html" if fragment else "tournaments/standings/standings.html"
    )
    response = render(request, template, page)
    response["ETag"] = etag
    patch_vary_headers(response, ["HX-Request"])
    return response


def _line(row: Tournament, load: Callable[[], TournamentState]) -> str:
    parts = [row.event.club.name, str(state_name(row.state)), leaders_of(row, load)]
    return " · ".join(filter(None, parts))


@never_cache
@require_safe
def picture(request: HttpRequest, slug: str, tournament: str) -> HttpResponseBase:
    """Return the picture of the standings for the preview of a link."""
    row = seen_tournament(request, slug, tournament)
    language, now = language_of(request), timezone.now()
    asked = request_standings_picture(row.event, version_of(row), language=language, at=now)
    return picture_response(asked)


@kept_for_going_back
@require_safe
def why(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Explain an entrant's place by its sum."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    state = page["load_state"]()
    last = last_counted(state, directs=page["directs"])
    closed = last_closed(state, directs=page["directs"])
    after = min(_number(request, "after") or closed or last, last)
    key = f"e{number}"
    try:
        page["why"] = why_page(state, key, after)
    except KeyError as error:
        raise Http404 from error
    entrant, club, member = state.entrants[key], row.event.club, page["member"]
    page |= {
        "entrant": entrant,
        "players": [named_player(club, each, member=member) for each in entrant.players],
        "after": after,
        "of": sum(
            not each.house and each.section == page["why"].standing.section
            for each in state.competitors
        ),
        "hidden": hides(state) and not page["directs"],
    }
    said = {"place": page["why"].standing.place, "of": page["of"]}
    points = points_text(page["why"].standing.points)
    page |= preview_below(
        page, entrant.shown_name, lambda: f"{_('Place %(place)s of %(of)s') % said} · {points}"
    )
    return render(request, "tournaments/standings/why.html", page)


def _number(request: HttpRequest, name: str) -> int | None:
    asked = request.GET.get(name, "")
    return int(asked) or None if asked.isdecimal() and len(asked) < 4 else None
