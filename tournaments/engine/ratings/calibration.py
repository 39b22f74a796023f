"""How well ratings predicted the games of a pool: predicted against happened, and by month."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from tournaments.engine.ratings.fitting import LAST_GAMES, Sample
from tournaments.engine.ratings.predictions import Foretold, accuracy_of, pairs_of
from tournaments.engine.ratings.ratings import (
    Constants,
    Rating,
    Spread,
    newcomer,
    rate,
    scores_of,
)

BINS = 10
"""Parts of the chances from one half to 1, each of 5 %."""

WARM_UP = LAST_GAMES // 4
"""Games that are learned but not counted, where earlier ones were left out."""

DAY = 86400.0


@dataclass(frozen=True)
class Calibration:
    """`bins`: pairs, sum of the chances of the favourite, how often it ended above.

    `months`: pairs, loss of these ratings, loss of ratings by places only, by month in UTC.
    """

    bins: list[list[float]] = field(default_factory=lambda: [[0, 0.0, 0.0] for _ in range(BINS)])
    months: dict[str, list[float]] = field(default_factory=dict)


def calibrate(games: Sequence[Sample], constants: Constants, *, whole: bool) -> Calibration:
    """Predict each game by the ratings before it; `whole` says that none was before the first."""
    found = Calibration()
    by_places = [game._replace(scores=_places(game.scores)) for game in games]
    own = foretold(games, constants)
    other = foretold(by_places, Constants(constants.start))
    for number, (game, one, two) in enumerate(zip(games, own, other, strict=True)):
        if not whole and number < WARM_UP:
            continue
        month = datetime.fromtimestamp(game.day * DAY, UTC).strftime("%Y-%m")
        of_month = found.months.setdefault(month, [0, 0.0, 0.0])
        accuracy = accuracy_of([one])
        of_month[0] += accuracy.pairs
        of_month[1] += accuracy.loss
        of_month[2] += accuracy_of([two]).loss
        for chance, came in pairs_of(one):
            favourite, above = (chance, came) if chance >= 0.5 else (1.0 - chance, 1.0 - came)
            part = found.bins[min(BINS - 1, int((favourite - 0.5) * 2 * BINS))]
            part[0] += 1
            part[1] += favourite
            part[2] += above
    return found


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
