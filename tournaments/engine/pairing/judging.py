"""Judge a seating: its quality, the reasons for it, and whether it is valid."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.quality import (
    Quality,
    SeatingReason,
    measure,
    reasons,
    reasons_for_bye,
)


@dataclass(frozen=True, slots=True)
class Seating:
    """Tables as ids in seat order, and the byes, with quality and reasons."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    quality: Quality
    why: dict[str, tuple[SeatingReason, ...]]
    seed: int


@dataclass(frozen=True, slots=True)
class SeatingFault:
    """One reason why tables and byes are no valid seating.

    `code` is `unseated`, `seated-twice` or `unknown` (with the id as `entrant`), or `odd-table`
    (with the `table` from 0, `expected` and `got`).
    """

    code: str
    params: Mapping[str, str | int] = field(default_factory=dict)


class InvalidSeating(Exception):
    """Tables and byes with entrants unseated or seated twice, or with tables that are not full."""

    def __init__(self, faults: Iterable[SeatingFault]) -> None:
        self.faults = tuple(faults)
        super().__init__(", ".join(f"{each.code} {dict(each.params)}" for each in self.faults))


def judge(field: PairingField, tables: Sequence[Sequence[str]], byes: Sequence[str]) -> Seating:
    """Return the quality and the reasons of a seating; ids in seat order for each table.

    There may be any number of byes.

    Raises:
        InvalidSeating: with every fault.
    """
    unseated = field.index.keys() - {*chain(*tables), *byes}
    faults = [
        *check_tables(field, tables, byes),
        *(SeatingFault("unseated", {"entrant": name}) for name in field.index if name in unseated),
    ]
    if faults:
        raise InvalidSeating(faults)
    playing = playing_field(field, byes)
    places = [tuple(playing.index[name] for name in table) for table in tables]
    return describe(field, playing, places, byes)


def lot_of(field: PairingField) -> Random:
    """Return the random generator of a round, always with the same seed."""
    return Random(f"{field.seed} {field.number}")  # noqa: S311 - not for secrets


def playing_field(field: PairingField, byes: Iterable[str]) -> PairingField:
    """Return the field of those who play, with its groups."""
    return replace(field.without(frozenset(byes)), fixed=field.fixed)


def describe(
    field: PairingField, playing: PairingField, tables: Sequence[Sequence[int]], byes: Iterable[str]
) -> Seating:
    """Return the seating of `tables`, as places in `playing.entrants`; `byes` are ids."""
    why = {
        playing.entrants[place].id: tuple(reasons(playing, table, seat))
        for table in tables
        for seat, place in enumerate(table)
    }
    out = tuple(byes)
    why |= {name: tuple(reasons_for_bye(field, field.index[name])) for name in out}
    names = tuple(tuple(playing.entrants[place].id for place in table) for table in tables)
    places = [[field.index[name] for name in table] for table in names]
    return Seating(names, out, measure(field, places), why, field.seed)


def check_tables(
    field: PairingField, tables: Sequence[Sequence[str]], byes: Sequence[str] = ()
) -> list[SeatingFault]:
    """Yield the faults of tables and byes."""
    seated = Counter([*chain(*tables), *byes])
    size = field.table_size
    return [
        *(
            SeatingFault("odd-table", {"table": number, "expected": size, "got": len(table)})
            for number, table in enumerate(tables)
            if len(table) != size
        ),
        *(SeatingFault("unknown", {"entrant": name}) for name in seated if name not in field.index),
        *(SeatingFault("seated-twice", {"entrant": name}) for name in seated if seated[name] > 1),
    ]
