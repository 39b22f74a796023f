"""Who met whom in which round, for the cross-table."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from tournaments.engine.round_results import ABSENT, PENALTY, RoundResults
from tournaments.engine.rulesets import Points, whole
from tournaments.engine.standings import Standing
from tournaments.models import Entrant
from tournaments.queries.tournaments import Drawn
from tournaments.telling.standings import Seen

LARGEST_MATRIX = 24
"""So many can stand across a page as well as down."""


@dataclass(frozen=True, slots=True)
class Met:
    """What an entrant had in a round.

    `opponents` are their keys in order of sides; `table` is None for who sat out or was not
    there, whom nobody has met either. Of who was `ruled` about, the points are as the director
    has said.
    """

    table: int | None = None
    opponents: tuple[str, ...] = ()
    points: Points | None = None
    bye: bool = False
    absent: bool = False
    ruled: bool = False


@dataclass(frozen=True)
class Meetings:
    """The standings somebody may see, with who met whom."""

    seen: Seen

    @cached_property
    def numbers(self) -> Mapping[str, int]:
        """The number that each entrant keeps, of those in the table, in order of place."""
        return {row.entrant: self.entrant(row).number for row in self.seen.rows}

    @cached_property
    def rounds(self) -> Sequence[Mapping[str, Met]]:
        """For each round with a column, what each entrant had in it."""
        course = self.seen.course
        pairs = zip(course.drawn[: len(self.seen.rounds)], course.results, strict=False)
        return [
            dict(_met(drawn, results, self.seen.rows, at))
            for at, (drawn, results) in enumerate(pairs)
        ]

    def of(self, row: Standing) -> list[Met]:
        """What an entrant had, round by round."""
        return [met.get(row.entrant, Met()) for met in self.rounds]

    def entrant(self, row: Standing) -> Entrant:
        """Whose row it is."""
        return self.seen.course.entrants[row.entrant]

    @property
    def is_matrix(self) -> bool:
        """Whether everybody meets everybody else at tables of two."""
        course = self.seen.course
        return (
            course.rules.side_count == 2
            and course.settings.seating == "round-robin"
            and 2 <= len(self.seen.rows) <= LARGEST_MATRIX
        )

    def against(self, row: Standing) -> Mapping[str, tuple[Points, ...]]:
        """The points of an entrant against each opponent they met at a table of two."""
        points: dict[str, tuple[Points, ...]] = defaultdict(tuple)
        for met in self.of(row):
            if met.points is not None and len(met.opponents) == 1:
                points[met.opponents[0]] += (met.points,)
        return points

    def sum_against(self, row: Standing) -> Points:
        """What an entrant has from all those meetings."""
        return whole(sum(sum(points) for points in self.against(row).values()))


def _met(
    drawn: Drawn, results: RoundResults, rows: Sequence[Standing], at: int
) -> Iterator[tuple[str, Met]]:
    """What each of `rows` had in the round at place `at`."""
    kinds = {each.entrant: each.kind for each in results.rulings if each.kind != PENALTY}
    tables = {key: table for table in drawn.tables for key in table.entrants}
    gone = {key for key, kind in kinds.items() if kind == ABSENT}
    for row in rows:
        key = row.entrant
        table, points = tables.get(key), row.by_round[at]
        ruled, absent = key in kinds, key in gone
        if table is None or absent:
            yield key, Met(None, (), points, key in drawn.byes, absent, ruled)
        else:
            opponents = tuple(each for each in table.entrants if each not in {key, *gone})
            yield key, Met(table.number, opponents, points, ruled=ruled)
