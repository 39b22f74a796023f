"""The cost of seating two entrants at one table, by order of importance.

Costs are integers on one scale, in hundredths of a percent of the spread of a table drawn by lot.
They stay below 2**53, so that sums of them are exact in floating point too.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations
from math import comb

from tournaments.engine.pairing.field import PairingField

TOGETHER = 10**13
"""The gain if two members of a fixed group share a table."""

AVOIDED = 10**12
REPEAT = 10**9
"""The cost of a repeat if there are to be as few as possible."""

TWICE = 3
"""A pair that met twice costs as much as three that met once."""

UNEVEN = 10**7
"""The cost of a player whose use of the seats would differ by more than 2."""

PERCENT = 100
BY_LOT = 100 * PERCENT

SAME_CLUB = BY_LOT // 4


def repeat_cost(field: PairingField) -> int:
    """Return the cost of a pair that met once, as the weights have it for this round."""
    price = field.repeat_price
    return REPEAT if price is None else price * PERCENT


def same_club_pairs(field: PairingField) -> list[tuple[int, int]]:
    """Return every pair of entrants of the same club."""
    clubs: dict[str, list[int]] = {}
    for place, entrant in enumerate(field.entrants):
        if entrant.club:
            clubs.setdefault(entrant.club, []).append(place)
    return [pair for places in clubs.values() for pair in combinations(places, 2)]


def spread_by_lot(field: PairingField) -> Fraction:
    """Return the mean spread of scores at a table drawn by lot: the mean over all tables."""
    scores = sorted(entrant.score for entrant in field.entrants)
    count, others = len(scores), field.table_size - 1
    # A score is the highest at as many tables as there are choices among the lower ones.
    ways = (comb(at, others) - comb(count - 1 - at, others) for at in range(count))
    total = sum((Fraction(score) * n for score, n in zip(scores, ways, strict=True)), Fraction(0))
    return total / max(1, comb(count, field.table_size))


def unwanted_pairs(field: PairingField) -> Iterator[tuple[int, int, int]]:
    """Yield pairs that should not meet, with what each reason costs."""
    repeat = repeat_cost(field)
    for (one, other), times in field.meetings.items():
        yield one, other, repeat * TWICE ** min(times - 1, 4)
    for name, avoided in field.avoid:
        yield field.index[name], field.index[avoided], AVOIDED
    if field.separate_clubs:
        for one, other in same_club_pairs(field):
            yield one, other, SAME_CLUB
