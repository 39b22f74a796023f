"""Seat a round at tables of four: by annealing, and by a plan where only that avoids repeats."""

from collections.abc import Iterator, Sequence
from itertools import islice
from random import Random

import numpy as np

from tournaments.engine.pairing.annealing import Numbers, Prices, anneal, clashes
from tournaments.engine.pairing.byes import join_groups, seat_groups
from tournaments.engine.pairing.costs import (
    PERCENT,
    REPEAT,
    TOGETHER,
    UNEVEN,
    repeat_cost,
)
from tournaments.engine.pairing.cover import cover
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.matrices import extra_costs, scaled_scores
from tournaments.engine.pairing.plans import match_plan
from tournaments.engine.pairing.quality import repeat_bound
from tournaments.engine.pairing.seats import ALL_SEATS, EVEN, MOST, SEATS, open_seats, seat_table

Tables = list[tuple[int, ...]]

LEADERS = 4
"""The players at the top whose tables may count more."""

STEPS = 1_800
FEW_TABLES, MANY_TABLES = 8, 200
"""With fewer or more tables than these, there are fewer steps."""

FIRST_STEPS, MOST_STEPS = 60, 480
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

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    order = random.sample(range(len(field.entrants)), len(field.entrants))
    order.sort(key=lambda place: -field.entrants[place].score)
    tables = _Draft(field, order, byes, random).best()
    return [seat_table(field, [order[rank] for rank in table], random) for table in tables]


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
        """Yield tables of this round, and of the rounds that it looks ahead to."""
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
            steps = min(MOST_STEPS, 2 * steps)
        if len(rounds) == 1 and clashes(level.pairs, rounds):
            covered, _ = cover(level, np.sort(rounds[0], axis=None).tolist(), self.groups)
            return rounds if covered is None else [covered]
        return rounds

    def _polished(self, rounds: Sequence[Numbers]) -> list[Numbers]:
        """Return rounds with the first one improved as far as the others permit."""
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
        """Return tables of neighbours in rank, but with the groups together."""
        tables = seat_groups(self.groups, len(self.playing) // SEATS, SEATS)
        grouped = {rank for table in tables for rank in table}
        left = iter([rank for rank in self.playing if rank not in grouped])
        tables = [[*table, *islice(left, SEATS - len(table))] for table in tables]
        rest = list(left)
        tables += [rest[at : at + SEATS] for at in range(0, len(rest), SEATS)]
        return np.array(tables, dtype=np.int64).reshape(-1, SEATS)

    def _needs(self, share: int) -> bool:
        """Return whether everybody meets more than a percentage of the others in all rounds."""
        met = (SEATS - 1) * (len(self.field.rounds) + self.field.rounds_left)
        return self.strict and met * 100 > share * (len(self.order) - 1)

    def _ahead(self) -> int:
        """Return how many rounds to look ahead to: all that are left, if that helps."""
        ahead = self._needs(LOOK_NEEDED) and not self._needs(HOPELESS)
        return self.field.rounds_left - 1 if ahead else 0

    def _later(self) -> list[Numbers]:
        """Return tables of the rounds to look ahead to, at random."""
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
        played = self._played_by_all()
        if played is None or self.groups or self.field.avoid or not self.strict:
            return []
        count = len(self.order)
        schedules = []
        for way in islice(match_plan(count, played, self.random), MOST_WAYS // count):
            ahead = [np.array(way.tables(at), dtype=np.int64) for at in range(len(way.ahead))]
            schedules += [ahead[at:] + ahead[:at] for at in range(len(ahead))]
        nearest = min(schedules, key=lambda each: self.prices.of_tables(each[0]), default=[])
        return nearest[: self.field.rounds_left]

    def _played_by_all(self) -> list[list[list[int]]] | None:
        """The tables of the earlier rounds; None unless all who are here played in each of them."""
        everybody, rank = set(self.field.index), self.rank_of
        for played in self.field.rounds:
            if {name for table in played.tables for name in table} != everybody or played.byes:
                return None
        return [
            [[rank[name] for name in table] for table in each.tables] for each in self.field.rounds
        ]
