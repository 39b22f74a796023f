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
from tournaments.models.play import GameQuerySet
from tournaments.queries.sheets import Sheet, load_sheets
from tournaments.queries.tournaments import load_course
from tournaments.reports.binding import Bookmark
from tournaments.reports.contents import Content, Told
from tournaments.reports.round_seats import event_of, round_of, round_title
from tournaments.reports.scoresheet import compose_scoresheet
from tournaments.reports.typesetting import printable
from tournaments.reports.volumes import Chapter, Volume
from tournaments.telling.standings import hides

READ_AT_ONCE = 100
"""So many games are read at once; all of them would take a lot of memory."""

SET_AT_ONCE = 25
"""So many sheets are set at once, each in 3 MB; fewer would be slower together."""


@dataclass(frozen=True, slots=True)
class SheetPage:
    """The page of a game: what stands on it, as JSON, and where it is found."""

    json: bytes
    round_title: str
    title: str


def sheets_pages(report: Report, told: Told) -> Content:
    """The sheets as a PDF.

    Raises:
        ValueError: there are none.
    """
    pages = list(sheet_pages(report, told))
    if not pages:
        raise ValueError("there are no sheets")
    return Volume(sheet_chapters(pages, report))


def sheets_records(report: Report, told: Told) -> Content:
    """The games as `kingscore-game/1` documents, in one list."""
    records = (json.dumps(sheet.record, ensure_ascii=False) for sheet in sheets_of(report, told))
    return Records([record.encode() for record in records])


@dataclass(frozen=True, slots=True)
class Records:
    """Documents, each as JSON already, as one list."""

    records: Sequence[bytes]

    def pieces(self) -> Iterator[bytes]:
        """The documents."""
        yield from self.records

    def write(self, path: Path, told: Told) -> None:
        """Make the file: a document a line."""
        told(Report.Step.SETTING)
        path.write_bytes(b"[\n" + b",\n".join(self.records) + b"\n]\n")


def sheets_of(report: Report, told: Told) -> Iterator[Sheet]:
    """The sheets that a report tells of, by rounds and tables (4 queries for each hundred)."""
    keys = list(games_of(report).values_list("pk", flat=True))
    told(Report.Step.READING, 0, len(keys))
    for done in range(0, len(keys), READ_AT_ONCE):
        rows = _in_order(Game.objects.filter(pk__in=keys[done : done + READ_AT_ONCE]))
        for index, sheet in enumerate(load_sheets(rows.select_related("table__round")), done + 1):
            yield sheet
            told(Report.Step.READING, index, len(keys))


def games_of(report: Report) -> GameQuerySet:
    """The games of the event or its round, as far as the readers may see them."""
    event = event_of(report)
    games = _in_order(Game.objects.filter(table__round__event=event))
    if "round" in report.parameters:
        games = games.filter(table__round=round_of(report))
    if report.audience == Report.Audience.DIRECTORS or not hasattr(event, "tournament"):
        return games
    games = games.filter(table__round__published_at__isnull=False)
    course = load_course(event.tournament)
    if hides(course):
        # Who adds up the sheets of the last round has the standings that are to be a surprise.
        games = games.exclude(table__round=course.drawn[-1].row)
    return games


def _in_order(games: GameQuerySet) -> GameQuerySet:
    return games.order_by("table__round__number", "table__number", "pk")


# The pages.


def sheet_pages(report: Report, told: Told) -> Iterator[SheetPage]:
    """The pages of the sheets that a report tells of."""
    host = str(report.parameters.get("host", ""))
    for sheet in sheets_of(report, told):
        row = sheet.row
        data = compose_scoresheet(sheet.record, _follow_url(host, row), where_of(row), sheet.game)
        yield SheetPage(
            json.dumps(printable(data)).encode(),
            round_title(_table(sheet.row).round),
            _page_title(sheet.row),
        )


def where_of(game: Game) -> str:
    """The round and table of a game of an event."""
    table = _table(game)
    return f"{round_title(table.round)} · {_table_title(game)}"


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


def sheet_chapters(pages: Sequence[SheetPage], report: Report, level: int = 1) -> list[Chapter]:
    """The pages in chapters, with bookmarks for the rounds from `level` on and their tables."""
    head = json.dumps(printable(_head(report, event_of(report)))).encode()
    chapters, last = [], ""
    for start in range(0, len(pages), SET_AT_ONCE):
        heap = pages[start : start + SET_AT_ONCE]
        marks = []
        for number, page in enumerate(heap, 1):
            if page.round_title != last:
                marks.append(Bookmark(page.round_title, number, level))
                last = page.round_title
            marks.append(Bookmark(page.title, number, level + 1))
        chapters.append(Chapter("sheets.typ", _joined(head, heap), len(heap), marks))
    return chapters


def _joined(head: bytes, pages: Iterable[SheetPage]) -> bytes:
    return head[:-1] + b', "sheets": [' + b", ".join(page.json for page in pages) + b"]}"


def _head(report: Report, event: Event) -> dict[str, Any]:
    what = round_title(round_of(report)) if "round" in report.parameters else _("All scoresheets")
    return {
        "language": get_language(),
        "title": f"{event.name}: {what}",
        "description": f"{event.name}, {_('All scoresheets')}",
        "paper": event.club.paper,
    }
