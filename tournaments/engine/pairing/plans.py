"""Schedules without repeat meetings for small fields, where drawing round by round gets stuck.

A plan is a resolvable packing: rounds of tables of points, no two points twice at one table.
Matching its points to the players' earlier meetings gives the rounds still to come.
"""

from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import cache
from itertools import chain
from random import Random

from tournaments.engine.work import spend

Block = tuple[int, ...]
Blocks = tuple[Block, ...]

MATCHED_ROUNDS = 3
"""This number of earlier rounds almost determines the point of each player."""

MOST_MATCHED = 28
"""Larger fields have too many ways to match, and need a plan less."""

MOST_STEPS = 1_000


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
        """Return the whole plan."""
        return tuple(
            tuple(tuple(self._shift(point, by) for point in block) for block in self.blocks)
            for by in range(self.modulus)
        )

    def _shift(self, point: int, by: int) -> int:
        kind, rest = divmod(point, self.modulus)
        moving = 4 * len(self.blocks) - self.fixed
        return kind * self.modulus + (rest + by) % self.modulus if point < moving else point


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
    return transversal_rounds(5) if count == 20 else ()


def transversal_rounds(prime: int) -> tuple[Blocks, ...]:
    """Return the plan for `4 * prime` players: table t of round r has the points (c, t + c*r)."""
    return tuple(
        tuple(tuple(c * prime + (t + c * r) % prime for c in range(4)) for t in range(prime))
        for r in range(prime)
    )


@dataclass(frozen=True)
class Matching:
    """The player for each point of a plan, and the rounds of the plan not yet played."""

    player_at: tuple[int, ...]
    ahead: tuple[Blocks, ...]

    def tables(self, number: int) -> list[tuple[int, ...]]:
        """Return a round not yet played, as tables of players."""
        return [tuple(self.player_at[point] for point in block) for block in self.ahead[number]]


def match_plan(
    count: int, played: Sequence[Sequence[Sequence[int]]], random: Random
) -> Iterator[Matching]:
    """Yield ways to match the rounds played so far to the plan for `count` players.

    `played` are the tables of each round, with players from 0; all must have played in each. The
    first way is that of the first round as drawn; the others come in random order.
    """
    plan = plan_for(count)
    if not 0 < len(played) < len(plan):
        return
    drawn = _as_drawn(played[0], plan[0])
    for point_of in chain([drawn], _ways(count, played, plan, random)):
        ahead = _ahead(plan, played, point_of)
        if ahead is not None:
            yield Matching(tuple(sorted(range(count), key=point_of.__getitem__)), ahead)


def _as_drawn(tables: Sequence[Sequence[int]], blocks: Blocks) -> list[int]:
    """The points of the players if the first round was drawn seat by seat from the plan."""
    point_of = [0] * sum(map(len, tables))
    for table, block in zip(tables, blocks, strict=True):
        for player, point in zip(table, block, strict=True):
            point_of[player] = point
    return point_of


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
    """Every order of `length` of the rounds after the first, in random order."""
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
        self.random, self.steps = random, MOST_STEPS
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
        points = sorted(self.free.intersection(*(each.points(player) for each in self.rounds)))
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
        changed = [each for each in self.rounds if not each.is_known(player)]
        for each in changed:
            each.learn(player, point)
            for mate in each.mates(player):
                self.known[mate] += 1
        return changed

    def _unsettle(self, player: int, changed: Sequence[_Round]) -> None:
        self.free.add(self.point_of.pop(player))
        for each in changed:
            each.forget(player)
            for mate in each.mates(player):
                self.known[mate] -= 1


def _homes(groups: Sequence[Sequence[int]], count: int) -> list[int]:
    """For each member the number of its group."""
    home = [-1] * count
    for number, group in enumerate(groups):
        for member in group:
            home[member] = number
    return home
