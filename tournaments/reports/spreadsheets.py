"""Spreadsheets, and the data in them."""

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Any

from babel.numbers import get_decimal_symbol
from django.utils.translation import get_language

from tournaments.engine.rules.entries import write_points
from tournaments.engine.rules.rulesets import Points
from tournaments.models import Report
from tournaments.reports.pages import Content, OnProgress


class Kind(StrEnum):
    """The kind of values in a column, which decides their format."""

    TEXT = "text"
    INTEGER = "integer"
    POINTS = "points"
    DATE = "date"


@dataclass(frozen=True, slots=True)
class Column:
    """A column: its header in the reader's language and its JSON key, which never changes.

    In JSON, `many` columns with the same key form a list of that name. `strong` marks the main
    column of the table.
    """

    head: str
    key: str
    kind: Kind = Kind.TEXT
    many: bool = False
    strong: bool = False


@dataclass(frozen=True, slots=True)
class Across:
    """A cell that sums columns `first` to `last` of its row and subtracts those of `less`.

    `value` is the result, for readers that do not calculate.
    """

    value: Points
    first: int
    last: int
    less: tuple[int, ...] = ()


Cell = str | bool | int | Fraction | float | date | Across | tuple[int, ...] | None
"""A cell; points are whole numbers or fractions, only other figures are floats.

Outside JSON, booleans become a tick or nothing, and several numbers become one text.
"""

YES = "✓"


@dataclass(frozen=True, slots=True)
class DataTable:
    """A table; each row has a cell for each column.

    `key` is its name in JSON. `sums` are the columns summed in a last row, which `sums_head` names.
    `expected` has the expected sums of some of them; one more row, which `expected_head` names,
    checks these. `fixed` columns stay in sight at the left.
    """

    title: str
    key: str
    columns: Sequence[Column]
    rows: Sequence[Sequence[Cell]]
    sums: Sequence[int] = ()
    sums_head: str = ""
    expected: Mapping[int, Points] = field(default_factory=dict)
    expected_head: str = ""
    fixed: int = 0
    landscape: bool = False


@dataclass(frozen=True, slots=True)
class TableBook:
    """Tables that belong together; formats with only one table have the first.

    `lines` describe the tables. `format` is the name of the JSON format, and `facts` are its fields
    beside the tables.
    """

    title: str
    lines: Sequence[str]
    tables: Sequence[DataTable]
    format: str
    facts: Mapping[str, Any] = field(default_factory=dict)


def value_of(cell: Cell) -> str | bool | int | Fraction | float | date | tuple[int, ...] | None:
    return cell.value if isinstance(cell, Across) else cell


def written_of(cell: Cell) -> str | int | Fraction | float | date | None:
    """Return the value of a cell for formats without booleans and lists."""
    value = value_of(cell)
    if isinstance(value, tuple):
        return " ".join(map(str, value))
    if isinstance(value, bool):
        return YES if value else None
    return value


def sum_of(table: DataTable, column: int) -> Points:
    """Return the sum of a column, ignoring text, as a spreadsheet does."""
    values = (written_of(row[column]) for row in table.rows)
    return sum((value for value in values if isinstance(value, int | Fraction)), 0)


def decimals_of(number: Points) -> int | None:
    """Return the number of decimals; None if they never end, or are more than six."""
    return next((n for n in range(7) if (Fraction(number) * 10**n).denominator == 1), None)


def has_endless(table: DataTable) -> bool:
    """Return whether decimals of a number in a table never end: then none there is a decimal."""
    values = (value_of(cell) for row in table.rows for cell in row)
    return any(isinstance(value, Fraction) and decimals_of(value) is None for value in values)


def number_text(number: Points | float, *, parts: bool = False) -> str:
    """Return a number for a spreadsheet: `-2.5`, and `-2 1/3` if decimals never end.

    With `parts` a half is `1/2`, too. A spreadsheet would read `-7/3` as a date.
    """
    if isinstance(number, int | float):
        return str(number)
    digits = decimals_of(number)
    if digits is not None and not (parts and digits):
        full, part = divmod(abs(number.numerator) * 10**digits // number.denominator, 10**digits)
        return f"{'-' if number < 0 else ''}{full}" + (f".{part:0{digits}}" if digits else "")
    full, rest = divmod(abs(number), 1)
    return f"{'-' if number < 0 else ''}{full} {rest}"


_FORMULA = re.compile(r"""((?:^|[,;|\n])(?:[^\S\n]|")*)(?='*[=+\-@＝＋－＠])""")
_ESCAPED = re.compile(_FORMULA.pattern.replace("(?='*", "'(?='*"))


def escape_formulas(text: str) -> str:
    """Escape text against formulas: put an apostrophe before each sign that starts a formula.

    Also do this after a comma, semicolon, bar or line break: a spreadsheet that takes these for
    separators begins another cell there, even inside quotes.
    """
    return _FORMULA.sub(r"\1'", text)


def unescape_formulas(text: str) -> str:
    return _ESCAPED.sub(r"\1", text)


MOST_LETTERS = 32_767


def clean(text: str) -> str:
    """Return text without control characters, as a cell can contain it."""
    cleaned = "".join(
        " " if unicodedata.category(sign) in {"Cc", "Cs"} and sign != "\n" else sign
        for sign in text
    )
    # XlsxWriter would take this for rich text.
    cleaned = f" {cleaned}" if cleaned.startswith("<r>") else cleaned
    return cleaned.replace("\ufffe", "").replace("\uffff", "")[: MOST_LETTERS // 2]


def book_content(book: TableBook, report: Report) -> Content:
    """Return the requested file: a workbook, the values of the first table, or a record.

    Raises: ValueError: the report has another format.
    """
    match report.format:
        case Report.Format.XLSX:
            # Its library takes 12 MB, and few documents need it.
            from tournaments.reports.workbook import Workbook

            return Workbook(book, report.paper)
        case Report.Format.CSV:
            return TextFile(_csv(book.tables[0], get_language() or "en"))
        case Report.Format.JSON:
            return TextFile(_json(book))
    raise ValueError(f"no table as {report.format}")


# Values, set apart.


class TextFile:
    """A file whose content is made already."""

    def __init__(self, content: bytes) -> None:
        self.content = content

    def pieces(self) -> Iterator[bytes]:
        yield self.content

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(self.content)


def _csv(table: DataTable, language: str) -> bytes:
    """Return a table as CSV, as spreadsheets in a language expect it (RFC 4180, with a BOM).

    Text is always quoted, numbers never are.
    """
    mark, parts = get_decimal_symbol(language), has_endless(table)
    lines = [[_quoted(column.head) for column in table.columns]]
    for row in table.rows:
        cells = []
        for value in map(written_of, row):
            if value is None or isinstance(value, str):
                cells.append(_quoted(value or ""))
            elif isinstance(value, date):
                cells.append(value.isoformat())
            else:
                cells.append(number_text(value, parts=parts).replace(".", mark))
        lines.append(cells)
    between = ";" if mark == "," else ","
    return "".join(f"{between.join(line)}\r\n" for line in lines).encode("utf-8-sig")


def _quoted(text: str) -> str:
    escaped = escape_formulas(clean(text)).replace('"', '""')
    return f'"{escaped}"' if text else ""


# A record.


def _json(book: TableBook) -> bytes:
    """Return tables as JSON: lists of objects, points as in every record (`docs/records.md`)."""
    tables = {
        table.key: [_object(table.columns, row) for row in table.rows] for table in book.tables
    }
    document = {"format": book.format, **book.facts, **tables}
    return f"{json.dumps(document, ensure_ascii=False, indent=2)}\n".encode()


def _object(columns: Sequence[Column], row: Sequence[Cell]) -> dict[str, Any]:
    written: dict[str, Any] = {}
    for column, cell in zip(columns, row, strict=True):
        value = value_of(cell)
        plain = value.isoformat() if isinstance(value, date) else value
        plain = write_points(plain) if isinstance(plain, Fraction) else plain
        if column.many:
            written.setdefault(column.key, []).append(plain)
        else:
            written[column.key] = plain
    return written
