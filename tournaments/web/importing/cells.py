"""The cells of a spreadsheet, CSV or XLSX, as people save it; bounded before it is read.

A cell is a text, or a number where the workbook has one; a day stands as `2026-11-21`.
"""

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

import openpyxl

from tournaments.services.importing.archives import NoArchive, TooLarge, repack, unpack

LARGEST_UNPACKED = 4 * 1024**2
"""A workbook of 4,000 lines unpacks to a third of this; at worst reading takes 2 s and 100 MB."""

MOST_LINES = 4_000
MOST_ROWS = 2 * MOST_LINES
MOST_COLUMNS = 20
LONGEST_CELL = 300

Cell = str | int | float
Row = tuple[int, list[Cell]]
"""The cells of a line, after its number in the file, from 1."""


class FileRefused(Exception):
    """A file that is not read; `why` is `large`, `long`, `empty`, `xls`, `text` or `xlsx`."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


def read_rows(content: bytes) -> list[Row]:
    """The lines of a file in which something stands: the first sheet of a workbook, or a text.

    Raises:
        FileRefused: as it says.
    """
    if content.startswith(b"PK\x03\x04"):
        rows: Iterable[Row] = _rows_of_workbook(content)
    elif content.startswith(b"\xd0\xcf\x11\xe0"):
        raise FileRefused("xls")
    else:
        rows = _rows_of_text(decoded(content))
    full = list(islice(_full(rows), MOST_LINES + 2))
    if len(full) > MOST_LINES + 1:
        raise FileRefused("long")
    if not full:
        raise FileRefused("empty")
    return full


def decoded(content: bytes) -> str:
    """The text of a file: Unicode as it says or looks, else as Windows writes it.

    Of the Windows letters the Turkish ones come first: whatever Italian or English text has is
    the same in them.

    Raises:
        FileRefused: it is no text.
    """
    for way in _ways(content):
        try:
            text = content.decode(way)
        except UnicodeDecodeError:
            continue
        # A picture or a PDF, read as letters.
        if "\0" not in text:
            return text
    raise FileRefused("text")


def _ways(content: bytes) -> list[str]:
    odd, even = content[1::2].count(0), content[::2].count(0)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    if odd + even > len(content) // 4:
        return ["utf-16-le" if odd > even else "utf-16-be"]
    return ["utf-8-sig", "cp1254", "cp1252"]


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


def _rows_of_text(text: str) -> Iterator[Row]:
    lines = text.splitlines(keepends=True)
    # What Excel writes above a text, for itself.
    said = lines[0].strip().lower() if lines else ""
    skipped = int(said.startswith("sep=") and len(said) == 5)
    lines = lines[skipped:]
    # With an odd one, quotes are part of names.
    reader = csv.reader(
        lines,
        delimiter=_delimiter(lines),
        quoting=csv.QUOTE_NONE if text.count('"') % 2 else csv.QUOTE_MINIMAL,
    )
    try:
        for cells in reader:
            yield reader.line_num + skipped, list(cells)
    except csv.Error as error:
        raise FileRefused("text") from error


def _delimiter(lines: Sequence[str]) -> str:
    """What stands most often between the headings."""
    first = next((line for line in lines if line.strip()), "")
    return max("\t;,", key=first.count)


def _rows_of_workbook(content: bytes) -> list[Row]:
    """The rows of the first sheet, with the values that its formulas had when it was saved."""
    try:
        content = repack(unpack(content, LARGEST_UNPACKED))
    except TooLarge as error:
        raise FileRefused("large") from error
    except NoArchive as error:
        raise FileRefused("xlsx") from error
    try:
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_col=MOST_COLUMNS, values_only=True)
        # Empty ones, too: a cell at the end of the world has a million before it.
        rows = list(enumerate(islice(cells, MOST_ROWS + 1), start=1))
    # openpyxl raises whatever a broken workbook makes it stumble over.
    except Exception as error:
        raise FileRefused("xlsx") from error
    if len(rows) > MOST_ROWS:
        raise FileRefused("long")
    return [(number, [_value(value) for value in row]) for number, row in rows]


def _value(value: Any) -> Cell:
    if value is None:
        return ""
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
