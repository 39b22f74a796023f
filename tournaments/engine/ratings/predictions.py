"""The accuracy of ratings as predictions of places, compared with a coin."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log
from typing import NamedTuple

from tournaments.engine.ratings.ratings import Rating, chance_above

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
        right += _half_or_whole(chance, came)
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


def _half_or_whole(chance: float, came: float) -> float:
    """The score of a prediction: right, half right or wrong."""
    if came == 0.5 or chance == 0.5:
        return 0.5
    return float((chance > 0.5) == (came == 1.0))
