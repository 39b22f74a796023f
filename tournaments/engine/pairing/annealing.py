"""Simulated annealing of tables of four: two tables at a time share out their eight players anew.

All pairs of neighbouring tables do so at once, in one of the 35 ways each: the cheapest after some
noise, first much, then less, then none. Whole numbers only, so that it is exact everywhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations
from random import Random

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.costs import BY_LOT, REPEAT
from tournaments.engine.pairing.seats import SEATS
from tournaments.engine.work import spend

Numbers = NDArray[np.int64]
Amounts = NDArray[np.float64]
"""Whole numbers all the same: below 2**53, so that products of matrices are exact and fast."""

NOISE, LEVEL_NOISE = BY_LOT * 3 // 10, BY_LOT * 3
PASSABLE = BY_LOT * 2
"""The most that a pair costs while there is noise: higher costs could never be crossed."""

COLD = 8
"""One in so many steps, the last ones, is without noise and has the whole costs."""

JITTER = 128
"""How far from each other two tables may be in order, in sums of four ranks."""

IN_FOUR = tuple(combinations(range(SEATS), 2))
FROM, TO = (np.array(each) for each in zip(*permutations(range(SEATS), 2), strict=True))
PAIRS = list(combinations(range(8), 2))
ONE, OTHER = (np.array(each) for each in zip(*PAIRS, strict=True))
FIRST, SECOND = (
    np.array(fours)
    for fours in zip(
        *(
            ((0, *three), tuple(at for at in range(1, 8) if at not in three))
            for three in combinations(range(1, 8), 3)
        ),
        strict=True,
    )
)
"""The 35 ways to share out eight players in order of rank: the first table, and the second."""

WAYS = np.concatenate([FIRST, SECOND], axis=1)
BEST, WORST = (np.concatenate([FIRST[:, at], SECOND[:, at]]) for at in (0, SEATS - 1))


def _matrices() -> tuple[Amounts, Amounts, Amounts]:
    """What each score, and each pair, adds to the cost of each way.

    And what the seats of each player, as bits, add to the place in `OUTSIDE` of each table.
    """
    ways = len(WAYS)
    scores, pairs, seats = (
        np.zeros((8, ways)),
        np.zeros((len(PAIRS), ways)),
        np.zeros((8, 2 * ways)),
    )
    for way, fours in enumerate(zip(FIRST, SECOND, strict=True)):
        for second, four in enumerate(fours):
            scores[four[0], way] += 1
            scores[four[-1], way] -= 1
            seats[four, way + ways * second] = SEAT_BITS
            for pair in combinations(map(int, four), 2):
                pairs[PAIRS.index(pair), way] += 1
    return scores, pairs, seats


def _least_outside() -> Amounts:
    """For four masks of seats (4 bits each), how many must sit outside their mask at least."""
    least = np.full((16,) * SEATS, SEATS)
    outside = [[mask >> seat & 1 ^ 1 for mask in range(16)] for seat in range(SEATS)]
    for order in permutations(range(SEATS)):
        a, b, c, d = np.ix_(*(outside[seat] for seat in order))
        np.minimum(least, a + b + c + d, out=least)
    return least.reshape(-1).astype(np.float64)


OUTSIDE = _least_outside()
"""By the masks of the four players of a table, 4 bits each."""


SEAT_BITS = 16 ** np.arange(SEATS)
BY_SCORES, BY_PAIRS, BY_SEATS = _matrices()


@dataclass(frozen=True)
class Prices:
    """The costs of a round for players in order of rank, the first one first.

    `scores` fall; a table costs the difference between its first and last. `pairs` is the further
    cost of each two at a table. The spread of a table with one of the `first` players counts
    `more` percent more. `seats` are pairs of the seats of each player (as bits) and the cost of
    each who must sit elsewhere.
    """

    scores: Amounts
    pairs: Amounts
    first: int = 0
    more: int = 0
    seats: Sequence[tuple[Amounts, int]] = ()
    noise: int = NOISE

    def passable(self) -> "Prices":
        """Return the prices with none of a pair so high that it can never be crossed."""
        return replace(self, pairs=np.minimum(self.pairs, PASSABLE))

    def level(self) -> "Prices":
        """Return the prices of pairs alone, as for a later round."""
        return Prices(np.zeros_like(self.scores), self.passable().pairs, noise=LEVEL_NOISE)

    def apart_from(self, rounds: Sequence[Numbers]) -> "Prices":
        """Return the prices if nobody is to meet those of other rounds."""
        pairs = self.pairs.copy()
        for tables in rounds:
            meet(pairs, tables, REPEAT)
        return replace(self, pairs=pairs)

    def of_ways(self, eights: Numbers, pairs: Amounts) -> Amounts:
        """Return the cost of each of the 35 ways for each eight players, in order of rank.

        `pairs` is the further cost of each of their 28 pairs.
        """
        scores = self.scores[eights]
        cost: Amounts = scores @ BY_SCORES
        cost += pairs @ BY_PAIRS
        if self.more:
            spreads = scores[:, BEST] - scores[:, WORST]
            spreads *= eights[:, BEST] < self.first
            cost += _both(spreads * self.more // 100)
        for seats, price in self.seats:
            cost += price * _both(OUTSIDE[(seats[eights] @ BY_SEATS).astype(np.int64)])
        return cost

    def of_tables(self, tables: Numbers) -> int:
        """Return the cost of a seating."""
        return int(self.of_each(tables).sum())

    def of_each(self, tables: Numbers) -> Amounts:
        """Return the cost of each table."""
        fours = np.sort(tables, axis=1)
        spread = self.scores[fours[:, 0]] - self.scores[fours[:, 3]]
        cost: Amounts = spread + (fours[:, 0] < self.first) * spread * self.more // 100
        for a, b in IN_FOUR:
            cost += self.pairs[fours[:, a], fours[:, b]]
        for seats, price in self.seats:
            cost += price * OUTSIDE[(seats[fours] @ SEAT_BITS).astype(np.int64)]
        return cost


def _both(fours: Amounts) -> Amounts:
    """Add up the first and the second table of each way."""
    return fours[:, : len(WAYS)] + fours[:, len(WAYS) :]


def anneal(  # noqa: PLR0913 - a search is what it starts from, and how long
    prices: Prices,
    tables: Numbers,
    later: Sequence[Numbers],
    steps: int,
    random: Random,
    *,
    firm: bool = False,
) -> list[Numbers]:
    """Return tables of the same players that cost less, and those of the rounds still to come.

    `later` are any tables of those. They change too, so that no two meet in two of the rounds.
    If `firm`, what is never to be does not happen on the way either.
    """
    rounds = [tables, *later]
    each = [prices if firm else prices.passable(), *[prices.level()] * len(later)]
    met = np.zeros_like(prices.pairs)
    for seated in rounds if later else ():
        meet(met, seated, PASSABLE)
    for step in range(steps, 0, -1):
        for number, costs in enumerate(each):
            pairs = [costs.pairs]
            if later:
                meet(met, rounds[number], -PASSABLE)
                pairs.append(met)
            noise = costs.noise * step // steps
            rounds[number] = _exchange(costs, pairs, rounds[number], noise, random)
            if later:
                meet(met, rounds[number], PASSABLE)
    if not later:
        # The last steps are without noise, at the whole prices.
        for _ in range(steps // COLD):
            rounds[0] = _exchange(prices, [prices.pairs], rounds[0], 0, random)
    return rounds


def _exchange(
    prices: Prices, pairs: Sequence[Amounts], tables: Numbers, noise: int, random: Random
) -> Numbers:
    """Let pairs of tables near each other in order share out their players anew.

    What two players cost is the sum of `pairs`.
    """
    count = len(tables)
    spend(2 + count // 32)
    order = (tables.sum(axis=1) + _lots(count, random, JITTER)).argsort(kind="stable")
    # An odd table waits: the first one or the last one.
    skipped = random.getrandbits(1)
    chosen = order[skipped : count - (count - skipped) % 2]
    if not len(chosen):
        return tables
    eights = tables[chosen].reshape(-1, 2 * SEATS)
    eights.sort(axis=1)
    places = eights.take(ONE, axis=1) * len(pairs[0]) + eights.take(OTHER, axis=1)
    weighed: Amounts = pairs[0].take(places)
    for more in pairs[1:]:
        weighed += more.take(places)
    costs = prices.of_ways(eights, weighed)
    if noise:
        costs += _lots(costs.size, random, noise).reshape(costs.shape)
    way = costs.argmin(axis=1)
    after = tables.copy()
    each = np.arange(len(eights))[:, np.newaxis]
    after[chosen] = eights[each, WAYS[way]].reshape(-1, SEATS)
    return after


def _lots(count: int, random: Random, most: int) -> Numbers:
    """Return random whole numbers from 0 to below `most`."""
    drawn = np.frombuffer(random.randbytes(2 * count), dtype="<u2").astype(np.int64)
    return drawn * most >> 16


def meet(met: Amounts | Numbers, tables: Numbers, amount: int) -> None:
    """Add an amount for each two at a table, in place; nobody sits at two of the tables."""
    met[tables.take(FROM, axis=1), tables.take(TO, axis=1)] += amount


def clashes(pairs: Amounts, rounds: Sequence[Numbers]) -> int:
    """Return how many meet in several of the rounds, or are too expensive a pair in any."""
    pairs = pairs.copy()
    found = 0
    for tables in rounds:
        found += sum(int((pairs[tables[:, a], tables[:, b]] >= PASSABLE).sum()) for a, b in IN_FOUR)
        meet(pairs, tables, PASSABLE)
    return found
