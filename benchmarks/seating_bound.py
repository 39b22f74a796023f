"""How near the scores could be: each round of an event beside a lower bound of its spread.

The bound is that of the linear program over all tables at which nobody meets again, whatever the
seats: no seating of this round without a repeat has less. The program's own spread is beside it.
`uv run --with scipy python -m benchmarks.seating_bound 88 9 1` plays one event of 88 players.
"""

import sys
from collections.abc import Iterator, Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog  # type: ignore[import-not-found,import-untyped,unused-ignore]
from scipy.sparse import csc_array, eye_array, hstack  # type: ignore[import-not-found,import-untyped,unused-ignore]

from benchmarks.seating import Event
from tournaments.engine.pairing.judging import Seating

Numbers = NDArray[np.float64]
Fours = NDArray[np.int16]
AT_FIRST, AT_ONCE = 40, 30
"""The tables for each player that the linear program begins with, and that it adds in a step."""

SMALL = 1e-6


class Bounded(Event):
    """An event that bounds each round after the first."""

    def __init__(self, players: int, rounds: int, seed: int) -> None:
        super().__init__(players, rounds, seed)
        self.bounds: list[float] = []

    def measure(self, seating: Seating, order: Sequence[str]) -> None:
        super().measure(seating, order)
        if self.rounds:
            here = [name for name in order if name not in seating.byes]
            rank = {name: at for at, name in enumerate(here)}
            met = np.eye(len(here), dtype=bool)
            for played in self.rounds:
                for table in played.tables:
                    for one, other in combinations([rank[n] for n in table if n in rank], 2):
                        met[one, other] = met[other, one] = True
            scores = np.array([self.score[name] for name in here], dtype=np.float64)
            self.bounds.append(least(scores, clashless(met)) / (len(here) // 4))
            print(
                f"round {len(self.rounds) + 1}: neighbours {self.nearest[-1]:.0f}, bound "
                f"{self.bounds[-1]:.0f}, program {self.spreads[-1]:.0f}, "
                f"{self.spreads[-1] / self.bounds[-1]:.3f} times the bound",
                flush=True,
            )


def clashless(met: NDArray[np.bool_]) -> Fours:
    """Return all tables of players who have not met, in order of rank."""
    return np.array([*_fours(~met)], dtype=np.int16)


def _fours(fits: NDArray[np.bool_]) -> Iterator[tuple[int, int, int, int]]:
    after = [
        sum(1 << int(other) for other in np.flatnonzero(row) if other > one)
        for one, row in enumerate(fits)
    ]
    for a, left in enumerate(after):
        for b in _bits(left):
            both = left & after[b]
            for c in _bits(both):
                yield from ((a, b, c, d) for d in _bits(both & after[c]))


def _bits(number: int) -> Iterator[int]:
    while number:
        yield (number & -number).bit_length() - 1
        number &= number - 1


def least(scores: Numbers, fours: Fours) -> float:
    """Return the least sum of spreads at tables that seat each player once, in fractions too."""
    count = len(scores)
    costs = scores[fours[:, 0]] - scores[fours[:, 3]]
    chosen = np.zeros(len(fours), dtype=bool)
    for player in range(count):
        mine = np.flatnonzero((fours == player).any(axis=1))
        chosen[mine[np.argsort(costs[mine], kind="stable")[:AT_FIRST]]] = True
    while True:
        at = np.flatnonzero(chosen)
        # Whoever has no table yet pays more than any could cost.
        alone = np.full(count, 2 * np.ptp(scores) + 1)
        here = csc_array(
            (np.ones(4 * len(at)), fours[at].ravel(), np.arange(0, 4 * len(at) + 1, 4)),
            shape=(count, len(at)),
        )
        found = linprog(
            np.concatenate([costs[at], alone]),
            A_eq=hstack([here, eye_array(count)]),
            b_eq=np.ones(count),
            method="highs",
        )
        prices = found.eqlin.marginals
        reduced = costs - prices[fours].sum(axis=1)
        cheaper = np.flatnonzero(reduced < -SMALL)
        if not len(cheaper):
            return float(found.fun)
        best = np.argsort(reduced[cheaper], kind="stable")[: AT_ONCE * count]
        chosen[cheaper[best]] = True


if __name__ == "__main__":
    players, rounds, events = map(int, sys.argv[1:])
    for seed in range(events):
        event = Bounded(players, rounds, seed)
        event.play()
        sums = (sum(event.nearest), sum(event.bounds), sum(event.spreads))
        print(
            f"event: bound {sums[1] / sums[0]:.2f}, program {sums[2] / sums[0]:.2f} times "
            f"neighbours; {sums[2] / sums[1]:.3f} times the bound",
            flush=True,
        )
