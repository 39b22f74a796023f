"""The seating of a round for the wall of the hall, by table and by name, and as tables."""

from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.reports.contents import Content, OnProgress, PdfPages, TypstPart
from tournaments.reports.name_order import name_order
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import (
    RoundSeats,
    event_of,
    hall_heading,
    round_of,
    seats_of,
)
from tournaments.reports.spreadsheet_data import Cell, Column, DataTable, TableBook
from tournaments.reports.spreadsheet_data import Kind as Holds
from tournaments.reports.spreadsheets import book_content
from tournaments.texts.rounds import round_name

Data = dict[str, Any]


def seating_by_table(report: Report, progress: OnProgress) -> Content:
    """Return the players of each table, in large print or as a spreadsheet."""
    seats = _read(report, progress)
    if report.format != Report.Format.PDF:
        return book_content(_book(report, seats, _table_of_tables(seats)), report)
    return PdfPages([TypstPart.of("seating_by_table.typ", _page(report, seats) | _by_table(seats))])


def seating_by_name(report: Report, progress: OnProgress) -> Content:
    """Return the place of each player, in large print or as a spreadsheet."""
    seats = _read(report, progress)
    if report.format != Report.Format.PDF:
        return book_content(_book(report, seats, _table_of_names(seats)), report)
    return PdfPages([TypstPart.of("seating_by_name.typ", _page(report, seats) | _by_name(seats))])


def _read(report: Report, progress: OnProgress) -> RoundSeats:
    seats = seats_of(round_of(report))
    progress(Report.Step.READING, len(seats.tables), len(seats.tables))
    return seats


def _page(report: Report, seats: RoundSeats) -> Data:
    """Return the page frame of both lists."""
    heading = hall_heading(report, _("Seating"), _lines(seats))
    details = {
        "table": _("Table"),
        "seat": _("Seat"),
        "name": _("Player"),
        "out": _("Sits out"),
        "empty": _("Nobody is seated yet."),
    }
    return page_data(heading, event_of(report).club, words=details)


def _lines(seats: RoundSeats) -> list[str]:
    proposed = _("A proposal: it is not published yet.") if seats.is_proposed else ""
    return [line for line in (round_name(seats.round_), proposed) if line]


def _by_table(seats: RoundSeats) -> Data:
    tables = [{"number": str(each.number), "names": list(each.names)} for each in seats.tables]
    return {"tables": tables, "byes": _sorted(list(seats.byes))}


def _by_name(seats: RoundSeats) -> Data:
    rows: list[Data] = []
    initial = ""
    for name, table, seat in reversed(sorted_seats(seats)):
        # Draw a stronger rule below the last name with each initial.
        last, initial = initial, name[:1].casefold()
        where = [str(table), str(seat)] if table else [_bye(), ""]
        rows.append({"cells": [name, *where], "rule": bool(rows) and last != initial})
    return {"rows": rows[::-1]}


def sorted_seats(seats: RoundSeats) -> list[tuple[str, int, int]]:
    """Return everybody by name, with table and seat from 1; both are 0 for a bye."""
    seated = [
        (name, table.number, seat)
        for table in seats.tables
        for seat, name in enumerate(table.names, 1)
    ]
    language = get_language() or "en"
    everybody = [*seated, *((name, 0, 0) for name in seats.byes)]
    return sorted(everybody, key=lambda row: (name_order(row[0], language), row[1:]))


def _sorted(names: list[str]) -> list[str]:
    language = get_language() or "en"
    return sorted(names, key=lambda name: name_order(name, language))


def _bye() -> str:
    return pgettext("sits out", "bye")


# Spreadsheets.


def _book(report: Report, seats: RoundSeats, table: DataTable) -> TableBook:
    title = _("Seating")
    return TableBook(title, [event_of(report).name, *_lines(seats)], [table], "")


def _table_of_tables(seats: RoundSeats) -> DataTable:
    most = max((len(each.names) for each in seats.tables), default=1)
    numbers = range(1, most + 1)
    columns = [
        Column(_("Table"), "table", Holds.INTEGER, strong=True),
        *(
            Column(_("Seat %(number)s") % {"number": number}, "seats", many=True)
            for number in numbers
        ),
    ]
    rows: list[list[Cell]] = [
        [each.number, *each.names, *[None] * (most - len(each.names))] for each in seats.tables
    ]
    rows += [[_bye(), name, *[None] * (most - 1)] for name in _sorted(list(seats.byes))]
    return DataTable(_("Seating by table"), "tables", columns, rows, fixed=1)


def _table_of_names(seats: RoundSeats) -> DataTable:
    columns = [
        Column(_("Player"), "player"),
        Column(_("Table"), "table", Holds.INTEGER, strong=True),
        Column(_("Seat"), "seat", Holds.INTEGER),
    ]
    rows: list[list[Cell]] = [
        [name, table or _bye(), seat or None] for name, table, seat in sorted_seats(seats)
    ]
    return DataTable(_("Seating by name"), "players", columns, rows, fixed=1)
