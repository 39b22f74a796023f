"""A fast search for the tables of a round, by the prices of the program's seating.

It is the program's objective with a plain simulated annealing, compiled where numba is installed,
so that a thousand tournaments take minutes.
"""

from itertools import permutations
from math import comb, exp
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.king_bots.cards import compiled

Numbers = NDArray[np.float64]
Places = NDArray[np.int64]

SEAT_ORDERS = np.array(list(permutations(range(4))))
TRIES, HOT, COLD = 1_000, 0.3, 0.002
"""Exchanges tried for each player; the first and last temperature, in spreads drawn by lot."""

NEAR = 16
"""The greatest distance in the standings between two players in an exchange."""

NEVER = 2.0
"""The price of what must not be, in spreads drawn by lot; not more, or the search gets stuck."""


def _free() -> NDArray[np.bool_]:
    """For the seats that cost nothing to each of four players, as bits: whether all get one."""
    free = np.zeros((16,) * 4, dtype=np.bool_)
    for order in SEAT_ORDERS:
        free[np.ix_(*([mask for mask in range(16) if mask >> seat & 1] for seat in order))] = True
    return free


FREE = _free()


class Round(NamedTuple):
    """What decides the tables of a round; all costs in points.

    `pairs` is the price of each meeting, `seats` that of each player on each seat, and `weights`
    what a point of spread at a table with this player costs.
    """

    scores: Numbers
    pairs: Numbers
    seats: Numbers
    weights: Numbers


def lot_spread(scores: Numbers) -> float:
    """Return the mean spread of a table drawn by lot from these scores."""
    ordered, count = np.sort(scores), len(scores)
    # As often as the player at each place is the best of four, and the worst.
    best = np.array([comb(place, 3) for place in range(count)]) / comb(count, 4)
    return float(ordered @ (best - best[::-1]))


def search(wanted: Round, seed: int, tries: int = 0) -> Places:
    """Return the tables of a round, in seat order; `tries` for each player, or the usual number."""
    chance = np.random.default_rng(seed)
    shuffled = chance.permutation(len(wanted.scores))
    line = shuffled[np.argsort(-wanted.scores[shuffled], kind="stable")]
    unit = max(lot_spread(wanted.scores), 1.0)
    begin(seed)
    heats = (unit * HOT, unit * COLD)
    tables = anneal(wanted, open_seats(wanted.seats), line, heats, (tries or TRIES) * len(line))
    return seat(tables, wanted.seats, chance)


def open_seats(seats: Numbers) -> Places:
    """Return the seats that cost nothing, as bits for each player."""
    masks: Places = (seats == 0) @ (1 << np.arange(4))
    return masks


def cost_of(tables: Places, wanted: Round) -> float:
    """Return the cost of tables in seat order."""
    scores = wanted.scores[tables]
    spreads = (scores.max(axis=1) - scores.min(axis=1)) * wanted.weights[tables].max(axis=1)
    meetings = wanted.pairs[tables[:, :, None], tables[:, None, :]].sum() / 2
    return float(spreads.sum() + meetings + wanted.seats[tables, np.arange(4)].sum())


def seat(tables: Places, seats: Numbers, chance: np.random.Generator) -> Places:
    """Return the tables in the cheapest seat orders, equal ones by lot."""
    drawn = chance.permutation(SEAT_ORDERS)
    costs = seats[tables[:, drawn], np.arange(4)].sum(axis=2)
    best = drawn[costs.argmin(axis=1)]
    return np.take_along_axis(tables, best, axis=1)


@compiled
def begin(seed: int) -> None:
    """Begin the random numbers of compiled code, which are its own."""
    np.random.seed(seed)


@compiled
def table_cost(table: Places, wanted: Round, masks: Places) -> float:
    """The cost of four players at one table, in their best seats."""
    a, b, c, d = table[0], table[1], table[2], table[3]
    scores, pairs, seats, weights = wanted.scores, wanted.pairs, wanted.seats, wanted.weights
    most = max(scores[a], scores[b], scores[c], scores[d])
    least = min(scores[a], scores[b], scores[c], scores[d])
    cost = max(weights[a], weights[b], weights[c], weights[d]) * (most - least)
    cost += pairs[a, b] + pairs[a, c] + pairs[a, d] + pairs[b, c] + pairs[b, d] + pairs[c, d]
    if FREE[masks[a], masks[b], masks[c], masks[d]]:
        return cost
    cheapest = np.inf
    for order in SEAT_ORDERS:
        price = seats[a, order[0]] + seats[b, order[1]] + seats[c, order[2]] + seats[d, order[3]]
        cheapest = min(cheapest, price)
    return cost + cheapest


@compiled
def anneal(
    wanted: Round, masks: Places, line: Places, heats: tuple[float, float], tries: int
) -> Places:
    """Exchange players of different tables, at first also where that costs something."""
    count = len(line)
    tables, place = line.copy().reshape(count // 4, 4), np.empty(count, dtype=np.int64)
    place[line] = np.arange(count)
    costs = np.array([table_cost(table, wanted, masks) for table in tables])
    cost = costs.sum()
    heat, cooling = heats[0], (heats[1] / heats[0]) ** (1 / tries)
    for _ in range(tries):
        heat *= cooling
        here = int(np.random.random() * count)
        there = here + 1 + int(np.random.random() * NEAR)
        if there >= count:
            continue
        one, other = line[here], line[there]
        at, to = place[one], place[other]
        mine, theirs = at // 4, to // 4
        if mine == theirs:
            continue
        tables[mine, at % 4], tables[theirs, to % 4] = other, one
        joined = table_cost(tables[mine], wanted, masks)
        left = table_cost(tables[theirs], wanted, masks)
        change = joined + left - costs[mine] - costs[theirs]
        if change <= 0 or np.random.random() < exp(-change / heat):
            costs[mine], costs[theirs] = joined, left
            place[one], place[other] = to, at
            cost += change
            if cost <= 0:
                break
        else:
            tables[mine, at % 4], tables[theirs, to % 4] = one, other
    return tables
