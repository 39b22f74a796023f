"""Seats whole events round by round: speed and fairness, beside plain neighbours by rank.

For each field the repeat meetings, the worst imbalance of seats, the spread of scores over the
event beside that of plain neighbours in the standings (who may meet again and sit anywhere: the
lower bound), the tables of the first four in the last round, and the computing time of the slowest
round on one core beside that of sorting the standings. Points are those of King between the bots of
`king_bots`, who differ in strength. `python -m benchmarks.seating 24 5 200` plays one field.
"""

import random
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from math import sqrt

from benchmarks.figures import Figure
from tournaments.engine.pairing.field import Entrant, PairingField, PlayedRound, weights_for
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.pairing.methods import draw_round

FIELDS = (
    (16, 5), (20, 5), (24, 5), (28, 5), (30, 5), (32, 5), (40, 8), (88, 9), (100, 10), (400, 9),
    (1000, 9), (2000, 9),
)  # fmt: skip
LEADERS_LAST = ((32, 5), (40, 8), (88, 9))
"""Where the leaders are to meet in the last round, too."""

STRENGTH, LUCK = 247, 536
"""Points a game, standard deviations, as in `seating_evidence`."""

SIZES = {
    "tiny": {"seeds": 1, "players": 20},
    "usual": {"seeds": 2, "players": 1000},
    "full": {"seeds": 20, "players": 2000},
}


def measure(seeds: int, players: int) -> Iterator[Figure]:
    """Figures for fields of up to this many players."""
    for number, rounds in FIELDS:
        if number <= players:
            # Large fields differ little.
            yield from figures_of(number, rounds, -(-seeds * 100 // max(100, number)))
    for number, rounds in LEADERS_LAST:
        if number <= players:
            yield from figures_of(number, rounds, seeds, leaders_last=True)


def figures_of(
    players: int, rounds: int, events: int, *, leaders_last: bool = False
) -> Iterator[Figure]:
    """Play the same field so many times, with different results."""
    runs = [Event(players, rounds, seed, leaders_last=leaders_last) for seed in range(events)]
    for run in runs:
        run.play()
    where = f"{players} × {rounds} players × rounds"
    if leaders_last:
        where += ", leaders meet in the last"
    again = [run for run in runs if sum(run.repeats)]
    yield Figure(
        f"{where}: the slowest round seated", 1000 * max(run.slowest for run in runs), "ms of CPU",
        "sorting the standings", 1000 * max(run.sorting for run in runs),
        f"{sum(sum(run.repeats) for run in runs)} repeat meetings in {len(again)} of {events} "
        f"events, {sum(run.repeats[-1] for run in runs)} of them in the last round; seats out of "
        f"balance by {max(run.imbalance for run in runs)} at most",
    )  # fmt: skip
    each = [statistics.fmean(run.spreads) / statistics.fmean(run.nearest) for run in runs]
    last = statistics.fmean(run.spreads[-1] / run.nearest[-1] for run in runs)
    leaders = [run.leaders for run in runs]
    yield Figure(
        f"{where}: spread of scores at a table",
        statistics.fmean(statistics.fmean(run.spreads) for run in runs), "points",
        "plain neighbours", statistics.fmean(statistics.fmean(run.nearest) for run in runs),
        f"by event {statistics.fmean(each):.3f} ± {statistics.pstdev(each) / sqrt(events):.3f} × "
        f"({min(each):.2f} to {max(each):.2f}), last round {last:.2f} ×; first four at "
        f"{statistics.fmean(leaders):.2f} tables, {max(leaders)} at most",
    )  # fmt: skip


class Event:
    """One event, played to the end."""

    def __init__(self, players: int, rounds: int, seed: int, *, leaders_last: bool = False) -> None:
        self.chance, self.seed, self.length = random.Random(seed), seed, rounds
        self.weights = weights_for("new-opponents", leaders_last=leaders_last)
        self.strength = {f"p{n}": self.chance.gauss(0, STRENGTH) for n in range(players)}
        self.score = dict.fromkeys(self.strength, 0)
        self.rounds: list[PlayedRound] = []
        self.spreads: list[float] = []
        self.nearest: list[float] = []
        self.repeats: list[int] = []
        self.imbalance, self.leaders, self.slowest, self.sorting = 0, 0, 0.0, 0.0

    def play(self) -> None:
        """Seat and play every round."""
        for number in range(self.length):
            field = PairingField(
                tuple(Entrant(name, score) for name, score in self.score.items()),
                tuple(self.rounds),
                self.length - number,
                weights=self.weights,
                seed=self.seed,
            )
            start = time.process_time()
            seating = draw_round(field)
            middle = time.process_time()
            order = sorted(self.score, key=lambda name: -self.score[name])
            self.slowest = max(self.slowest, middle - start)
            self.sorting = max(self.sorting, time.process_time() - middle)
            self.measure(seating, order)
            self.rounds.append(PlayedRound(seating.tables, seating.byes))
            self.count(seating.tables)

    def measure(self, seating: Seating, order: Sequence[str]) -> None:
        """Store the quality of a round; the first one has no scores."""
        self.repeats.append(seating.quality.repeat_meetings)
        self.imbalance = max(self.imbalance, seating.quality.seat_imbalance)
        first = {*order[:4]}
        self.leaders = sum(not first.isdisjoint(table) for table in seating.tables)
        if self.rounds:
            self.spreads.append(float(seating.quality.score_spread))
            scores = [self.score[name] for name in order if name not in seating.byes]
            near = zip(scores[::4], scores[3::4], strict=True)
            self.nearest.append(statistics.fmean(most - least for most, least in near))

    def count(self, tables: Sequence[Sequence[str]]) -> None:
        """Play all tables."""
        for table in tables:
            form = [self.strength[name] + self.chance.gauss(0, LUCK) for name in table]
            for name, one in zip(table, form, strict=True):
                self.score[name] += 10 * round((one - statistics.fmean(form)) / 10)


if __name__ == "__main__":
    players, rounds, events, *more = sys.argv[1:]
    for figure in figures_of(int(players), int(rounds), int(events), leaders_last=bool(more)):
        print(" | ".join(filter(None, figure.cells)), flush=True)
