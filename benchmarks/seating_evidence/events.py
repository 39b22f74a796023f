"""One simulated tournament: played round by round, then judged."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from benchmarks.seating_evidence.luck import Luck
from benchmarks.seating_evidence.search import Numbers, Places

Draw = Callable[["Event"], Places]
"""A method: the tables of the next round, in seat order."""

LATE = 2
"""The last rounds in which the first and the second of the tournament should meet."""


@dataclass
class Event:
    """A tournament under way; players are numbers."""

    players: int
    rounds: int
    number: int
    strength: Numbers
    scores: Places = field(init=False)
    met: Places = field(init=False)
    seats: Places = field(init=False)
    tables: list[Places] = field(default_factory=list)
    widths: list[tuple[float, float, float, float]] = field(default_factory=list)
    repeats: int = 0
    ahead: list[Places] = field(default_factory=list)
    """A schedule without repeats of the rounds that are left, from looking ahead."""

    def __post_init__(self) -> None:
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

    def play(self, tables: Places, luck: Luck, chance: np.random.Generator) -> None:
        """Play a round."""
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
        self.scores[tables] += luck.draw(self.strength[tables], chance)

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


def played(event: Event, draw: Draw, luck: Luck) -> dict[str, float]:
    """Play the whole tournament; return its figures."""
    chance = np.random.default_rng([event.players, event.rounds, event.number])
    before = event.ranked()
    for _ in range(event.rounds):
        before = event.ranked()
        event.play(draw(event), luck, chance)
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
