"""Look ahead: tables after which the other rounds can still be played without a repeat.

The proof is a schedule of the rounds that are left. It is kept: where no better tables are found,
one of its rounds is the next one.
"""

from collections.abc import Sequence

import numpy as np

from benchmarks.seating_evidence.events import Event
from benchmarks.seating_evidence.search import Numbers, Places, Round, cost_of, search, seat

CANDIDATES, TRIALS, TRIES = 6, 3, 500

CROWDED = 0.4
"""The share of the others whom everybody meets, from which it is needed."""


def look_ahead(event: Event, wanted: Round, until: int, first: Sequence[Places]) -> Places:
    """Return the tables of a round; `first` is a schedule of the tournament for its second round.

    The rounds up to number `until` are kept free of repeats.
    """
    if 3 * until < CROWDED * (event.players - 1):
        return search(wanted, event.seed)
    chance = np.random.default_rng(event.seed)
    schedule = event.ahead or list(first)
    planned = [seat(tables, wanted.seats, chance) for tables in schedule]
    costs = [cost_of(tables, wanted) for tables in planned]
    number = int(np.argmin(costs))
    for trial in range(CANDIDATES):
        drawn = search(wanted, event.seed + 1_000_000 * trial)
        if cost_of(drawn, wanted) < costs[number]:
            later = complete(event.met, drawn, until - len(event.tables) - 1, event.seed)
            if later is not None:
                event.ahead = later
                return drawn
    event.ahead = [tables for at, tables in enumerate(schedule) if at != number]
    return planned[number]


def complete(met: Places, tables: Places, left: int, seed: int) -> list[Places] | None:
    """Return so many further rounds without a repeat after these tables, if any are found."""
    for trial in range(TRIALS):
        pairs, later = _after((met > 0).astype(np.float64), tables), list[Places]()
        if (met[tables[:, :, None], tables[:, None, :]] > 0).any():
            return None
        while len(later) < left:
            drawn = search(level(pairs), seed + 7 * trial + 100_003 * len(later), TRIES)
            if pairs[drawn[:, :, None], drawn[:, None, :]].any():
                break
            pairs, later = _after(pairs, drawn), [*later, drawn]
        else:
            return later
    return None


def level(pairs: Numbers) -> Round:
    """Return a round in which nothing but meetings counts."""
    players = len(pairs)
    return Round(np.zeros(players), pairs, np.zeros((players, 4)), np.ones(players))


def _after(pairs: Numbers, tables: Places) -> Numbers:
    after = pairs.copy()
    for table in tables:
        after[np.ix_(table, table)] = 1
    np.fill_diagonal(after, 0)
    return after
