"""The cross-table of a tournament: the result and opponents of each entrant in each round."""

from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from tournaments.engine.standings.standings import Standing
from tournaments.models import Report
from tournaments.presenters.standings.standings import round_label
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.meetings import Meetings, Met
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import hall_heading
from tournaments.reports.spreadsheet_data import Across, Cell, Column, DataTable, Kind, TableBook
from tournaments.reports.spreadsheets import book_content
from tournaments.reports.standings_document import (
    NONE,
    after_text,
    place_text,
    seen_in,
    standings_lines,
)
from tournaments.reports.standings_spreadsheet import adds_up, tournament_facts
from tournaments.texts.labels import points_text
from tournaments.texts.rounds import round_name

MOST_ACROSS = 12
"""Most rounds in a table; further ones get a table of their own below."""

MOST_UPRIGHT = 5
"""With more rounds than this, or twice as many opponents, the page is landscape."""

HOUSE = "⌂"
RULED = "*"
ITSELF = "×"


def cross_table_pages(report: Report, progress: OnProgress) -> Content:
    """Return the cross-table as pages.

    Raises:
        ValueError: the report is not about a tournament.
    """
    meetings = Meetings(seen_in(report))
    progress(Report.Step.READING, len(meetings.seen.rows), len(meetings.seen.rows))
    return PdfPages([TypstPart.of("cross_table.typ", compose_cross_table(report, meetings))])


def cross_table_tables(report: Report, progress: OnProgress) -> Content:
    """Return the cross-table as a spreadsheet.

    Raises:
        ValueError: the report is not about a tournament.
    """
    meetings = Meetings(seen_in(report))
    progress(Report.Step.READING, len(meetings.seen.rows), len(meetings.seen.rows))
    return book_content(cross_table_book(report, meetings), report)


# On pages.


def compose_cross_table(report: Report, meetings: Meetings) -> dict[str, Any]:
    """Return the data of the pages; `groups` are the rounds that fit side by side."""
    seen = meetings.seen
    heading = hall_heading(report, _("Cross-table"), standings_lines(seen))
    words = {
        "empty": _("Nobody has entered yet."),
        "place": pgettext("in standings", "Place"),
        "number": "№",
        "name": _("Name"),
        "points": _("Points"),
    }
    groups = [] if meetings.is_matrix else side_by_side(seen.rounds)
    return page_data(heading, seen.state.tournament.event.club, words=words) | {
        "landscape": len(groups[0]) > MOST_UPRIGHT if groups else len(seen.rows) > 2 * MOST_UPRIGHT,
        "groups": [_group(meetings, rounds, len(groups)) for rounds in groups],
        "matrix": _matrix(meetings) if meetings.is_matrix else None,
        "legend": list(_legend(meetings)),
    }


def side_by_side(rounds: Sequence[int]) -> list[Sequence[int]]:
    """Split the rounds into as few groups as needed, of similar size."""
    count = max(1, ceil(len(rounds) / MOST_ACROSS))
    size = max(1, ceil(len(rounds) / count))
    return [rounds[at * size : (at + 1) * size] for at in range(count)]


def _group(meetings: Meetings, rounds: Sequence[int], groups: int) -> dict[str, Any]:
    state = meetings.seen.state
    labels = [round_label(state, number) for number in rounds]
    ends = {"first": labels[0], "last": labels[-1]} if groups > 1 else None
    return {
        "name": _("Rounds %(first)s to %(last)s") % ends if ends else "",
        "rounds": labels,
        "rows": [
            _row(meetings, row)
            | {"cells": [_cell(meetings, meetings.of(row)[number - 1]) for number in rounds]}
            for row in meetings.seen.rows
        ],
    }


def _row(meetings: Meetings, row: Standing) -> dict[str, Any]:
    entrant = meetings.entrant(row)
    return {
        "place": place_text(row),
        "number": str(entrant.number),
        "name": entrant.shown_name,
        "withdrawn": entrant.withdrawn_at is not None,
        "points": points_text(row.points),
    }


def _cell(meetings: Meetings, met: Met) -> dict[str, str]:
    """Return the table, the points, and the numbers of the others there, or why there are none."""
    return {
        "table": "" if met.table is None else str(met.table),
        "points": points_mark(met),
        "met": " ".join(_number(meetings, key) for key in met.opponents) or _why_nobody(met),
    }


def points_mark(met: Met) -> str:
    """Return the points of a round, with a mark if they come from a ruling."""
    text = NONE if met.points is None else points_text(met.points)
    return f"{text}{RULED}" if met.ruled else text


def _number(meetings: Meetings, key: str) -> str:
    return str(meetings.numbers.get(key, HOUSE))


def _why_nobody(met: Met) -> str:
    if met.absent:
        return _("absent")
    return pgettext("sits out", "bye") if met.bye else ""


def _matrix(meetings: Meetings) -> dict[str, Any]:
    """Return the matrix of everybody against everybody, in the form of `grid-table`."""
    numbers = [str(number) for number in meetings.numbers.values()]
    columns = [
        {"head": pgettext("in standings", "Place"), "kind": "place"},
        {"head": "№", "kind": "number"},
        {"head": _("Name"), "kind": "text"},
        *({"head": number, "kind": "number"} for number in numbers),
        {"head": _("Points"), "kind": "total"},
    ]
    return {"columns": columns, "rows": [_matrix_row(meetings, row) for row in meetings.seen.rows]}


def _matrix_row(meetings: Meetings, row: Standing) -> list[Any]:
    details, against, text = _row(meetings, row), meetings.against(row), cache(points_text)
    cells = [
        {"text": ITSELF, "style": "faint"}
        if key == row.entrant
        else " ".join(map(text, against.get(key, ())))
        for key in meetings.numbers
    ]
    name = {"text": details["name"], "style": "faint" if details["withdrawn"] else ""}
    return [details["place"], details["number"], name, *cells, details["points"]]


def _legend(meetings: Meetings) -> Iterator[str]:
    rows = meetings.seen.rows
    everything = [met for row in rows for met in meetings.of(row)]
    if everything and not meetings.is_matrix:
        yield _("In each round: the table, the points, and below them who sat there, by number")
    if any(row.shared for row in rows):
        yield _("= shares the place")
    if any(key not in meetings.numbers for met in everything for key in met.opponents):
        yield _("%(sign)s house player") % {"sign": HOUSE}
    if any(met.ruled for met in everything):
        yield _("%(sign)s as the director has ruled") % {"sign": RULED}
    if any(row.penalties for row in rows):
        yield _("Penalties are taken from the points at the end of the row.")


# Spreadsheets.


def cross_table_book(report: Report, meetings: Meetings) -> TableBook:
    """Return points, tables and opponents of each round, and the matrix if there is one."""
    seen, record = meetings.seen, report.format == Report.Format.JSON
    event = seen.state.tournament.event
    heading = hall_heading(report, _("Cross-table"))
    rounds = _round_table(meetings, record=record)
    return TableBook(
        title=f"{event.name} · {heading.title}",
        lines=[heading.date, after_text(seen)],
        tables=[_matrix_table(meetings), rounds] if meetings.is_matrix and not record else [rounds],
        format="kingscore-cross-table/1",
        facts=tournament_facts(seen.state) | {"after": seen.after},
    )


def _round_table(meetings: Meetings, *, record: bool) -> DataTable:
    titles = [round_name(each.row) for each in meetings.seen.state.seated_rounds]
    titles = titles[: len(meetings.rounds)]
    table_heads = [_("%(round)s: table") % {"round": title} for title in titles]
    with_heads = [_("%(round)s: with") % {"round": title} for title in titles]
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column("№", "number", Kind.INTEGER),
        Column(_("Name"), "name"),
        *(Column(title, "rounds", Kind.POINTS, many=True) for title in titles),
        Column(_("Penalties"), "penalties", Kind.POINTS),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
        *(Column(head, "tables", Kind.INTEGER, many=True) for head in table_heads),
        *(Column(head, "opponents", many=True) for head in with_heads),
    ]
    rows = [_table_row(meetings, row, record=record) for row in meetings.seen.rows]
    return DataTable(_("Rounds"), "standings", columns, rows, fixed=3, landscape=True)


def _table_row(meetings: Meetings, row: Standing, *, record: bool) -> list[Cell]:
    met, entrants = meetings.of(row), meetings.seen.state.entrants
    first, last = 3, 2 + len(met)
    formula = adds_up(row) and bool(met)
    return [
        row.place,
        meetings.numbers[row.entrant],
        meetings.entrant(row).shown_name,
        *(each.points for each in met),
        row.penalties,
        Across(row.points, first, last, (last + 1,)) if formula else row.points,
        *(each.table for each in met),
        *(
            tuple(entrants[key].number for key in each.opponents)
            if record
            else " ".join(_number(meetings, key) for key in each.opponents) or _why_nobody(each)
            for each in met
        ),
    ]


def _matrix_table(meetings: Meetings) -> DataTable:
    numbers = meetings.numbers
    columns = [
        Column(pgettext("in standings", "Place"), "place", Kind.INTEGER),
        Column("№", "number", Kind.INTEGER),
        Column(_("Name"), "name"),
        *(Column(str(number), "against", Kind.POINTS, many=True) for number in numbers.values()),
        Column(_("Penalties"), "penalties", Kind.POINTS),
        Column(_("Points"), "points", Kind.POINTS, strong=True),
    ]
    rows: list[list[Cell]] = []
    for row in meetings.seen.rows:
        against = meetings.against(row)
        cells = [sum(against[key]) if key in against else None for key in numbers]
        last = 2 + len(cells)
        # A bye is worth points, too, but has no column.
        formula = meetings.sum_against(row) - row.penalties == row.points
        points = Across(row.points, 3, last, (last + 1,)) if formula else row.points
        name = meetings.entrant(row).shown_name
        rows.append([row.place, numbers[row.entrant], name, *cells, row.penalties, points])
    return DataTable(_("Cross-table"), "matrix", columns, rows, fixed=3, landscape=True)
