"""Opponents by round, for the cross-table."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tournaments.engine.rules.rulesets import Points, whole
from tournaments.engine.standings.round_results import ABSENT, PENALTY, RoundResults
from tournaments.engine.standings.standings import Standing
from tournaments.models import Entrant
from tournaments.presenters.standings.standings import Seen
from tournaments.queries.tournaments.state import SeatedRound

LARGEST_MATRIX = 24
"""Entrants that fit across a page as well as down."""


@dataclass(frozen=True, slots=True)
class Met:
    """The result of an entrant in a round.

    `opponents` are their keys in order of sides. An entrant who was out or absent has `table` None
    and no opponents. If `ruled` is set, the points are those of the director's ruling.
    """

    table: int | None = None
    opponents: tuple[str, ...] = ()
    points: Points | None = None
    bye: bool = False
    absent: bool = False
    ruled: bool = False


@dataclass(frozen=True)
class Meetings:
    """The standings visible to a reader, with the opponents in each round."""

    seen: Seen

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """Return the fixed number of each entrant in the table, in order of place."""
        return {row.entrant: self.entrant(row).number for row in self.seen.rows}

    @cached_property
    def rounds(self) -> Sequence[Mapping[str, Met]]:
        """Return the result of each entrant in each round with a column."""
        state = self.seen.state
        pairs = zip(state.seated_rounds[: len(self.seen.rounds)], state.results, strict=False)
        return [
            dict(_met(seated, results, self.seen.rows, at))
            for at, (seated, results) in enumerate(pairs)
        ]

    def of(self, row: Standing) -> list[Met]:
        return [met.get(row.entrant, Met()) for met in self.rounds]

    def entrant(self, row: Standing) -> Entrant:
        return self.seen.state.entrants[row.entrant]

    @property
    def is_matrix(self) -> bool:
        """Return whether everybody meets everybody else at tables of two."""
        state = self.seen.state
        return (
            state.rules.side_count == 2
            and state.settings.seating == "round-robin"
            and 2 <= len(self.seen.rows) <= LARGEST_MATRIX
        )

    def against(self, row: Standing) -> Mapping[str, tuple[Points, ...]]:
        """Return the points of an entrant against each opponent met at a table of two."""
        points: dict[str, tuple[Points, ...]] = defaultdict(tuple)
        for met in self.of(row):
            if met.points is not None and len(met.opponents) == 1:
                points[met.opponents[0]] += (met.points,)
        return points

    def sum_against(self, row: Standing) -> Points:
        return whole(sum(sum(points) for points in self.against(row).values()))


def _met(
    seated: SeatedRound, results: RoundResults, rows: Sequence[Standing], at: int
) -> Iterator[tuple[str, Met]]:
    """Yield the results of `rows` in the round at index `at`."""
    kinds = {each.entrant: each.kind for each in results.rulings if each.kind != PENALTY}
    tables = {key: table for table in seated.tables for key in table.entrants}
    gone = {key for key, kind in kinds.items() if kind == ABSENT}
    for row in rows:
        key = row.entrant
        table, points = tables.get(key), row.by_round[at]
        ruled, absent = key in kinds, key in gone
        if table is None or absent:
            yield key, Met(None, (), points, key in seated.byes, absent, ruled)
        else:
            opponents = tuple(each for each in table.entrants if each not in {key, *gone})
            yield key, Met(table.number, opponents, points, ruled=ruled)
