"""The points of a game, from the games of the bots: strength and luck.

Points are the strength of a player less the mean strength at the table, and luck. The luck of a
whole table is that of one of the games, so that it has their covariances, and whatever a seat is
worth. In those games seat 0 declares first.
"""

from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.king_bots.bots import strengths
from benchmarks.king_bots.sheets import kept

Points = NDArray[np.int64]
STEP = 10
"""Points of King are multiples of it."""


class Luck(NamedTuple):
    """What the games show: `rest` is the luck of each game by seats, `strength` the deviation."""

    rest: NDArray[np.float64]
    strength: float

    @property
    def seats(self) -> NDArray[np.float64]:
        """What each seat is worth, in points."""
        worth: NDArray[np.float64] = self.rest.mean(axis=0)
        return worth

    @property
    def errors(self) -> NDArray[np.float64]:
        """The standard errors of `seats`."""
        errors: NDArray[np.float64] = self.rest.std(axis=0, ddof=1) / np.sqrt(len(self.rest))
        return errors

    def draw(self, strength: NDArray[np.float64], chance: np.random.Generator) -> Points:
        """Play one game at each table; `strength` has a row for each table, in seat order."""
        luck = self.rest[chance.integers(len(self.rest), size=len(strength))]
        points = strength - strength.mean(axis=1, keepdims=True) + luck
        return np.rint(points / STEP).astype(np.int64) * STEP


@cache
def fitted() -> Luck:
    """Fit the model to the kept games."""
    known, sheets = np.array(strengths()), list(kept())
    own = known[np.array([sheet.players for sheet in sheets])]
    points = np.array([sheet.totals for sheet in sheets], dtype=np.float64)
    shown = own - own.mean(axis=1, keepdims=True)
    rest = points - points.mean(axis=1, keepdims=True) - shown
    return Luck(rest, float(known.std()))
