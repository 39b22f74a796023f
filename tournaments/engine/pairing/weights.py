"""What the parts of a seating are worth against each other; `docs/seating.md` has the evidence."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

SEATING_VERSION = 4
"""Raised with each change that seats the same field and seed otherwise."""

REDRAWN = (3, SEATING_VERSION)
"""The versions that can be drawn again; 3 chose byes by their number alone."""

LARGEST_PRICE = 10_000


@dataclass(frozen=True, slots=True)
class Weights:
    """The prices of a seating, in percent of the spread of a table drawn by lot.

    So they mean the same for every way of scoring, and in every round. A seating with the smallest
    sum of spreads and prices is sought.

    `repeat` is the price of a pair that meets again (None: as few as possible, whatever the
    spread), and `last_repeat` that in the last round. `seat` is the price of a player whose use of
    the seats differs by 2; it never differs by more. The spread of a table with one of
    the first four counts `leaders` percent more, in the last round `last_leaders`.
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
        "near-scores": Weights(repeat=20, last_repeat=20, last_leaders=100),
        "leaders": Weights(repeat=20, last_repeat=20, leaders=100, last_leaders=100),
    }
)
"""The weights by what a tournament is for: everyone meets everyone, players of like scores meet,
and the most meetings of leaders."""

LEADERS_LAST = {"last_repeat": 20, "last_leaders": 100}
"""What differs if the leaders are to meet in the last round."""


def weights_for(objective: str, *, leaders_last: bool) -> Weights:
    """Return the weights of an objective, by name."""
    weights = OBJECTIVES[objective]
    return replace(weights, **LEADERS_LAST) if leaders_last else weights
