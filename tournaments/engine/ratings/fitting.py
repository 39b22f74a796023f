"""Rate many games at once, fit the parameters of ratings, and check predictions."""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from tournaments.engine.ratings.ratings import (
    DRIFT,
    LUCK,
    START_VARIANCE,
    Constants,
    Foretold,
    Rating,
    Spread,
    accuracy_of,
    newcomer,
    pairs_of,
    rate,
    rate_columns,
    scores_of,
)

GUEST = -1
"""The number of a player who is rated as a newcomer in each game, without a change."""

MICROSECONDS, DAY = 1_000_000, 86_400

CHANGE = np.dtype(
    [
        *[("player", "i8"), ("game", "i8"), ("seat", "i2"), ("number", "i4"), ("at", "i8")],
        *[(name, "f8") for name in ("mean_before", "variance_before", "mean", "variance")],
    ]
)
"""The change of a player's rating by the `number`-th game; `at` is in microseconds."""

Changes = np.ndarray[Any, np.dtype[np.void]]


class Waves:
    """Games in order, of players who are numbered from 0."""

    def __init__(self, players: Iterable[tuple[Rating, int, int]], newcomer: Rating) -> None:
        ratings, games, moments = zip(*players, (newcomer, 0, 0), strict=True)
        self.newcomer = newcomer
        self.means, self.variances, _starts = np.array(ratings).T
        self.numbers, self.moments = np.array(games), np.array(moments, float)
        self.last_waves = [0] * len(games)
        self.players: list[int] = []
        self.games: dict[tuple[int, Sequence[int], bool], list[tuple[float, ...]]]
        self.games = defaultdict(list)

    def add(
        self, game: int, at: int, players: Sequence[int], sides: Sequence[int], *figures: float
    ) -> None:
        """Add the next game, by its key and moment; `figures` are its unit, and the scores."""
        last = self.last_waves
        wave = 1 + max([last[player] for player in players])
        for player in players:
            last[player] = wave
        last[GUEST] = 0
        self.games[wave, sides, figures[0] > 0.0].append((game, at, len(self.players), *figures))
        self.players += players

    def rate(self) -> Changes:
        """Rate all games; return the changes of all players in order of games and seats."""
        changes = np.empty(len(self.players), CHANGE)
        changes["player"] = self.players
        for (_wave, sides, scored), games in sorted(self.games.items()):
            game, at, first, unit, *scores = np.array(games).T
            seats = np.arange(len(sides))[:, None]
            places = first.astype(int) + seats
            rows = changes[places]
            rows["game"], rows["at"], rows["seat"] = game, at, seats
            self._rest(rows)
            before = [
                Rating(row["mean_before"], row["variance_before"], self.newcomer.start)
                for row in rows
            ]
            after = rate_columns(before, sides, scores, unit) if scored else before
            for row, rating in zip(rows, after, strict=True):
                row["mean"], row["variance"] = rating.mean, rating.variance
            self._keep(rows)
            changes[places] = rows
        seated: Changes = changes[changes["player"] != GUEST]
        return seated

    def _rest(self, rows: Changes) -> None:
        """Set the ratings before a wave: as `Rating.rested` has them."""
        players, start = rows["player"], self.newcomer.start
        days = (rows["at"] - self.moments[players]) / MICROSECONDS / DAY
        drift = DRIFT * (start / START_VARIANCE)
        rested = self.variances[players] + drift * np.maximum(0.0, days)
        rows["mean_before"] = self.means[players]
        rows["variance_before"] = np.minimum(start, rested)

    def _keep(self, rows: Changes) -> None:
        players = rows["player"]
        self.numbers[players] += 1
        rows["number"] = self.numbers[players]
        self.moments[players] = rows["at"]
        self.means[players], self.variances[players] = rows["mean"], rows["variance"]
        self.means[GUEST], self.variances[GUEST] = self.newcomer.mean, self.newcomer.variance

    def reached(self) -> Iterator[tuple[Rating, int, int]]:
        """Yield each player's rating and number of games, and the moment of the last."""
        columns = self.means, self.variances, self.numbers, self.moments.astype(int)
        for mean, variance, number, at in zip(*(c[:GUEST].tolist() for c in columns), strict=True):
            yield Rating(mean, variance, self.newcomer.start), number, at


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
    scores_of: dict[str, list[Sequence[float]]] = defaultdict(list)
    for game in games:
        scores_of[game.ruleset].append(game.scores)
    # At first as if all were newcomers.
    luck: dict[str, Array] = {}
    for name, rows in scores_of.items():
        spread = np.mean([sum(s * s for s in scores) / (len(scores) - 1) for scores in rows])
        luck[name] = np.asarray(np.sqrt(spread / (1.0 + start / (LUCK * LUCK))))
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


BINS = 10
"""Parts of the chances from one half to 1, each of 5 %."""

WARM_UP = LAST_GAMES // 4
"""Games that are learned but not counted, where earlier ones were left out."""

SECONDS_OF_DAY = 86400.0


Calibration = tuple[list[list[float]], dict[str, list[float]]]
"""Bins: pairs, sum of the chances of the favourite, how often it ended above.

By month in UTC: pairs, loss of these ratings, loss of ratings by places only.
"""


def calibrate(games: Sequence[Sample], constants: Constants, *, whole: bool) -> Calibration:
    """Predict each game by the ratings before it; `whole` says that none was before the first."""
    bins: list[list[float]] = [[0, 0.0, 0.0] for _ in range(BINS)]
    months: dict[str, list[float]] = {}
    by_places = [game._replace(scores=_places(game.scores)) for game in games]
    own = foretold(games, constants)
    other = foretold(by_places, Constants(constants.start))
    for number, (game, one, two) in enumerate(zip(games, own, other, strict=True)):
        if not whole and number < WARM_UP:
            continue
        month = datetime.fromtimestamp(game.day * SECONDS_OF_DAY, UTC).strftime("%Y-%m")
        of_month = months.setdefault(month, [0, 0.0, 0.0])
        accuracy = accuracy_of([one])
        of_month[0] += accuracy.pairs
        of_month[1] += accuracy.loss
        of_month[2] += accuracy_of([two]).loss
        for chance, came in pairs_of(one):
            favourite, above = (chance, came) if chance >= 0.5 else (1.0 - chance, 1.0 - came)
            bin_ = bins[min(BINS - 1, int((favourite - 0.5) * 2 * BINS))]
            bin_[0] += 1
            bin_[1] += favourite
            bin_[2] += above
    return bins, months


def foretold(games: Sequence[Sample], constants: Constants) -> Iterator[Foretold]:
    """Yield each game with the ratings before it, which then learn it."""
    unknown = newcomer(constants.start)
    ratings: dict[Hashable, tuple[Rating, float]] = {}
    spreads: dict[str, Spread] = {}
    for game in games:
        stood = [ratings.get(who, (unknown, game.day)) for who in game.people]
        before = [rating.rested(game.day - last) for rating, last in stood]
        known = {side for who, side in zip(game.people, game.sides, strict=True) if who is not None}
        counts = [side in known for side in range(len(game.scores))]
        yield Foretold(before, game.sides, _ranks(game.scores), counts)
        spread = spreads.get(game.ruleset, Spread()).seeing(game.scores)
        spreads[game.ruleset] = spread
        after = rate(before, game.sides, game.scores, constants.unit(game.ruleset, spread))
        for who, rating in zip(game.people, after, strict=True):
            if who is not None:
                ratings[who] = rating, game.day


def _ranks(scores: Sequence[float]) -> list[int]:
    return [1 + sum(other > own for other in scores) for own in scores]


def _places(scores: Sequence[float]) -> list[float]:
    ranks = _ranks(scores)
    return scores_of([-rank for rank in ranks], ranks)
