"""Who sits where at a table, so that everybody comes to every seat equally often."""

from collections.abc import Sequence
from functools import lru_cache
from itertools import chain, permutations
from random import Random

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.field import Field

EARLY_ROUNDS = 5
"""In so many rounds no seat is used twice more than another one by anybody."""

SEATS = 4
ALL_SEATS = (1 << SEATS) - 1
MOST_STEPS = 60
ORDERS = tuple(permutations(range(SEATS)))


def _feasible() -> NDArray[np.bool_]:
    """For the seats open to each of four (as bits) whether all can sit down at once."""
    possible = np.zeros((16,) * SEATS, dtype=np.bool_)
    for order in ORDERS:
        allowed = [[mask for mask in range(16) if mask >> seat & 1] for seat in order]
        possible[np.ix_(*allowed)] = True
    return possible


FEASIBLE = _feasible()
FEASIBLE_AT = bytes(FEASIBLE.reshape(-1).tolist())


def open_seats(field: Field) -> NDArray[np.int64]:
    """For each entrant the seats (as bits) that keep their imbalance as small as it must be."""
    most = 1 if field.number <= EARLY_ROUNDS else 2
    return np.array([_open(taken, most) for taken in field.seats_taken], dtype=np.int64)


def _open(taken: Sequence[int], most: int) -> int:
    mask = 0
    for seat in range(len(taken)):
        after = [times + (seat == other) for other, times in enumerate(taken)]
        if max(after) - min(after) <= most:
            mask |= 1 << seat
    # Whoever sat badly before, as after a late change, must sit somewhere.
    return mask or (1 << len(taken)) - 1


def open_after(taken: Sequence[int], seat: int | None = None) -> int:
    """The seats (as bits) left to whoever sat so often at each, and then at one more."""
    return _open([times + (seat == at) for at, times in enumerate(taken)], 1)


def seat_table(field: Field, table: Sequence[int], random: Random) -> tuple[int, ...]:
    """The entrants of a table in seat order: least imbalance first, then even use of seats."""
    orders = list(permutations(table))
    random.shuffle(orders)
    return min(orders, key=lambda order: strain(field, order))


def seat_ahead(
    field: Field, tables: Sequence[Sequence[int]], later: Sequence[Sequence[Sequence[int]]]
) -> list[tuple[int, ...]] | None:
    """Tables in seat order, such that with those of later rounds nobody has a seat twice.

    None where the first rounds are not so, or none was found.
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
        """Seat the tables `left`; False where that is not possible, or took too long."""
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
        """Take the seats of a table, or give them free again."""
        for seat, place in enumerate(order):
            self.taken[place] ^= 1 << seat


@lru_cache(4096)
def _orders(taken: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """Every order of a table in which nobody has a seat again, by the seats each had (as bits)."""
    return tuple(
        order
        for order in ORDERS
        if not any(taken[place] >> seat & 1 for seat, place in enumerate(order))
    )


def strain(field: Field, order: Sequence[int]) -> tuple[int, int]:
    """The worst imbalance when a table sits so, and how unevenly its seats were used."""
    imbalance, uneven = 0, 0
    for seat, place in enumerate(order):
        taken = field.seats_taken[place]
        after = [times + (seat == other) for other, times in enumerate(taken)]
        imbalance = max(imbalance, max(after) - min(after))
        uneven += sum(times * times for times in after)
    return imbalance, uneven
