"""Seat orders of a whole round that leave seats for everybody in the next.

Players who sat out have more seats left than the others. If they all lack the same seats, too many
other players need one of the rest, and somebody must repeat a seat.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import permutations
from random import Random

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.seats import EARLY_ROUNDS, SEATS, open_after, strain

Order = tuple[int, ...]
Orders = Mapping[int, Sequence[Order]]

MOST_PASSES = 4


def seat_tables(
    field: PairingField,
    tables: Sequence[Sequence[int]],
    aside: Sequence[Sequence[int]],
    random: Random,
) -> list[Order]:
    """Return tables in seat order: least imbalance, then even use, then the best seats left.

    `aside` holds, for each bye, the number of times at each seat.
    """
    ways = {number: _best_orders(field, table, random) for number, table in enumerate(tables)}
    seated = [orders[0] for orders in ways.values()]
    if field.number < EARLY_ROUNDS:
        behind = {place for place, taken in enumerate(field.seats_taken) if _late(field, taken)}
        known = Counter(open_after(taken) for taken in aside)
        loose = {at: orders for at, orders in ways.items() if behind.intersection(tables[at])}
        _share(field, seated, loose, behind, known)
    return seated


def _late(field: PairingField, taken: Sequence[int]) -> bool:
    return sum(taken) < len(field.rounds)


def _best_orders(field: PairingField, table: Sequence[int], random: Random) -> list[Order]:
    orders = list(permutations(table))
    random.shuffle(orders)
    strains = [strain(field, order) for order in orders]
    least = min(strains)
    return [order for order, each in zip(orders, strains, strict=True) if each == least]


def _share(
    field: PairingField, seated: list[Order], ways: Orders, behind: set[int], left: Counter[int]
) -> None:
    """Reseat the tables in `ways` until the seats left cannot be shared more evenly.

    `left` counts the seats (as bits) that the other players have left.
    """

    def masks(order: Order) -> list[int]:
        return [
            open_after(field.seats_taken[place], seat)
            for seat, place in enumerate(order)
            if place in behind
        ]

    for number in ways:
        left.update(masks(seated[number]))
    for _ in range(MOST_PASSES):
        before = list(seated)
        for number, orders in ways.items():
            left.subtract(masks(seated[number]))
            seated[number] = min(orders, key=lambda order: _crowded(left, masks(order)))
            left.update(masks(seated[number]))
        if seated == before:
            return


def _crowded(left: Counter[int], more: Sequence[int]) -> int:
    """The unevenness of the seats left: squares of the players per seat and per set of seats."""
    masks = left + Counter(more)
    each = [sum(n for mask, n in masks.items() if mask >> seat & 1) for seat in range(SEATS)]
    return sum(n * n for n in (*each, *masks.values()))
