"""How well ratings told who would end above whom, against a coin."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from math import log
from typing import NamedTuple

from tournaments.engine.ratings import Rating, chance_above

COIN = log(2.0)
"""The log-loss of somebody who always says that it may go one way or the other."""

SURE = 1e-9
"""Nobody is surer than this: one game cannot make a loss without end."""


class Foretold(NamedTuple):
    """A game before and after: ratings and sides per seat, places and who counts per side.

    Those who do not count, as guests, are met as they are rated and told nothing about.
    """

    ratings: Sequence[Rating]
    sides: Sequence[int]
    ranks: Sequence[int]
    counts: Sequence[bool]


class Accuracy(NamedTuple):
    """So many pairs of sides at tables, and over all of them the pairs told right and the loss.

    Equals count half, and so do pairs of which the ratings said nothing.
    """

    pairs: int = 0
    right: float = 0.0
    loss: float = 0.0

    @property
    def share(self) -> float:
        """The share of pairs told right; half without any."""
        return self.right / self.pairs if self.pairs else 0.5

    @property
    def log_loss(self) -> float:
        """The mean log-loss of a pair, in nats: 0 of a prophet, `COIN` of a coin."""
        return self.loss / self.pairs if self.pairs else COIN


def accuracy_of(games: Iterable[Foretold]) -> Accuracy:
    """How well the ratings before each game told its places."""
    pairs, right, loss = 0, 0.0, 0.0
    for chance, came in (told for game in games for told in _pairs_of(game)):
        pairs += 1
        right += _half_or_whole(chance, came)
        loss -= came * log(max(SURE, chance)) + (1.0 - came) * log(max(SURE, 1.0 - chance))
    return Accuracy(pairs, right, loss)


def _pairs_of(game: Foretold) -> Iterable[tuple[float, float]]:
    """For each two sides the chance that one is above, and whether it was: 1, 0 or ½."""
    members: list[list[Rating]] = [[] for _ in game.ranks]
    for rating, side in zip(game.ratings, game.sides, strict=True):
        members[side].append(rating)
    counted = [side for side, counts in enumerate(game.counts) if counts]
    for one, other in combinations(counted, 2):
        first, second = game.ranks[one], game.ranks[other]
        came = 0.5 if first == second else float(first < second)
        yield chance_above(members[one], members[other]), came


def _half_or_whole(chance: float, came: float) -> float:
    """How far a pair was told right."""
    if came == 0.5 or chance == 0.5:
        return 0.5
    return float((chance > 0.5) == (came == 1.0))
