"""Seat a round at tables of four: by a plan in small fields, else by exchanges."""

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from random import Random

import numpy as np

from tournaments.engine.pairing.annealing import anneal
from tournaments.engine.pairing.byes import seat_groups
from tournaments.engine.pairing.costs import REPEAT, SEATLESS, Costs, pair_costs, scaled_scores
from tournaments.engine.pairing.exact_cover import cover
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.plans import Matching, match_plan, plan_for
from tournaments.engine.pairing.seats import EARLY_ROUNDS, SEATS, open_seats, seat_ahead, seat_table
from tournaments.engine.pairing.sharing import seat_tables
from tournaments.engine.pairing.swaps import Places, SwapDraft

Tables = list[tuple[int, ...]]

EXCHANGES_SUFFICE = {32: 4, 36: 5, 40: 6}
"""The number of rounds without repeats that exchanges can find; more need a plan.

Up to 28 players a plan is always better; above 40 none is needed.
"""

MOST_WAYS = 1_600
MOST_LATER = 6
MOST_BATCHES = 8
MANY = 24
LIKELY_STARTS = 4

LEAST_COVERED, MOST_COVERED = 16, 28
"""Exact cover is used between these sizes: exchanges suffice for smaller and larger fields."""


def draw_fours(
    field: PairingField,
    groups: Sequence[Sequence[int]],
    aside: Sequence[Sequence[int]],
    random: Random,
) -> Tables:
    """Return the tables of a round in seat order, as places in `field.entrants`; all play.

    Each of `groups` shares a table, or two groups do. `aside` holds, for each bye, the number of
    times at each seat.
    """
    planned: Tables | None = None
    if not groups and not field.avoid and _wants_plan(field):
        planned = draw_by_plan(field, random)
        # A plan keeps later rounds without repeats: the last round has none.
        if planned is not None and not (field.score_before_seats and field.rounds_left == 1):
            return planned
    exchanged = seat_tables(field, draw_by_exchanges(field, groups, random), aside, random)
    costs = pair_costs(field)
    return min(filter(None, [planned, exchanged]), key=lambda tables: _cost(costs, tables))


def draw_by_plan(field: PairingField, random: Random) -> Tables | None:
    """Return the next round of a plan that fits the earlier ones, with the least spread of scores.

    Return None if the earlier rounds fit no plan, or if the plan has no further rounds.
    """
    played = _played_by_all(field)
    if played is None:
        return None
    count = len(field.entrants)
    ways = match_plan(count, played, random)
    uneven: Tables | None = None
    for _ in range(MOST_BATCHES):
        batch = list(islice(ways, MOST_WAYS // count))
        if not batch:
            break
        by_cost = _by_cost(field, batch)
        for way, number in by_cost:
            seated = _seat_first_fours(field, way, number, random)
            if seated is not None:
                return seated
        way, number = by_cost[0]
        uneven = uneven or [seat_table(field, table, random) for table in way.tables(number)]
    return uneven


def _by_cost(field: PairingField, ways: Sequence[Matching]) -> list[tuple[Matching, int]]:
    """The possible next rounds, by spread of scores, the smallest first."""
    costs = pair_costs(field)
    rounds = [(way, number) for way in ways for number in range(len(way.ahead))]
    return sorted(rounds, key=lambda each: _cost(costs, each[0].tables(each[1])))


def _seat_first_fours(
    field: PairingField, way: Matching, number: int, random: Random
) -> Tables | None:
    """Seat a round so that nobody repeats a seat, now or in the rounds that may follow."""
    if field.number > SEATS or field.score_before_seats:
        return [seat_table(field, table, random) for table in way.tables(number)]
    seatings = (
        seat_ahead(field, way.tables(number), later) for later in _later(way, number, field)
    )
    return next((seating for seating in seatings if seating is not None), None)


def draw_by_exchanges(
    field: PairingField, groups: Sequence[Sequence[int]], random: Random
) -> list[list[int]]:
    """Return the best of several seatings, each improved as long as exchanging two helps."""
    costs, masks = pair_costs(field), open_seats(field)
    count = len(field.entrants)
    held = np.zeros(count, dtype=np.bool_)
    held[[place for group in groups for place in group]] = True
    best: SwapDraft | None = None
    for start in range(MANY):
        tables = _fill(groups, _order(field, masks, random, start), count)
        draft = SwapDraft(tables, costs, masks, held)
        draft.improve(random)
        if best is None or draft.cost < best.cost:
            best = draft
        if start + 1 >= _starts(count) and best.cost < SEATLESS:
            break
    assert best is not None
    found = [[int(place) for place in table] for table in best.tables]
    fixed = {place for group in groups for place in group}
    if best.cost >= SEATLESS and _may_cover(field):
        found = cover(field, best.cost // REPEAT, random) or found
    return anneal(field, found, fixed, random)


def _may_cover(field: PairingField) -> bool:
    # Leave groups to keep together or apart to the exchanges.
    few = LEAST_COVERED <= len(field.entrants) <= MOST_COVERED
    return few and field.number <= EARLY_ROUNDS and not field.fixed and not field.avoid


def _wants_plan(field: PairingField) -> bool:
    count = len(field.entrants)
    rounds = len(field.rounds) + field.rounds_left
    # Any first round is the first of a plan: its tables and seats map players to points.
    return bool(field.rounds and plan_for(count)) and rounds > EXCHANGES_SUFFICE.get(count, 0)


def _played_by_all(field: PairingField) -> list[list[tuple[int, ...]]] | None:
    """The tables of the earlier rounds; None unless the same entrants played in each of them."""
    everybody = set(field.index)
    for played in field.rounds:
        if {name for table in played.tables for name in table} != everybody or played.byes:
            return None
    return [
        [tuple(field.index[name] for name in table) for table in played.tables]
        for played in field.rounds
    ]


def _later(way: Matching, number: int, field: PairingField) -> Iterator[list[Tables]]:
    """Rounds of a plan that may follow the chosen one, until everybody had each seat once."""
    others = [other for other in range(len(way.ahead)) if other != number]
    missing = min(len(others), max(0, SEATS - field.number))
    for chosen in islice(combinations(others, missing), MOST_LATER):
        yield [way.tables(other) for other in chosen]


def _cost(costs: Costs, tables: Tables) -> int:
    return sum(int(costs[np.ix_(table, table)].sum()) for table in tables)


def _starts(count: int) -> int:
    """Many starts in small fields, few in large ones: the cost of one grows with the square."""
    return max(1, min(MANY, 120_000 // (count * count), 1 + 800 // count))


def _order(field: PairingField, masks: Places, random: Random, start: int) -> list[int]:
    """The order for a start: near a good seating first, random later."""
    if start >= LIKELY_STARTS:
        return random.sample(range(len(masks)), len(masks))
    # If each player has one seat left, seats matter more than scores for a good start.
    order = _by_seats if start % 2 == (field.number != SEATS) else _by_score
    return order(field, masks, random)


def _by_score(field: PairingField, _masks: Places, random: Random) -> list[int]:
    scores = scaled_scores(field)
    return sorted(range(len(scores)), key=lambda place: (-scores[place], random.random()))


def _by_seats(field: PairingField, masks: Places, random: Random) -> list[int]:
    """By score, but so that usually four in a row have different open seats."""
    lines: dict[int, list[int]] = {}
    for place in _by_score(field, masks, random):
        lines.setdefault(int(masks[place]), []).append(place)
    return [place for four in _zip_longest(list(lines.values())) for place in four]


def _zip_longest(lines: list[list[int]]) -> Iterator[list[int]]:
    for step in range(max(map(len, lines), default=0)):
        yield [line[step] for line in lines if step < len(line)]


def _fill(groups: Sequence[Sequence[int]], order: Sequence[int], count: int) -> Places:
    """Fill tables of four: each group with its neighbours in `order`, then the others in turn."""
    tables = seat_groups(groups, count // SEATS, SEATS)
    rank = {place: at for at, place in enumerate(order)}
    left = [place for place in order if not any(place in table for table in tables)]
    for table in tables:
        middle = sum(rank[place] for place in table) / len(table)
        left.sort(key=lambda place: (abs(rank[place] - middle), place))
        missing = SEATS - len(table)
        table.extend(left[:missing])
        del left[:missing]
    left.sort(key=rank.__getitem__)
    tables += [left[at : at + SEATS] for at in range(0, len(left), SEATS)]
    return np.array(tables, dtype=np.int64).reshape(-1, SEATS)
