"""The sheet of a game for those who look on while it grows."""

import json
from typing import Any

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.utils.cache import get_conditional_response
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import words
from tournaments.models import Game
from tournaments.queries.marks import Mark, mark_followed
from tournaments.queries.sheets import load_sheet
from tournaments.visitors import account_of
from tournaments.web.deals.sheet_view import sheet_page
from tournaments.web.phone import remember_game
from tournaments.web.ratings.predictions import rated_game
from tournaments.web.scoring.confirm_view import confirm_own
from tournaments.web.scoring.pages import etag_of, form_of, holder_of
from tournaments.web.tables.matches import match_page


@never_cache
@require_safe
def follow(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """The sheet of a game, to be watched while it grows.

    The page asks every two seconds, and is answered 304 before anything is loaded. Events
    pushed by the server would hold one of its few threads for each phone that looks on.
    """
    mark = mark_followed(public_id, secret)
    if mark is None:
        raise Http404
    fragment = bool(request.htmx)  # type: ignore[attr-defined]
    unchanged = get_conditional_response(
        request, etag=etag_of(request, public_id, mark, fragment=fragment)
    )
    if unchanged is not None:
        return unchanged
    # Asked for with the generation again, so that an address revoked meanwhile opens nothing.
    row = get_object_or_404(Game, public_id=public_id, follow_generation=mark.generation)
    response = follow_as_of(mark.of(row), request, row)
    remember_game(request, response, row, "follow")
    return response


def follow_as_of(mark: Mark, request: HttpRequest, row: Game) -> HttpResponse:
    """The sheet or the page around it, with the ETag of what was there before it is drawn."""
    seen = etag_of(request, row.public_id, mark, fragment=True)
    if request.htmx:  # type: ignore[attr-defined]
        response = HttpResponse(follow_fragment(request, row, seen))
        response["ETag"] = seen
    else:
        response = follow_whole(request, row, seen)
        response["ETag"] = etag_of(request, row.public_id, mark, fragment=False)
    return response


def follow_fragment(request: HttpRequest, row: Game, etag: str) -> str:
    """The sheet alone: while the game goes on, what one was shown is shown to all who ask alike.

    Of a match, and of a game that is over, it depends on who looks what is to be seen.
    """
    alike = row.match_id is None and row.result is None and account_of(request) is None
    shown: str | None = caches["sheets"].get(etag) if alike else None
    if shown is None:
        page = follow_page(request, row) | _asking(etag)
        shown = render_to_string("tournaments/_follow.html", page, request)
        if alike:
            caches["sheets"].set(etag, shown)
    return shown


def follow_whole(request: HttpRequest, row: Game, etag: str) -> HttpResponse:
    """The page around it, as it is loaded first; `etag` is that of the sheet alone."""
    page = follow_page(request, row) | {
        **_asking(etag),
        "handed_over": "handed-over" in request.GET,
        "closed": "closed" in request.GET,
        "changed": "changed" in request.GET,
    }
    return render(request, "tournaments/follow.html", page)


def follow_page(request: HttpRequest, row: Game) -> dict[str, Any]:
    """What the page of a game shows to those who look on."""
    sheet = load_sheet(row)
    return {
        "row": row,
        "sheet": sheet_page(sheet),
        "form": form_of(sheet, holder_of(request, row.players)),
        "ruleset": words.ruleset_name(row.ruleset),
        "match": match_page(request, sheet),
        "confirm": confirm_own(request, sheet),
        "rated": rated_game(request, sheet),
        "secret": row.secret("follow"),
    }


def _asking(etag: str) -> dict[str, Any]:
    """How the page asks whether the sheet has grown."""
    # Asked for by name: left to itself the browser would turn the 304 into a 200.
    return {"headers": json.dumps({"If-None-Match": etag})}
