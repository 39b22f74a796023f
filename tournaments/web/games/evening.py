"""The evening of an open table: its games, and the way to the one that is played."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from typing import Any

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.translation import get_language
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Game, OpenTable
from tournaments.presenters.games.evenings import Evening, evening_of, evening_text, finished_games
from tournaments.queries.games.sheets import Sheet, load_sheets
from tournaments.services.games.tables import MatchSoFar
from tournaments.web.base.access_links import access_link, out_of_reach
from tournaments.web.base.going_back import keep_for_going_back
from tournaments.web.base.htmx import HtmxRequest, not_modified
from tournaments.web.base.link_preview import LinkPreview, as_of, link_preview
from tournaments.web.base.phone import address_on_phone, evening_address, scores, writes_games
from tournaments.web.games.evening_chart import draw_evening
from tournaments.web.games.following import asking
from tournaments.web.games.matches import MatchPage, match_in
from tournaments.web.games.pages import number_in


@require_safe
def evening(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Lead to the game that is played; between games show the evening."""
    table, games = _table_at(public_id, secret)
    if games[-1].result is None:
        return redirect(address_on_phone(request, games[-1]))
    return _show(request, table, games)


@require_safe
def evening_games(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the evening, also while a game is played.

    The page polls with the number of the last game it shows; a new game leads there.
    """
    table, games = _table_at(public_id, secret)
    shown = number_in(request.GET, "from", 0)
    if request.htmx and 0 < shown < (games[-1].number or 0):
        return HttpResponse(headers={"HX-Redirect": address_on_phone(request, games[-1])})
    return _show(request, table, games)


@never_cache
@require_safe
def evening_as_text(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Return the evening as plain text."""
    _table, games = _table_at(public_id, secret)
    text = evening_text(evening_of(load_sheets(games)))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _table_at(public_id: str, secret: str) -> tuple[OpenTable, Sequence[Game]]:
    """Return the open table at an address, and its games in order.

    Raises:
        Http404: the address is not valid.
    """
    table = get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    games = list(table.games.select_related("match").order_by("number"))
    if not games:
        raise Http404
    return table, games


def _show(request: HtmxRequest, table: OpenTable, games: Sequence[Game]) -> HttpResponse:
    etag = _etag(request, table, games)
    response = not_modified(request, etag) if request.htmx else None
    if response is None:
        page = _page(request, table, load_sheets(games)) | asking(etag)
        name = "_evening" if request.htmx else "evening"
        response = render(request, f"tournaments/games/{name}.html", page)
    response["ETag"] = etag
    if not writes_games(request):
        keep_for_going_back(request, response)
    return response


def _page(request: HttpRequest, table: OpenTable, sheets: Sequence[Sheet]) -> dict[str, Any]:
    last, games = sheets[-1], finished_games(sheets)
    shown = evening_of(sheets)
    writes = scores(request, last.row) and last.row.table_id is None
    lines = [(line, address_on_phone(request, line.row)) for line in reversed(shown.lines)]
    return {
        "table": table,
        "secret": table.secret(),
        "last": last.row,
        "evening": shown,
        "lines": lines,
        "running": None if last.game.finished else lines[0],
        "rematch": _rematch_address(last.row) if writes and last.game.finished else "",
        "chart": draw_evening(games, shown.numbers),
        "matches": list(_matches(sheets)),
        "preview": None if writes_games(request) else preview_of(request, table, shown),
        "share": access_link(request, evening_address(table)),
        "out_of_reach": out_of_reach(request),
    }


def preview_of(request: HttpRequest, table: OpenTable, shown: Evening) -> LinkPreview | None:
    """Return what a chat shows of an evening, once a game is finished."""
    if not shown.rows:
        return None
    points = " · ".join(f"{row.name} {row.points}" for row in shown.rows)
    path = reverse("evening_picture", args=[table.public_id, table.secret()])
    version = sum(line.row.revision for line in shown.lines)
    line = f"{shown.finished}: {points}"
    return link_preview(request, shown.headline, line, as_of(path, version))


def _rematch_address(row: Game) -> str:
    return reverse("rematch", args=[row.public_id, row.secret("write")])


def _matches(sheets: Sequence[Sheet]) -> Iterator[MatchPage]:
    """Yield the matches of the evening, after their last games."""
    for match, games in groupby(sheets, key=lambda sheet: sheet.row.match):
        if match is not None:
            played = list(games)
            yield match_in(MatchSoFar(match, played), played[-1])


def _etag(request: HttpRequest, table: OpenTable, games: Sequence[Game]) -> str:
    seen = [
        table.public_id,
        [(row.public_id, row.revision, row.players) for row in games],
        get_language(),
        request.COOKIES.get("theme"),
        request.COOKIES.get("games"),
        staticfiles_storage.url("table.css"),
    ]
    return f'"{sha256(repr(seen).encode()).hexdigest()[:32]}"'
