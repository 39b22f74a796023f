"""The field of a round: who is there, what they have, and whom they have met."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import combinations

Score = int | Fraction


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who is to be seated: an id, the points so far, and a club where they have one."""

    id: str
    score: Score = 0
    club: str = ""


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """An earlier round: ids in seat order for each table, and who sat out."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Field:
    """All that a seating depends on; the same field with the same seed is seated the same way.

    `rounds_left` counts this one. `avoid` are pairs that must not meet, `fixed` groups that
    share a table. Earlier rounds may name who has left meanwhile.
    """

    entrants: tuple[Entrant, ...]
    rounds: tuple[PlayedRound, ...] = ()
    rounds_left: int = 1
    avoid: tuple[tuple[str, str], ...] = ()
    fixed: tuple[tuple[str, ...], ...] = ()
    table_size: int = 4
    separate_clubs: bool = False
    seed: int = 0

    @cached_property
    def index(self) -> dict[str, int]:
        """The place of each entrant in `entrants`, by id."""
        return {entrant.id: place for place, entrant in enumerate(self.entrants)}

    @cached_property
    def meetings(self) -> Counter[tuple[int, int]]:
        """How often two entrants, by their places in ascending order, sat at one table."""
        met: Counter[tuple[int, int]] = Counter()
        for played in self.rounds:
            for table in played.tables:
                met.update(combinations(sorted(self._present(table)), 2))
        return met

    @cached_property
    def seats_taken(self) -> tuple[tuple[int, ...], ...]:
        """For each entrant how often they sat at each seat."""
        taken = [[0] * self.table_size for _ in self.entrants]
        for played in self.rounds:
            for table in played.tables:
                for seat, name in enumerate(table):
                    if name in self.index:
                        taken[self.index[name]][seat] += 1
        return tuple(map(tuple, taken))

    @cached_property
    def byes_had(self) -> tuple[int, ...]:
        """For each entrant how often they sat out."""
        had = Counter(name for played in self.rounds for name in played.byes)
        return tuple(had[entrant.id] for entrant in self.entrants)

    @cached_property
    def ranks(self) -> tuple[int, ...]:
        """For each entrant the place in the standings, from 1; equals share the best."""
        scores = sorted((entrant.score for entrant in self.entrants), reverse=True)
        first = {score: rank for rank, score in reversed(list(enumerate(scores, 1)))}
        return tuple(first[entrant.score] for entrant in self.entrants)

    @property
    def number(self) -> int:
        """Which round it is, from 1."""
        return len(self.rounds) + 1

    def level(self) -> "Field":
        """The field as if nobody had any points."""
        entrants = tuple(replace(entrant, score=0) for entrant in self.entrants)
        return replace(self, entrants=entrants)

    def without(self, names: Collection[str]) -> "Field":
        """The field where some, by id, are not there: neither to be seated nor to be avoided."""
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
