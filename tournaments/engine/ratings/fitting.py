"""Fit the constants of a pool to its games: how far its players' strengths lie apart, and luck.

The best constants are those with which the ratings before each game made its points most likely
(the prediction-error decomposition of a Gaussian filter). All candidates are tried at once, as
columns of arrays; that is why the filter of `ratings` is written here again. Results are whole
numbers or rounded, so that they do not depend on the machine.
"""

from collections.abc import Hashable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tournaments.engine.ratings.ratings import DRIFT, LUCK, START_VARIANCE, Constants

FROM_GAMES = 500
"""A pool with fewer games keeps the constants of the program."""

LAST_GAMES = 20_000
"""The latest games to fit: enough to be sure of the constants."""

FROM_GAMES_OF_RULESET = 100
"""The luck of a ruleset with fewer games is not fitted."""

DEVIATIONS = tuple(sorted({round(106 * 1.06**step) for step in range(-22, 25)}))
"""The candidates: standard deviations of strengths, from 29 to 429 rating points."""

USUAL = 0.7
"""Pools differ: two thirds of their deviations are within a factor of two of the program's.

The standard deviation of their logarithm. It keeps few games from choosing something far off.
"""

MATERIAL = 0.05
"""Constants that differ by a smaller share are not worth new ratings for all."""

PASSES = 3

Array = np.ndarray[Any, np.dtype[np.float64]]


class Sample(NamedTuple):
    """A game to fit: per seat its person (None for guests) and side; `scores` per side."""

    people: Sequence[Hashable | None]
    sides: tuple[int, ...]
    scores: Sequence[float]
    ruleset: str
    day: float


def fit_constants(games: Sequence[Sample]) -> Constants:
    """Return the constants that fit the games best; they are in order of time."""
    start = np.square(np.array(DEVIATIONS, float))
    luck = {name: _luck_of_newcomers(name, games, start) for name in {g.ruleset for g in games}}
    for _ in range(PASSES):
        evidence = _Evidence(games, luck, start)
        luck = {name: luck[name] * evidence.surprise_of(name) for name in luck}
    usual = np.log(start / START_VARIANCE) / 2.0 / USUAL
    best = int(np.argmax(_Evidence(games, luck, start).likelihood - usual * usual / 2.0))
    return Constants(
        float(start[best]),
        {
            name: float(f"{values[best]:.3g}")
            for name, values in sorted(luck.items())
            if sum(game.ruleset == name for game in games) >= FROM_GAMES_OF_RULESET
        },
    )


def differs(one: Constants, other: Constants) -> bool:
    """Return whether constants are far enough apart to compute all ratings again."""
    if one.luck.keys() != other.luck.keys():
        return True
    pairs = [(one.start**0.5, other.start**0.5), *((one.luck[k], other.luck[k]) for k in one.luck)]
    return any(abs(a - b) > MATERIAL * b for a, b in pairs)


def _luck_of_newcomers(name: str, games: Sequence[Sample], start: Array) -> Array:
    """Return the luck of a ruleset if all its players were newcomers."""
    scores = [game.scores for game in games if game.ruleset == name]
    spread = np.mean([sum(s * s for s in each) / (len(each) - 1) for each in scores])
    return np.asarray(np.sqrt(spread / (1.0 + start / (LUCK * LUCK))))


class _Evidence:
    """The filter over all games, with one column for each candidate."""

    def __init__(self, games: Sequence[Sample], luck: dict[str, Array], start: Array) -> None:
        people = {who: row for row, who in enumerate(dict.fromkeys(_people(games)))}
        # The last row is that of guests, newcomers in each game.
        self.means = np.zeros((len(people) + 1, len(start)))
        self.variances = np.tile(start, (len(people) + 1, 1))
        self.last = np.zeros(len(people) + 1)
        self.start, self.drift = start, DRIFT * start / START_VARIANCE
        self.likelihood = np.zeros(len(start))
        self.squares = {name: np.zeros(len(start)) for name in luck}
        self.freedom = dict.fromkeys(luck, 0)
        for game in games:
            rows = [-1 if who is None else people[who] for who in game.people]
            self._see(game, np.array(rows), luck[game.ruleset])

    def surprise_of(self, ruleset: str) -> Array:
        """Return the deviation of the results from what was expected; 1 where luck fits."""
        return np.asarray(np.sqrt(self.squares[ruleset] / self.freedom[ruleset]))

    def _see(self, game: Sample, rows: Any, luck: Array) -> None:
        days = np.maximum(0.0, game.day - self.last[rows])[:, None]
        means = self.means[rows]
        variances = np.minimum(self.start, self.variances[rows] + self.drift * days)
        mixing, sides = _mixing(game.sides)
        weights = 1.0 / (np.square(mixing) @ variances + LUCK * LUCK)
        surprises = np.outer(game.scores, LUCK / luck) - mixing @ means
        whole = weights.sum(0)
        surprises = surprises - (weights * surprises).sum(0) / whole
        squares = (weights * surprises * surprises).sum(0)
        freedom = len(game.scores) - 1
        shape = np.log(weights).sum(0) - np.log(whole) - squares
        self.likelihood += shape / 2.0 - freedom * np.log(luck)
        self.squares[game.ruleset] += squares
        self.freedom[game.ruleset] += freedom
        shared = variances * mixing.max(0)[:, None]
        gain = shared * weights[sides]
        known = gain * shared * (1.0 - weights[sides] / whole)
        there = rows >= 0
        self.means[rows[there]] = (means + gain * surprises[sides])[there]
        self.variances[rows[there]] = (variances - known)[there]
        self.last[rows[there]] = game.day


@cache
def _mixing(sides: tuple[int, ...]) -> tuple[Array, Any]:
    """Return the share of each seat (column) in the strength of each side, and the sides."""
    shares = np.array([[float(s == side) for s in sides] for side in range(max(sides) + 1)])
    return shares / shares.sum(1, keepdims=True), np.array(sides)


def _people(games: Sequence[Sample]) -> list[Hashable]:
    return [who for game in games for who in game.people if who is not None]
