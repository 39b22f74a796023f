"""A seating with how good it is and why, and whether one that a hand has made is one at all."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from random import Random

from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.quality import (
    Quality,
    Reason,
    measure,
    reasons,
    reasons_for_bye,
)


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits where, by ids in seat order, and who sits out; how good it is, and why."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    quality: Quality
    why: dict[str, tuple[Reason, ...]]
    seed: int


@dataclass(frozen=True, slots=True)
class Fault:
    """One thing that keeps tables and byes from being a seating.

    `code` is `unseated`, `seated-twice` or `unknown` (with the id as `entrant`), or `odd-table`
    (with the `table` from 0, `expected` and `got`).
    """

    code: str
    params: Mapping[str, str | int] = field(default_factory=dict)


class InvalidSeating(Exception):
    """Tables and byes that seat somebody never or twice, or whose tables are not full."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = tuple(faults)
        super().__init__(", ".join(f"{each.code} {dict(each.params)}" for each in self.faults))


def judge(field: Field, tables: Sequence[Sequence[str]], byes: Sequence[str]) -> Seating:
    """How good it is to seat the entrants so, and why; ids in seat order for each table.

    Any number may sit out.

    Raises:
        InvalidSeating: with every fault; nothing was judged.
    """
    unseated = field.index.keys() - {*chain(*tables), *byes}
    faults = [
        *check_tables(field, tables, byes),
        *(Fault("unseated", {"entrant": name}) for name in field.index if name in unseated),
    ]
    if faults:
        raise InvalidSeating(faults)
    playing = playing_field(field, byes)
    places = [tuple(playing.index[name] for name in table) for table in tables]
    return describe(field, playing, places, byes)


def lot_of(field: Field) -> Random:
    """The lot of a round, which can be drawn again."""
    return Random(f"{field.seed} {field.number}")  # noqa: S311 - not for secrets


def playing_field(field: Field, byes: Iterable[str]) -> Field:
    """The field of those who play, all groups as they were."""
    return replace(field.without(frozenset(byes)), fixed=field.fixed)


def describe(
    field: Field, playing: Field, tables: Sequence[Sequence[int]], byes: Iterable[str]
) -> Seating:
    """The seating of `tables`, places in `playing.entrants`; `byes` are ids."""
    why = {
        playing.entrants[place].id: tuple(reasons(playing, table, seat))
        for table in tables
        for seat, place in enumerate(table)
    }
    out = tuple(byes)
    why |= {name: tuple(reasons_for_bye(field, field.index[name])) for name in out}
    names = tuple(tuple(playing.entrants[place].id for place in table) for table in tables)
    return Seating(names, out, measure(playing, tables), why, field.seed)


def check_tables(
    field: Field, tables: Sequence[Sequence[str]], byes: Sequence[str] = ()
) -> list[Fault]:
    """What is wrong with tables and byes, whoever else there is."""
    seated = Counter([*chain(*tables), *byes])
    size = field.table_size
    return [
        *(
            Fault("odd-table", {"table": number, "expected": size, "got": len(table)})
            for number, table in enumerate(tables)
            if len(table) != size
        ),
        *(Fault("unknown", {"entrant": name}) for name in seated if name not in field.index),
        *(Fault("seated-twice", {"entrant": name}) for name in seated if seated[name] > 1),
    ]
