"""The points of a game, from the games of the bots: strength, luck and seat.

Each player has a form in a game: strength, the worth of the seat, and luck, which is normal. Points
are the form less the mean form at the table, so that they add up to nothing. In the games of the
bots seat 0 declares first.
"""

from functools import cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.king_bots.bots import strengths
from benchmarks.king_bots.sheets import kept

Numbers = NDArray[np.float64]
STEP = 10
"""Points of King are multiples of it."""


class Games(NamedTuple):
    """What the games show.

    `rest` are the points of each game by seats, without the strengths; `strength` and `luck` are
    standard deviations, and `seats` is what each seat is worth.
    """

    rest: Numbers
    strength: float
    luck: float
    seats: Numbers

    @property
    def errors(self) -> Numbers:
        """The standard errors of `seats`."""
        errors: Numbers = self.rest.std(axis=0, ddof=1) / sqrt(len(self.rest))
        return errors


@cache
def fitted() -> Games:
    """Fit the model to the kept games."""
    known, sheets = np.array(strengths()), list(kept())
    own = known[np.array([sheet.players for sheet in sheets])]
    points = np.array([sheet.totals for sheet in sheets], dtype=np.float64)
    rest = _centred(points) - _centred(own)
    # The mean of four takes away a quarter of the variance.
    luck = float(rest.std() * sqrt(4 / 3))
    return Games(rest, float(known.std()), luck, rest.mean(axis=0))


def points_of(forms: Numbers) -> NDArray[np.int64]:
    """Return the points of one game at each table, from a row of forms for each."""
    return np.rint(_centred(forms) / STEP).astype(np.int64) * STEP


def _centred(numbers: Numbers) -> Numbers:
    centred: Numbers = numbers - numbers.mean(axis=1, keepdims=True)
    return centred
