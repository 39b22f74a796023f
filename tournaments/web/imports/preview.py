"""The preview of an import: evenings, tables, lines, and ambiguous names."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from tournaments.models import Player
from tournaments.models.people import fold_name
from tournaments.services.imports.files import ImportFault, Who
from tournaments.services.imports.records import RecordSeen, RecordsPlan, fault_text, record_texts
from tournaments.services.imports.results import GameSeen, ResultsPlan
from tournaments.texts import labels


@dataclass(frozen=True, slots=True)
class SeatShown:
    """A line of a table: the player, and its problem."""

    number: int
    name: str
    new: bool
    points: str
    problems: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TableShown:
    """A game at its table; `file` is the name of the record's file."""

    round: int
    table: int
    seats: tuple[SeatShown, ...]
    there: bool
    file: str = ""
    unfinished: bool = False

    @property
    def wrong(self) -> bool:
        return any(seat.problems for seat in self.seats)


@dataclass(frozen=True, slots=True)
class EveningShown:
    """An evening with its tables, by round and number."""

    day: date
    name: str
    tables: tuple[TableShown, ...]


@dataclass(frozen=True, slots=True)
class WrongFile:
    """A record that cannot be imported, with the reason."""

    name: str
    problems: tuple[str, ...]


def evenings_of_results(plan: ResultsPlan) -> list[EveningShown]:
    """Return the evenings in a file of results."""
    shown: dict[tuple[date, str], list[TableShown]] = defaultdict(list)
    names: dict[tuple[date, str], str] = {}
    for game in plan.games:
        line = game.first
        if line.day is None:
            continue
        key = (line.day, fold_name(line.evening))
        names.setdefault(key, line.evening)
        shown[key].append(_table_of(game))
    return _evenings(names, shown)


def evenings_of_records(plan: RecordsPlan) -> list[EveningShown]:
    """Return the evenings of valid records."""
    shown: dict[tuple[date, str], list[TableShown]] = defaultdict(list)
    names: dict[tuple[date, str], str] = {}
    for seen in plan.seen:
        if seen.fits:
            names.setdefault(seen.key, seen.evening)
            shown[seen.key].append(_table_of_record(seen))
    return _evenings(names, shown)


def wrong_files(plan: RecordsPlan) -> list[WrongFile]:
    return [WrongFile(seen.file.name, tuple(record_texts(seen))) for seen in plan.wrong]


def _evenings(
    names: Mapping[tuple[date, str], str], shown: Mapping[tuple[date, str], list[TableShown]]
) -> list[EveningShown]:
    return [
        EveningShown(day, names[day, key], tuple(sorted(tables, key=_place)))
        for (day, key), tables in sorted(shown.items())
    ]


def _place(table: TableShown) -> tuple[int, int]:
    return table.round, table.table


def _table_of(game: GameSeen) -> TableShown:
    faults: dict[int, list[ImportFault]] = defaultdict(list)
    for fault in game.faults:
        faults[fault.line].append(fault)
    seats = tuple(
        SeatShown(
            line.number,
            *_called(who, line.name),
            "" if line.points is None else labels.points_text(line.points),
            tuple(map(fault_text, faults[line.number])),
        )
        for line, who in zip(game.lines, game.who, strict=True)
    )
    return TableShown(game.first.round or 0, game.first.table or 0, seats, game.there)


def _table_of_record(seen: RecordSeen) -> TableShown:
    seats = tuple(_seats_of_record(seen))
    unfinished = seen.game is not None and not seen.game.finished
    return TableShown(seen.round, seen.table, seats, seen.there, seen.file.name, unfinished)


def _seats_of_record(seen: RecordSeen) -> Iterator[SeatShown]:
    assert seen.game is not None
    totals: Sequence[object] = seen.game.totals
    for seat, (who, typed) in enumerate(zip(seen.who, seen.typed, strict=True)):
        points = labels.points_text(totals[seen.game.ruleset.sides[seat]])
        yield SeatShown(seat + 1, *_called(who, typed), points)


def _called(who: Who | None, typed: str) -> tuple[str, bool]:
    if isinstance(who, Player):
        return who.name, False
    return (typed or "–", False) if who is None else (who, True)
