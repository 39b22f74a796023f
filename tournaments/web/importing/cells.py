"""The cells of a spreadsheet, CSV or XLSX, as people save it; bounded before it is read.

A cell is a text, or a number where the workbook has one; a day stands as `2026-11-21`.
"""

from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

from tournaments.web.spreadsheets import (
    Bounds,
    SpreadsheetRefused,
    decoded,
    is_workbook,
    rows_of_text,
    rows_of_workbook,
)

LARGEST_UNPACKED = 4 * 1024**2
"""A workbook of 4,000 lines unpacks to a third of this; at worst reading takes 2 s and 100 MB."""

MOST_LINES = 4_000
MOST_COLUMNS = 20
BOUNDS = Bounds(LARGEST_UNPACKED, rows=2 * MOST_LINES, columns=MOST_COLUMNS)
LONGEST_CELL = 300

WINDOWS = ("cp1254", "cp1252")
"""The Turkish letters come first: whatever Italian or English text has is the same in them."""

Cell = str | int | float
Row = tuple[int, list[Cell]]
"""The cells of a line, after its number in the file, from 1."""


def read_rows(content: bytes) -> list[Row]:
    """The lines of a file in which something stands: the first sheet of a workbook, or a text.

    Raises:
        SpreadsheetRefused: as it says.
    """
    rows = _rows_of_workbook(content) if is_workbook(content) else _rows_of_text(content)
    full = list(islice(_full(rows), MOST_LINES + 2))
    if len(full) > MOST_LINES + 1:
        raise SpreadsheetRefused("long")
    if not full:
        raise SpreadsheetRefused("empty")
    return full


def _full(rows: Iterable[Row]) -> Iterator[Row]:
    """The rows in which something stands, without what stands beyond the columns."""
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
    # What Excel writes above a text, for itself.
    said = lines[0].strip().lower() if lines else ""
    skipped = int(said.startswith("sep=") and len(said) == 5)
    for number, cells in rows_of_text(text, _delimiter(lines[skipped:]), skipped):
        yield number, list(cells)


def _delimiter(lines: Sequence[str]) -> str:
    """What stands most often between the headings."""
    first = next((line for line in lines if line.strip()), "")
    return max("\t;,", key=first.count)


def _rows_of_workbook(content: bytes) -> Iterator[Row]:
    for number, values in rows_of_workbook(content, BOUNDS):
        yield number, [_cell(value) for value in values]


def _cell(value: Any) -> Cell:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
