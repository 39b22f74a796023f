"""Follow a game, and 304 to who has seen its sheet already."""

import json
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from hashlib import sha256
from itertools import groupby
from threading import Lock
from typing import Any

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.core.cache import caches
from django.core.paginator import Paginator
from django.http import Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404, redirect, render
from django.template.loader import render_to_string
from django.urls import Resolver404, ResolverMatch, resolve, reverse
from django.utils import translation
from django.utils.translation import get_language
from django.views.decorators.http import require_safe

from tournaments.engine.play.outcomes import FinishedGame, courses
from tournaments.models import Game, OpenTable, Seat
from tournaments.permissions import account_of, directs_club, in_its_time, seen_club
from tournaments.queries.evenings import Evening, evening_of, evening_text, finished_games
from tournaments.queries.players import players_found
from tournaments.queries.scoresheets import state_of
from tournaments.queries.sheets import (
    Sheet,
    load_sheet,
    load_sheets,
    rules_of,
    ruleset_of,
)
from tournaments.queries.versions import GameVersion, VersionCache, followed, mark_followed, written
from tournaments.services.games.tables import MatchSoFar
from tournaments.texts import labels
from tournaments.texts.labels import points_text
from tournaments.web.base.pages import (
    ANNOUNCED,
    HtmxRequest,
    access_link,
    cached_for_going_back,
    keep_for_going_back,
    not_modified,
    out_of_reach,
)
from tournaments.web.base.phone import (
    LinkPreview,
    address,
    address_on_phone,
    evening_address,
    evening_games_address,
    link_preview,
    picture_address,
    remember_game,
    scores,
    writes_games,
)
from tournaments.web.games.deals.forms import form_of
from tournaments.web.games.deals.sheets import SHAPES, SheetPage, draw_lines
from tournaments.web.games.starting import match_in, match_page
from tournaments.web.games.views import (
    confirm_own,
    etag_of,
    going_on,
    holder_of,
    number_in,
    people_of,
    question_of,
    reviews_to_show,
)
from tournaments.web.ratings.views import rated_part

ACCESS = {"follow": followed, "write": written}
"""The check of an address against a version, by the name of the route."""


NEVER_CACHED = "max-age=0, no-cache, no-store, must-revalidate, private"
"""The headers of `never_cache`, without computing them for each answer."""

MOST_PHONES = 4000
"""The size of the cache per process; keys are digests of path and cookies."""

LONGEST_PATH = 100
"""Paths of sheets have some fifty characters; longer ones would only fill the memory."""


class Etags:
    """The last ETag of each phone, valid until the version of its game changes."""

    def __init__(self) -> None:
        self.answered: dict[bytes, tuple[GameVersion, str]] = {}

    def of(self, request: HttpRequest, match: ResolverMatch, mark: GameVersion) -> str | None:
        """Return the ETag of the sheet at an address; None if it gives no access to the game."""
        sent = request.META.get
        sees = (request.path_info, sent("HTTP_COOKIE"), sent("HTTP_ACCEPT_LANGUAGE"))
        phone = sha256(repr(sees).encode()).digest()
        seen, etag = self.answered.get(phone, (None, None))
        if seen == mark:
            return etag
        public_id, secret = match.kwargs["public_id"], match.kwargs["secret"]
        etag = None
        if ACCESS[str(match.url_name)](mark, public_id, secret) is not None:
            with translation.override(translation.get_language_from_request(request)):
                etag = etag_of(request, public_id, mark)
        # Unknown addresses must not fill the memory.
        if etag is not None:
            if len(self.answered) >= MOST_PHONES:
                self.answered.clear()
            self.answered[phone] = mark, etag
        return etag


def answer_unchanged(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer a question for a sheet that needs no drawing; pass on all other requests."""
    watch, etags = VersionCache(settings.MARKS_KEPT_SECONDS), Etags()

    def middleware(request: HttpRequest) -> HttpResponseBase:
        return unchanged(request, watch, etags) or get_response(request)

    return middleware


def unchanged(request: HttpRequest, watch: VersionCache, etags: Etags) -> HttpResponse | None:
    """Return a 304, or the sheet as it was drawn for others; None if there is neither."""
    polls = {"HTTP_IF_NONE_MATCH", "HTTP_HX_REQUEST"} <= request.META.keys()
    if not polls or request.method != "GET" or len(request.path_info) > LONGEST_PATH:
        return None
    match = sheet_at(request.path_info)
    if match is None:
        return None
    public_id = match.kwargs["public_id"]
    # A stream has announced a change that this process may not have seen yet.
    news = request.META.get("HTTP_KINGSCORE_NEWS")
    mark = watch.mark(public_id) if news is None else watch.mark_announced(public_id, news)
    etag = None if mark is None else etags.of(request, match, mark)
    if not etag:
        return None
    if news is not None:
        request.META[ANNOUNCED] = mark
    response: HttpResponse | None = not_modified(request, etag)
    is_visitor = settings.SESSION_COOKIE_NAME not in request.COOKIES
    # A version without news may be older than the sheet that another process has sent.
    if response is None and news is not None and match.url_name == "follow" and is_visitor:
        drawn = caches["sheets"].get(etag)
        response = None if drawn is None else HttpResponse(drawn)
    if response is not None:
        response["ETag"], response["Cache-Control"] = etag, NEVER_CACHED
        # For the request metrics, which count by route.
        request.resolver_match = match
    return response


@lru_cache(maxsize=MOST_PHONES)
def sheet_at(path: str) -> ResolverMatch | None:
    """Return the route of a sheet's address; None for all others."""
    # Before all other routes are tried.
    if not path.startswith(("/follow/", "/play/")):
        return None
    try:
        match = resolve(path)
    except Resolver404:
        return None
    return match if match.url_name in ACCESS else None


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
    if unchanged := not_modified(request, etag):
        return unchanged
    if etag and account_of(request) is None and (drawn := caches["sheets"].get(etag)):
        return HttpResponse(drawn, headers={"ETag": etag})
    # Queried with the generation again, so that a link revoked meanwhile gives no access.
    rows = Game.objects.select_related(
        "table__round__event__tournament", "table__round__event__club", "open_table"
    )
    row = get_object_or_404(rows, public_id=public_id, follow_generation=mark.generation)
    if row.table is not None:
        in_its_time(row.table.round.event.club)
    # Before rendering, so that it covers no later change.
    etag = etag_of(request, public_id, mark.of(row))
    if request.htmx:
        response = HttpResponse(follow_fragment(request, row, etag), headers={"ETag": etag})
    else:
        page = follow_page(request, row) | asking(etag)
        page |= {
            "who": question_of(request, row, ruleset_of(row)),
            "handed_over": "handed-over" in request.GET,
            "closed": "closed" in request.GET,
            "changed": "changed" in request.GET,
            "preview": preview_of(request, row, page["sheet"]),
        }
        response = render(request, "tournaments/games/follow.html", page)
        if not writes_games(request):
            keep_for_going_back(request, response)
    remember_game(request, response, row, "follow")
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
        drawn: str | None = caches["sheets"].get(etag)
        if drawn is None:
            drawn = draw_fragment(request, row, etag)
            caches["sheets"].set(etag, drawn)
    return drawn


def draw_fragment(request: HttpRequest, row: Game, etag: str) -> str:
    """Return the sheet alone for one visitor."""
    page = follow_page(request, row) | asking(etag)
    return render_to_string("tournaments/games/_follow.html", page, request)


def follow_page(request: HttpRequest, row: Game) -> dict[str, Any]:
    sheet = load_sheet(row)
    holder = holder_of(request, row.players)
    return {
        "row": row,
        "sheet": SheetPage(sheet, reviews_to_show(sheet)),
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
    totals = " · ".join(
        f"{standing.name} {points_text(standing.total)}" for standing in sheet.standings
    )
    title = sheet.headline or " · ".join(row.players)
    picture = picture_address(row, wide=True)
    return link_preview(request, title, f"{sheet.occasion}: {totals}", picture)


def asking(etag: str) -> dict[str, Any]:
    """Return the headers with which the page asks for changes since `etag`."""
    # An explicit request header: otherwise the browser would turn the 304 into a 200.
    return {"headers": json.dumps({"If-None-Match": etag})}


def draw_evening(games: Sequence[FinishedGame], numbers: Sequence[int]) -> dict[str, Any] | None:
    """Return the points of each player after each row of all games; None before the first."""
    lines = courses(games)
    columns = sum(len(played.game.rows) for played in games)
    if not columns:
        return None
    ticks, begun = [], 0
    for played, number in zip(games, numbers, strict=True):
        rows = len(played.game.rows)
        ticks.append((begun + rows / 2, f"{number}."))
        begun += rows
    ends = [(name, [name], number % len(SHAPES)) for number, name in enumerate(lines)]
    return draw_lines(ends, list(lines.values()), columns, ticks)


@require_safe
def evening(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Lead to the game that is played; between games show the evening."""
    table, games = _table_at(public_id, secret)
    if games[-1].result is None:
        return redirect(address_on_phone(request, games[-1]))
    if table.public_id != public_id:
        return redirect(evening_address(table))
    return _show(request, table, games)


@require_safe
def evening_games(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """Show the evening, also while a game is played.

    The page polls with the number of the last game it shows; a new game leads there.
    """
    table, games = _table_at(public_id, secret)
    if table.public_id != public_id:
        # Two evenings were joined.
        there = evening_games_address(table)
        return HttpResponse(headers={"HX-Redirect": there}) if request.htmx else redirect(there)
    visible = number_in(request.GET, "from", 0)
    if request.htmx and 0 < visible < (games[-1].number or 0):
        return HttpResponse(headers={"HX-Redirect": address_on_phone(request, games[-1])})
    return _show(request, table, games)


@require_safe
def evening_as_text(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """Return the evening as plain text."""
    _table, games = _table_at(public_id, secret)
    text = evening_text(evening_of(load_sheets(games)))
    return HttpResponse(text, content_type="text/plain; charset=utf-8")


def _table_at(public_id: str, secret: str) -> tuple[OpenTable, Sequence[Game]]:
    """Return the open table at an address, and its games in order.

    Raises: Http404: the address is not valid.
    """
    table = get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    games = list(table.games.select_related("match").order_by("number"))
    if not games:
        raise Http404
    return table, games


def _show(request: HtmxRequest, table: OpenTable, games: Sequence[Game]) -> HttpResponse:
    seen = [
        table.public_id,
        [(row.public_id, row.revision, row.players) for row in games],
        get_language(),
        request.COOKIES.get("theme"),
        request.COOKIES.get("games"),
        staticfiles_storage.url("table.css"),
    ]
    etag = f'"{sha256(repr(seen).encode()).hexdigest()[:32]}"'
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
    played = evening_of(sheets)
    writes = scores(request, last.row) and last.row.table_id is None
    lines = [(line, address_on_phone(request, line.row)) for line in reversed(played.lines)]
    rematch = ""
    if writes and last.game.finished:
        rematch = reverse("rematch", args=[last.row.public_id, last.row.secret("write")])
    return {
        "table": table,
        "secret": table.secret(),
        "last": last.row,
        "evening": played,
        "lines": lines,
        "running": None if last.game.finished else lines[0],
        "rematch": rematch,
        "chart": draw_evening(games, played.numbers),
        "matches": list(_matches(sheets)),
        "preview": None if writes_games(request) else preview_of_evening(request, table, played),
        "share": access_link(request, evening_address(table)),
        "out_of_reach": out_of_reach(request),
    }


def preview_of_evening(
    request: HttpRequest, table: OpenTable, played: Evening
) -> LinkPreview | None:
    """Return what a chat shows of an evening, once a game is finished."""
    if not played.rows:
        return None
    points = " · ".join(f"{row.name} {row.points}" for row in played.rows)
    return link_preview(request, played.headline, f"{played.finished}: {points}")


def _matches(sheets: Sequence[Sheet]) -> Iterator[dict[str, Any]]:
    for match, games in groupby(sheets, key=lambda sheet: sheet.row.match):
        if match is not None:
            played = list(games)
            yield match_in(MatchSoFar(match, played), played[-1])


PAGE = 20


@cached_for_going_back
@require_safe
def club_games(request: HttpRequest, slug: str) -> HttpResponse:
    """List the games that the visitor may see, the last first, optionally of players by name."""
    club = seen_club(request, slug)
    rows = Game.objects.seen_by(request.user).filter(
        table__round__event__club=club, table__round__event__tournament__cancelled_at=None
    )
    query = request.GET.get("q", "").replace("\0", "").strip()
    if query:
        players = players_found(club, query, directs=directs_club(request, club))
        rows = rows.filter(pk__in=Seat.objects.filter(player__in=players).values("game"))
    rows = rows.select_related("table__round__event").order_by("-played_at", "-pk")
    part = Paginator(rows, PAGE).get_page(request.GET.get("page"))
    lines = [
        (row, labels.name_of(rules_of(row)), state_of(sheet.game, sheet.outcome, row.players))
        for row, sheet in zip(part.object_list, load_sheets(part.object_list), strict=True)
    ]
    page = {"club": club, "asked": query, "part": part, "lines": lines}
    return render(request, "tournaments/games/club_games.html", page)


@cached_for_going_back
@require_safe
def club_game(request: HttpRequest, slug: str, public_id: str) -> HttpResponse:
    """Show the sheet of a club's game to visitors who may see its evening."""
    seen = Game.objects.seen_by(request.user).select_related("table__round__event__club")
    row = get_object_or_404(seen, public_id=public_id, table__round__event__club__slug=slug)
    assert row.table is not None
    event = row.table.round.event
    in_its_time(event.club)
    page, directs = follow_page(request, row), directs_club(request, event.club)
    page |= {
        "club": event.club,
        "event": event,
        "table": row.table,
        "directs": directs,
        "write": address(row, "write"),
        "preview": None if directs else preview_of(request, row, page["sheet"]),
    }
    return render(request, "tournaments/games/club_game.html", page)
