"""Evenings played through the pairing documents: scores by chance, everything else as asked."""

from collections import Counter
from dataclasses import replace
from itertools import chain, combinations
from random import Random

from tournaments.engine.documents.pairings import seat_document
from tournaments.engine.pairing.field import Entrant, PairingField, PlayedRound
from tournaments.engine.pairing.methods import seat_round

PLACE_POINTS = (4, 2, 1, 0)


class Evening:
    """Rounds drawn one after the other; `leave` takes a player out between two."""

    def __init__(self, count, rounds, seed, size=4, **more):
        self.scores = {f"p{number}": 0 for number in range(count)}
        self.rounds, self.length, self.seed, self.size = [], rounds, seed, size
        self.more, self.random, self.qualities = more, Random(seed), []

    def document(self):
        return {
            "format": "kingscore-pairing/1",
            "table_size": self.size,
            "seed": self.seed,
            "entrants": [{"id": name, "score": score} for name, score in self.scores.items()],
            "rounds": self.rounds,
            "rounds_left": self.length - len(self.rounds),
            **self.more,
        }

    def draw(self):
        seating = seat_document(self.document())
        self.qualities.append(seating["quality"])
        self.rounds.append({"tables": seating["tables"], "byes": seating["byes"]})
        for table in seating["tables"]:
            places = self.random.sample(table, len(table))
            for name, points in zip(places, PLACE_POINTS, strict=False):
                self.scores[name] += points
        return seating

    def play(self):
        while len(self.rounds) < self.length:
            self.draw()
        return self

    @property
    def meetings(self):
        tables = (table for played in self.rounds for table in played["tables"])
        return Counter(pair for table in tables for pair in combinations(sorted(table), 2))

    def imbalance_after(self, number):
        """The largest difference between anybody's most and least used seat after some rounds."""
        used = {name: [0] * self.size for name in self.scores}
        for played in self.rounds[:number]:
            for table in played["tables"]:
                for seat, name in enumerate(table):
                    used[name][seat] += 1
        return max(max(times) - min(times) for times in used.values())


def field_of(count, **more):
    """Entrants e1, e2 … in the order of the standings: no two have the same score."""
    entrants = tuple(Entrant(f"e{n}", count - n, f"c{n % 3}") for n in range(1, count + 1))
    return PairingField(entrants, **more)


def everybody(seating):
    return sorted([*chain.from_iterable(seating.tables), *seating.byes])


def play(field, rounds, method):
    seatings = []
    for _ in range(rounds):
        seating = seat_round(field, method)
        seatings.append(seating)
        played = PlayedRound(seating.tables, seating.byes)
        field = replace(field, rounds=(*field.rounds, played))
    return seatings
