"""The standings of a tournament, and why somebody stands where they stand."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.cache import get_conditional_response, patch_vary_headers
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.queries.tournaments import load_course
from tournaments.telling.standings import hides, last_counted
from tournaments.visitors import seen_tournament
from tournaments.web.events.view import tag_of
from tournaments.web.standings.view import (
    Asked,
    standings_shown,
    version_of,
)
from tournaments.web.standings.why_view import why_page
from tournaments.web.tournaments.pages import page_of


@never_cache
@require_safe
def standings(request: HttpRequest, slug: str, tournament: str) -> HttpResponse:
    """The standings as they are, or after a round, or of one; the page looks again by itself."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    asked = Asked(page["directs"], _number(request, "after"), _number(request, "only"))
    version = version_of(row)
    etag = tag_of([version, asked, get_language(), request.COOKIES.get("theme")])
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    if fragment:
        unchanged = get_conditional_response(request, etag=etag)
        if unchanged is not None:
            return unchanged
    shown = standings_shown(row, asked, version)
    page |= {
        "standings": shown.html,
        "nav_round": shown.round,
        "etag": etag,
        "query": request.GET.urlencode(),
    }
    template = "tournaments/_standings_live.html" if fragment else "tournaments/standings.html"
    response = render(request, template, page)
    response["ETag"] = etag
    patch_vary_headers(response, ["HX-Request"])
    return response


@never_cache
@require_safe
def why(request: HttpRequest, slug: str, tournament: str, number: int) -> HttpResponse:
    """Why an entrant stands where they stand: the sum, opened."""
    row = seen_tournament(request, slug, tournament)
    page = page_of(request, row)
    course = load_course(row)
    after = last_counted(course, directs=page["directs"])
    key = f"e{number}"
    try:
        page["why"] = why_page(course, key, after)
    except KeyError as error:
        raise Http404 from error
    page |= {
        "entrant": course.entrants[key],
        "of": len([each for each in course.competitors if not each.house]),
        "hidden": hides(course) and not page["directs"],
    }
    return render(request, "tournaments/why.html", page)


def _number(request: HttpRequest, name: str) -> int | None:
    asked = request.GET.get(name, "")
    return int(asked) or None if asked.isdecimal() and len(asked) < 4 else None
