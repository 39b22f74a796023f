"""Constants fitted to a pool's games beside those of the program, on later games they never saw.

Both rate every game from the first on and predict each two sides of it before they learn it. The
constants are fitted to the games before the first that counts here. The games: those of the bots
that play King with real cards, those of the demo, and games drawn with normal luck between players
whose strengths lie closer together and further apart than the program assumes.
"""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from math import sqrt
from random import Random
from statistics import mean, stdev

from benchmarks.figures import Figure
from benchmarks.king_bots.sheets import kept
from tournaments.engine.ratings.fitting import Sample, fit_constants, foretold
from tournaments.engine.ratings.ratings import (
    LUCK,
    Accuracy,
    Constants,
    Spread,
    accuracy_of,
    half_places,
    scores_of,
)
from tournaments.models import RatingPool
from tournaments.services.demo import seed_demo
from tournaments.services.ratings.fitting import samples_of

DATABASES = ("SQLite",)
SIZES = {
    "tiny": {"drawn": 60, "players": 20, "played": 60},
    "usual": {"drawn": 3000, "players": 60, "played": 5000},
    "full": {"drawn": 3000, "players": 60, "played": 5000},
}
NIGHT = datetime(2026, 11, 20, 21, tzinfo=UTC)
EACH = (0, 1, 2, 3)
POINTS_OF_LUCK = 400.0
DEVIATIONS = (30, 60, 106, 200, 300)
"""Of drawn strengths, in rating points; the program assumes 106."""


def measure(drawn: int, players: int, played: int) -> Iterator[Figure]:
    yield from compared("bots", of_bots()[:played])
    yield by_places(played)
    for pool, games in of_demo().items():
        yield from compared(f"the demo, {pool}", games)
    for deviation in DEVIATIONS:
        games = of_chance(deviation, drawn, players)
        yield from compared(f"drawn, strengths ± {deviation}", games)


def compared(whose: str, games: Sequence[Sample]) -> Iterator[Figure]:
    """The log-loss of later games after a fit to the first half, and to the first 500."""
    for first in sorted({min(500, len(games) // 2), len(games) // 2}):
        constants = fit_constants(games[:first])
        own, others = predicted(games, constants, first), predicted(games, Constants(), first)
        worse = [one.loss - other.loss for one, other in zip(own, others, strict=True)]
        pairs = sum(one.pairs for one in own)
        error = stdev(worse) * sqrt(len(worse)) / pairs
        yield Figure(
            f"log-loss of {whose}: {len(games) - first:,} games after {first:,}",
            sum(one.loss for one in own) / pairs, "", "the program's constants",
            sum(one.loss for one in others) / pairs,
            f"± {sqrt(constants.start):.0f} fitted; {1000 * sum(worse) / pairs:+.1f} ±"
            f" {1000 * error:.1f} thousandths",
        )  # fmt: skip


def by_places(played: int) -> Figure:
    """The log-loss of the later games of the bots where half of what counts is the place."""
    first = played * 2 // 5
    own = predicted(of_bots(half=True)[:played], Constants(), first)
    others = predicted(of_bots()[:played], Constants(), first)
    worse = [one.loss - other.loss for one, other in zip(own, others, strict=True)]
    pairs = sum(one.pairs for one in own)
    error = stdev(worse) * sqrt(len(worse)) / pairs
    return Figure(
        f"log-loss of bots, half places: {len(own):,} games after {first:,}",
        sum(one.loss for one in own) / pairs, "", "points",
        sum(one.loss for one in others) / pairs,
        f"{1000 * sum(worse) / pairs:+.1f} ± {1000 * error:.1f} thousandths",
    )  # fmt: skip


def predicted(games: Sequence[Sample], constants: Constants, first: int) -> list[Accuracy]:
    """How well each game from the `first` on was predicted, by ratings with these constants."""
    return [accuracy_of([one]) for one in foretold(games, constants)][first:]


def of_bots(*, half: bool = False) -> list[Sample]:
    games, spread = [], Spread()
    for sheet in kept():
        scores = scores_of(sheet.totals, sheet.ranks)
        if half:
            scores, _places = half_places(scores, sheet.ranks, spread.width)
        spread = spread.seeing(scores)
        games.append(Sample(sheet.players, EACH, scores, "king", sheet.evening))
    return games


def of_demo() -> dict[str, list[Sample]]:
    seed_demo(password="", at=NIGHT)
    return {pool.family: samples_of(pool, None) for pool in RatingPool.objects.order_by("pk")}


def of_chance(deviation: float, number: int, players: int) -> list[Sample]:
    """Games at random tables, forty a day, with normal luck."""
    chance = Random(deviation)
    strengths = [chance.gauss(0, deviation) / LUCK for _ in range(players)]
    games = []
    for played in range(number):
        seats = chance.sample(range(players), len(EACH))
        points = [POINTS_OF_LUCK * (strengths[seat] + chance.gauss(0, 1)) for seat in seats]
        scores = [each - mean(points) for each in points]
        games.append(Sample(seats, EACH, scores, "king", played / 40))
    return games
