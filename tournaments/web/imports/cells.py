"""The cells of a spreadsheet, CSV or XLSX, limited before they are read.

A cell is a text, or a number if the workbook has one; a date is a text like `2026-11-21`.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from tournaments.services.imports.files import MOST_LINES, FileRefused
from tournaments.web.base.spreadsheets import (
    Bounds,
    decoded,
    is_workbook,
    rows_of_text,
    rows_of_workbook,
)

LARGEST_UNPACKED = 4 * 1024**2
"""A workbook of 4,000 lines unpacks to a third of this; at worst reading takes 2 s and 100 MB."""

MOST_COLUMNS = 20
BOUNDS = Bounds(LARGEST_UNPACKED, rows=2 * MOST_LINES, columns=MOST_COLUMNS)
LONGEST_CELL = 300

WINDOWS = ("cp1254", "cp1252")
"""The Turkish code page comes first: it decodes Italian and English letters alike."""

Cell = str | int | float
Row = tuple[int, list[Cell]]
"""The number of a line in the file, from 1, and its cells."""


def read_rows(content: bytes) -> list[Row]:
    """Return the lines of a file that are not empty: of a workbook's first sheet, or of a text.

    Raises:
        FileRefused: the file cannot be read as a table.
    """
    rows = _rows_of_workbook(content) if is_workbook(content) else _rows_of_text(content)
    full = list(islice(_full(rows), MOST_LINES + 2))
    if len(full) > MOST_LINES + 1:
        raise FileRefused("long")
    if not full:
        raise FileRefused("empty")
    return full


def _full(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows that are not empty, without cells beyond the last allowed column."""
    for number, cells in rows:
        cleaned = [_cleaned(cell) for cell in cells[:MOST_COLUMNS]]
        while cleaned and cleaned[-1] == "":
            cleaned.pop()
        if cleaned:
            yield number, cleaned


def _cleaned(cell: Cell) -> Cell:
    return " ".join(cell.split())[:LONGEST_CELL] if isinstance(cell, str) else cell


def _rows_of_text(content: bytes) -> Iterator[Row]:
    text = decoded(content, WINDOWS)
    lines = text.splitlines()
    # Excel writes this line above a text for itself.
    said = lines[0].strip().lower() if lines else ""
    skipped = int(said.startswith("sep=") and len(said) == 5)
    for number, cells in rows_of_text(text, _delimiter(lines[skipped:]), skipped):
        yield number, list(cells)


def _delimiter(lines: Sequence[str]) -> str:
    # The first line alone may be a title.
    first = [line for line in lines if line.strip()][:10]
    return max("\t;,", key=lambda mark: sum(line.count(mark) for line in first))


def _rows_of_workbook(content: bytes) -> Iterator[Row]:
    for number, values in rows_of_workbook(content, BOUNDS):
        yield number, [_cell(value) for value in values]


def _cell(value: Any) -> Cell:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
