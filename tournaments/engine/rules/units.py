"""The units that a table can count, and how the counts of one deal must agree."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tournaments.engine.rules.problems import Code, Problem

CARDS_IN_A_TRICK = 4

Counts = Mapping[str, tuple[int, ...]]
"""One number per side, in side order, by unit id."""


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit of a contract: there are `total` of them in every deal (None: not fixed).

    With `cards` the units are cards, of which a trick holds at most four. `most` is the most that
    one player can have of a unit whose total is not fixed.
    """

    id: str
    total: int | None
    cards: bool = True
    most: int = 13


UNITS: Mapping[str, Unit] = MappingProxyType(
    {
        unit.id: unit
        for unit in (
            Unit("tricks", 13, cards=False),
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
        "twelfth_trick": ("tricks",),
        "last_trick": ("tricks",),
    }
)
"""Units that are part of others: a side cannot have more of them than of those."""

HONOURS_AMONG_HEARTS = 3
"""King, queen and jack of hearts are counted as hearts and as men or queens."""


def check_agreement(counts: Counts) -> Iterator[Problem]:
    """Check that units written down together agree (`docs/rules.md` §0, Units)."""
    tricks = counts.get("tricks")
    for unit, numbers in counts.items():
        bounds = [counts[other] for other in WITHIN.get(unit, ()) if other in counts]
        if tricks is not None and UNITS[unit].cards:
            bounds.append(tuple(CARDS_IN_A_TRICK * taken for taken in tricks))
        if any(n > most for bound in bounds for n, most in zip(numbers, bound, strict=True)):
            yield Problem(Code.INCONSISTENT_COUNTS, f"counts.{unit}", {"why": "within"})
    if tricks is not None and {"hearts", "men", "queens"} <= counts.keys():
        yield from _check_cards(counts, tricks)


def _check_cards(counts: Counts, tricks: tuple[int, ...]) -> Iterator[Problem]:
    columns = zip(counts["hearts"], counts["men"], counts["queens"], tricks, strict=True)
    for hearts, men, queens, taken in columns:
        cards = hearts + men + queens - min(HONOURS_AMONG_HEARTS, hearts)
        if cards > CARDS_IN_A_TRICK * taken:
            yield Problem(Code.INCONSISTENT_COUNTS, "counts", {"why": "cards"})
            return


def fewest_tricks(unit: Unit, counts: tuple[int, ...]) -> int:
    """Return the fewest tricks in which the sides can have taken `counts` of `unit`."""
    if not unit.cards:
        return sum(counts)
    return sum(-(-count // CARDS_IN_A_TRICK) for count in counts)
