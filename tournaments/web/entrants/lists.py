"""Lists of entrants: pasted text, CSV of any spreadsheet, or XLSX.

Uploads are limited before they are read: in bytes, also unpacked, in lines and in columns.
"""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.utils.translation import gettext as _

from tournaments.models.people import plain_name
from tournaments.services.entrants.registration import MOST_ENTRANTS, Entry
from tournaments.services.imports.files import FileRefused
from tournaments.services.people.contacts import without_contacts
from tournaments.web.base import name_lists
from tournaments.web.base.name_lists import (
    CONTACT_HEADINGS,
    ListFile,
    ShownColumn,
    below_titles,
    is_sum,
    left_out,
    shown_columns,
)
from tournaments.web.base.spreadsheets import (
    Bounds,
    decoded,
    is_workbook,
    rows_of_text,
    rows_of_workbook,
)

LARGEST_FILE = 1024**2
LARGEST_UNPACKED = 2 * 1024**2
"""A list of a thousand names unpacks to a tenth of this; reading so much takes seconds."""

LARGEST_TEXT = 500_000
"""Maximum length of a pasted list, or of one posted back after the preview."""

MOST_COLUMNS = 12
BOUNDS = Bounds(LARGEST_UNPACKED, rows=4_999, columns=MOST_COLUMNS)

COLUMNS = ("name", "partner", "team", "represents")
SURNAME = "surname"

HEADINGS = {
    "name": name_lists.NAME,
    "partner": "es,esi,partner,ortak,compagno,compagna",
    SURNAME: name_lists.SURNAME,
    "team": "takim,squadra,team",
    "represents": "kulup,kulubu,circolo,club",
}
"""Headings of columns, in lower case and without marks."""

OF_HEADING = {word: name for name, words in HEADINGS.items() for word in words.split(",")}

TOGETHER = re.compile(r"\s*[+&/]\s*")
"""Separators of the two names of a pair."""

ORDINAL = re.compile(r"(\d{1,4}[.)]|[-–•*])\s+")
"""Numbering of a line before the name."""


@dataclass(frozen=True, slots=True)
class ListLine:
    """An entry, with the number of its line in the upload, from 1."""

    number: int
    entry: Entry


@dataclass(frozen=True)
class ListRead:
    """The lines of a list, its columns, and what was left out."""

    lines: list[ListLine]
    file: ListFile


Row = tuple[int, list[str]]
"""The number of a line, and its cells."""


def read_text(text: str, *, pairs: bool) -> ListRead:
    """Return the entries of a text, one a line; tabs, semicolons or commas separate columns.

    Raises:
        FileRefused: the text cannot be read as a list.
    """
    if len(text) > LARGEST_TEXT:
        raise FileRefused("large")
    delimiter = next((mark for mark in "\t;," if mark in text), ",")
    return _entries(rows_of_text(text.replace("\0", ""), delimiter), pairs=pairs)


def read_file(content: bytes, *, pairs: bool) -> ListRead:
    """Return the entries of a file: a workbook (its first sheet) or a text.

    Raises:
        FileRefused: the file cannot be read as a list.
    """
    if len(content) > LARGEST_FILE:
        raise FileRefused("large")
    if is_workbook(content):
        rows = rows_of_workbook(content, BOUNDS)
        texts = ((number, [str(cell) for cell in cells]) for number, cells in rows)
        return _entries(texts, pairs=pairs)
    return read_text(decoded(content), pairs=pairs)


def write_text(lines: Iterable[ListLine]) -> str:
    """Return entries as a text with headings in the reader's language, for `read_text`."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter="\t", lineterminator="\n")
    writer.writerow([_("Name"), _("Partner"), _("Team"), _("Club")])
    for line in lines:
        writer.writerow([getattr(line.entry, column) for column in COLUMNS])
    return out.getvalue()


def _entries(rows: Iterable[Row], *, pairs: bool) -> ListRead:
    file = ListFile()
    full = below_titles(_full(rows), lambda cells: _headings(cells) is not None, file)
    columns = _headings(full[0][1]) if full else None
    if columns is not None:
        file.columns.extend(shown_columns(full[0][1], dict(enumerate(columns))))
        full = full[1:]
    else:
        full = _without_contact_columns(full, file)
    lines: list[ListLine] = []
    for number, cells in full:
        fields = _by_heading(cells, columns) if columns else _by_place(cells, pairs=pairs)
        if is_sum(fields["name"]) or (fields["name"] and not without_contacts(fields["name"])):
            file.left_out.append(left_out(number, cells))
            continue
        fields = {name: file.without_contacts(number, cell) for name, cell in fields.items()}
        lines.append(ListLine(number, _entry(fields)))
    if not lines:
        raise FileRefused("empty")
    return ListRead(lines, file)


def _full(rows: Iterable[Row]) -> list[Row]:
    """Return the rows that are not empty, with single spaces."""
    full: list[Row] = []
    for number, cells in rows:
        cleaned = [" ".join(cell.split()) for cell in cells[:MOST_COLUMNS]]
        if any(cleaned):
            full.append((number, cleaned))
        # One row more than allowed: the headings.
        if len(full) > MOST_ENTRANTS + 1:
            raise FileRefused("long")
    return full


def _headings(cells: Sequence[str]) -> list[str] | None:
    """Return the field of each column, "" for unknown headings; None without headings."""
    found = [OF_HEADING.get(_plain_heading(cell), "") for cell in cells]
    return found if "name" in found else None


def _plain_heading(cell: str) -> str:
    return plain_name(cell).strip(" .:")


def _without_contact_columns(rows: Sequence[Row], file: ListFile) -> Sequence[Row]:
    """Return rows without headings, and without the columns that are mostly numbers or contacts."""
    if rows and not CONTACT_HEADINGS.isdisjoint(map(_plain_heading, rows[0][1])):
        file.left_out.append(left_out(*rows[0]))
        rows = rows[1:]
    width = max((len(cells) for _number, cells in rows), default=0)
    names, others = [0] * width, [0] * width
    for _number, cells in rows:
        for place, cell in enumerate(cells):
            (names if without_contacts(cell) else others)[place] += cell != ""
    kept = [place for place in range(width) if names[place] >= others[place]]
    if not kept or len(kept) == width:
        return rows
    file.columns.extend(ShownColumn(str(at + 1), "") for at in range(width) if at not in kept)
    return [(number, [cells[at] for at in kept if at < len(cells)]) for number, cells in rows]


def _by_heading(cells: Sequence[str], columns: Sequence[str]) -> dict[str, str]:
    # If two columns have the same heading, the first counts.
    fields: dict[str, str] = {}
    for column, cell in zip(columns, cells, strict=False):
        fields.setdefault(column, cell)
    surname = fields.pop(SURNAME, "")
    fields.pop("", None)
    return {**fields, "name": f"{fields.get('name', '')} {surname}".strip()}


def _by_place(cells: Sequence[str], *, pairs: bool) -> dict[str, str]:
    """Return name, team and club; the partner is second if the names of a pair have two cells."""
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
