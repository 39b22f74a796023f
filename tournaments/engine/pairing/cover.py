"""Exact cover: seat everybody at tables without a clash, where few such tables are left."""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from tournaments.engine.pairing.annealing import PASSABLE, Numbers, Prices
from tournaments.engine.pairing.seats import SEATS
from tournaments.engine.work import spend

MOST_TABLES = 4_000
MOST_STEPS = 10_000


def cover(
    prices: Prices, players: Sequence[int], groups: Sequence[Sequence[int]]
) -> tuple[Numbers | None, bool]:
    """Return the cheapest tables without a clash that part no group; None if none are found.

    And whether the search was complete: then there are none, or none cheaper.
    """
    found = list(islice(_clashless(prices, players), MOST_TABLES + 1))
    if len(found) > MOST_TABLES:
        return None, False
    fours = np.array(found, dtype=np.int64).reshape(-1, SEATS)
    for group in groups:
        here = np.isin(fours, group).sum(axis=1)
        fours = fours[(here == 0) | (here == len(group))]
    costs = prices.of_each(fours)
    order = np.argsort(costs, kind="stable")
    search = _Search(fours[order].tolist(), [int(cost) for cost in costs[order]], players)
    search.seat([*players], search.every, 0, [])
    tables = None if search.best is None else fours[order][search.best]
    return tables, search.steps >= 0


def _clashless(prices: Prices, players: Sequence[int]) -> Iterator[tuple[int, int, int, int]]:
    fits = prices.pairs < PASSABLE
    after = {
        one: {other for other in players if other > one and fits[one, other]} for one in players
    }
    for a in players:
        for b in sorted(after[a]):
            both = after[a] & after[b]
            spend(1 + len(both) // 16)
            for c in sorted(both):
                yield from ((a, b, c, d) for d in sorted(both & after[c]))


class _Search:
    """A search with limited steps, table by table, for the player with the fewest tables left.

    Sets of tables are bits, the cheapest table first.
    """

    def __init__(
        self, fours: Sequence[Sequence[int]], costs: Sequence[int], players: Sequence[int]
    ) -> None:
        self.fours, self.costs, self.steps = fours, costs, MOST_STEPS
        self.every = (1 << len(fours)) - 1
        self.with_player = dict.fromkeys(players, 0)
        for number, four in enumerate(fours):
            for player in four:
                self.with_player[player] |= 1 << number
        # A player costs at least a quarter of the cheapest table.
        self.least = {
            player: costs[_first(tables)] if tables else 0
            for player, tables in self.with_player.items()
        }
        self.best: list[int] | None = None
        self.best_cost = 0

    def seat(self, left: list[int], tables: int, cost: int, chosen: list[int]) -> None:
        """Seat those who are left at some of these tables."""
        if not left:
            self.best, self.best_cost = chosen, cost
            return
        if self.steps < 0:
            return
        self.steps -= 1
        # Five steps take the time of one unit.
        if self.steps % 5 == 0:
            spend(1 + len(left) // 16)
        each = self.with_player
        mine = tables & each[min(left, key=lambda player: (tables & each[player]).bit_count())]
        while mine:
            number = _first(mine)
            mine &= mine - 1
            four, total = self.fours[number], cost + self.costs[number]
            rest = [player for player in left if player not in four]
            if self._can_be_better(total, rest):
                a, b, c, d = (each[player] for player in four)
                self.seat(rest, tables & ~(a | b | c | d), total, [*chosen, number])

    def _can_be_better(self, cost: int, rest: Sequence[int]) -> bool:
        least = SEATS * cost + sum(map(self.least.__getitem__, rest))
        return self.best is None or least < SEATS * self.best_cost


def _first(tables: int) -> int:
    return (tables & -tables).bit_length() - 1
