"""The sheet of a game for followers."""

import json
from threading import Lock
from typing import Any

from django.core.cache import caches
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.template.loader import render_to_string
from django.views.decorators.http import require_safe

from tournaments.models import Game
from tournaments.permissions import account_of
from tournaments.queries.games.sheets import load_sheet, ruleset_of
from tournaments.queries.games.versions import GameVersion, mark_followed
from tournaments.texts import labels
from tournaments.texts.labels import points_text
from tournaments.web.base.going_back import keep_for_going_back
from tournaments.web.base.htmx import ANNOUNCED, HtmxRequest, not_modified
from tournaments.web.base.link_preview import LinkPreview, link_preview
from tournaments.web.base.phone import picture_address, remember_game, writes_games
from tournaments.web.games.confirm_view import confirm_own, reviews_to_show
from tournaments.web.games.deals.sheet_view import SheetPage, sheet_page
from tournaments.web.games.going_on import going_on
from tournaments.web.games.matches import match_page
from tournaments.web.games.pages import etag_of, form_of, holder_of, people_of
from tournaments.web.games.who import question_of
from tournaments.web.ratings.predictions import rated_part

DRAWING = tuple(Lock() for _ in range(32))


@require_safe
def follow(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the sheet of a game to followers.

    The page asks when a stream tells it of a change. Without one it polls every two seconds, and
    gets a 304 before anything is loaded.
    """
    mark = request.META.get(ANNOUNCED) or mark_followed(public_id, secret)
    if mark is None:
        raise Http404
    # The whole page is rendered each time; only polling phones send this.
    etag = etag_of(request, public_id, mark) if request.htmx else None
    unchanged = not_modified(request, etag)
    if unchanged is not None:
        return unchanged
    if etag and account_of(request) is None and (drawn := caches["sheets"].get(etag)):
        return HttpResponse(drawn, headers={"ETag": etag})
    # Queried with the generation again, so that a link revoked meanwhile gives no access.
    rows = Game.objects.select_related("table__round__event__tournament", "open_table")
    row = get_object_or_404(rows, public_id=public_id, follow_generation=mark.generation)
    response = follow_as_of(mark.of(row), request, row)
    remember_game(request, response, row, "follow")
    return response


def follow_as_of(mark: GameVersion, request: HtmxRequest, row: Game) -> HttpResponse:
    """Return the sheet or the whole page, with an ETag computed before rendering."""
    seen = etag_of(request, row.public_id, mark)
    if request.htmx:
        drawn = follow_fragment(request, row, seen)
        response = HttpResponse(drawn, headers={"ETag": seen})
    else:
        response = follow_whole(request, row, seen)
        if not writes_games(request):
            keep_for_going_back(request, response)
    return response


def follow_fragment(request: HttpRequest, row: Game, etag: str) -> str:
    """Return the sheet alone, cached for all followers with the same ETag while the game runs.

    For a match, and for a finished game, it depends on the visitor and is not cached.
    """
    alike = row.match_id is None and row.result is None and account_of(request) is None
    if not alike:
        return draw_fragment(request, row, etag)
    # All followers hear of a deal at the same moment: one draws it, the others wait.
    with DRAWING[hash(etag) % len(DRAWING)]:
        shown: str | None = caches["sheets"].get(etag)
        if shown is None:
            shown = draw_fragment(request, row, etag)
            caches["sheets"].set(etag, shown)
    return shown


def draw_fragment(request: HttpRequest, row: Game, etag: str) -> str:
    """Return the sheet alone for one visitor."""
    page = follow_page(request, row) | asking(etag)
    return render_to_string("tournaments/games/_follow.html", page, request)


def follow_whole(request: HttpRequest, row: Game, etag: str) -> HttpResponse:
    """Return the whole page of the first request; `etag` is that of the sheet alone."""
    page = follow_page(request, row)
    page |= {
        **asking(etag),
        "who": question_of(request, row, ruleset_of(row)),
        "handed_over": "handed-over" in request.GET,
        "closed": "closed" in request.GET,
        "changed": "changed" in request.GET,
        "preview": preview_of(request, row, page["sheet"]),
    }
    return render(request, "tournaments/games/follow.html", page)


def follow_page(request: HttpRequest, row: Game) -> dict[str, Any]:
    """Return the context of a game's page for followers."""
    sheet = load_sheet(row)
    holder = holder_of(request, row.players)
    return {
        "row": row,
        "sheet": sheet_page(sheet, reviews_to_show(sheet)),
        "form": form_of(sheet, holder),
        "people": people_of(row, sheet.game.ruleset, holder),
        "ruleset": labels.ruleset_name(row.ruleset),
        "match": match_page(sheet),
        "goes_on": going_on(request, row, "follow") if sheet.game.finished else None,
        "confirm": confirm_own(request, sheet),
        "rated": rated_part(request, sheet),
        "secret": row.secret("follow"),
        "picture": picture_address(row),
    }


def preview_of(request: HttpRequest, row: Game, sheet: SheetPage) -> LinkPreview:
    """Return what a chat shows of a game: who won, or who plays, and the totals."""
    totals = " · ".join(f"{each.name} {points_text(each.total)}" for each in sheet.standings)
    title = sheet.headline or " · ".join(row.players)
    picture = picture_address(row, wide=True)
    return link_preview(request, title, f"{sheet.occasion}: {totals}", picture)


def asking(etag: str) -> dict[str, Any]:
    """Return the headers with which the page asks for changes since `etag`."""
    # An explicit request header: otherwise the browser would turn the 304 into a 200.
    return {"headers": json.dumps({"If-None-Match": etag})}
