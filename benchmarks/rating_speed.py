"""Games rated on one core, beside openskill's own loop.

Each learns the same games of four players in the same order, from the points written down to the
new ratings, in turn with the other. openskill comes compiled where there is a wheel for it; the
loop around its `rate` is as its manual has it.
"""

import random
from collections.abc import Iterator
from functools import partial
from statistics import median

from openskill import models

from benchmarks.figures import Figure, in_turn
from tournaments.engine.ratings.ratings import Rating, Spread, rate, scores_of

PLAYERS = 1000
NAMES = ("PlackettLuce", "BradleyTerryFull", "ThurstoneMostellerFull")
SIZES = {
    "tiny": {"games": 50, "times": 1},
    "usual": {"games": 4000, "times": 5},
    "full": {"games": 4000, "times": 15},
}
Games = list[tuple[list[int], list[int], list[int]]]


def measure(games: int, times: int) -> Iterator[Figure]:
    drawn = draw_games(games)
    works = {name: partial(by_openskill, name, drawn) for name in NAMES}
    taken = in_turn({"engine": lambda: by_engine(drawn), **works}, times, warm_up=1)
    own, *others = (median(one.used for one in taken[name]) for name in taken)
    for name, other in zip(NAMES, others, strict=True):
        yield Figure(
            "a game of four rated by the engine", 1000 * own / games, "µs of CPU",
            f"openskill, {name}", 1000 * other / games,
        )  # fmt: skip


def draw_games(number: int) -> Games:
    """Games by chance: seats, points and places."""
    chance, games = random.Random(20), []
    for _ in range(number):
        totals = [chance.randrange(-150, 150) * 10 for _ in range(4)]
        ranks = [1 + sum(other > own for other in totals) for own in totals]
        games.append((chance.sample(range(PLAYERS), 4), totals, ranks))
    return games


def by_engine(games: Games) -> list[Rating]:
    """All games rated as the site rates them."""
    ratings, spread = [Rating()] * PLAYERS, Spread()
    for seats, totals, ranks in games:
        scores = scores_of(totals, ranks)
        spread = spread.seeing(scores)
        after = rate([ratings[seat] for seat in seats], range(4), scores, spread.unit())
        for seat, rating in zip(seats, after, strict=True):
            ratings[seat] = rating
    return ratings


def by_openskill(name: str, games: Games) -> object:
    """All games rated by one of the library's models."""
    model = getattr(models, name)()
    ratings = [model.rating() for _ in range(PLAYERS)]
    for seats, _, ranks in games:
        after = model.rate([[ratings[seat]] for seat in seats], ranks=ranks)
        for seat, team in zip(seats, after, strict=True):
            ratings[seat] = team[0]
    return ratings
