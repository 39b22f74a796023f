"""The units that a table can count, and how the counts of one deal must agree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from types import MappingProxyType

from tournaments.engine.rules.problems import Code, Problem

ALL_TRICKS = 13

Counts = Mapping[str, tuple[int, ...]]
"""One number per side, in side order, by unit id."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a contract: there are `total` of them in every deal (None: not fixed).

    With `cards` the units are cards, of which a trick holds one of each seat. `most` is the most
    that one player can have of a unit whose total is not fixed.
    """

    id: str
    total: int | None
    cards: bool = True
    most: int = 13


UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        unit.id: unit
        for unit in (
            Unit("tricks", ALL_TRICKS, cards=False),
            Unit("hearts", 13),
            Unit("men", 8),
            Unit("queens", 4),
            Unit("heart_king", 1),
            Unit("heart_ace", 1),
            Unit("diamond_eight", 1),
            Unit("last_two", 2, cards=False),
            Unit("twelfth_trick", 1, cards=False),
            Unit("last_trick", 1, cards=False),
            Unit("cards_left", None, cards=False),
            Unit("places", None, cards=False, most=4),
        )
    }
)

WITHIN: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "heart_king": ("men", "hearts"),
        "heart_ace": ("hearts",),
        "last_two": ("tricks",),
        "twelfth_trick": ("tricks", "last_two"),
        "last_trick": ("tricks", "last_two"),
    }
)
"""Units that are part of others: a side cannot have more of them than of those."""

SHARED_CARDS = (
    ("hearts", "men", "heart_king"),
    ("hearts", "queens"),
    ("hearts", "men"),
    ("hearts", "heart_ace"),
)
"""The units in which the king, queen, jack and ace of hearts are counted."""


def check_agreement(counts: Counts, seats: int) -> Iterator[Problem]:
    """Check that some deal gives these counts (`docs/rules.md`, Units).

    A trick holds one card of each of the `seats`. The counts of each unit have passed their own
    checks.
    """
    tricks = counts.get("tricks")
    alone = True
    for unit, numbers in counts.items():
        bounds = [counts[other] for other in WITHIN.get(unit, ()) if other in counts]
        if tricks is not None and UNITS[unit].cards:
            bounds.append(tuple(seats * taken for taken in tricks))
        if any(n > most for bound in bounds for n, most in zip(numbers, bound, strict=True)):
            alone = False
            yield Problem(Code.INCONSISTENT_COUNTS, f"counts.{unit}", {"why": "within"})
    fewest = fewest_tricks(counts, seats) if alone else 0
    if fewest is None or fewest > ALL_TRICKS:
        yield Problem(Code.INCONSISTENT_COUNTS, "counts", {"why": "cards"})


def fewest_tricks(counts: Counts, seats: int) -> int | None:
    """Return the fewest tricks in which the sides can have taken `counts`, or None if in none."""
    tricks = counts.get("tricks")
    named = _named_tricks(counts)
    if named is None:
        return None
    fewest = None
    for cards in _cards_by_side(counts):
        needed = [max(-(-n // seats), last) for n, last in zip(cards, named, strict=True)]
        if tricks is not None:
            if any(n > taken for n, taken in zip(needed, tricks, strict=True)):
                continue
            needed = list(tricks)
        fewest = sum(needed) if fewest is None else min(fewest, sum(needed))
    return fewest


def _named_tricks(counts: Counts) -> list[int] | None:
    """Return how many of the last two tricks each side has at least, or None if they disagree."""
    none = (0,) * len(next(iter(counts.values())))
    single = [counts.get(name, none) for name in ("twelfth_trick", "last_trick")]
    named = [sum(both) for both in zip(*single, strict=True)]
    if "last_two" not in counts:
        return named
    if any(n > both for n, both in zip(named, counts["last_two"], strict=True)):
        return None
    return list(counts["last_two"])


def _cards_by_side(counts: Counts) -> Iterator[list[int]]:
    """Yield the number of cards of each side, for each way to give out the shared cards."""
    sides = range(len(next(iter(counts.values()))))
    written = [tuple(unit for unit in card if unit in counts) for card in SHARED_CARDS]
    shared = [units for units in written if len(units) > 1]
    for owners in product(sides, repeat=len(shared)):
        others = {unit: list(numbers) for unit, numbers in counts.items() if UNITS[unit].cards}
        for owner, units in zip(owners, shared, strict=True):
            for unit in units:
                others[unit][owner] -= 1
        if all(min(numbers) >= 0 for numbers in others.values()):
            yield [owners.count(side) + sum(n[side] for n in others.values()) for side in sides]
