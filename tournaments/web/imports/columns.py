"""Parse the cells of a table as players or results, by headings, with an error per fault."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date

from tournaments.engine.rules.rulesets import LONGEST_NAME, Points
from tournaments.models.people import plain_name
from tournaments.services.imports.files import FileRefused, ImportFault, PlayerLine, Wrong
from tournaments.services.imports.records import COLUMNS
from tournaments.services.imports.results import ResultLine
from tournaments.services.people.contacts import without_contacts
from tournaments.web.base.name_lists import (
    CONTACT_HEADINGS,
    NAME,
    SURNAME,
    ListFile,
    below_titles,
    is_sum,
    left_out,
    shown_columns,
)
from tournaments.web.base.typed_points import read_points
from tournaments.web.imports.cells import Cell, Row
from tournaments.web.imports.values import read_count, read_day, read_yes

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
    """The players of a table."""

    lines: list[PlayerLine] = field(default_factory=list)
    file: ListFile = field(default_factory=ListFile)


@dataclass(frozen=True)
class ResultsRead(Read):
    """The results in a table."""

    lines: list[ResultLine] = field(default_factory=list)


def read_players(rows: Sequence[Row]) -> PlayersRead:
    """Return the players of a table; without headings the first with letters holds their names.

    Titles above the headings, and lines of sums, are left out.

    Raises:
        FileRefused: there are only headings.
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
        columns = {"name": _first_of_letters(rows)}
    fields = {place: name for name, place in columns.items()}
    read.file.columns.extend(shown_columns(headings, fields))
    for number, cells in rows:
        line = _ImportLine(number, cells, columns, read.faults)
        typed = line.said("name")
        is_formula = typed.startswith(("=", "@"))
        if is_sum(typed) or (typed and not is_formula and not without_contacts(typed)):
            read.file.left_out.append(left_out(number, cells))
            continue
        shy = read_yes(line.cell("initials"))
        if shy is None:
            line.fault(Wrong.NO_YES, "initials")
        name = read.file.without_contacts(number, line.name("name"))
        read.lines.append(PlayerLine(number, name, initials=bool(shy)))
    if not read.lines:
        raise FileRefused("empty")
    return read


def _first_of_letters(rows: Sequence[Row]) -> int:
    """Return the first column with names: those before have only numbers or addresses."""
    places = (
        place
        for _number, cells in rows
        for place, cell in enumerate(cells)
        if without_contacts(str(cell))
    )
    return min(places, default=0)


def read_results(rows: Sequence[Row], *, evening: str, decimal: str, today: date) -> ResultsRead:
    """Return the results of a table with headings; `evening` is the default name.

    Raises:
        FileRefused: a required column is missing, or there are only headings.
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
        read.lines.append(
            ResultLine(
                number,
                line.day(today),
                line.evening(evening),
                line.count("round"),
                line.count("table"),
                without_contacts(line.name("player")),
                line.points(decimal),
            )
        )
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

    def said(self, column: str) -> str:
        return f"{self.cell(column)} {self.cell('surname')}".strip()

    def name(self, column: str) -> str:
        name = self.said(column)
        if name.startswith(("=", "@", "+")):
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
