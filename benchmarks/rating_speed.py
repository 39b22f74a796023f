"""Games rated per second on one core, beside openskill: `python benchmarks/rating_speed.py`.

Each learns the same games of four players in the same order, from the points written down to the
new ratings, in turn with the other. openskill comes compiled where there is a wheel for it; the
loop around its `rate` is as its manual has it. Also how long a million games would take.
"""

import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from openskill import models

from tournaments.engine.ratings import Rating, Spread, rate, scores_of

PLAYERS, GAMES, ROUNDS = 1000, 4000, 9
NAMES = ("PlackettLuce", "BradleyTerryFull", "ThurstoneMostellerFull")
Games = list[tuple[list[int], list[int], list[int]]]


def main() -> None:
    """Measure, and print a table."""
    games = draw_games()
    loops: dict[str, Callable[[], object]] = {"tournaments.engine": lambda: by_engine(games)}
    for name in NAMES:
        loops[f"openskill {name}"] = lambda name=name: by_openskill(name, games)
    times: dict[str, list[float]] = {name: [] for name in loops}
    for _ in range(ROUNDS):
        for name, loop in loops.items():
            times[name].append(seconds(loop))
    engine = statistics.median(times["tournaments.engine"])
    print(f"{GAMES:,} games of four of {PLAYERS:,} players, {ROUNDS} rounds, one core\n")
    print(f"{'games per second':32}{'median':>10}{'slowest':>10}{'fastest':>10}{'a million':>12}")
    for name, taken in times.items():
        median = statistics.median(taken)
        figures = "".join(f"{GAMES / t:10,.0f}" for t in (median, max(taken), min(taken)))
        print(f"{name:32}{figures}{median / GAMES * 1e6:10.0f} s")
    print()
    for name in list(times)[1:]:
        print(f"times {name}: {statistics.median(times[name]) / engine:.1f}")


def draw_games() -> Games:
    """Games by chance: seats, points and places."""
    chance, games = random.Random(20), []
    for _ in range(GAMES):
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
        after = rate([ratings[seat] for seat in seats], range(4), scores, spread.unit)
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


def seconds(work: Callable[[], object]) -> float:
    """How long a piece of work takes this process, whatever else the machine does."""
    start = time.process_time()
    work()
    return time.process_time() - start


if __name__ == "__main__":
    main()
