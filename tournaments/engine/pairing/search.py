"""Seat a round at tables of four: known plans, exact covers, and a search by annealing.

Begin at `draw_fours`: `_Draft` tries the means in order, `match_plan`, `anneal` and `cover`.
`docs/seating.md` explains them. A change that draws another round raises `SEATING_VERSION`.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import cache
from itertools import chain, combinations, islice, permutations
from random import Random

import numpy as np
from numpy.typing import NDArray

from tournaments.engine.pairing.field import (
    ALL_SEATS,
    BY_LOT,
    EVEN,
    MOST,
    PERCENT,
    REPEAT,
    SEATS,
    TOGETHER,
    UNEVEN,
    PairingField,
    join_groups,
    open_seats,
    repeat_cost,
    seat_cost,
    seat_groups,
    seat_table,
    spread_by_lot,
    unwanted_pairs,
)
from tournaments.engine.pairing.judging import repeat_bound
from tournaments.engine.work import spend

Costs = NDArray[np.int64]


def pair_costs(field: PairingField) -> Costs:
    """Return the cost of each meeting of two entrants (symmetric, 0 on the diagonal)."""
    scores = scaled_scores(field)
    distances: Costs = np.abs(scores[:, None] - scores[None, :])
    return distances + extra_costs(field)


def extra_costs(field: PairingField) -> Costs:
    """Return what each meeting costs besides the distance in score."""
    count = len(field.entrants)
    costs: Costs = np.zeros((count, count), dtype=np.int64)
    for one, other, cost in unwanted_pairs(field):
        costs[one, other] += cost
        costs[other, one] += cost
    return costs


def scaled_scores(field: PairingField) -> Costs:
    """Return the scores above the lowest, scaled so that a table drawn by lot spreads `BY_LOT`."""
    scores = [entrant.score for entrant in field.entrants]
    low, by_lot = min(scores, default=0), spread_by_lot(field) or 1
    return np.array([(score - low) * BY_LOT // by_lot for score in scores], dtype=np.int64)


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
FROM, TO = (np.array(ends) for ends in zip(*permutations(range(SEATS), 2), strict=True))
PAIRS = list(combinations(range(8), 2))
ONE, OTHER = (np.array(ends) for ends in zip(*PAIRS, strict=True))
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
        return int(self.of_each(tables).sum())

    def of_each(self, tables: Numbers) -> Amounts:
        fours = np.sort(tables, axis=1)
        spread = self.scores[fours[:, 0]] - self.scores[fours[:, 3]]
        cost: Amounts = spread + (fours[:, 0] < self.first) * spread * self.more // 100
        for a, b in IN_FOUR:
            cost += self.pairs[fours[:, a], fours[:, b]]
        for seats, price in self.seats:
            cost += price * OUTSIDE[(seats[fours] @ SEAT_BITS).astype(np.int64)]
        return cost


def _both(fours: Amounts) -> Amounts:
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
    costs_of_rounds = [prices if firm else prices.passable(), *[prices.level()] * len(later)]
    met = np.zeros_like(prices.pairs)
    for seated in rounds if later else ():
        meet(met, seated, PASSABLE)
    for step in range(steps, 0, -1):
        for number, costs in enumerate(costs_of_rounds):
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
    rows = np.arange(len(eights))[:, np.newaxis]
    after[chosen] = eights[rows, WAYS[way]].reshape(-1, SEATS)
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
        of = self.with_player
        mine = tables & of[min(left, key=lambda player: (tables & of[player]).bit_count())]
        while mine:
            number = _first(mine)
            mine &= mine - 1
            four, total = self.fours[number], cost + self.costs[number]
            rest = [player for player in left if player not in four]
            least = SEATS * total + sum(map(self.least.__getitem__, rest))
            if self.best is None or least < SEATS * self.best_cost:
                a, b, c, d = (of[player] for player in four)
                self.seat(rest, tables & ~(a | b | c | d), total, [*chosen, number])


def _first(tables: int) -> int:
    return (tables & -tables).bit_length() - 1


Block = tuple[int, ...]
Blocks = tuple[Block, ...]

MATCHED_ROUNDS = 3
"""This number of earlier rounds almost determines the point of each player."""

MOST_MATCHED = 28
"""Larger fields have too many ways to match, and need a plan less."""

PLANS_MOST_STEPS = 1_000


@dataclass(frozen=True)
class Starter:
    """The first round of a plan: adding 1 to each point, modulo `modulus`, gives the next.

    Point `k * modulus + x` becomes `k * modulus + (x + 1) % modulus`; the last `fixed` points
    stay as they are.
    """

    modulus: int
    fixed: int
    blocks: Blocks

    def rounds(self) -> tuple[Blocks, ...]:
        modulus, count = self.modulus, 4 * len(self.blocks)
        turned = (
            [
                point - point % modulus + (point + by) % modulus
                if point < count - self.fixed
                else point
                for point in range(count)
            ]
            for by in range(modulus)
        )
        return tuple(
            tuple(tuple(after[point] for point in block) for block in self.blocks)
            for after in turned
        )


# Found by search for base blocks whose differences are all different.
STARTERS = {
    16: Starter(5, 1, ((15, 1, 10, 9), (14, 7, 6, 11), (13, 2, 12, 0), (8, 3, 4, 5))),
    24: Starter(
        7,
        3,
        (
            (23, 10, 19, 0), (22, 1, 7, 14), (21, 9, 5, 15), (20, 18, 17, 2), (16, 13, 12, 8),
            (11, 4, 3, 6),
        ),
    ),
    28: Starter(
        9,
        1,
        (
            (27, 3, 14, 21), (26, 2, 4, 12), (7, 19, 23, 13), (0, 6, 1, 20), (8, 17, 11, 15),
            (16, 24, 18, 25), (22, 10, 5, 9),
        ),
    ),
    32: Starter(
        9,
        5,
        (
            (31, 2, 10, 26), (30, 13, 8, 24), (29, 7, 21, 9), (28, 15, 23, 6), (27, 5, 11, 25),
            (19, 20, 1, 22), (18, 14, 17, 12), (16, 0, 3, 4),
        ),
    ),
    36: Starter(
        11,
        3,
        (
            (35, 9, 22, 16), (34, 23, 3, 19), (33, 14, 5, 24), (32, 25, 4, 7), (30, 21, 18, 17),
            (31, 29, 15, 26), (27, 20, 1, 28), (13, 10, 0, 11), (12, 6, 2, 8),
        ),
    ),
    40: Starter(
        12,
        4,
        (
            (39, 23, 5, 32), (38, 33, 18, 2), (37, 20, 6, 27), (36, 31, 9, 19), (34, 4, 16, 24),
            (30, 13, 17, 14), (21, 1, 10, 8), (22, 3, 7, 12), (15, 26, 29, 25), (35, 28, 11, 0),
        ),
    ),
}  # fmt: skip


@cache
def plan_for(count: int) -> tuple[Blocks, ...]:
    """Return the rounds of the plan for a number of players; empty if there is none."""
    if count in STARTERS:
        return STARTERS[count].rounds()
    if count != 20:
        return ()
    # Player c * 5 + x sits at table (x - c * r) of round r, all modulo 5: a transversal design.
    return tuple(
        tuple(tuple(c * 5 + (t + c * r) % 5 for c in range(4)) for t in range(5)) for r in range(5)
    )


def match_plan(
    count: int, played: Sequence[Sequence[Sequence[int]]], random: Random
) -> Iterator[list[Numbers]]:
    """Yield the rounds that may go on from those played so far by the plan for `count` players.

    `played` are the tables of each round, with players from 0; all must have played in each. The
    first way to match it is that of the first round as drawn; the others come in random order.
    """
    plan = plan_for(count)
    if not 0 < len(played) < len(plan):
        return
    drawn = [0] * count
    for table, block in zip(played[0], plan[0], strict=True):
        for player, point in zip(table, block, strict=True):
            drawn[player] = point
    for point_of in chain([drawn], _ways(count, played, plan, random)):
        ahead = _ahead(plan, played, point_of)
        if ahead is not None:
            player_at = np.array(sorted(range(count), key=point_of.__getitem__), dtype=np.int64)
            yield [player_at[np.array(blocks)] for blocks in ahead]


def _ahead(
    plan: Sequence[Blocks], played: Sequence[Sequence[Sequence[int]]], point_of: Sequence[int]
) -> tuple[Blocks, ...] | None:
    """The rounds of the plan not yet played; None if the earlier rounds do not fit it."""
    sets = [frozenset(map(frozenset, blocks)) for blocks in plan]
    seen = [frozenset(frozenset(point_of[p] for p in table) for table in r) for r in played]
    if not all(blocks in sets for blocks in seen):
        return None
    return tuple(blocks for blocks, known in zip(plan, sets, strict=True) if known not in seen)


def _ways(
    count: int,
    played: Sequence[Sequence[Sequence[int]]],
    plan: Sequence[Blocks],
    random: Random,
) -> Iterator[list[int]]:
    if count > MOST_MATCHED:
        return
    for others in _choices(len(plan), min(len(played), MATCHED_ROUNDS) - 1, random):
        # Adding 1 to the points turns each round into the next, so the first may be any.
        used = [plan[0], *(plan[number] for number in others)]
        yield from _fit(count, played[: len(used)], used, random)


def _choices(rounds: int, length: int, random: Random) -> Iterator[tuple[int, ...]]:
    if length == 0:
        yield ()
        return
    for shorter in _choices(rounds, length - 1, random):
        rest = [number for number in range(1, rounds) if number not in shorter]
        random.shuffle(rest)
        for number in rest:
            yield (*shorter, number)


def _fit(
    count: int,
    played: Sequence[Sequence[Sequence[int]]],
    rounds: Sequence[Blocks],
    random: Random,
) -> Iterator[list[int]]:
    """Assign points to players so that each round played equals its round of the plan."""
    pairs = zip(played, rounds, strict=True)
    return _Fitting(count, pairs, random).ways(random.sample(range(count), count))


class _Round:
    """The known assignment of the tables of a round to blocks of the plan."""

    def __init__(self, count: int, tables: Sequence[Sequence[int]], blocks: Blocks) -> None:
        self.tables, self.blocks = tables, [frozenset(block) for block in blocks]
        self.table_of, self.block_of = _homes(tables, count), _homes(blocks, count)
        self.block_for: dict[int, int] = {}
        # The points of the blocks without a known table.
        self.open = set(range(count))

    def is_known(self, player: int) -> bool:
        return self.table_of[player] in self.block_for

    def mates(self, player: int) -> Sequence[int]:
        return self.tables[self.table_of[player]]

    def points(self, player: int) -> AbstractSet[int]:
        """The possible points of the player, as far as this round is known."""
        block = self.block_for.get(self.table_of[player])
        return self.open if block is None else self.blocks[block]

    def learn(self, player: int, point: int) -> None:
        """Assign the block of the point to the player's table."""
        block = self.block_of[point]
        self.block_for[self.table_of[player]] = block
        self.open -= self.blocks[block]

    def forget(self, player: int) -> None:
        self.open |= self.blocks[self.block_for.pop(self.table_of[player])]


class _Fitting:
    """A search for points, player by player, with a limit to its steps."""

    def __init__(
        self, count: int, pairs: Iterable[tuple[Sequence[Sequence[int]], Blocks]], random: Random
    ) -> None:
        self.rounds = [_Round(count, tables, blocks) for tables, blocks in pairs]
        self.random, self.steps = random, PLANS_MOST_STEPS
        self.point_of: dict[int, int] = {}
        self.free = set(range(count))
        # For each player, the number of their tables with a known block.
        self.known = [0] * count

    def ways(self, left: list[int]) -> Iterator[list[int]]:
        self.steps -= 1
        # Three steps take the time of one unit.
        if self.steps % 3 == 0:
            spend(1)
        if self.steps < 0:
            return
        if not left:
            yield [self.point_of[player] for player in range(len(self.point_of))]
            return
        # The player with the most known tables has the fewest points to choose from.
        player = max(left, key=self.known.__getitem__)
        rest = [other for other in left if other != player]
        points = sorted(self.free.intersection(*(round_.points(player) for round_ in self.rounds)))
        self.random.shuffle(points)
        for point in points:
            changed = self._settle(player, point)
            yield from self.ways(rest)
            self._unsettle(player, changed)
            if self.steps < 0:
                return

    def _settle(self, player: int, point: int) -> list[_Round]:
        """Assign a point to a player; return the rounds in which it identifies a table's block."""
        self.point_of[player] = point
        self.free.remove(point)
        changed = [round_ for round_ in self.rounds if not round_.is_known(player)]
        for round_ in changed:
            round_.learn(player, point)
            for mate in round_.mates(player):
                self.known[mate] += 1
        return changed

    def _unsettle(self, player: int, changed: Sequence[_Round]) -> None:
        self.free.add(self.point_of.pop(player))
        for round_ in changed:
            round_.forget(player)
            for mate in round_.mates(player):
                self.known[mate] -= 1


def _homes(groups: Sequence[Sequence[int]], count: int) -> list[int]:
    home = [-1] * count
    for number, group in enumerate(groups):
        for member in group:
            home[member] = number
    return home


Tables = list[tuple[int, ...]]

LEADERS = 4
"""The players at the top whose tables may count more."""

STEPS = 1_800
FEW_TABLES, MANY_TABLES = 8, 200
"""With fewer or more tables than these, there are fewer steps."""

FIRST_STEPS, FOURS_MOST_STEPS = 60, 480
SCHEDULE_WORK = 6_000
"""The steps times the square of the rounds of a schedule, as long as somebody meets twice."""

TRIES, SCHEDULES, MOST_SCHEDULES = 2, 3, 8
"""How often a round is annealed before it follows the best of some schedules, and the most that are
tried where they fail."""

LOOK_NEEDED, PLAN_NEEDED, HOPELESS = 33, 70, 100
"""The percentages of the others that are met from which a round looks ahead, follows a plan, and no
longer looks ahead."""

MOST_WAYS = 1_600
"""Ways to continue a plan that are weighed, divided by the number of players."""


def draw_fours(field: PairingField, byes: Sequence[int], random: Random) -> Tables:
    """Return the tables of a round in seat order, as places in `field.entrants`.

    Raises: ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    order = random.sample(range(len(field.entrants)), len(field.entrants))
    order.sort(key=lambda place: -field.entrants[place].score)
    tables = _Draft(field, order, byes, random).best()
    return [seat_table(field, [order[rank] for rank in table], random) for table in tables]


def costs_of(field: PairingField, tables: Sequence[Sequence[int]]) -> list[int]:
    """Return what each table costs in its best seat order; tables are places in the field."""
    if field.table_size == 2:
        pairs = pair_costs(field)
        return [
            int(pairs[one, other])
            + min(seat_cost(field, order) for order in permutations((one, other)))
            for one, other in tables
        ]
    order = sorted(range(len(field.entrants)), key=lambda place: -field.entrants[place].score)
    rank = {place: at for at, place in enumerate(order)}
    prices = _Draft(field, order, (), Random(0)).prices  # noqa: S311 - it draws nothing
    fours = [[rank[place] for place in table] for table in tables]
    return [int(cost) for cost in prices.of_each(np.array(fours).reshape(-1, SEATS))]


class _Draft:
    """A round in terms of ranks: the places in order of scores, with equals at random."""

    def __init__(
        self, field: PairingField, order: Sequence[int], byes: Sequence[int], random: Random
    ) -> None:
        self.field, self.order, self.random = field, np.array(order), random
        rank = {place: at for at, place in enumerate(order)}
        self.rank_of = {name: rank[place] for name, place in field.index.items()}
        self.playing = [at for at, place in enumerate(order) if place not in byes]
        self.groups = [[rank[place] for place in group] for group in join_groups(field)]
        self.strict = repeat_cost(field) == REPEAT
        self.prices = self._prices()
        count = max(1, len(self.playing) // SEATS)
        self.steps = min(STEPS, STEPS * count // FEW_TABLES, STEPS * MANY_TABLES // count)

    def best(self) -> Numbers:
        """Return the best tables found: with the fewest clashes, and then of least cost."""
        field, tables = self.field, self._neighbours()
        if not field.rounds and not field.avoid and not field.separate_clubs:
            return tables
        # Some players may have too few left whom they have not met.
        least = repeat_bound(field, self.order[self.playing].tolist()) if self.strict else 0
        found: list[list[Numbers]] = []
        for rounds in self._tries(tables):
            found.append(rounds)
            if self._worth(rounds)[0] <= least:
                break
        return min(found, key=self._worth)[0]

    def _worth(self, rounds: Sequence[Numbers]) -> tuple[int, int]:
        return clashes(self.prices.pairs, rounds), self.prices.of_tables(rounds[0])

    def _tries(self, tables: Numbers) -> Iterator[list[Numbers]]:
        if self._needs(PLAN_NEEDED) and (planned := self._planned()):
            yield self._polished(planned)
        for _ in range(TRIES):
            (drawn,) = anneal(self.prices, tables, [], self.steps, self.random)
            yield [drawn, *self._scheduled(self.prices.apart_from([drawn]), self._later())]
        if not self._ahead():
            covered, complete = cover(self.prices, self.playing, self.groups)
            if covered is not None:
                yield [covered]
            if complete:
                return
        schedules = list(islice(self._schedules(tables), SCHEDULES))
        yield min(map(self._polished, schedules), key=self._worth)
        if planned := self._planned():
            yield self._polished(planned)

    def _schedules(self, tables: Numbers) -> Iterator[Sequence[Numbers]]:
        """Yield schedules from this round on: those without a clash, or the last one tried."""
        # With byes it is a guess who plays in later rounds, and not worth more.
        tries = 1 if len(self.playing) < len(self.order) else MOST_SCHEDULES
        for left in range(tries, 0, -1):
            scheduled = self._scheduled(self.prices, [tables, *self._later()])
            if left == 1 or not clashes(self.prices.pairs, scheduled):
                yield scheduled

    def _scheduled(self, prices: Prices, rounds: Sequence[Numbers]) -> Sequence[Numbers]:
        """Return rounds in which as few as possible meet twice, whatever the scores."""
        level, steps, work = prices.level(), FIRST_STEPS, 0
        while rounds and work < SCHEDULE_WORK and clashes(level.pairs, rounds):
            rounds = anneal(level, rounds[0], rounds[1:], steps, self.random)
            work += steps * len(rounds) ** 2
            steps = min(FOURS_MOST_STEPS, 2 * steps)
        if len(rounds) == 1 and clashes(level.pairs, rounds):
            covered, _ = cover(level, np.sort(rounds[0], axis=None).tolist(), self.groups)
            return rounds if covered is None else [covered]
        return rounds

    def _polished(self, rounds: Sequence[Numbers]) -> list[Numbers]:
        prices = self.prices.apart_from(rounds[1:])
        (tables,) = anneal(prices, rounds[0], [], self.steps, self.random, firm=True)
        return [tables, *rounds[1:]]

    def _prices(self) -> Prices:
        field, order = self.field, self.order
        pairs = extra_costs(field)[np.ix_(order, order)]
        for group in self.groups:
            pairs[np.ix_(group, group)] -= TOGETHER
        weights = field.weights
        even = 0 if field.score_before_seats else weights.seat * PERCENT
        return Prices(
            scores=scaled_scores(field)[order].astype(np.float64),
            pairs=pairs.astype(np.float64),
            first=LEADERS,
            more=weights.last_leaders if field.rounds_left == 1 else weights.leaders,
            seats=tuple(
                (masks[order].astype(np.float64), price)
                for most, price in ((EVEN, even), (MOST, UNEVEN))
                # Where every seat is open to everybody, nobody can sit elsewhere.
                if price and ((masks := np.array(open_seats(field, most))) != ALL_SEATS).any()
            ),
        )

    def _neighbours(self) -> Numbers:
        tables = seat_groups(self.groups, len(self.playing) // SEATS, SEATS)
        grouped = {rank for table in tables for rank in table}
        left = iter([rank for rank in self.playing if rank not in grouped])
        tables = [[*table, *islice(left, SEATS - len(table))] for table in tables]
        rest = list(left)
        tables += [rest[at : at + SEATS] for at in range(0, len(rest), SEATS)]
        return np.array(tables, dtype=np.int64).reshape(-1, SEATS)

    def _needs(self, share: int) -> bool:
        met = (SEATS - 1) * (len(self.field.rounds) + self.field.rounds_left)
        return self.strict and met * 100 > share * (len(self.order) - 1)

    def _ahead(self) -> int:
        """Return how many rounds to look ahead to: all that are left, if that helps."""
        ahead = self._needs(LOOK_NEEDED) and not self._needs(HOPELESS)
        return self.field.rounds_left - 1 if ahead else 0

    def _later(self) -> list[Numbers]:
        here, count = set(self.playing), len(self.order)
        had = [self.field.bye_turn(place)[1] for place in self.order]
        # The next byes are for those who have sat out least, and have the lowest scores.
        turn = sorted(range(count), key=lambda rank: (had[rank] + (rank not in here), -rank))
        out, rounds = count % SEATS, []
        for further in range(self._ahead()):
            byes = {turn[(further * out + at) % count] for at in range(out)}
            rest = [rank for rank in range(count) if rank not in byes]
            rounds.append(
                np.array(self.random.sample(rest, len(rest)), dtype=np.int64).reshape(-1, SEATS)
            )
        return rounds

    def _planned(self) -> list[Numbers]:
        """Return the nearest round of a plan that goes on from those played, and those to follow.

        The list is empty if there is none.
        """
        if self.groups or self.field.avoid or not self.strict:
            return []
        played, rank = [], self.rank_of
        for round_ in self.field.rounds:
            # All who are here must have played in each of them.
            if round_.byes or {*chain(*round_.tables)} != self.field.index.keys():
                return []
            played.append([[rank[name] for name in table] for table in round_.tables])
        count = len(self.order)
        schedules = []
        for ahead in islice(match_plan(count, played, self.random), MOST_WAYS // count):
            schedules += [ahead[at:] + ahead[:at] for at in range(len(ahead))]
        nearest = min(schedules, key=lambda rounds: self.prices.of_tables(rounds[0]), default=[])
        return nearest[: self.field.rounds_left]
