"""Improve a seating by simulated annealing.

The exchanges of `swaps.py` only ever lower the cost, so they often get stuck: few players of each
score have not met yet.
"""

from collections.abc import Callable, Collection, Sequence
from random import Random

from tournaments.engine.pairing.costs import SEATLESS, SPREAD, scaled_scores, unlikely_pairs
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.seats import FEASIBLE_AT, SEATS, open_seats

STAGES = 24
TRIES_EACH = 200
MOST_TRIES = 80_000
NEAR = 16
"""The greatest distance in the standings between two players in an exchange."""

Cost = Callable[[Sequence[int]], int]


def anneal(
    field: PairingField, tables: Sequence[Sequence[int]], held: Collection[int], random: Random
) -> list[list[int]]:
    """Return tables that cost no more than those given; places in `held` do not move."""
    cost, unit = table_cost(field), _unit(field)
    draft = _AnnealedDraft([list(table) for table in tables], cost)
    before = draft.cost
    lines = _lines(field, held, random)
    tries = min(MOST_TRIES, TRIES_EACH * len(field.entrants)) // STAGES
    least = 3 * sum(_neighbours(field))
    for stage in range(STAGES, 0, -1):
        if draft.cost <= least:
            break
        limit = unit * (stage - 1) ** 2 // STAGES**2
        draft.perturb(lines[stage % len(lines)], tries, limit, random)
    return draft.tables if draft.cost < before else [list(table) for table in tables]


class _AnnealedDraft:
    """Tables of four places, each with its cost."""

    def __init__(self, tables: list[list[int]], cost: Cost) -> None:
        self.tables, self.cost_of = tables, cost
        self.table_of = {place: number for number, table in enumerate(tables) for place in table}
        self.costs = [cost(table) for table in tables]

    @property
    def cost(self) -> int:
        return sum(self.costs)

    def perturb(self, line: Sequence[int], tries: int, limit: int, random: Random) -> None:
        """Exchange random pairs that are near each other in a line, if the cost permits.

        An exchange must cost less than a random number between 0 and `limit`.
        """
        # This loop takes most of the time of a seating.
        tables, table_of, costs, cost_of = self.tables, self.table_of, self.costs, self.cost_of
        lot, length = random.random, len(line)
        for _ in range(tries):
            here = int(lot() * length)
            there = here + 1 + int(lot() * NEAR)
            if there >= length:
                continue
            one, other = line[here], line[there]
            mine, theirs = table_of[one], table_of[other]
            if mine == theirs:
                continue
            joined = [other if place == one else place for place in tables[mine]]
            left = [one if place == other else place for place in tables[theirs]]
            cost_joined, cost_left = cost_of(joined), cost_of(left)
            change = cost_joined + cost_left - costs[mine] - costs[theirs]
            if change <= 0 or change < limit * lot():
                tables[mine], tables[theirs] = joined, left
                costs[mine], costs[theirs] = cost_joined, cost_left
                table_of[one], table_of[other] = theirs, mine


def table_cost(field: PairingField) -> Cost:
    """Return the function that computes the cost of a table of four places."""
    scores = [int(score) for score in scaled_scores(field)]
    count = len(field.entrants)
    masks = [int(mask) for mask in open_seats(field)]
    extra: dict[int, int] = {}
    for one, other, more in unlikely_pairs(field):
        for key in (one * count + other, other * count + one):
            extra[key] = extra.get(key, 0) + more
    pair = extra.get

    def cost(table: Sequence[int]) -> int:
        a, b, c, d = table
        ranks = (scores[a], scores[b], scores[c], scores[d])
        at_a, at_b = a * count, b * count
        whole = 3 * (max(ranks) - min(ranks))
        whole += pair(at_a + b, 0) + pair(at_a + c, 0) + pair(at_a + d, 0)
        whole += pair(at_b + c, 0) + pair(at_b + d, 0) + pair(c * count + d, 0)
        if not FEASIBLE_AT[masks[a] << 12 | masks[b] << 8 | masks[c] << 4 | masks[d]]:
            whole += SEATLESS
        return whole

    return cost


def _unit(field: PairingField) -> int:
    """The cost of about one step in score, or of a table of neighbours if that is more."""
    steps = max(1, len({entrant.score for entrant in field.entrants}) - 1)
    near = _neighbours(field)
    return 3 * max(SPREAD // steps, sum(near) // max(1, len(near)))


def _neighbours(field: PairingField) -> list[int]:
    """The spread of scores at each table if neighbours in the standings sit together."""
    scores = sorted(int(score) for score in scaled_scores(field))
    return [scores[at + SEATS - 1] - scores[at] for at in range(0, len(scores) - SEATS + 1, SEATS)]


def _lines(field: PairingField, held: Collection[int], random: Random) -> list[list[int]]:
    """All movable players by score, and also by open seats if these differ."""
    masks = [int(mask) for mask in open_seats(field)]
    free = [place for place in range(len(masks)) if place not in held]
    random.shuffle(free)
    free.sort(key=lambda place: -field.entrants[place].score)
    by_seats = sorted(free, key=masks.__getitem__)
    return [free] if len(set(masks)) == 1 else [free, by_seats]
