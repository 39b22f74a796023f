"""Answers that are no pages: pictures, spreadsheets and streams."""

import csv
import io
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from threading import BoundedSemaphore
from typing import Any

from django.conf import settings
from django.http import FileResponse, Http404, HttpRequest, HttpResponse
from django.http.response import HttpResponseBase
from django.shortcuts import get_object_or_404
from django.urls import Resolver404, resolve
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from tournaments.models import Club, OpenTable, RatingPool, Report, Tournament
from tournaments.permissions import (
    directs_club,
    network_of,
    seen_event,
    seen_tournament,
    writable_game,
)
from tournaments.queries.documents import CONTENT_TYPES, file_name
from tournaments.queries.versions import mark_followed
from tournaments.reports.spreadsheets import unescape_formulas
from tournaments.services.imports.files import FileRefused, repack, unpack

LONGEST_WAIT = 3.0
"""Seconds for which a request waits for the worker."""

LOOK_EVERY = 0.1
RETRY_AFTER = 2

WAITING = BoundedSemaphore(2)
"""Few of the threads of a process wait for pictures; the others serve pages."""


def language_of(request: HttpRequest) -> str:
    """Return the language in the address: whoever fetches a preview has none of its own."""
    chosen = request.GET.get("language", "")
    return chosen if chosen in dict(settings.LANGUAGES) else get_language() or "en"


def picture_response(report: Report) -> HttpResponseBase:
    """Return a picture, waiting a moment for it; 503 with `Retry-After` while it is not there."""
    _wait(report)
    if report.state == Report.State.DONE:
        try:
            drawn = report.file.open("rb")
        except FileNotFoundError:
            pass
        else:
            kind = CONTENT_TYPES[Report.Format.PNG]
            return FileResponse(drawn, filename=file_name(report), content_type=kind)
    later = _("The picture is being drawn. Try again in a moment.")
    headers = {"Retry-After": str(RETRY_AFTER)}
    kind = "text/plain; charset=utf-8"
    return HttpResponse(later, status=503, content_type=kind, headers=headers)


def _wait(report: Report) -> None:
    """Wait until a report is built, unless too many requests wait already."""
    if not report.is_going or not WAITING.acquire(blocking=False):
        return
    try:
        deadline = time.monotonic() + LONGEST_WAIT
        while _still_going(report) and time.monotonic() < deadline:
            time.sleep(LOOK_EVERY)
    finally:
        WAITING.release()


def _still_going(report: Report) -> bool:
    report.refresh_from_db(fields=["state", "file"])
    return report.is_going


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a workbook: unpacked bytes, rows (also empty ones), columns.

    Extra columns are cut off; a workbook above another limit is refused.
    """

    unpacked: int
    rows: int
    columns: int


def is_workbook(content: bytes) -> bool:
    """Return whether a file is a workbook rather than a text.

    Raises: FileRefused: it is a workbook of the old format.
    """
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise FileRefused("xls")
    return content.startswith(b"PK\x03\x04")


def rows_of_workbook(content: bytes, bounds: Bounds) -> list[tuple[int, list[Any]]]:
    """Return the rows of the first sheet with their numbers, from 1.

    A formula has the value of the last save; an empty cell is an empty text.

    Raises: FileRefused: the workbook is damaged or above a limit.
    """
    # The import takes a tenth of the start of every program of the server, and is seldom needed.
    import openpyxl

    try:
        content = repack(unpack(content, bounds.unpacked))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_col=bounds.columns, values_only=True)
        rows = list(enumerate(islice(cells, bounds.rows + 1), start=1))
    except FileRefused:
        raise
    # openpyxl raises any exception for a damaged workbook.
    except Exception as error:
        raise FileRefused("xlsx") from error
    if len(rows) > bounds.rows:
        raise FileRefused("long")
    return [(number, [_value(value) for value in row]) for number, row in rows]


def _value(value: Any) -> Any:
    if value is None:
        return ""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def decoded(content: bytes, windows: Sequence[str] = ("cp1254",)) -> str:
    """Return the text of a file: Unicode if it says or looks so, else a Windows code page.

    Raises: FileRefused: it is not a text.
    """
    odd, even = content[1::2].count(0), content[::2].count(0)
    ways: Sequence[str] = ("utf-8-sig", *windows)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        ways = ["utf-16"]
    elif odd + even > len(content) // 4:
        # UTF-16 without a mark at its begin.
        ways = ["utf-16-le" if odd > even else "utf-16-be"]
    for way in ways:
        try:
            text = content.decode(way)
        except UnicodeDecodeError:
            continue
        # A picture or a PDF, decoded as text.
        if "\0" not in text:
            return text
    raise FileRefused("text")


def rows_of_text(text: str, delimiter: str, skipped: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a text without its first lines, with their numbers from 1.

    Values escaped by `Values` are unescaped.

    Raises: FileRefused: it is not a table.
    """
    # If the number of quotes is odd, they are part of names.
    reader = csv.reader(
        text.splitlines(keepends=True)[skipped:],
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if text.count('"') % 2 else csv.QUOTE_MINIMAL,
    )
    try:
        for cells in reader:
            yield reader.line_num + skipped, [unescape_formulas(cell) for cell in cells]
    except csv.Error as error:
        raise FileRefused("text") from error


TOPIC, NETWORK = "Kingscore-Topic", "Kingscore-Network"
"""Headers for the server, which no client gets to see."""


@require_GET
def stream(request: HttpRequest, page: str) -> HttpResponse:
    """Return the topic of a page as a header, for those who may see the page."""
    try:
        match = resolve(f"/{page}")
        topic = TOPICS[str(match.url_name)](request, **match.kwargs)
    except (Resolver404, KeyError) as error:
        raise Http404 from error
    return HttpResponse(status=204, headers={TOPIC: topic, NETWORK: network_of(request)})


def _followed(_request: HttpRequest, public_id: str, secret: str) -> str:
    if mark_followed(public_id, secret) is None:
        raise Http404
    return f"game {public_id}"


def _written(request: HttpRequest, public_id: str, secret: str) -> str:
    if not writable_game(request, public_id, secret).exists():
        raise Http404
    return f"game {public_id}"


def _evening(_request: HttpRequest, public_id: str, secret: str) -> str:
    table = get_object_or_404(OpenTable.objects.readable_at(public_id, secret))
    return f"evening {table.public_id}"


def _event(request: HttpRequest, slug: str, public_id: str) -> str:
    return f"club {seen_event(request, slug, public_id).club_id}"


def _tournament(request: HttpRequest, slug: str, tournament: str) -> str:
    row = seen_tournament(request, slug, tournament)
    return _strip(request, row) or f"club {row.event.club_id}"


def _round(request: HttpRequest, slug: str, tournament: str, number: int = 0) -> str:
    return f"round {seen_tournament(request, slug, tournament).event.club_id}"


def _standings(request: HttpRequest, slug: str, tournament: str) -> str:
    row = seen_tournament(request, slug, tournament)
    return _strip(request, row) or f"standings {row.pk}"


def _strip(request: HttpRequest, row: Tournament) -> str:
    """Return the topic of the strip that directors have on top; empty for all others."""
    club = row.event.club
    return f"round {club.pk}" if directs_club(request, club) else ""


def _club_ratings(request: HttpRequest, slug: str) -> str:
    pools = RatingPool.objects.seen_by(request.user).filter(club__slug=slug)
    club = pools.values_list("club", flat=True).first()
    if club is None:
        club = get_object_or_404(Club.objects.of_member(request.user), slug=slug).pk
    return f"ratings {club}"


TOPICS: Mapping[str, Callable[..., str]] = {
    "follow": _followed,
    "write": _written,
    "evening": _evening,
    "evening_games": _evening,
    "event": _event,
    "tournament": _tournament,
    "running": _round,
    "live_board": _round,
    "wall": _tournament,
    "standings": _standings,
    "club_ratings": _club_ratings,
    "server_ratings": lambda _request: "ratings 0",
}
"""The check of a page, which returns its topic, by the name of its route."""
