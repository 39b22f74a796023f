"""The field of a round: the entrants, their scores, and their earlier meetings."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations

from tournaments.engine.pairing.weights import NEW_OPPONENTS, Weights

Score = int | Fraction


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant to be seated: an id, the points so far, and an optional club."""

    id: str
    score: Score = 0
    club: str = ""


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """An earlier round: ids in seat order for each table, and the byes."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        """The ids of all who have a seat or a bye."""
        return frozenset(chain(*self.tables, self.byes))

    def among(self, names: Collection[str]) -> "PlayedRound":
        """Return the tables and byes of these entrants, as of one section."""
        return PlayedRound(
            tuple(table for table in self.tables if not {*table}.isdisjoint(names)),
            tuple(name for name in self.byes if name in names),
        )


@dataclass(frozen=True)
class PairingField:
    """The complete input of a seating; the same field and seed give the same seating.

    `rounds_left` includes this round. `avoid` are pairs that must not meet, and `fixed` are groups
    that share a table. With `score_before_seats` no table is chosen for the seats of its players.
    Earlier rounds may name entrants who have left since; whom one names nowhere was not there. With
    `absence_counts`, as before version 4, byes are chosen as if all had always been there.
    """

    entrants: tuple[Entrant, ...]
    rounds: tuple[PlayedRound, ...] = ()
    rounds_left: int = 1
    avoid: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, ...], ...] = ()
    table_size: int = 4
    separate_clubs: bool = False
    score_before_seats: bool = False
    weights: Weights = NEW_OPPONENTS
    seed: int = 0
    absence_counts: bool = False

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each entrant in `entrants`, by id."""
        return {entrant.id: place for place, entrant in enumerate(self.entrants)}

    @cached_property
    def meetings(self) -> Counter[tuple[int, int]]:
        """The number of times that two entrants, as ascending places, sat at one table."""
        met: Counter[tuple[int, int]] = Counter()
        for played in self.rounds:
            for table in played.tables:
                met.update(combinations(sorted(self._present(table)), 2))
        return met

    @cached_property
    def seats_taken(self) -> tuple[tuple[int, ...], ...]:
        """For each entrant, the number of times at each seat."""
        taken = [[0] * self.table_size for _ in self.entrants]
        for played in self.rounds:
            for table in played.tables:
                for seat, name in enumerate(table):
                    if name in self.index:
                        taken[self.index[name]][seat] += 1
        return tuple(map(tuple, taken))

    @cached_property
    def byes_had(self) -> tuple[int, ...]:
        had = Counter(name for played in self.rounds for name in played.byes)
        return tuple(had[entrant.id] for entrant in self.entrants)

    @cached_property
    def rounds_there(self) -> tuple[int, ...]:
        """For each entrant, the number of earlier rounds with a seat or a bye."""
        there = Counter(chain.from_iterable(played.names for played in self.rounds))
        return tuple(there[entrant.id] for entrant in self.entrants)

    @cached_property
    def byes_due(self) -> tuple[Fraction, ...]:
        """For each entrant, an equal part of the byes of each round before that they were there."""
        due: dict[str, Fraction] = dict.fromkeys(self.index, Fraction(0))
        for played in self.rounds:
            part = Fraction(len(played.byes), len(played.names) or 1)
            for name in played.names if part else ():
                if name in due:
                    due[name] += part
        return tuple(due.values())

    def bye_turn(self, place: int) -> tuple[bool, Fraction, int, Score]:
        """Return what orders entrants for a bye: those with the least of it sit out.

        Last are those who have just come; before them it is the byes had, less those due. Of equals
        it is whoever was there longer, then who has fewer points.
        """
        byes, score = Fraction(self.byes_had[place]), self.entrants[place].score
        if self.absence_counts:
            return False, byes, 0, score
        there = self.rounds_there[place]
        return not there, byes - self.byes_due[place], -there, score

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """The place of each entrant in the standings, from 1; equals share the best one."""
        scores = sorted((entrant.score for entrant in self.entrants), reverse=True)
        first = {score: rank for rank, score in reversed(list(enumerate(scores, 1)))}
        return tuple(first[entrant.score] for entrant in self.entrants)

    @property
    def number(self) -> int:
        """The number of this round, from 1."""
        return len(self.rounds) + 1

    @property
    def repeat_price(self) -> int | None:
        """The price of a repeat in this round; None if there are to be as few as possible."""
        weights = self.weights
        return weights.last_repeat if self.rounds_left == 1 else weights.repeat

    def with_fewest_repeats(self) -> "PairingField":
        """Return the field with as few repeats as possible in place of their price."""
        return replace(self, weights=replace(self.weights, repeat=None, last_repeat=None))

    def level(self) -> "PairingField":
        """Return the field without scores; meetings decide, and then seats."""
        entrants = tuple(replace(entrant, score=0) for entrant in self.entrants)
        level = replace(self, entrants=entrants, score_before_seats=False)
        return level.with_fewest_repeats()

    def without(self, names: Collection[str]) -> "PairingField":
        """Return the field without some entrants, by id, in its pairs and groups too."""
        gone = frozenset(names)
        kept = (tuple(name for name in group if name not in gone) for group in self.fixed)
        return replace(
            self,
            entrants=tuple(entrant for entrant in self.entrants if entrant.id not in gone),
            avoid=tuple(pair for pair in self.avoid if not gone & {*pair}),
            fixed=tuple(group for group in kept if len(group) > 1),
        )

    def _present(self, table: Sequence[str]) -> list[int]:
        return [self.index[name] for name in table if name in self.index]
