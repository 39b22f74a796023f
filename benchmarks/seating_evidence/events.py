"""One simulated tournament: played round by round, then judged."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.seating_evidence.luck import fitted, points_of
from benchmarks.seating_evidence.search import Numbers, Places

Draw = Callable[["Event"], Places]
"""A method: the tables of the next round, in seat order."""

LATE = 2
"""The last rounds in which the first and the second of the tournament should meet."""


@dataclass
class Event:
    """A tournament under way; players are numbers.

    Everything but the tables is settled by its number: `strength`, and the `luck` of each player in
    each round. So methods are compared under the same luck.
    """

    players: int
    rounds: int
    number: int
    percent: int = 100
    """The spread of strengths, in percent of that of the bots."""

    strength: Numbers = field(init=False)
    luck: Numbers = field(init=False)
    scores: Places = field(init=False)
    met: Places = field(init=False)
    seats: Places = field(init=False)
    tables: list[Places] = field(default_factory=list)
    widths: list[tuple[float, float, float, float]] = field(default_factory=list)
    repeats: int = 0
    ahead: list[Places] = field(default_factory=list)
    """A schedule without repeats of the rounds that are left, from looking ahead."""

    def __post_init__(self) -> None:
        games, chance = fitted(), np.random.default_rng([self.players, self.number])
        self.strength = chance.normal(0, games.strength * self.percent / 100, self.players)
        self.luck = chance.normal(0, games.luck, (self.rounds, self.players))
        self.scores = np.zeros(self.players, dtype=np.int64)
        self.met = np.zeros((self.players, self.players), dtype=np.int64)
        self.seats = np.zeros((self.players, 4), dtype=np.int64)

    @property
    def last(self) -> bool:
        """Whether the round to be drawn is the last one."""
        return len(self.tables) == self.rounds - 1

    @property
    def seed(self) -> int:
        """The seed of the round to be drawn."""
        return 1_000 * self.number + len(self.tables)

    def play(self, tables: Places) -> None:
        """Play a round."""
        forms = (self.strength + self.luck[len(self.tables)])[tables] + fitted().seats
        if self.tables:
            self.widths.append((*self._widths(tables), *self._widths(self.neighbours())))
        for seat in range(4):
            for other in range(seat):
                one, two = tables[:, seat], tables[:, other]
                self.repeats += int(self.met[one, two].sum())
                self.met[one, two] += 1
                self.met[two, one] += 1
            self.seats[tables[:, seat], seat] += 1
        self.tables.append(tables)
        self.scores[tables] += points_of(forms)

    def neighbours(self) -> Places:
        """Return the tables of plain neighbours in the standings."""
        return self.ranked().reshape(-1, 4)

    def ranked(self) -> Places:
        """Return the players from the first to the last; equals by lot."""
        lot = np.random.default_rng(self.seed).permutation(self.players)
        ranked: Places = lot[np.argsort(-self.scores[lot], kind="stable")]
        return ranked

    def _widths(self, tables: Places) -> tuple[float, float]:
        """Return the mean spread of scores, at all tables and at the top quarter of them."""
        scores = self.scores[tables]
        spreads = scores.max(axis=1) - scores.min(axis=1)
        upper = np.argsort(-scores.mean(axis=1), kind="stable")[: max(1, len(tables) // 4)]
        return float(spreads.mean()), float(spreads[upper].mean())


def played(event: Event, draw: Draw) -> dict[str, float]:
    """Play the whole tournament; return its figures."""
    for _ in range(event.rounds - 1):
        event.play(draw(event))
    before = event.ranked()
    event.play(draw(event))
    return figures(event, before)


def figures(event: Event, before: Places) -> dict[str, float]:
    """Return the figures of a finished tournament; `before` are the standings at its last round.

    Spreads are those of the rounds after the first, the only ones that know scores.
    """
    ranked = event.ranked()
    widths = np.array(event.widths)
    everywhere, above, least, least_above = widths.mean(axis=0)
    final = event.tables[-1]
    return {
        "strongest_wins": float(ranked[0] == event.strength.argmax()),
        "tau": tau(event.strength[ranked]),
        "first_two_met": float(any(together(t, ranked[:2]) for t in event.tables[-LATE:])),
        "leaders_met": float(together(final, before[:2])),
        "leaders_tables": float(len(np.unique(np.nonzero(np.isin(final, before[:4]))[0]))),
        "repeats": float(event.repeats),
        "last_repeats": float((event.met[final[:, :, None], final[:, None, :]] > 1).sum() / 2),
        "uneven": float((np.ptp(event.seats, axis=1) >= 2).mean()),
        "far_uneven": float((np.ptp(event.seats, axis=1) > 2).mean()),
        "spread": everywhere,
        "times": everywhere / least,
        "spread_above": above,
        "times_above": above / least_above,
        "spread_last": widths[-1, 0],
        "times_last": widths[-1, 0] / widths[-1, 2],
    }


def together(tables: Places, players: Places) -> bool:
    """Return whether these players share a table."""
    return bool(np.isin(tables, players).sum(axis=1).max() == len(players))


def tau(strength: Numbers) -> float:
    """Return Kendall's tau of a ranking, given the strengths from the first to the last."""
    count = len(strength)
    above = np.sign(strength[:, None] - strength[None, :])[np.triu_indices(count, 1)]
    return float(above.mean())
