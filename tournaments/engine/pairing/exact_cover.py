"""Seat small fields by exact cover, over all tables at which everybody finds a seat.

Exchanges get stuck if each player has one seat left and has met many of the others.
"""

from collections.abc import Collection, Sequence
from itertools import combinations
from random import Random

from tournaments.engine.pairing.costs import REPEAT, unlikely_pairs
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.seats import FEASIBLE_AT, open_seats

MOST_STEPS = 300

Way = tuple[int, int]
"""A table: its cost, and its players (as bits)."""


def cover(field: PairingField, most: int, random: Random) -> list[list[int]] | None:
    """Return tables for everybody with a seat for each, and the fewest repeats up to `most`.

    A pair that met twice counts as three repeats. Return None if there are no such tables, or if
    the search finds none.
    """
    ways = likely_tables(field, most)
    random.shuffle(ways)
    found = least_cover(ways, range(len(field.entrants)), most)
    return None if found is None else [_places(table) for _, table in found]


def least_cover(ways: Sequence[Way], players: Collection[int], most: int) -> list[Way] | None:
    """Return the cheapest of the tables that seat all players once, up to a cost of `most`."""
    everybody = sum(1 << place for place in players)
    mine = [way for way in ways if not way[1] & ~everybody]
    for budget in range(most + 1):
        search = _Search()
        found = search.cover(everybody, [way for way in mine if way[0] <= budget], budget)
        if found is not None:
            return found
    return None


def likely_tables(field: PairingField, most: int) -> list[Way]:
    """Return every table with a seat for each player and a cost of at most `most`."""
    masks = [int(mask) for mask in open_seats(field)]
    count = len(masks)
    extra = [[0] * count for _ in masks]
    for one, other, cost in unlikely_pairs(field):
        extra[one][other] += cost // REPEAT
        extra[other][one] += cost // REPEAT
    found = []
    for a, b in combinations(range(count), 2):
        two = extra[a][b]
        if two > most:
            continue
        both = masks[a] << 12 | masks[b] << 8
        near = [c for c in range(b + 1, count) if two + extra[a][c] + extra[b][c] <= most]
        for c, d in combinations(near, 2):
            cost = two + extra[a][c] + extra[b][c] + extra[a][d] + extra[b][d] + extra[c][d]
            if cost <= most and FEASIBLE_AT[both | masks[c] << 4 | masks[d]]:
                found.append((cost, 1 << a | 1 << b | 1 << c | 1 << d))
    return found


def _places(bits: int) -> list[int]:
    return [place for place in range(bits.bit_length()) if bits >> place & 1]


class _Search:
    """A search with limited steps, table by table, for the player with the fewest tables left."""

    def __init__(self) -> None:
        self.steps = MOST_STEPS

    def cover(self, left: int, ways: Sequence[Way], budget: int) -> list[Way] | None:
        """Return tables for the players in `left`, from `ways` and within the budget."""
        if not left:
            return []
        self.steps -= 1
        if self.steps < 0:
            return None
        each = [[way for way in ways if way[1] >> place & 1] for place in _places(left)]
        fewest = min(each, key=len)
        for way in sorted(fewest, key=lambda way: way[0]):
            cost, table = way
            later = [other for other in ways if not other[1] & table and other[0] <= budget - cost]
            found = self.cover(left & ~table, later, budget - cost)
            if found is not None:
                return [way, *found]
        return None
