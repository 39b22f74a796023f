"""What it costs to seat two entrants at one table, in the order of what matters.

Integers of one scale: a single repeat outweighs everything below it, and no sum overflows.
"""

from collections.abc import Iterator
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.field import Field

AVOIDED = 10**15
REPEAT = 10**11
TWICE = 3
"""A pair that met twice costs as much as three that met once."""

SEATLESS = 10**8
"""A table whose players cannot all have a seat that keeps their seats in balance."""

SPREAD = 10**4
"""From the lowest score to the highest; a table's pairs count their distances."""

SAME_CLUB = SPREAD // 4

Costs = NDArray[np.int64]


def pair_costs(field: Field) -> Costs:
    """For each two entrants what it costs that they meet (symmetric, 0 on the diagonal)."""
    costs = _distances(field)
    for one, other, cost in unlikely_pairs(field):
        _add(costs, one, other, cost)
    return costs


def unlikely_pairs(field: Field) -> Iterator[tuple[int, int, int]]:
    """Every two entrants who cost more than their distance when they meet, and how much more."""
    for (one, other), times in field.meetings.items():
        yield one, other, REPEAT * TWICE ** min(times - 1, 6)
    for name, avoided in field.avoid:
        yield field.index[name], field.index[avoided], AVOIDED
    if field.separate_clubs:
        for one, other in same_club_pairs(field):
            yield one, other, SAME_CLUB


def same_club_pairs(field: Field) -> list[tuple[int, int]]:
    """Every two entrants of the same club."""
    clubs: dict[str, list[int]] = {}
    for place, entrant in enumerate(field.entrants):
        if entrant.club:
            clubs.setdefault(entrant.club, []).append(place)
    return [pair for places in clubs.values() for pair in combinations(places, 2)]


def scaled_scores(field: Field) -> NDArray[np.int64]:
    """The scores from 0 to `SPREAD`, exact up to one part of it."""
    scores = [entrant.score for entrant in field.entrants]
    low, high = min(scores, default=0), max(scores, default=0)
    width = high - low or 1
    return np.array([int((score - low) * SPREAD / width) for score in scores], dtype=np.int64)


def _distances(field: Field) -> Costs:
    scores = scaled_scores(field)
    distances: Costs = np.abs(scores[:, None] - scores[None, :])
    return distances


def _add(costs: Costs, one: int, other: int, cost: int) -> None:
    costs[one, other] += cost
    costs[other, one] += cost
