"""All sheets of an event, or of one of its rounds: a page for each game, with bookmarks."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urljoin

from django.urls import reverse
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from tournaments.models import Event, Game, Report
from tournaments.models.games import GameQuerySet
from tournaments.queries.games.sheets import Sheet, load_sheets
from tournaments.reports.binding import Bookmark
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.round_seats import event_of, round_of
from tournaments.reports.scoresheet import compose_scoresheet
from tournaments.reports.typesetting import printable
from tournaments.reports.volumes import Chapter, Volume
from tournaments.texts.rounds import round_name

READ_AT_ONCE = 100
"""Games read at once; all of them would take a lot of memory."""

SET_AT_ONCE = 25
"""Sheets typeset at once, at 3 MB each; fewer would be slower in total."""


@dataclass(frozen=True, slots=True)
class PrintedSheet:
    """The page of a game: its data as JSON, and its place in the document."""

    json: bytes
    round_name: str
    title: str


def sheets_pages(report: Report, progress: OnProgress) -> Content:
    """Return the sheets as a PDF.

    Raises:
        ValueError: there are none.
    """
    pages = list(sheet_pages(report, progress))
    if not pages:
        raise ValueError("there are no sheets")
    return Volume(sheet_chapters(pages, report))


def sheets_records(report: Report, progress: OnProgress) -> Content:
    """Return the games as `kingscore-game/1` documents, in one list."""
    records = (
        json.dumps(sheet.record, ensure_ascii=False) for sheet in sheets_of(report, progress)
    )
    return JsonRecords([record.encode() for record in records])


@dataclass(frozen=True, slots=True)
class JsonRecords:
    """Documents, each already JSON, as one list."""

    records: Sequence[bytes]

    def pieces(self) -> Iterator[bytes]:
        yield from self.records

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(b"[\n" + b",\n".join(self.records) + b"\n]\n")


def sheets_of(report: Report, progress: OnProgress) -> Iterator[Sheet]:
    """Yield the sheets of a report, by rounds and tables (4 queries for each hundred)."""
    keys = list(games_of(report).values_list("pk", flat=True))
    progress(Report.Step.READING, 0, len(keys))
    for done in range(0, len(keys), READ_AT_ONCE):
        rows = _in_order(Game.objects.filter(pk__in=keys[done : done + READ_AT_ONCE]))
        for index, sheet in enumerate(load_sheets(rows.select_related("table__round")), done + 1):
            yield sheet
            progress(Report.Step.READING, index, len(keys))


def games_of(report: Report) -> GameQuerySet:
    """Filter to the games of the event or its round that the readers may see."""
    event = event_of(report)
    games = _in_order(Game.objects.filter(table__round__event=event))
    if "round" in report.parameters:
        games = games.filter(table__round=round_of(report))
    if report.audience == Report.Audience.DIRECTORS or not hasattr(event, "tournament"):
        return games
    games = games.filter(table__round__published_at__isnull=False)
    return games.results_visible_to(None)


def _in_order(games: GameQuerySet) -> GameQuerySet:
    return games.order_by("table__round__number", "table__number", "pk")


# The pages.


def sheet_pages(report: Report, progress: OnProgress) -> Iterator[PrintedSheet]:
    """Yield the pages of the sheets of a report."""
    host = str(report.parameters.get("host", ""))
    for sheet in sheets_of(report, progress):
        row = sheet.row
        data = compose_scoresheet(sheet.record, _follow_url(host, row), where_of(row), sheet.game)
        yield PrintedSheet(
            json.dumps(printable(data)).encode(),
            round_name(_table(sheet.row).round),
            _page_title(sheet.row),
        )


def where_of(game: Game) -> str:
    table = _table(game)
    return f"{round_name(table.round)} · {_table_title(game)}"


def _page_title(game: Game) -> str:
    return f"{_table_title(game)}: {', '.join(game.players)}"


def _table_title(game: Game) -> str:
    title = _("Table %(number)s") % {"number": _table(game).number}
    return f"{title} ({game.match_number})" if (game.match_number or 1) > 1 else title


def _table(game: Game) -> Any:
    return game.table


def _follow_url(host: str, game: Game) -> str:
    if not host:
        return ""
    return urljoin(host, reverse("follow", args=[game.public_id, game.secret("follow")]))


def sheet_chapters(pages: Sequence[PrintedSheet], report: Report, level: int = 1) -> list[Chapter]:
    """Return the pages as chapters, with bookmarks for rounds (from `level` on) and tables."""
    head = json.dumps(printable(_head(report, event_of(report)))).encode()
    chapters, last = [], ""
    for start in range(0, len(pages), SET_AT_ONCE):
        batch = pages[start : start + SET_AT_ONCE]
        marks = []
        for number, page in enumerate(batch, 1):
            if page.round_name != last:
                marks.append(Bookmark(page.round_name, number, level))
                last = page.round_name
            marks.append(Bookmark(page.title, number, level + 1))
        chapters.append(Chapter("sheets.typ", _joined(head, batch), len(batch), marks))
    return chapters


def _joined(head: bytes, pages: Iterable[PrintedSheet]) -> bytes:
    return head[:-1] + b', "sheets": [' + b", ".join(page.json for page in pages) + b"]}"


def _head(report: Report, event: Event) -> dict[str, Any]:
    what = round_name(round_of(report)) if "round" in report.parameters else _("All scoresheets")
    return {
        "language": get_language(),
        "title": f"{event.name}: {what}",
        "description": f"{event.name}, {_('All scoresheets')}",
        "paper": event.club.paper,
    }
