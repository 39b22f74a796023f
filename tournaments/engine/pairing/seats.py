"""Seat orders at a table, so that everybody uses every seat equally often."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, permutations
from random import Random

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.field import PairingField

EARLY_ROUNDS = 5
"""In this number of rounds, the seats of each player differ by at most one use."""

SEATS = 4
ALL_SEATS = (1 << SEATS) - 1
MOST_STEPS = 60
ORDERS = tuple(permutations(range(SEATS)))


def _feasible() -> NDArray[np.bool_]:
    """For four masks of open seats (as bits), whether all can sit down at once."""
    possible = np.zeros((16,) * SEATS, dtype=np.bool_)
    for order in ORDERS:
        allowed = [[mask for mask in range(16) if mask >> seat & 1] for seat in order]
        possible[np.ix_(*allowed)] = True
    return possible


FEASIBLE = _feasible()
FEASIBLE_AT = bytes(FEASIBLE.reshape(-1).tolist())


def open_seats(field: PairingField) -> NDArray[np.int64]:
    """Return for each entrant the seats (as bits) with the least possible imbalance, or all."""
    if field.score_before_seats:
        return np.full(len(field.entrants), ALL_SEATS, dtype=np.int64)
    most = 1 if field.number <= EARLY_ROUNDS else 2
    return np.array([_open(taken, most) for taken in field.seats_taken], dtype=np.int64)


def _open(taken: Sequence[int], most: int) -> int:
    mask = 0
    for seat in range(len(taken)):
        after = [times + (seat == other) for other, times in enumerate(taken)]
        if max(after) - min(after) <= most:
            mask |= 1 << seat
    # Players with a worse imbalance, as after a late change, must still sit somewhere.
    return mask or (1 << len(taken)) - 1


def open_after(taken: Sequence[int], seat: int | None = None) -> int:
    """Return the open seats (as bits) after the seats taken so far, and one more if given."""
    return _open([times + (seat == at) for at, times in enumerate(taken)], 1)


def seat_table(field: PairingField, table: Sequence[int], random: Random) -> tuple[int, ...]:
    """Return a table in seat order: least imbalance first, then even use of seats."""
    orders = list(permutations(table))
    random.shuffle(orders)
    return min(orders, key=lambda order: strain(field, order))


def seat_ahead(
    field: PairingField, tables: Sequence[Sequence[int]], later: Sequence[Sequence[Sequence[int]]]
) -> list[tuple[int, ...]] | None:
    """Return tables in seat order, so that nobody repeats a seat in them or in later rounds.

    Return None if a seat was already repeated, or if the search finds nothing.
    """
    if field.number > SEATS or any(max(times) > 1 for times in field.seats_taken):
        return None
    waiting = [tuple(table) for table in chain(tables, *later)]
    seating = _Seating(waiting, field.seats_taken)
    if not seating.settle(frozenset(range(len(waiting)))):
        return None
    return [seating.seated[number] for number in range(len(tables))]


class _Seating:
    """A search for seats at several tables, those with the fewest ways first."""

    def __init__(self, tables: Sequence[tuple[int, ...]], times: Sequence[Sequence[int]]) -> None:
        self.tables, self.steps = tables, MOST_STEPS
        self.seated: dict[int, tuple[int, ...]] = {}
        self.taken = [sum(1 << seat for seat in range(SEATS) if each[seat]) for each in times]

    def settle(self, left: frozenset[int]) -> bool:
        """Seat the tables in `left`; return False if that is impossible or takes too long."""
        self.steps -= 1
        if not left:
            return True
        if self.steps < 0:
            return False
        orders = {number: self._orders(self.tables[number]) for number in left}
        number = min(left, key=lambda each: (len(orders[each]), each))
        for places in orders[number]:
            order = tuple(self.tables[number][place] for place in places)
            self._turn(order)
            self.seated[number] = order
            if self.settle(left - {number}):
                return True
            self._turn(order)
        return False

    def _orders(self, table: Sequence[int]) -> tuple[tuple[int, ...], ...]:
        return _orders(tuple(self.taken[place] for place in table))

    def _turn(self, order: Sequence[int]) -> None:
        for seat, place in enumerate(order):
            self.taken[place] ^= 1 << seat


@lru_cache(4096)
def _orders(taken: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every order of a table in which nobody repeats a seat, by the seats taken (as bits)."""
    return tuple(
        order
        for order in ORDERS
        if not any(taken[place] >> seat & 1 for seat, place in enumerate(order))
    )


def strain(field: PairingField, order: Sequence[int]) -> tuple[int, int]:
    """Return the worst imbalance of a seat order, and a measure of uneven use of its seats."""
    imbalance, uneven = 0, 0
    for seat, place in enumerate(order):
        taken = field.seats_taken[place]
        after = [times + (seat == other) for other, times in enumerate(taken)]
        imbalance = max(imbalance, max(after) - min(after))
        uneven += sum(times * times for times in after)
    return imbalance, uneven
