"""Tables that people send, as CSV of any spreadsheet or as XLSX, read line by line.

What is unpacked is bounded before it is read: a cell at the end of the world has a million before
it.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tournaments.reports.tables import unescape_formulas
from tournaments.services.importing.archives import TooLarge, repack, unpack


class SpreadsheetRefused(Exception):
    """A table that is not read; `why` is `large`, `long`, `empty`, `xls`, `text` or `xlsx`."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much of a workbook is read: bytes when it is unpacked, rows (empty ones, too), columns.

    One with more columns is cut, one with more of the others refused.
    """

    unpacked: int
    rows: int
    columns: int


def is_workbook(content: bytes) -> bool:
    """Whether a file is a workbook, and not a text.

    Raises:
        SpreadsheetRefused: it is one of an old kind.
    """
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise SpreadsheetRefused("xls")
    return content.startswith(b"PK\x03\x04")


def rows_of_workbook(content: bytes, bounds: Bounds) -> list[tuple[int, list[Any]]]:
    """The rows of the first sheet, after their numbers from 1.

    Formulas have the values that they had when it was saved; an empty cell is an empty text.

    Raises:
        SpreadsheetRefused: as it says.
    """
    # It takes a tenth of the start of every program of the server, and is seldom wanted.
    import openpyxl

    try:
        content = repack(unpack(content, bounds.unpacked))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_col=bounds.columns, values_only=True)
        rows = list(enumerate(islice(cells, bounds.rows + 1), start=1))
    except TooLarge as error:
        raise SpreadsheetRefused("large") from error
    # openpyxl raises whatever a broken workbook makes it stumble over.
    except Exception as error:
        raise SpreadsheetRefused("xlsx") from error
    if len(rows) > bounds.rows:
        raise SpreadsheetRefused("long")
    return [(number, [_value(value) for value in row]) for number, row in rows]


def _value(value: Any) -> Any:
    if value is None:
        return ""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def decoded(content: bytes, windows: Sequence[str] = ("cp1254",)) -> str:
    """The text of a file: Unicode as it says or looks, else letters of Windows, Turkish ones.

    Raises:
        SpreadsheetRefused: it is no text.
    """
    for way in _unicode(content) or ["utf-8-sig", *windows]:
        try:
            text = content.decode(way)
        except UnicodeDecodeError:
            continue
        # A picture or a PDF, read as letters.
        if "\0" not in text:
            return text
    raise SpreadsheetRefused("text")


def _unicode(content: bytes) -> list[str]:
    """The Unicode of two bytes a letter that a file is in, if it is."""
    odd, even = content[1::2].count(0), content[::2].count(0)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    if odd + even > len(content) // 4:
        return ["utf-16-le" if odd > even else "utf-16-be"]
    return []


def rows_of_text(text: str, delimiter: str, skipped: int = 0) -> Iterator[tuple[int, list[str]]]:
    """The rows of a text without its first lines, after their numbers from 1.

    What `Values` has escaped is read as it was.

    Raises:
        SpreadsheetRefused: it is no table.
    """
    # With an odd one, quotes are part of names.
    reader = csv.reader(
        text.splitlines(keepends=True)[skipped:],
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if text.count('"') % 2 else csv.QUOTE_MINIMAL,
    )
    try:
        for cells in reader:
            yield reader.line_num + skipped, [unescape_formulas(cell) for cell in cells]
    except csv.Error as error:
        raise SpreadsheetRefused("text") from error
