"""A seating that a director changes by hand, before it is published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import chain

from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.judging import (
    Fault,
    InvalidSeating,
    Seating,
    check_tables,
    judge,
)
from tournaments.engine.pairing.methods import seat_round
from tournaments.engine.pairing.quality import Quality

Tables = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Change:
    """What a swap does to one figure of `Quality`, by its name."""

    name: str
    before: int | Fraction
    after: int | Fraction


@dataclass(frozen=True, slots=True)
class Swapped:
    """A seating after two entrants changed places, and the quality it had before."""

    seating: Seating
    before: Quality

    @property
    def changes(self) -> tuple[Change, ...]:
        """The figures that are not what they were; none where the swap costs nothing."""
        figures = (
            Change(each.name, getattr(self.before, each.name), getattr(after, each.name))
            for after in [self.seating.quality]
            for each in fields(after)
        )
        return tuple(figure for figure in figures if figure.before != figure.after)


def swap(field: Field, seating: Seating, one: str, other: str) -> Swapped:
    """Let two entrants, by id, change places: at two tables, at one, or a seat with a bye.

    Raises:
        InvalidSeating: one of them is not in the seating, or it is not one of the field.
    """
    here = {*chain(*seating.tables), *seating.byes}
    unknown = [name for name in (one, other) if name not in here]
    if unknown:
        raise InvalidSeating(Fault("unknown", {"entrant": name}) for name in unknown)
    turned = {one: other, other: one}
    tables = tuple(tuple(turned.get(name, name) for name in table) for table in seating.tables)
    byes = tuple(turned.get(name, name) for name in seating.byes)
    before = judge(field, seating.tables, seating.byes).quality
    return Swapped(judge(field, tables, byes), before)


def seat_rest(field: Field, method: str, locked: Mapping[int, Sequence[str]]) -> Seating:
    """Seat everybody but those at tables that stay as they are.

    `locked` has the ids in seat order by the place of the table from 0, where it stays. Who sits
    out is chosen among the others. A round robin goes on as a schedule without repeats does.

    Raises:
        InvalidSeating: a locked table is not full, or seats somebody twice or unknown.
        KeyError, ImpossibleFixed: as `seat_round`.
    """
    kept = [tuple(locked[number]) for number in sorted(locked)]
    faults = check_tables(field, kept)
    if faults:
        raise InvalidSeating(faults)
    rest = field.without(frozenset(chain(*kept)))
    tables, byes = _seat(rest, "fixed" if method == "round-robin" else method)
    seated = list(tables)
    for number, table in zip(sorted(locked), kept, strict=True):
        seated.insert(number, table)
    return judge(field, seated, byes)


def _seat(field: Field, method: str) -> tuple[Tables, tuple[str, ...]]:
    if len(field.entrants) < field.table_size:
        return (), tuple(field.index)
    seating = seat_round(field, method)
    return seating.tables, seating.byes
