"""The columns of a file, their cells and values."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from itertools import islice
from typing import Any

from tournaments.engine.rules.rulesets import LONGEST_NAME, Points
from tournaments.models.people import plain_name
from tournaments.services.imports.files import MOST_LINES, FileRefused, ImportFault, Wrong
from tournaments.services.imports.names import PlayerLine
from tournaments.services.imports.records import COLUMNS
from tournaments.services.imports.results import ResultLine
from tournaments.services.people.players import without_contacts
from tournaments.web.base.answers import (
    Bounds,
    decoded,
    is_workbook,
    rows_of_text,
    rows_of_workbook,
)
from tournaments.web.base.forms import read_points
from tournaments.web.base.pages import (
    CONTACT_HEADINGS,
    NAME,
    SURNAME,
    ListFile,
    below_titles,
    displayed_columns,
    is_sum,
    left_out,
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

    Raises: FileRefused: the file cannot be read as a table.
    """
    rows = rows_of_workbook(content, BOUNDS) if is_workbook(content) else _rows_of_text(content)
    full = list(islice(_full(rows), MOST_LINES + 2))
    if len(full) > MOST_LINES + 1:
        raise FileRefused("long")
    if not full:
        raise FileRefused("empty")
    return full


def _full(rows: Iterable[tuple[int, Sequence[Any]]]) -> Iterator[Row]:
    """Yield the rows that are not empty, without cells beyond the last allowed column."""
    for number, values in rows:
        cells = [_cell(value) for value in values[:MOST_COLUMNS]]
        while cells and cells[-1] == "":
            cells.pop()
        if cells:
            yield number, cells


def _cell(value: Any) -> Cell:
    if isinstance(value, datetime):
        return value.date().isoformat()
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return value
    return " ".join(str(value).split())[:LONGEST_CELL]


def _rows_of_text(content: bytes) -> Iterator[tuple[int, Sequence[Any]]]:
    text = decoded(content, WINDOWS)
    lines = text.splitlines()
    # Excel writes this line above a text for itself.
    head = lines[0].strip().lower() if lines else ""
    skipped = int(head.startswith("sep=") and len(head) == 5)
    # The first line alone may be a title.
    first = [line for line in lines[skipped:] if line.strip()][:10]
    delimiter = max("\t;,", key=lambda mark: sum(line.count(mark) for line in first))
    return rows_of_text(text, delimiter, skipped)


FIRST_YEAR = 1900
MOST_COUNTED = 999

_DAY_FIRST = re.compile(r"(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d{2})")
_YEAR_FIRST = re.compile(r"(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T].*)?")

YES = frozenset({"1", "x", "evet", "e", "si", "s", "yes", "y", "true", "dogru", "vero", "✓"})
NO = frozenset({"", "0", "hayir", "h", "no", "n", "false", "yanlis", "falso", "-"})


def read_day(cell: Cell) -> date | None:
    """Return a date like 21.11.2026, 21/11/2026, 21-11-26 or 2026-11-21; None if it is invalid."""
    text = str(cell).strip()
    if match := _YEAR_FIRST.fullmatch(text):
        year, month, day = map(int, match.groups())
    elif match := _DAY_FIRST.fullmatch(text):
        day, month, year = map(int, match.groups())
        year += 2000 if year < 100 else 0
    else:
        return None
    try:
        return date(year, month, day) if year >= FIRST_YEAR else None
    except ValueError:
        return None


def read_count(cell: Cell) -> int | None:
    """Return the number of a round or table, from 1, like 2 or 2.; None if it is invalid."""
    text = str(cell).strip().removesuffix(".")
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 6 else 0
    return number if 1 <= number <= MOST_COUNTED else None


def read_yes(cell: Cell) -> bool | None:
    """Return whether a cell is ticked, in one of the three languages; None if unclear."""
    word = plain_name(str(cell)).strip()
    return True if word in YES else False if word in NO else None


OF_PLAYERS = {
    "name": NAME,
    "surname": SURNAME,
    "initials": "bas harf,bas harfler,bas harfleri,iniziali,initials",
}
OF_RESULTS = {
    "date": "tarih,gun,data,giorno,date,day",
    "evening": "aksam,aksam adi,etkinlik,serata,evento,evening,event",
    "round": "raunt,raund,tur,turno,round",
    "table": "masa,tavolo,table",
    "player": NAME,
    "surname": SURNAME,
    "points": "puan,sayi,skor,toplam,punti,punteggio,totale,points,score,total",
}
"""Headings of columns, in lower case and without marks."""

NEEDED = ("date", "player", "points")


@dataclass(frozen=True)
class Read:
    """The parsed lines of a table, and the errors."""

    faults: list[ImportFault] = field(default_factory=list)


@dataclass(frozen=True)
class PlayersRead(Read):
    lines: list[PlayerLine] = field(default_factory=list)
    file: ListFile = field(default_factory=ListFile)


@dataclass(frozen=True)
class ResultsRead(Read):
    lines: list[ResultLine] = field(default_factory=list)


def read_players(rows: Sequence[Row]) -> PlayersRead:
    """Return the players of a table; without headings the first with letters holds their names.

    Titles above the headings, and lines of sums, are left out.

    Raises: FileRefused: there is no line with a name.
    """
    read = PlayersRead()
    rows = below_titles(rows, lambda cells: "name" in _headings(cells, OF_PLAYERS), read.file)
    columns = _headings(rows[0][1], OF_PLAYERS)
    headings: Sequence[Cell] = [""] * max(len(cells) for _number, cells in rows)
    if "name" in columns:
        headings, rows = rows[0][1], rows[1:]
    else:
        if not CONTACT_HEADINGS.isdisjoint(map(_plain_heading, rows[0][1])):
            read.file.left_out.append(left_out(*rows[0]))
            rows = rows[1:]
        # The first column with names: those before have only numbers or addresses.
        with_letters = (
            place
            for _number, cells in rows
            for place, cell in enumerate(cells)
            if without_contacts(str(cell))
        )
        columns = {"name": min(with_letters, default=0)}
    fields = {place: name for name, place in columns.items()}
    read.file.columns.extend(displayed_columns(headings, fields))
    for number, cells in rows:
        line = _ImportLine(number, cells, columns, read.faults)
        typed = line.typed("name")
        is_formula = typed.startswith(("=", "@"))
        if is_sum(typed) or (typed and not is_formula and not without_contacts(typed)):
            read.file.left_out.append(left_out(number, cells))
            continue
        initials = read_yes(line.cell("initials"))
        if initials is None:
            line.fault(Wrong.NO_YES, "initials")
        name = read.file.without_contacts(number, line.name("name"))
        read.lines.append(PlayerLine(number, name, initials=bool(initials)))
    if not read.lines:
        raise FileRefused("names")
    return read


def read_results(rows: Sequence[Row], *, evening: str, decimal: str, today: date) -> ResultsRead:
    """Return the results of a table with headings; `evening` is the default name.

    Raises: FileRefused: a required column is missing, or there are only headings.
    """
    columns = _headings(rows[0][1], OF_RESULTS)
    missing = [str(COLUMNS[name]) for name in NEEDED if name not in columns]
    if missing:
        raise FileRefused("columns", columns=", ".join(missing))
    if len(rows) == 1:
        raise FileRefused("empty")
    read = ResultsRead()
    for number, cells in rows[1:]:
        line = _ImportLine(number, cells, columns, read.faults)
        day, evening_name = line.day(today), line.evening(evening)
        place = (line.count("round"), line.count("table"))
        typed = line.name("player")
        # A telephone number is no name; the cell is not empty either.
        name = without_contacts(typed) or ("-" if typed else "")
        result = ResultLine(number, day, evening_name, *place, name, line.points(decimal))
        read.lines.append(result)
    return read


def _headings(cells: Sequence[Cell], known: Mapping[str, str]) -> dict[str, int]:
    """Return the index of each column; if two have the same heading, the first counts."""
    of_heading = {word: name for name, words in known.items() for word in words.split(",")}
    columns: dict[str, int] = {}
    for place, cell in enumerate(cells):
        name = of_heading.get(_plain_heading(cell))
        if name is not None:
            columns.setdefault(name, place)
    return columns


def _plain_heading(cell: Cell) -> str:
    return plain_name(str(cell)).strip(" .:*")


@dataclass(frozen=True)
class _ImportLine:
    """A line of a table with its cells by column name; collects errors."""

    number: int
    cells: Sequence[Cell]
    columns: Mapping[str, int]
    faults: list[ImportFault]

    def cell(self, column: str) -> Cell:
        place = self.columns.get(column)
        return self.cells[place] if place is not None and place < len(self.cells) else ""

    def fault(self, code: Wrong, column: str) -> None:
        cell = str(self.cell(column))
        # A spreadsheet would evaluate this text as a formula after an export.
        code = Wrong.FORMULA if cell.startswith("=") else code if cell else Wrong.EMPTY
        self.faults.append(ImportFault(code, self.number, column, {"text": cell[:40]}))

    def typed(self, column: str) -> str:
        return f"{self.cell(column)} {self.cell('surname')}".strip()

    def name(self, column: str) -> str:
        name = self.typed(column)
        if name.startswith(("=", "@", "+")) and without_contacts(name):
            self.faults.append(ImportFault(Wrong.FORMULA, self.number, column, {"text": name[:40]}))
        return name

    def day(self, today: date) -> date | None:
        day = read_day(self.cell("date"))
        if day is None:
            self.fault(Wrong.NO_DAY, "date")
        elif day > today:
            self.fault(Wrong.DAY_TO_COME, "date")
        return day

    def evening(self, default: str) -> str:
        name = str(self.cell("evening")) or default
        if len(name) > LONGEST_NAME:
            details = {"most": LONGEST_NAME}
            self.faults.append(ImportFault(Wrong.TOO_LONG, self.number, "evening", details))
        return name[:LONGEST_NAME]

    def count(self, column: str) -> int | None:
        if self.cell(column) == "":
            return 1
        number = read_count(self.cell(column))
        if number is None:
            self.fault(Wrong.NO_NUMBER, column)
        return number

    def points(self, decimal: str) -> Points | None:
        points = read_points(self.cell("points"), decimal)
        if points is None:
            self.fault(Wrong.NO_POINTS, "points")
        return points
