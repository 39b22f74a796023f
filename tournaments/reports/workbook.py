"""Tables as XLSX: real numbers, sums as formulas, frozen headers."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_col_to_name
from xlsxwriter.worksheet import Worksheet

from tournaments.engine.rules.rulesets import Points
from tournaments.models import Report
from tournaments.models.clubs import Paper
from tournaments.reports.pages import OnProgress
from tournaments.reports.spreadsheets import (
    Across,
    Cell,
    DataTable,
    Kind,
    TableBook,
    clean,
    decimals_of,
    has_endless,
    number_text,
    sum_of,
    written_of,
)

BORN = datetime(2000, 1, 1)  # noqa: DTZ001
"""Creation date of every workbook, so that the same content gives the same file."""

PAPERS = {Paper.A4: 9, Paper.LETTER: 1}

NUMBER = 'General;"−"General'
FRACTION = '# ??/??;"−"# ??/??'
SHORT_DATE = 14
"""The short date format of the reader's locale."""

GREEN, PALE = "#1F5B3A", "#E9F0EB"

MOST_DIGITS = 15
"""Digits of a number in a spreadsheet; longer numbers are stored as text."""

NARROWEST, WIDEST = 6, 44


class Workbook:
    """A book as XLSX, each table on a sheet of its own: frozen header, sums as formulas."""

    def __init__(self, book: TableBook, paper: str) -> None:
        self.book, self.paper = book, paper

    def pieces(self) -> Iterator[bytes]:
        yield repr((self.paper, self.book.title, self.book.lines)).encode()
        for table in self.book.tables:
            yield repr(table).encode("utf-8", "backslashreplace")

    def write(self, path: Path, progress: OnProgress) -> None:
        """Write the file, a sheet at a time."""
        progress(Report.Step.SETTING)
        # In memory, the parts of the file have no time stamps of their own.
        with xlsxwriter.Workbook(path, {"in_memory": True, "nan_inf_to_errors": False}) as file:
            file.set_properties({"title": clean(self.book.title), "created": BORN})
            styles = Styles(file)
            names = sheet_names([table.title for table in self.book.tables])
            for done, (table, name) in enumerate(zip(self.book.tables, names, strict=True)):
                progress(Report.Step.SETTING, done, len(names))
                SheetWriter(file.add_worksheet(name), table, styles).write(self)


class Styles:
    """The styles of cells, each created once for a file."""

    def __init__(self, file: xlsxwriter.Workbook) -> None:
        self._file = file
        self._made: dict[tuple[Any, ...], Format] = {}

    def of(self, **looks: Any) -> Format:
        key = tuple(sorted(looks.items()))
        if key not in self._made:
            self._made[key] = self._file.add_format({"font_name": "Calibri", **looks})
        return self._made[key]


class SheetWriter:
    """A table being written to its sheet."""

    def __init__(self, sheet: Worksheet, table: DataTable, styles: Styles) -> None:
        self._sheet, self._table, self._styles = sheet, table, styles
        self._widths = [0] * len(table.columns)
        self._parts = has_endless(table)

    def write(self, workbook: Workbook) -> None:
        self._head()
        for number, row in enumerate(self._table.rows, 1):
            for column, cell in enumerate(row):
                self._cell(number, column, cell)
        self._sums(len(self._table.rows) + 1)
        self._page(workbook)
        for column, longest in enumerate(self._widths):
            self._sheet.set_column(column, column, min(max(longest + 2, NARROWEST), WIDEST))

    def _head(self) -> None:
        for at, column in enumerate(self._table.columns):
            style = self._styles.of(
                bold=True,
                font_color="#FFFFFF",
                bg_color=GREEN,
                align="left" if column.kind == Kind.TEXT else "right",
                valign="vcenter",
                text_wrap=True,
            )
            text = clean(column.head)
            self._sheet.write_string(0, at, text, style)
            # A header may break into two lines between words.
            self._widen(at, max(map(len, text.split()), default=0))
        self._sheet.freeze_panes(1, self._table.fixed)

    def _cell(self, row: int, at: int, cell: Cell, **looks: Any) -> None:
        column = self._table.columns[at]
        looks |= {"bold": True} if column.strong else {}
        value = written_of(cell)
        if isinstance(cell, Across):
            self._formula(row, at, _across(cell, row), cell.value, looks)
        elif value is None or value == "":
            self._sheet.write_blank(row, at, None, self._styles.of(**looks))
        elif isinstance(value, str):
            self._text(row, at, value, looks)
        elif isinstance(value, date):
            self._sheet.write_datetime(
                row, at, value, self._styles.of(**looks, num_format=SHORT_DATE)
            )
            self._widen(at, 10)
        else:
            self._number(row, at, value, looks)

    def _text(self, row: int, at: int, text: str, looks: Mapping[str, Any]) -> None:
        text = clean(text)
        align = "left" if self._table.columns[at].kind == Kind.TEXT else "right"
        self._sheet.write_string(row, at, text, self._styles.of(**looks, align=align))
        self._widen(at, len(text))

    def _number(self, row: int, at: int, number: Points | float, looks: Mapping[str, Any]) -> None:
        text = number_text(number, parts=self._parts)
        if sum(map(str.isdigit, text)) > MOST_DIGITS and not isinstance(number, float):
            self._text(row, at, text, looks)
        elif isinstance(number, float) or decimals_of(number) is not None:
            style = self._styles.of(**looks, num_format=self._format(number))
            self._sheet.write_number(row, at, float(number), style)
            self._widen(at, len(text))
        else:
            self._formula(row, at, f"={number}", number, looks)

    def _formula(
        self, row: int, at: int, formula: str, value: Points, looks: Mapping[str, Any]
    ) -> None:
        style = self._styles.of(**looks, num_format=self._format(value))
        self._sheet.write_formula(
            row, at, formula, style, value if isinstance(value, int) else float(value)
        )
        self._widen(at, len(number_text(value, parts=self._parts)))

    def _format(self, number: Points | float) -> str:
        """Return the format of a number: all fractions of a table are written in one way."""
        if isinstance(number, float) or not decimals_of(number):
            return NUMBER if isinstance(number, float) or number.denominator == 1 else FRACTION
        return FRACTION if self._parts else NUMBER

    def _sums(self, row: int) -> None:
        table = self._table
        if not table.sums or not table.rows:
            return
        looks = {"bold": True, "bg_color": PALE, "top": 1}
        self._band(row, table.sums_head, looks)
        for at in table.sums:
            name = xl_col_to_name(at)
            self._formula(row, at, f"=SUM({name}2:{name}{row})", sum_of(table, at), looks)
        if not table.expected:
            return
        self._band(row + 1, table.expected_head, {})
        for at, expected in table.expected.items():
            cell = f"{xl_col_to_name(at)}{row + 1}"
            formula = f'=IF(ABS({cell}-({expected}))<0.000001,"✓","≠ {expected}")'
            holds = "✓" if sum_of(table, at) == expected else f"≠ {expected}"
            style = self._styles.of(align="right")
            self._sheet.write_formula(row + 1, at, formula, style, holds)

    def _band(self, row: int, head: str, looks: Mapping[str, Any]) -> None:
        for at in range(len(self._table.columns)):
            self._sheet.write_blank(row, at, None, self._styles.of(**looks))
        self._text(row, 0, head, looks)

    def _page(self, workbook: Workbook) -> None:
        """Set up printing: fit to the width of the paper, with the header on each page."""
        sheet = self._sheet
        sheet.set_paper(PAPERS[Paper(workbook.paper)])
        if self._table.landscape:
            sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        sheet.repeat_rows(0)
        sheet.set_margins(left=0.5, right=0.5)
        book = workbook.book
        lines = " · ".join([*book.lines, self._table.title])
        sheet.set_header(f'&L&"-,Bold" {_printed(book.title, 90)}&R {_printed(lines, 120)}')
        sheet.set_footer("&LKingscore&R&P / &N")

    def _widen(self, at: int, length: int) -> None:
        self._widths[at] = max(self._widths[at], length)


def _across(cell: Across, row: int) -> str:
    first, last = xl_col_to_name(cell.first), xl_col_to_name(cell.last)
    less = "".join(f"-{xl_col_to_name(column)}{row + 1}" for column in cell.less)
    return f"=SUM({first}{row + 1}:{last}{row + 1}){less}"


def _printed(text: str, most: int) -> str:
    return clean(text)[:most].replace("&", "&&")


NAME_LETTERS = 31
"""Longest name of a sheet, in UTF-16 code units."""


def sheet_names(titles: Sequence[str]) -> list[str]:
    """Return a unique sheet name for each title, without forbidden characters."""
    names: list[str] = []
    taken = {"history"}
    for number, title in enumerate(titles, 1):
        plain = " ".join(clean(title).translate(str.maketrans("[]:*?/\\", "()–×?--")).split())
        name = _shortened(plain.replace("?", "").strip("' "), NAME_LETTERS) or str(number)
        if name.lower() in taken:
            name = f"{_shortened(name, NAME_LETTERS - 8)} ({number})"
        taken.add(name.lower())
        names.append(name)
    return names


def _shortened(text: str, most: int) -> str:
    while len(text.encode("utf-16-le")) > 2 * most:
        text = text[:-1]
    return text.strip("' ")
