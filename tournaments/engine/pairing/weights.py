"""What the parts of a seating are worth against each other; `docs/seating.md` has the evidence."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

SEATING_VERSION = 1
"""Raised with each change that seats the same field and seed otherwise."""

LARGEST_PRICE = 10_000


@dataclass(frozen=True, slots=True)
class Weights:
    """The prices of a seating, in percent of the spread of a table drawn by lot.

    So they mean the same for every way of scoring, and in every round. A seating with the smallest
    sum of spreads and prices is sought.

    `repeat` is the price of a pair that meets again (None: as few as possible, whatever the
    spread), and `last_repeat` that in the last round. `seat` is the price of a player whose use of
    the seats differs by 2; it never differs by more. The spread of a table with leaders counts
    `leaders` percent more, in the last round `last_leaders`.
    """

    repeat: int | None = None
    last_repeat: int | None = None
    seat: int = 2
    leaders: int = 0
    last_leaders: int = 0


NEW_OPPONENTS = Weights()

OBJECTIVES: Mapping[str, Weights] = MappingProxyType(
    {
        "new-opponents": NEW_OPPONENTS,
        "ranking": Weights(repeat=10, last_repeat=10),
        "leaders": Weights(repeat=10, last_repeat=5, leaders=100, last_leaders=100),
    }
)
"""The weights by what a tournament is for: everyone meets everyone, the fairest ranking, and the
most meetings of leaders."""
