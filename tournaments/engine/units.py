"""What can be counted at a table, and how the counts of one deal must agree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tournaments.engine.problems import Code, Problem

CARDS_IN_A_TRICK = 4

Counts = Mapping[str, tuple[int, ...]]
"""Unit id to one number per side, in side order."""


@dataclass(frozen=True, slots=True)
class Unit:
    """Something a contract hands out: `total` of them in every deal.

    `cards` says that the units are cards, of which a trick holds at most four.
    """

    id: str
    total: int
    cards: bool = True


UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        unit.id: unit
        for unit in (
            Unit("tricks", 13, cards=False),
            Unit("hearts", 13),
            Unit("men", 8),
            Unit("queens", 4),
            Unit("heart_king", 1),
            Unit("last_two", 2, cards=False),
        )
    }
)


def check_unit(unit: Unit, counts: tuple[int, ...], sides: int) -> Iterator[Problem]:
    """Check the counts of one unit: one per side, none negative, adding up to the total."""
    where = f"counts.{unit.id}"
    if len(counts) != sides:
        yield Problem(Code.WRONG_SEATS, where, {"expected": sides, "got": len(counts)})
        return
    if min(counts) < 0:
        yield Problem(Code.NEGATIVE_COUNT, where, {"got": min(counts)})
    if max(counts) > unit.total:
        yield Problem(Code.COUNT_TOO_LARGE, where, {"most": unit.total, "got": max(counts)})
    if sum(counts) != unit.total:
        yield Problem(Code.WRONG_TOTAL, where, {"expected": unit.total, "got": sum(counts)})


def fewest_tricks(unit: Unit, counts: tuple[int, ...]) -> int:
    """The fewest tricks in which the sides can have taken `counts` of `unit`."""
    if not unit.cards:
        return sum(counts)
    return sum(-(-count // CARDS_IN_A_TRICK) for count in counts)
