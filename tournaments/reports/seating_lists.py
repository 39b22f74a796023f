"""The seating of a round for the wall of the hall, by table and by name, and as tables."""

from typing import Any

from django.utils.translation import get_language, pgettext
from django.utils.translation import gettext as _

from tournaments.models import Report
from tournaments.reports.contents import Content, Pages, Part, Told
from tournaments.reports.name_order import name_order
from tournaments.reports.page_family import page_data
from tournaments.reports.round_seats import (
    RoundSeats,
    event_of,
    hall_heading,
    round_of,
    round_title,
    seats_of,
)
from tournaments.reports.spreadsheets import book_content
from tournaments.reports.tables import Book, Cell, Column, Table
from tournaments.reports.tables import Kind as Holds

Data = dict[str, Any]


def seating_by_table(report: Report, told: Told) -> Content:
    """Which table has whom, in large print or as a table."""
    seats = _read(report, told)
    if report.format != Report.Format.PDF:
        return book_content(_book(report, seats, _table_of_tables(seats)), report)
    return Pages([Part.of("seating_by_table.typ", _page(report, seats) | _by_table(seats))])


def seating_by_name(report: Report, told: Told) -> Content:
    """Who finds their place where, in large print or as a table."""
    seats = _read(report, told)
    if report.format != Report.Format.PDF:
        return book_content(_book(report, seats, _table_of_names(seats)), report)
    return Pages([Part.of("seating_by_name.typ", _page(report, seats) | _by_name(seats))])


def _read(report: Report, told: Told) -> RoundSeats:
    seats = seats_of(round_of(report))
    told(Report.Step.READING, len(seats.tables), len(seats.tables))
    return seats


def _page(report: Report, seats: RoundSeats) -> Data:
    """What both lists say around their contents."""
    heading = hall_heading(report, _("Seating"), _lines(seats))
    told = {
        "table": _("Table"),
        "seat": _("Seat"),
        "name": _("Player"),
        "out": _("Sits out"),
        "empty": _("Nobody is seated yet."),
    }
    return page_data(heading, event_of(report).club, words=told)


def _lines(seats: RoundSeats) -> list[str]:
    proposed = _("A proposal: it is not published yet.") if seats.is_proposed else ""
    return [line for line in (round_title(seats.place), proposed) if line]


def _by_table(seats: RoundSeats) -> Data:
    tables = [{"number": str(each.number), "names": list(each.names)} for each in seats.tables]
    return {"tables": tables, "byes": _sorted(list(seats.byes))}


def _by_name(seats: RoundSeats) -> Data:
    rows: list[Data] = []
    initial = ""
    for name, table, seat in reversed(sorted_seats(seats)):
        # A stronger rule below the last name with each initial.
        last, initial = initial, name[:1].casefold()
        where = [str(table), str(seat)] if table else [_bye(), ""]
        rows.append({"cells": [name, *where], "rule": bool(rows) and last != initial})
    return {"rows": rows[::-1]}


def sorted_seats(seats: RoundSeats) -> list[tuple[str, int, int]]:
    """Everybody in the order of names, with table and seat from 1; both are 0 for a bye."""
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


# As tables.


def _book(report: Report, seats: RoundSeats, table: Table) -> Book:
    title = _("Seating")
    return Book(title, [event_of(report).name, *_lines(seats)], [table], "")


def _table_of_tables(seats: RoundSeats) -> Table:
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
    return Table(_("Seating by table"), "tables", columns, rows, fixed=1)


def _table_of_names(seats: RoundSeats) -> Table:
    columns = [
        Column(_("Player"), "player"),
        Column(_("Table"), "table", Holds.INTEGER, strong=True),
        Column(_("Seat"), "seat", Holds.INTEGER),
    ]
    rows: list[list[Cell]] = [
        [name, table or _bye(), seat or None] for name, table, seat in sorted_seats(seats)
    ]
    return Table(_("Seating by name"), "players", columns, rows, fixed=1)
