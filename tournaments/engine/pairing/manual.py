"""Changes to a seating by a director, before it is published."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from fractions import Fraction
from itertools import chain

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import (
    InvalidSeating,
    Seating,
    SeatingFault,
    check_tables,
    judge,
)
from tournaments.engine.pairing.methods import seat_round
from tournaments.engine.pairing.quality import Quality

Tables = tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class QualityChange:
    """The effect of a swap on one figure of `Quality`, by its name."""

    name: str
    before: int | Fraction
    after: int | Fraction


@dataclass(frozen=True, slots=True)
class Swapped:
    """A seating after two entrants swapped places, and its quality before."""

    seating: Seating
    before: Quality

    @property
    def changes(self) -> tuple[QualityChange, ...]:
        """The figures that differ; none if the swap costs nothing."""
        figures = (
            QualityChange(each.name, getattr(self.before, each.name), getattr(after, each.name))
            for after in [self.seating.quality]
            for each in fields(after)
        )
        return tuple(figure for figure in figures if figure.before != figure.after)


def swap(field: PairingField, seating: Seating, one: str, other: str) -> Swapped:
    """Swap two entrants, by id: at two tables, at one table, or a seat with a bye.

    Raises:
        InvalidSeating: if an entrant is not in the seating, or the seating does not fit the field.
    """
    here = {*chain(*seating.tables), *seating.byes}
    unknown = [name for name in (one, other) if name not in here]
    if unknown:
        raise InvalidSeating(SeatingFault("unknown", {"entrant": name}) for name in unknown)
    turned = {one: other, other: one}
    tables = tuple(tuple(turned.get(name, name) for name in table) for table in seating.tables)
    byes = tuple(turned.get(name, name) for name in seating.byes)
    before = judge(field, seating.tables, seating.byes).quality
    return Swapped(judge(field, tables, byes), before)


def seat_rest(field: PairingField, method: str, locked: Mapping[int, Sequence[str]]) -> Seating:
    """Seat everybody except at tables that are locked.

    `locked` maps the place of each locked table, from 0, to its ids in seat order. Byes are chosen
    among the others. A round robin continues as a schedule without repeats.

    Raises:
        InvalidSeating: if a locked table is not full, or seats an entrant twice or an unknown one.
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


def _seat(field: PairingField, method: str) -> tuple[Tables, tuple[str, ...]]:
    if len(field.entrants) < field.table_size:
        return (), tuple(field.index)
    seating = seat_round(field, method)
    return seating.tables, seating.byes
