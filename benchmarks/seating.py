"""Whole events seated round by round: `python benchmarks/seating.py [SEEDS]`.

For each field the repeat meetings, the worst imbalance of seats in the first five rounds and after,
the mean spread of scores beside that of plain neighbours in the standings (who may meet again and
sit anywhere: the lower bound), and the computing time of the slowest round on one core beside that
of sorting the standings. Points are places (4-2-1-0) of players who differ in strength.
"""

import random
import statistics
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import Entrant, Field, PlayedRound
from tournaments.engine.pairing.judging import Seating

FIELDS = ((16, 5), (20, 5), (24, 5), (32, 5), (40, 8), (88, 9), (100, 10), (400, 9), (1000, 9))
PLACE_POINTS = (4, 2, 1, 0)


def main(seeds: int) -> None:
    """Measure, and print a table."""
    print("players × rounds | repeats | seats ≤ 5, after | spread: ours, neighbours | s, sorting s")
    for players, rounds in FIELDS:
        runs = [Event(players, rounds, seed) for seed in range(seeds)]
        for run in runs:
            run.play()
        spread = statistics.fmean(s for run in runs for s in run.spreads)
        nearest = statistics.fmean(s for run in runs for s in run.nearest)
        print(
            f"{players} × {rounds} | {sum(run.repeats for run in runs)}"
            f" | {max(max(run.imbalance[:5]) for run in runs)},"
            f" {max(max(run.imbalance) for run in runs)}"
            f" | {spread:.2f}, {nearest:.2f} ({spread / nearest:.2f}×)"
            f" | {max(run.slowest for run in runs):.2f}, {max(run.sorting for run in runs):.4f}",
            flush=True,
        )
        print("    spread by round:", ", ".join(by_round(runs)), flush=True)


def by_round(runs: "Sequence[Event]") -> list[str]:
    """The mean spread of each round beside that of plain neighbours."""
    ours = zip(*(run.spreads for run in runs), strict=True)
    nearest = zip(*(run.nearest for run in runs), strict=True)
    return [
        f"{statistics.fmean(one):.2f}/{statistics.fmean(other):.2f}"
        for one, other in zip(ours, nearest, strict=True)
    ]


class Event:
    """One event, played to its end."""

    def __init__(self, players: int, rounds: int, seed: int) -> None:
        self.chance, self.seed, self.length = random.Random(seed), seed, rounds
        self.strength = {f"p{n}": self.chance.gauss(0, 1) for n in range(players)}
        self.score = dict.fromkeys(self.strength, 0)
        self.rounds: list[PlayedRound] = []
        self.spreads: list[float] = []
        self.nearest: list[float] = []
        self.imbalance: list[int] = []
        self.repeats, self.slowest, self.sorting = 0, 0.0, 0.0

    def play(self) -> None:
        """Seat and play every round."""
        for number in range(self.length):
            field = Field(
                tuple(Entrant(name, score) for name, score in self.score.items()),
                tuple(self.rounds),
                self.length - number,
                seed=self.seed,
            )
            start = time.process_time()
            seating = draw_round(field)
            middle = time.process_time()
            order = sorted(self.score, key=lambda name: -self.score[name])
            self.slowest = max(self.slowest, middle - start)
            self.sorting = max(self.sorting, time.process_time() - middle)
            self.measure(seating, [order[at : at + 4] for at in range(0, len(order), 4)])
            self.rounds.append(PlayedRound(seating.tables, seating.byes))
            self.count(seating.tables)

    def measure(self, seating: Seating, neighbours: Sequence[Sequence[str]]) -> None:
        """Keep how good a round is."""
        self.repeats += seating.quality.repeat_meetings
        self.imbalance.append(seating.quality.seat_imbalance)
        self.spreads.append(float(seating.quality.score_spread))
        widths = [[self.score[name] for name in table] for table in neighbours]
        self.nearest.append(statistics.fmean(max(w) - min(w) for w in widths))

    def count(self, tables: Sequence[Sequence[str]]) -> None:
        """Let the tables play."""
        for table in tables:
            form = {name: self.strength[name] + self.chance.gauss(0, 1.5) for name in table}
            best = sorted(table, key=lambda name: -form[name])
            for name, points in zip(best, PLACE_POINTS, strict=True):
                self.score[name] += points


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 3)
