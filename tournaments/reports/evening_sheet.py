"""The evening of an open table: the tally with all its games on one sheet."""

from typing import Any
from urllib.parse import urljoin

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.play.outcomes import courses
from tournaments.models import OpenTable, Report
from tournaments.presenters.games.evenings import (
    Evening,
    GameLine,
    TallyRow,
    evening_of,
    finished_games,
)
from tournaments.queries.games.sheets import load_sheets
from tournaments.reports.codes import drawn_code
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.page_family import Heading, page_data
from tournaments.reports.scoresheet import written_date

Data = dict[str, Any]


def evening_sheet(report: Report, progress: OnProgress) -> Content:
    """Return the evening of the table of the report's game as a page.

    Raises:
        ValueError: the report is about no open table.
    """
    table = None if report.game is None else report.game.open_table
    if table is None:
        raise ValueError(f"{report} is of no open table")
    data = compose_evening(table, str(report.parameters.get("host", "")))
    progress(Report.Step.READING, 1, 1)
    return PdfPages([TypstPart.of("evening.typ", data | {"paper": report.paper})])


def compose_evening(table: OpenTable, host: str) -> Data:
    """Return the data of the evening of a table; its QR code leads to `host`, if there is one."""
    sheets = load_sheets(table.games.order_by("number"))
    evening, games = evening_of(sheets), finished_games(sheets)
    place = sheets[-1].row.place
    day = written_date(timezone.localtime(table.created_at).isoformat())
    heading = Heading(
        evening.headline,
        lines=[" · ".join(filter(None, [place, evening.finished]))],
        event=_("The evening"),
        date=day,
    )
    return page_data(heading, words=_words()) | {
        "columns": _columns(evening),
        "tally": [_row(evening, row) for row in evening.rows],
        "course": [[float(total) for total in line] for line in courses(games).values()],
        "names": list(courses(games)),
        "games": [row for line in evening.lines for row in _game(line)],
        "payments": None
        if evening.payments is None
        else [str(paid) for paid in evening.payments] or [_("Nobody owes anything.")],
        "follow": _follow(table, host),
    }


def _words() -> dict[str, str]:
    return {
        "tally": _("The tally of the evening"),
        "course": _("The course of the evening"),
        "games": _("Games"),
        "game": _("Game"),
        "totals": _("Total"),
        "pays": _("Who pays whom for the evening"),
    }


def _columns(evening: Evening) -> list[Data]:
    if evening.by_game:
        middle = [f"{number}." for number in evening.numbers]
    else:
        middle = [f"{place}." for place in evening.place_numbers()]
    return [
        {"head": _("Player")},
        *({"head": head, "kind": "centre"} for head in middle),
        {"head": pgettext("games", "won"), "kind": "number"},
        {"head": _("points"), "kind": "total"},
        {"head": _("a game"), "kind": "number"},
    ]


def _row(evening: Evening, row: TallyRow) -> list[str]:
    if evening.by_game:
        middle = [str(cell.rank) if cell else "–" for cell in row.cells()]
    else:
        middle = [str(count) for count in evening.counts(row)]
    return [row.name, *middle, str(row.standing.won), row.points, row.average]


def _game(line: GameLine) -> list[list[Any]]:
    """Return the row of a game, and one of its payments where it is played for a stake."""
    totals = ", ".join(f"{name} {total}" for name, total in line.totals)
    game = {"text": f"{line.state} · {line.ruleset}", "below": totals}
    paid = " · ".join(map(str, line.payments))
    return [[str(line.number), game], *([["", {"text": paid, "style": "small"}]] if paid else [])]


def _follow(table: OpenTable, host: str) -> Data | None:
    if not host:
        return None
    url = urljoin(host, reverse("evening", args=[table.public_id, table.secret()]))
    return {"url": url, "qr": drawn_code(url), "caption": _("Follow this evening")}
