"""Seat orders at a table: nobody's use of the seats ever differs by more than 2.

A difference of 2 has a price; more than that is only for players who have it already, as after a
late change.
"""

from collections.abc import Sequence
from itertools import permutations
from random import Random

from tournaments.engine.pairing.costs import PERCENT, UNEVEN
from tournaments.engine.pairing.field import PairingField

SEATS = 4
ALL_SEATS = (1 << SEATS) - 1
EVEN, MOST = 1, 2
"""The differences in the use of seats that are free, and the greatest one."""


def open_seats(field: PairingField, most: int) -> list[int]:
    """Return the seats (as bits) after which the use differs by `most` at most, or all if none."""
    return [_open(taken, most) for taken in field.seats_taken]


def _open(taken: Sequence[int], most: int) -> int:
    mask = sum(1 << seat for seat in range(len(taken)) if _difference(taken, seat) <= most)
    return mask or ALL_SEATS


def seat_cost(field: PairingField, order: Sequence[int]) -> int:
    """Return the cost of a seat order, by the weights of the field."""
    price = 0 if field.score_before_seats else field.weights.seat * PERCENT
    cost = 0
    for seat, place in enumerate(order):
        difference = _difference(field.seats_taken[place], seat)
        cost += UNEVEN * (difference > MOST) + price * (difference == MOST)
    return cost


def seat_table(field: PairingField, table: Sequence[int], random: Random) -> tuple[int, ...]:
    """Return a table in the seat order of least cost, then of the most even use."""
    orders = list(permutations(table))
    random.shuffle(orders)
    return min(orders, key=lambda order: (seat_cost(field, order), _unevenness(field, order)))


def _difference(taken: Sequence[int], seat: int) -> int:
    """The difference between the most and least used seat, after one more use of a seat."""
    after = [*taken]
    after[seat] += 1
    return max(after) - min(after)


def _unevenness(field: PairingField, order: Sequence[int]) -> int:
    # One more use of a seat raises the sum of squares by twice its uses, and 1.
    return sum(field.seats_taken[place][seat] for seat, place in enumerate(order))
