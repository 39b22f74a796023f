"""Seats whole events round by round: speed and fairness, beside plain neighbours by rank.

For each field the repeat meetings, the worst imbalance of seats, the mean spread of scores beside
that of plain neighbours in the standings (who may meet again and sit anywhere: the lower bound),
and the computing time of the slowest round on one core beside that of sorting the standings. Points
are places (4-2-1-0) of players who differ in strength.
"""

import random
import statistics
import time
from collections.abc import Iterator, Sequence

from benchmarks.figures import Figure
from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import Entrant, PairingField, PlayedRound
from tournaments.engine.pairing.judging import Seating

FIELDS = ((16, 5), (20, 5), (24, 5), (32, 5), (40, 8), (88, 9), (100, 10), (400, 9), (1000, 9))
PLACE_POINTS = (4, 2, 1, 0)
SIZES = {
    "tiny": {"seeds": 1, "players": 20},
    "usual": {"seeds": 2, "players": 1000},
    "full": {"seeds": 5, "players": 1000},
}


def measure(seeds: int, players: int) -> Iterator[Figure]:
    """Figures for fields of up to this many players."""
    for number, rounds in FIELDS:
        if number <= players:
            yield from figures_of(
                f"{number} × {rounds} players × rounds", play(number, rounds, seeds)
            )


def play(players: int, rounds: int, seeds: int) -> "list[Event]":
    """The same field with different results each time."""
    runs = [Event(players, rounds, seed) for seed in range(seeds)]
    for run in runs:
        run.play()
    return runs


def figures_of(where: str, runs: "Sequence[Event]") -> Iterator[Figure]:
    slowest = max(run.slowest for run in runs), max(run.sorting for run in runs)
    uneven = max(max(run.imbalance) for run in runs)
    repeats = sum(run.repeats for run in runs)
    yield Figure(
        f"{where}: the slowest round seated", 1000 * slowest[0], "ms of CPU",
        "sorting the standings", 1000 * slowest[1],
        f"{repeats} repeat meetings; seats out of balance by {uneven} at most",
    )  # fmt: skip
    spread, nearest = (
        statistics.fmean(spread for spreads in each for spread in spreads)
        for each in ([run.spreads for run in runs], [run.nearest for run in runs])
    )
    yield Figure(
        f"{where}: spread of scores at a table", spread, "points", "plain neighbours", nearest
    )


class Event:
    """One event, played to the end."""

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
            field = PairingField(
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
        """Store the quality of a round."""
        self.repeats += seating.quality.repeat_meetings
        self.imbalance.append(seating.quality.seat_imbalance)
        self.spreads.append(float(seating.quality.score_spread))
        widths = [[self.score[name] for name in table] for table in neighbours]
        self.nearest.append(statistics.fmean(max(w) - min(w) for w in widths))

    def count(self, tables: Sequence[Sequence[str]]) -> None:
        """Play all tables."""
        for table in tables:
            form = {name: self.strength[name] + self.chance.gauss(0, 1.5) for name in table}
            best = sorted(table, key=lambda name: -form[name])
            for name, points in zip(best, PLACE_POINTS, strict=True):
                self.score[name] += points
