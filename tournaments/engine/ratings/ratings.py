"""Ratings of players after each game, and what they predict."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from math import erf, log, sqrt
from typing import Any, NamedTuple

from tournaments.engine.rules.rulesets import Points

MODEL = "gaussian-2"
"""The version of these figures and formulas; ratings by other versions must be recomputed."""

START = 1500.0
START_VARIANCE = 106.0**2
"""The variance of the strengths of newcomers, the estimate for an unknown player.

Their standard deviation is half of that of luck in one game, as for bots that look ahead to
different depths.
"""

LUCK = 212.0
"""The standard deviation of a side's points in one game for its strength, in rating points.

With it, a side that is 400 points stronger places higher in ten of eleven games, as in Elo's table.
"""

DRIFT = 5.0
"""The growth of variance per day without a game, because strength changes.

Chosen, not measured: after about two years away a settled rating is provisional again.
"""

PROVISIONAL = 65.0
"""A rating with a larger standard deviation is provisional; about ten games end that.

Below it, predictions are nearly as good as with settled ratings. In a pool whose newcomers have
another variance it is the deviation that the same games leave.
"""

LEARNED = 1.0 / PROVISIONAL**2 - 1.0 / START_VARIANCE
"""What the games of a newcomer have shown when the rating is no longer provisional."""


class Rating(NamedTuple):
    """The estimate of a player's strength: a normal distribution, in rating points.

    `start` is the variance of newcomers in its pool: no rating is wider.
    """

    mean: float = START
    variance: float = START_VARIANCE
    start: float = START_VARIANCE

    @property
    def deviation(self) -> float:
        """Its standard deviation; the strength is within two of them in 19 of 20 cases."""
        return sqrt(self.variance)

    @property
    def provisional(self) -> bool:
        if self.start == START_VARIANCE:
            return self.deviation > PROVISIONAL
        return self.variance > 1.0 / (1.0 / self.start + LEARNED)

    def rested(self, days: float) -> "Rating":
        """Return the rating after so many days without a game; at most as wide as a newcomer's."""
        drift = DRIFT * (self.start / START_VARIANCE)
        variance = min(self.start, self.variance + drift * max(0.0, days))
        return Rating(self.mean, variance, self.start)


def newcomer(start: float) -> Rating:
    """Return the rating of an unknown player in a pool with this variance of strengths."""
    return Rating(START, start, start)


class Spread(NamedTuple):
    """The spread of points in the games of a ruleset so far; it puts all rulesets on one scale."""

    games: int = 0
    squares: float = 0.0

    def seeing(self, scores: Sequence[float]) -> "Spread":
        """Return the spread with one more game; `scores` are the points of its sides."""
        squares = 0.0
        for score in scores:
            squares += score * score
        return Spread(self.games + 1, self.squares + squares / (len(scores) - 1))

    @property
    def width(self) -> float:
        """Return the standard deviation of points; 0 before the first game."""
        return sqrt(self.squares / self.games) if self.games else 0.0

    def unit(self, start: float = START_VARIANCE) -> float:
        """Return the standard deviation of luck, in points; 0 if nobody ever won a point.

        It excludes the part of the spread that newcomers' strengths, of variance `start`, explain.
        """
        if self.games == 0:
            return 0.0
        return sqrt(self.squares / self.games / (1.0 + start / (LUCK * LUCK)))


class Constants(NamedTuple):
    """What the ratings of a pool are computed with; these until its own games tell more.

    `start` is the variance of newcomers' strengths. `luck` is the standard deviation of luck, in
    points, of each ruleset with enough games; the others take that of their `Spread`.
    """

    start: float = START_VARIANCE
    luck: Mapping[str, float] = {}

    def unit(self, ruleset: str, spread: Spread) -> float:
        """Return the luck in a game of a ruleset, after which the spread is `spread`."""
        return self.luck[ruleset] if ruleset in self.luck else spread.unit(self.start)


def scores_of(totals: Sequence[Points | float], ranks: Sequence[int]) -> list[float]:
    """Return the points of each side as they count: the highest for first place, with a sum of 0.

    A King made takes first place, however few points it has; equal sides get their mean.
    """
    ordered = sorted(map(float, totals), reverse=True)
    mean = _sum(ordered) / len(ordered)
    if len(set(ranks)) == len(ranks):
        return [ordered[rank - 1] - mean for rank in ranks]
    shared = [ranks.count(rank) for rank in ranks]
    return [
        _sum(ordered[rank - 1 : rank - 1 + number]) / number - mean
        for rank, number in zip(ranks, shared, strict=True)
    ]


PLACES: Mapping[int, tuple[float, ...]] = {
    2: (0.7071, -0.7071),
    3: (1.0, 0.0, -1.0),
    4: (1.177, 0.34, -0.34, -1.177),
}
"""What the places of so many sides are worth, by their means under normal luck; as wide as 1."""


def half_places(
    scores: Sequence[float], ranks: Sequence[int], width: float
) -> tuple[list[float], list[float]]:
    """Return the scores of a game that counts half places, half points, and those of its places.

    `scores` are from `scores_of`; `width` is that of the spread before the game, 0 for the first,
    which takes its own.
    """
    width = width or Spread().seeing(scores).width
    places = [width * worth for worth in scores_of(PLACES[len(scores)], ranks)]
    return [(one + other) / 2.0 for one, other in zip(scores, places, strict=True)], places


def rate(
    ratings: Sequence[Rating], sides: Sequence[int], scores: Sequence[float], unit: float
) -> list[Rating]:
    """Return the ratings of the seats after a game.

    `ratings` and `sides` are per seat. `scores` are per side, from `scores_of`; `unit` is that of
    their spread. A side is as strong as its seats on average.
    """
    return list(ratings) if unit == 0.0 else rate_columns(ratings, sides, scores, unit)


def rate_columns(
    ratings: Sequence[Rating], sides: Sequence[int], scores: Sequence[Any], unit: Any
) -> list[Rating]:
    """As `rate`, with a unit above 0. All numbers may be columns: arrays, of many games."""
    if len(scores) == len(ratings) and list(sides) == _EACH[: len(scores)]:
        return _rate_each(ratings, scores, unit)
    seats, weights, surprises = _surprises(ratings, sides, scores, unit)
    whole = _sum(weights)
    after = []
    for rating, side in zip(ratings, sides, strict=True):
        shared = rating.variance / len(seats[side])
        gain = shared * weights[side]
        known = gain * shared * (1.0 - weights[side] / whole)
        mean = rating.mean + gain * surprises[side]
        after.append(Rating(mean, rating.variance - known, rating.start))
    return after


def _surprises(
    ratings: Sequence[Rating], sides: Sequence[int], scores: Sequence[Any], unit: Any
) -> tuple[list[list[int]], list[Any], list[Any]]:
    """Return the seats of each side, its weight, and by how much it did better than expected."""
    count = len(scores)
    seats = [[s for s, side in enumerate(sides) if side == each] for each in range(count)]
    weights, surprises = [], []
    for each, members in enumerate(seats):
        size = len(members)
        mean = _sum(ratings[s].mean for s in members) / size
        variance = _sum(ratings[s].variance for s in members) / (size * size)
        weights.append(1.0 / (variance + LUCK * LUCK))
        surprises.append(scores[each] * LUCK / unit - mean)
    common = _sum(w * s for w, s in zip(weights, surprises, strict=True)) / _sum(weights)
    return seats, weights, [surprise - common for surprise in surprises]


def expected_scores(
    ratings: Sequence[Rating], sides: Sequence[int], scores: Sequence[float], unit: float
) -> list[float]:
    """Return the score of each side with which `rate` would have left its ratings as they were."""
    _seats, _weights, surprises = _surprises(ratings, sides, scores, unit)
    return [score - s * unit / LUCK for score, s in zip(scores, surprises, strict=True)]


_EACH = list(range(16))
"""The sides of games without partners."""


def _rate_each(ratings: Sequence[Rating], scores: Sequence[float], unit: float) -> list[Rating]:
    """As `rate`, with equal results, for games without partners: three times as fast."""
    luck = LUCK * LUCK
    whole = drawn = 0.0
    seen = []
    for (mean, variance, start), score in zip(ratings, scores, strict=True):
        weight = 1.0 / (variance + luck)
        surprise = score * LUCK / unit - mean
        whole += weight
        drawn += weight * surprise
        seen.append((mean, variance, start, weight, surprise))
    common = drawn / whole
    after = []
    for mean, variance, start, weight, surprise in seen:
        gain = variance * weight
        known = gain * variance * (1.0 - weight / whole)
        after.append(Rating(mean + gain * (surprise - common), variance - known, start))
    return after


def chance_above(one: Sequence[Rating], other: Sequence[Rating]) -> float:
    """Return the probability that side `one`, of these players, ends above side `other`."""
    means = [_sum(rating.mean for rating in side) / len(side) for side in (one, other)]
    variances = [_sum(r.variance for r in side) / len(side) ** 2 for side in (one, other)]
    far = (means[0] - means[1]) / sqrt(variances[0] + variances[1] + 2 * LUCK * LUCK)
    return 0.5 * (1.0 + erf(far / sqrt(2.0)))


def expected_places(ratings: Sequence[Rating], sides: Sequence[int]) -> list[float]:
    numbers = sorted(set(sides))
    players = [[r for r, at in zip(ratings, sides, strict=True) if at == side] for side in numbers]
    return [
        1.0 + sum(chance_above(other, own) for other in players if other is not own)
        for own in players
    ]


def _sum(values: Iterable[float]) -> float:
    """Add from left to right: `sum` of later Python versions keeps lost digits, others do not."""
    total = 0.0
    for value in values:
        total += value
    return total


COIN = log(2.0)
"""The log-loss of a prediction of one half."""

SURE = 1e-9
"""The least probability in a log-loss, so that one game cannot make it infinite."""


class Foretold(NamedTuple):
    """A game before and after: ratings and sides per seat, places and whether each side counts.

    Sides that do not count, such as guests, count as opponents by their ratings, but are not
    themselves predicted.
    """

    ratings: Sequence[Rating]
    sides: Sequence[int]
    ranks: Sequence[int]
    counts: Sequence[bool]


class Accuracy(NamedTuple):
    """The number of pairs of sides at tables, and their total of right predictions and of loss.

    Equal places count half, and so do pairs with equal ratings.
    """

    pairs: int = 0
    right: float = 0.0
    loss: float = 0.0

    @property
    def share(self) -> float:
        """The share of pairs predicted right; half without any."""
        return self.right / self.pairs if self.pairs else 0.5

    @property
    def log_loss(self) -> float:
        """The mean log-loss of a pair, in nats: 0 for perfect predictions, `COIN` for a coin."""
        return self.loss / self.pairs if self.pairs else COIN


def accuracy_of(games: Iterable[Foretold]) -> Accuracy:
    """Return how well the ratings before each game predicted its places."""
    pairs, right, loss = 0, 0.0, 0.0
    for chance, came in (details for game in games for details in pairs_of(game)):
        pairs += 1
        # A prediction is right, half right or wrong.
        is_half = came == 0.5 or chance == 0.5
        right += 0.5 if is_half else float((chance > 0.5) == (came == 1.0))
        loss -= came * log(max(SURE, chance)) + (1.0 - came) * log(max(SURE, 1.0 - chance))
    return Accuracy(pairs, right, loss)


def pairs_of(game: Foretold) -> Iterable[tuple[float, float]]:
    """For each two sides, the chance that the first places higher, and the result: 1, 0 or ½."""
    members: list[list[Rating]] = [[] for _ in game.ranks]
    for rating, side in zip(game.ratings, game.sides, strict=True):
        members[side].append(rating)
    counted = [side for side, counts in enumerate(game.counts) if counts]
    for one, other in combinations(counted, 2):
        first, second = game.ranks[one], game.ranks[other]
        came = 0.5 if first == second else float(first < second)
        yield chance_above(members[one], members[other]), came
