"""The cost of seating two entrants at one table, by order of importance.

Costs are integers on one scale: a single repeat outweighs everything below it, and no sum
overflows.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.field import PairingField

AVOIDED = 10**15
REPEAT = 10**11
TWICE = 3
"""A pair that met twice costs as much as three that met once."""

SEATLESS = 10**8
"""The cost of a table at which not all players have a seat that keeps them in balance."""

SPREAD = 10**4
"""The distance from the lowest score to the highest; a table costs its pairs' distances."""

SAME_CLUB = SPREAD // 4

Costs = NDArray[np.int64]


def pair_costs(field: PairingField) -> Costs:
    """Return the cost of each meeting of two entrants (symmetric, 0 on the diagonal)."""
    costs = _distances(field)
    for one, other, cost in unlikely_pairs(field):
        _add(costs, one, other, cost)
    return costs


def unlikely_pairs(field: PairingField) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs that cost more than their distance in score, and the extra cost."""
    for (one, other), times in field.meetings.items():
        yield one, other, REPEAT * TWICE ** min(times - 1, 6)
    for name, avoided in field.avoid:
        yield field.index[name], field.index[avoided], AVOIDED
    if field.separate_clubs:
        for one, other in same_club_pairs(field):
            yield one, other, SAME_CLUB


def same_club_pairs(field: PairingField) -> list[tuple[int, int]]:
    """Return every pair of entrants of the same club."""
    clubs: dict[str, list[int]] = {}
    for place, entrant in enumerate(field.entrants):
        if entrant.club:
            clubs.setdefault(entrant.club, []).append(place)
    return [pair for places in clubs.values() for pair in combinations(places, 2)]


def scaled_scores(field: PairingField) -> NDArray[np.int64]:
    """Return the scores scaled to 0 … `SPREAD`, with an error of at most one unit."""
    scores = [entrant.score for entrant in field.entrants]
    low, high = min(scores, default=0), max(scores, default=0)
    width = high - low or 1
    return np.array([int((score - low) * SPREAD / width) for score in scores], dtype=np.int64)


def _distances(field: PairingField) -> Costs:
    scores = scaled_scores(field)
    distances: Costs = np.abs(scores[:, None] - scores[None, :])
    return distances


def _add(costs: Costs, one: int, other: int, cost: int) -> None:
    costs[one, other] += cost
    costs[other, one] += cost
