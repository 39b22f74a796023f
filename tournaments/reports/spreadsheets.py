"""Tables as files: XLSX with formulas, CSV in the local dialect, and JSON."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

from babel.numbers import get_decimal_symbol
from django.utils.translation import get_language

from tournaments.engine.rules.entries import write_points
from tournaments.models import Report
from tournaments.reports.contents import Content, OnProgress
from tournaments.reports.spreadsheet_data import (
    Cell,
    Column,
    DataTable,
    TableBook,
    clean,
    escape_formulas,
    number_text,
    value_of,
    written_of,
)


def book_content(book: TableBook, report: Report) -> Content:
    """Return the requested file: a workbook, the values of the first table, or a record.

    Raises:
        ValueError: the report has another format.
    """
    match report.format:
        case Report.Format.XLSX:
            # Its library takes 12 MB, and few documents need it.
            from tournaments.reports.workbook import Workbook

            return Workbook(book, report.paper)
        case Report.Format.CSV:
            return Values(book.tables[0], get_language() or "en")
        case Report.Format.JSON:
            return JsonTables(book)
    raise ValueError(f"no table as {report.format}")


# Values, set apart.


@dataclass(frozen=True, slots=True)
class Values:
    """A table as CSV, as spreadsheets in a language expect it (RFC 4180, with a BOM).

    Text is always quoted, numbers never are.
    """

    table: DataTable
    language: str

    def pieces(self) -> Iterator[bytes]:
        mark = get_decimal_symbol(self.language)
        lines = [[_quoted(column.head) for column in self.table.columns]]
        lines += [[_set_apart(cell, mark) for cell in row] for row in self.table.rows]
        between = ";" if mark == "," else ","
        yield "".join(f"{between.join(line)}\r\n" for line in lines).encode("utf-8-sig")

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(b"".join(self.pieces()))


def _set_apart(cell: Cell, mark: str) -> str:
    value = written_of(cell)
    if value is None:
        return ""
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, date):
        return value.isoformat()
    return number_text(value).replace(".", mark)


def _quoted(text: str) -> str:
    escaped = escape_formulas(clean(text)).replace('"', '""')
    return f'"{escaped}"' if text else ""


# A record.


@dataclass(frozen=True, slots=True)
class JsonTables:
    """The tables as JSON: lists of objects, points as in every record (`docs/records.md`)."""

    book: TableBook

    def pieces(self) -> Iterator[bytes]:
        book = self.book
        tables = {
            each.key: [_object(each.columns, row) for row in each.rows] for each in book.tables
        }
        document = {"format": book.format, **book.facts, **tables}
        yield f"{json.dumps(document, ensure_ascii=False, indent=2)}\n".encode()

    def write(self, path: Path, progress: OnProgress) -> None:
        progress(Report.Step.SETTING)
        path.write_bytes(b"".join(self.pieces()))


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
