"""Lists of entrants as people have them: pasted text, CSV of any spreadsheet, or XLSX.

What comes in is bounded before it is read: so many bytes, unpacked as well, lines and columns.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import openpyxl

from tournaments.models.people import plain_name
from tournaments.services.importing.archives import TooLarge, repack, unpack
from tournaments.services.tournaments.entering import MOST_ENTRANTS
from tournaments.services.tournaments.entering_lists import Entry

LARGEST_FILE = 1024**2
LARGEST_UNPACKED = 2 * 1024**2
"""A list of a thousand names unpacks to a tenth of this; reading so much takes seconds."""

LARGEST_TEXT = 500_000
"""Letters of a list that is pasted, or posted back after it was looked at."""

MOST_ROWS, MOST_COLUMNS = 5_000, 12

COLUMNS = ("name", "partner", "team", "represents")
SURNAME = "surname"

HEADINGS = {
    "name": "isim,ad,adi,ad soyad,adi soyadi,isim soyisim,oyuncu,nome,giocatore,name,player",
    "partner": "es,esi,partner,ortak,compagno,compagna",
    SURNAME: "soyad,soyadi,soyisim,cognome,surname,last name",
    "team": "takim,squadra,team",
    "represents": "kulup,kulubu,circolo,club",
}
"""What a column is headed by, in lower case and without marks."""

OF_HEADING = {word: name for name, words in HEADINGS.items() for word in words.split(",")}

TOGETHER = re.compile(r"\s*[+&/]\s*")
"""What stands between the two of a pair."""

ORDINAL = re.compile(r"(\d{1,4}[.)]|[-–•*])\s+")
"""What a line of a list begins with before the name."""


class ListRefused(Exception):
    """A list that is not read; `why` is `large`, `long`, `empty`, `xls`, `text` or `xlsx`."""

    def __init__(self, why: str) -> None:
        self.why = why
        super().__init__(why)


@dataclass(frozen=True, slots=True)
class ListLine:
    """An entry, and on which line of what was sent it stands, from 1."""

    number: int
    entry: Entry


Row = tuple[int, list[str]]
"""The cells of a line, after its number."""


def read_text(text: str, *, pairs: bool) -> list[ListLine]:
    """The entries of a text: a line each, columns apart by tabs, semicolons or commas.

    Raises:
        ListRefused: as it says.
    """
    if len(text) > LARGEST_TEXT:
        raise ListRefused("large")
    return _entries(_rows_of_text(text), pairs=pairs)


def read_file(content: bytes, *, pairs: bool) -> list[ListLine]:
    """The entries of a file, which is a workbook (its first sheet) or a text.

    Raises:
        ListRefused: as it says.
    """
    if len(content) > LARGEST_FILE:
        raise ListRefused("large")
    if content.startswith(b"PK\x03\x04"):
        return _entries(_rows_of_workbook(content), pairs=pairs)
    if content.startswith(b"\xd0\xcf\x11\xe0"):
        raise ListRefused("xls")
    return read_text(_decoded(content), pairs=pairs)


def write_text(lines: Iterable[ListLine]) -> str:
    """Entries as a text with headings, from which the same ones are read."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow(["Name", "Partner", "Team", "Club"])
    for line in lines:
        writer.writerow([getattr(line.entry, column) for column in COLUMNS])
    return out.getvalue()


def _decoded(content: bytes) -> str:
    """The text of a file: Unicode as it says or looks, else as a Turkish Excel writes it."""
    odd, even = content[1::2].count(0), content[::2].count(0)
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        ways = ["utf-16"]
    elif odd + even > len(content) // 4:
        ways = ["utf-16-le" if odd > even else "utf-16-be"]
    else:
        ways = ["utf-8-sig", "cp1254"]
    for way in ways:
        try:
            text = content.decode(way)
        except UnicodeDecodeError:
            continue
        # A picture or a PDF, read as letters.
        if "\0" not in text:
            return text
    raise ListRefused("text")


def _rows_of_text(text: str) -> Iterator[Row]:
    lines = text.replace("\0", "").splitlines(keepends=True)
    delimiter = next((mark for mark in "\t;," if mark in text), ",")
    # With an odd one, quotes are part of names.
    mark = None if text.count('"') % 2 else '"'
    reader = csv.reader(
        lines,
        delimiter=delimiter,
        quotechar=mark,
        quoting=csv.QUOTE_NONE if mark is None else csv.QUOTE_MINIMAL,
    )
    try:
        for cells in reader:
            yield reader.line_num, cells[:MOST_COLUMNS]
    except csv.Error as error:
        raise ListRefused("text") from error


def _rows_of_workbook(content: bytes) -> Iterator[Row]:
    """The rows of the first sheet, with the values that its formulas had when it was saved."""
    number = 0
    try:
        content = repack(unpack(content, LARGEST_UNPACKED))
        book = openpyxl.load_workbook(io.BytesIO(content), read_only=True, data_only=True)
        cells = book.worksheets[0].iter_rows(max_col=MOST_COLUMNS, values_only=True)
        for number, row in enumerate(islice(cells, MOST_ROWS), start=1):
            yield number, [_cell(value) for value in row]
    except TooLarge as error:
        raise ListRefused("large") from error
    # openpyxl raises whatever a broken workbook makes it stumble over.
    except Exception as error:
        raise ListRefused("xlsx") from error
    if number == MOST_ROWS:
        raise ListRefused("long")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _entries(rows: Iterable[Row], *, pairs: bool) -> list[ListLine]:
    full = _full(rows)
    columns = _headings(full[0][1]) if full else None
    if columns is not None:
        del full[0]
    else:
        full = _without_numbers(full)
    if not full:
        raise ListRefused("empty")
    named = (
        (number, _by_heading(cells, columns) if columns else _by_place(cells, pairs=pairs))
        for number, cells in full
    )
    return [ListLine(number, _entry(fields)) for number, fields in named]


def _full(rows: Iterable[Row]) -> list[Row]:
    """The rows in which something stands, with single spaces."""
    full: list[Row] = []
    for number, cells in rows:
        cleaned = [" ".join(cell.split()) for cell in cells]
        if any(cleaned):
            full.append((number, cleaned))
        # One more than may be: that of the headings.
        if len(full) > MOST_ENTRANTS + 1:
            raise ListRefused("long")
    return full


def _headings(cells: Sequence[str]) -> list[str] | None:
    """The fields that columns are headed by, empty for one that is none of ours."""
    found = [OF_HEADING.get(plain_name(cell).strip(" .:"), "") for cell in cells]
    return found if "name" in found else None


def _without_numbers(rows: list[Row]) -> list[Row]:
    """Rows without a first column that only counts them."""
    counted = all(len(cells) > 1 and cells[0].rstrip(".").isdecimal() for _, cells in rows)
    return [(number, cells[1:]) for number, cells in rows] if counted else rows


def _by_heading(cells: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    # Of two columns that are headed alike the first counts.
    fields: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        fields.setdefault(column, cell)
    surname = fields.pop(SURNAME, "")
    fields.pop("", None)
    return {**fields, "name": f"{fields.get('name', '')} {surname}".strip()}


def _by_place(cells: Sequence[str], *, pairs: bool) -> dict[str, str]:
    """Name, team and club; of a pair whose names do not share a cell the partner comes second."""
    apart = pairs and not TOGETHER.search(cells[0])
    columns = COLUMNS if apart else ("name", "team", "represents")
    return dict(zip(columns, cells, strict=False))


def _entry(fields: dict[str, str]) -> Entry:
    name, partner = fields.get("name", ""), fields.get("partner", "")
    while match := ORDINAL.match(name):
        name = name[match.end() :]
    first, *others = [name] if partner else TOGETHER.split(name, maxsplit=1)
    return Entry(
        name=first,
        partner=others[0] if others else partner,
        team=fields.get("team", ""),
        represents=fields.get("represents", ""),
    )
