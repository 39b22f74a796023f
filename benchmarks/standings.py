"""Standings of a whole tournament on one core: `python benchmarks/standings.py`.

Ten rounds at tables of four, with byes, a forfeit and a penalty in each; once with the tie-breaks
of the settings' defaults and once with all of them. The control, measured in turn with it, is one
plain pass that adds up each entrant's points and sorts the sums.
"""

import random
import statistics
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tournaments.engine.outcomes import rank
from tournaments.engine.round_results import Competitor, RoundResults, Ruling, TableResult
from tournaments.engine.standing_reasons import why_place
from tournaments.engine.standings import rank_entrants
from tournaments.engine.tournament_settings import TIE_BREAKS, TournamentSettings

FIELDS = (40, 400, 1000)
ROUNDS = 10
RUNS = 15


def main() -> None:
    """Measure, and print a table."""
    print(f"{ROUNDS} rounds, {RUNS} runs, one core, median ms (fastest)\n")
    print("entrants, points | default tie-breaks | all tie-breaks | why one place | plain sums")
    for players in FIELDS:
        for points in ("game", "places"):
            runs = measure(works_of(players, points))
            shown = " | ".join(f"{statistics.median(r):.1f} ({min(r):.1f})" for r in runs)
            print(f"{players}, {points} | {shown}", flush=True)


def works_of(players: int, points: str) -> list[Callable[[], object]]:
    """What is measured of one tournament, in the order of the table."""
    who, rounds = draw_tournament(players, random.Random(players))
    usual = TournamentSettings(points=points)
    every = TournamentSettings(points=points, tie_breaks=TIE_BREAKS)
    return [
        lambda: rank_entrants(who, rounds, usual, 1),
        lambda: rank_entrants(who, rounds, every, 1),
        lambda: why_place("p7", who, rounds, usual, 1),
        lambda: plain_sums(rounds),
    ]


def measure(works: Sequence[Callable[[], object]]) -> list[list[float]]:
    """Milliseconds of computing for each of `works`, run in turn."""
    runs: list[list[float]] = [[] for _ in works]
    for _ in range(RUNS):
        for run, work in zip(runs, works, strict=True):
            start = time.process_time()
            work()
            run.append((time.process_time() - start) * 1000)
    return runs


def plain_sums(rounds: Sequence[RoundResults]) -> list[tuple[str, object]]:
    """Each entrant's points of all games, in order, and nothing else."""
    sums: defaultdict[str, int] = defaultdict(int)
    for played in rounds:
        for table in played.tables:
            for name, total in zip(table.entrants, table.totals, strict=True):
                sums[name] += total
    return sorted(sums.items(), key=lambda item: -item[1])


def draw_tournament(
    players: int, chance: random.Random
) -> tuple[list[Competitor], list[RoundResults]]:
    """Entrants and rounds; four sit out in each."""
    who = [Competitor(f"p{number}", number) for number in range(players)]
    names = [each.id for each in who]
    return who, [draw_round(number, names, chance) for number in range(1, ROUNDS + 1)]


def draw_round(number: int, names: Sequence[str], chance: random.Random) -> RoundResults:
    """A round with a penalty and a forfeit."""
    order = chance.sample(names, len(names))
    tables = tuple(draw_table(order[at : at + 4], chance) for at in range(4, len(order), 4))
    rulings = (Ruling(order[4], "penalty", 20), Ruling(order[5], "forfeit", -100))
    return RoundResults(number, tables, tuple(order[:4]), rulings)


def draw_table(names: Sequence[str], chance: random.Random) -> TableResult:
    """A game of Turkish King: tens that add up to nothing."""
    totals = [10 * chance.randint(-40, 30) for _ in range(3)]
    totals.append(-sum(totals))
    out = tuple(side for side in range(4) if totals[side] > 0)
    return TableResult(tuple(names), tuple(totals), rank(totals), out)


if __name__ == "__main__":
    main()
