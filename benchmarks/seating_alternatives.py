"""The alternatives of each round: how near scores come for how many meetings again.

Tournaments of 16 to 40 players in five rounds, each seated as the alternative that stands first,
with the settings as they are by default. A round is as wide as by lot where its tables spread more
than 0.8 of those drawn by lot and more than 1.7 of the least possible. Rounds from the third on
count: before it nobody has to meet again. `python -m benchmarks.seating_alternatives 4` plays four
tournaments of each size, with points of places and with those of King (5 minutes).
"""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from statistics import fmean

from benchmarks.seating import Event
from tournaments.engine.pairing.field import Entrant, PairingField, PlayedRound, Weights
from tournaments.engine.pairing.judging import Seating
from tournaments.engine.pairing.methods import Alternative, Scale, draw_alternatives, draw_round

ROUNDS = 5
SIZES = (16, 17, 18, 19, 20, 21, 22, 23, 24, 26, 28, 32, 36, 40)
PLACES = (4, 2, 1, 0)

Row = tuple[int, Scale, list[Alternative]]


class Chosen(Event):
    """An event that is seated as the first alternative of each round."""

    def __init__(self, players: int, seed: int, *, places: bool) -> None:
        super().__init__(players, ROUNDS, seed)
        self.places, self.rows = places, list[Row]()

    def play(self) -> None:
        for number in range(ROUNDS):
            field = PairingField(
                tuple(Entrant(name, score) for name, score in self.score.items()),
                tuple(self.rounds),
                ROUNDS - number,
                seed=self.seed,
            )

            def draw(weights: Weights, of: PairingField = field) -> Seating:
                return draw_round(replace(of, weights=weights))

            scale, found = draw_alternatives([field], draw)
            seating = found[0].seating
            if number > 1:
                self.rows.append((number + 1, scale, found))
            self.rounds.append(PlayedRound(seating.tables, seating.byes))
            self.count(seating.tables)

    def count(self, tables: Sequence[Sequence[str]]) -> None:
        if not self.places:
            super().count(tables)
            return
        for table in tables:
            form = {name: self.strength[name] + self.chance.gauss(0, 536) for name in table}
            for points, name in zip(PLACES, sorted(table, key=lambda n: -form[n]), strict=True):
                self.score[name] += points


def lines(rows: Sequence[Row]) -> Iterator[str]:
    """Yield cells: shares of rounds as wide as by lot; repeats and spread of three choices."""
    wide = [scale.is_as_by_lot(found[0].spread) for _, scale, found in rows]
    yield f"{100 * fmean(wide):.1f} %"
    fewest = [min(found, key=lambda each: each.repeats) for _, _, found in rows]
    nearest = [min(found, key=lambda each: each.spread) for _, _, found in rows]
    of_fewest = fmean(s.is_as_by_lot(f.spread) for (_, s, _), f in zip(rows, fewest, strict=True))
    yield f"{100 * of_fewest:.0f} %"
    first = [found[0] for _, _, found in rows]
    for chosen in (fewest, first, nearest):
        repeats = fmean(each.repeats for each in chosen)
        times = fmean(
            float(each.spread / (scale.nearest or 1))
            for (_, scale, _), each in zip(rows, chosen, strict=True)
        )
        lot = fmean(
            float(each.spread / (scale.by_lot or 1))
            for (_, scale, _), each in zip(rows, chosen, strict=True)
        )
        yield f"{repeats:.1f} · {times:.2f} · {lot:.2f}"
    yield f"{fmean(len(found) for _, _, found in rows):.1f}"


def main(events: int) -> None:
    everything: list[Row] = []
    for places in (True, False):
        of_points: list[Row] = []
        for players in SIZES:
            rows: list[Row] = []
            for seed in range(events):
                event = Chosen(players, seed, places=places)
                event.play()
                rows += event.rows
            name = f"{players}, {'places' if places else 'King points'}"
            print("|", " | ".join([name, str(len(rows)), *lines(rows)]), "|", flush=True)
            of_points += rows
        for number in range(3, ROUNDS + 1):
            rows = [row for row in of_points if row[0] == number]
            name = f"round {number}, {'places' if places else 'King points'}"
            print("|", " | ".join([name, str(len(rows)), *lines(rows)]), "|", flush=True)
        everything += of_points
    print("|", " | ".join(["all", str(len(everything)), *lines(everything)]), "|", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
