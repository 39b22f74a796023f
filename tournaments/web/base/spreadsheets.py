"""Read tables line by line, from the CSV of any spreadsheet or from XLSX.

The unpacked size is limited before reading: one cell at the far end of a sheet implies a million
empty ones.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from tournaments.reports.spreadsheets import unescape_formulas
from tournaments.services.imports.files import FileRefused, repack, unpack


@dataclass(frozen=True, slots=True)
class Bounds:
    """Limits of a workbook: unpacked bytes, rows (also empty ones), columns.

    Extra columns are cut off; a workbook above another limit is refused.
    """

    unpacked: int
    rows: int
    columns: int


def is_workbook(content: bytes) -> bool:
    """Return whether a file is a workbook rather than a text.

    Raises:
        FileRefused: it is a workbook of the old format.
    """
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise FileRefused("xls")
    return content.startswith(b"PK\x03\x04")


def rows_of_workbook(content: bytes, bounds: Bounds) -> list[tuple[int, list[Any]]]:
    """Return the rows of the first sheet with their numbers, from 1.

    A formula has the value of the last save; an empty cell is an empty text.

    Raises:
        FileRefused: the workbook is damaged or above a limit.
    """
    # The import takes a tenth of the start of every program of the server, and is seldom needed.
    import openpyxl

    try:
        content = repack(unpack(content, bounds.unpacked))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_col=bounds.columns, values_only=True)
        rows = list(enumerate(islice(cells, bounds.rows + 1), start=1))
    except FileRefused:
        raise
    # openpyxl raises any exception for a damaged workbook.
    except Exception as error:
        raise FileRefused("xlsx") from error
    if len(rows) > bounds.rows:
        raise FileRefused("long")
    return [(number, [_value(value) for value in row]) for number, row in rows]


def _value(value: Any) -> Any:
    if value is None:
        return ""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def decoded(content: bytes, windows: Sequence[str] = ("cp1254",)) -> str:
    """Return the text of a file: Unicode if it says or looks so, else a Windows code page.

    Raises:
        FileRefused: it is not a text.
    """
    for way in _unicode(content) or ["utf-8-sig", *windows]:
        try:
            text = content.decode(way)
        except UnicodeDecodeError:
            continue
        # A picture or a PDF, decoded as text.
        if "\0" not in text:
            return text
    raise FileRefused("text")


def _unicode(content: bytes) -> list[str]:
    """Return the UTF-16 encoding of a file, if it has one."""
    odd, even = content[1::2].count(0), content[::2].count(0)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return ["utf-16"]
    if odd + even > len(content) // 4:
        return ["utf-16-le" if odd > even else "utf-16-be"]
    return []


def rows_of_text(text: str, delimiter: str, skipped: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Return the rows of a text without its first lines, with their numbers from 1.

    Values escaped by `Values` are unescaped.

    Raises:
        FileRefused: it is not a table.
    """
    # If the number of quotes is odd, they are part of names.
    reader = csv.reader(
        text.splitlines(keepends=True)[skipped:],
        delimiter=delimiter,
        quoting=csv.QUOTE_NONE if text.count('"') % 2 else csv.QUOTE_MINIMAL,
    )
    try:
        for cells in reader:
            yield reader.line_num + skipped, [unescape_formulas(cell) for cell in cells]
    except csv.Error as error:
        raise FileRefused("text") from error
