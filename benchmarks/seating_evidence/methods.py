"""The methods and weights that are compared."""

from collections.abc import Mapping
from functools import cache
from itertools import chain

import numpy as np

from benchmarks.seating_evidence.ahead import look_ahead
from benchmarks.seating_evidence.events import Draw, Event
from benchmarks.seating_evidence.search import (
    NEVER,
    Numbers,
    Places,
    Round,
    lot_spread,
    search,
    seat,
)
from tournaments.engine.pairing.field import (
    OBJECTIVES,
    Entrant,
    PairingField,
    PlayedRound,
    Weights,
    weights_for,
)
from tournaments.engine.pairing.methods import schedule, seat_round

PLANS = 4
"""The number of schedules drawn for a size; players are put into them by lot."""

LEADERS, TWICE = 4, 3


def by_lot(event: Event) -> Places:
    """Draw everybody by lot, and the seats as even as possible."""
    lot = np.random.default_rng(event.seed).permutation(event.players)
    return _seated(event, lot.reshape(-1, 4))


def neighbours(event: Event) -> Places:
    """Seat neighbours in the standings."""
    return _seated(event, event.neighbours())


def across(event: Event) -> Places:
    """Seat one player of each quarter of the standings at each table."""
    return _seated(event, event.ranked().reshape(4, -1).T)


def by_plan(event: Event) -> Places:
    """Take the next round of a schedule of the program, whatever the scores."""
    plan = _schedule(event.players, event.rounds, event.number % PLANS)
    lot = np.random.default_rng(event.number).permutation(event.players)
    drawn: Places = lot[plan[len(event.tables)]]
    return drawn


def by_program(weights: Weights) -> Draw:
    """Return the method of the program with these weights."""

    def draw(event: Event) -> Places:
        names = [f"p{player}" for player in range(event.players)]
        field = PairingField(
            tuple(Entrant(name, int(event.scores[player])) for player, name in enumerate(names)),
            tuple(
                PlayedRound(tuple(tuple(names[player] for player in table) for table in tables))
                for tables in event.tables
            ),
            event.rounds - len(event.tables),
            weights=weights,
            seed=event.number,
        )
        tables = seat_round(field, "swiss").tables
        return np.array([[int(name[1:]) for name in table] for table in tables])

    return draw


def priced(weights: Weights, *, even_until: int = 0) -> Draw:
    """Return the method that searches for the least spread and prices.

    In the first rounds, `even_until`, nobody uses a seat twice more often than another one.
    """

    def draw(event: Event) -> Places:
        if not event.tables:
            return by_lot(event)
        return search(_wanted(event, weights, even_until), event.seed)

    return draw


def foreseen(weights: Weights) -> Draw:
    """Return the method that keeps the rounds without a price of repeats free of them.

    It begins with the first round of a schedule of the program.
    """

    def draw(event: Event) -> Places:
        if not event.tables:
            return by_plan(event)
        wanted = _wanted(event, weights)
        until = event.rounds - (weights.last_repeat is not None)
        if len(event.tables) == until:
            return search(wanted, event.seed)
        lot = np.random.default_rng(event.number).permutation(event.players)
        plan = _schedule(event.players, event.rounds, event.number % PLANS)[1:until]
        return look_ahead(event, wanted, until, [lot[tables] for tables in plan])

    return draw


def then_neighbours(draw: Draw) -> Draw:
    """Return the method with plain neighbours in the last round."""
    return lambda event: (neighbours if event.last else draw)(event)


def _wanted(event: Event, weights: Weights, even_until: int = 0) -> Round:
    scores = event.scores.astype(np.float64)
    unit = max(lot_spread(scores), 1.0)
    repeat, leaders = (
        (weights.last_repeat, weights.last_leaders)
        if event.last
        else (weights.repeat, weights.leaders)
    )
    price = NEVER * unit if repeat is None else repeat * unit / 100
    pairs = np.where(event.met > 0, price * TWICE ** (event.met - 1.0), 0.0)
    strict = len(event.tables) < even_until
    seats = seat_prices(event, NEVER / 4 if strict else weights.seat / 100) * unit
    worth = np.ones(event.players)
    worth[event.ranked()[:LEADERS]] += leaders / 100
    return Round(scores, pairs, seats, worth)


def seat_prices(event: Event, two: float) -> Numbers:
    """Return the price of each seat for each player; `two` is that of an imbalance of 2."""
    after = event.seats[:, None, :] + np.eye(4, dtype=np.int64)
    prices: Numbers = np.array([0, 0, two, *[NEVER] * event.rounds])[np.ptp(after, axis=2)]
    return prices


def _seated(event: Event, tables: Places) -> Places:
    """Seat tables as evenly as possible."""
    return seat(tables, seat_prices(event, 1.0), np.random.default_rng(event.seed))


@cache
def _schedule(players: int, rounds: int, seed: int) -> list[Places]:
    field = PairingField(tuple(Entrant(f"p{player}") for player in range(players)), seed=seed)
    return [
        np.array([int(name[1:]) for name in chain(*seating.tables)]).reshape(-1, 4)
        for seating in schedule(field, rounds, "fixed")
    ]


NO_REPEATS = OBJECTIVES["new-opponents"]
MEETING_LAST = weights_for("new-opponents", leaders_last=True)

METHODS: Mapping[str, Draw] = {
    "by lot": by_lot,
    "fixed schedule": by_plan,
    "cross-seeded": across,
    "neighbours by rank": neighbours,
    "greedy, even seats to round 5": priced(NO_REPEATS, even_until=5),
    "greedy": priced(NO_REPEATS),
    "greedy, seats free": priced(Weights(seat=0)),
    "no repeats": foreseen(NO_REPEATS),
    "no repeats, leaders × 2": foreseen(Weights(leaders=100, last_leaders=100)),
    "no repeats, last round at 20 %": foreseen(Weights(last_repeat=20)),
    "no repeats, leaders meet last": foreseen(MEETING_LAST),
    "no repeats, neighbours last": then_neighbours(foreseen(Weights(last_repeat=0))),
    "repeats at 40 %": priced(Weights(repeat=40, last_repeat=40)),
    "repeats at 20 %": priced(Weights(repeat=20, last_repeat=20)),
    "repeats at 10 %": priced(Weights(repeat=10, last_repeat=10)),
    "repeats at 20 %, leaders meet last": priced(OBJECTIVES["near-scores"]),
    "repeats at 20 %, leaders × 2": priced(OBJECTIVES["leaders"]),
    **{f"program: {name}": by_program(weights) for name, weights in OBJECTIVES.items()},
    "program: leaders meet last": by_program(MEETING_LAST),
}
"""The program's own methods come last; those before use the fast search."""
