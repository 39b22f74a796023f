"""The results of a round: tables, byes and rulings, and the worth of a table."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from types import MappingProxyType

from tournaments.engine.rules.rulesets import PerSide, Points, whole

PENALTY = "penalty"
ADJUSTED = "adjusted"
FORFEIT = "forfeit"
ABSENT = "absent"
RULINGS = (PENALTY, ADJUSTED, FORFEIT, ABSENT)

Worth = tuple[Points, ...]
"""Place points: those of the first place, then of those after it."""

NOBODY = ""
"""The opponent of an entrant who was not seated; no competitor has this id."""


@dataclass(frozen=True, slots=True)
class Competitor:
    """A competitor of a tournament: a player or a pair.

    `number` orders those who share a place. A `house` player fills a table and has no place; a
    competitor who has `withdrawn` keeps all results. Places are counted within a `section`.
    """

    id: str
    number: int = 0
    house: bool = False
    team: str = ""
    withdrawn: bool = False
    section: str = ""


@dataclass(frozen=True, slots=True)
class TableResult:
    """The result of a game; everything is per side, in side order.

    `ranks` are those of `outcomes.decide` (1 is best, equals share: 1, 2, 2, 4), `out` the sides
    that are out, and `kings` holds a side once for every King it made. `unplayed` is what each
    side of a stopped game lacks until the sum is that of a whole game. A table that is not
    `finished` does not count yet.
    """

    entrants: tuple[str, ...]
    totals: PerSide
    ranks: tuple[int, ...]
    out: tuple[int, ...] = ()
    kings: tuple[int, ...] = ()
    finished: bool = True
    unplayed: Points = 0


@dataclass(frozen=True, slots=True)
class Ruling:
    """A director's ruling about one entrant in one round.

    A `penalty` takes `points` (above 0) from the sum. `adjusted` makes `points` the worth of the
    round in the standings, whatever was played. With a `forfeit`, the entrant's game counts as
    `points` of the game, the last place of the table, not out and without a King; the others keep
    their results. `absent` is the same for an entrant who was not there, and so has met nobody. If
    there are several other than penalties, the last one counts.

    Raises:
        ValueError: if there is no such kind, or a penalty is not above 0.
    """

    entrant: str
    kind: str
    points: Points = 0

    def __post_init__(self) -> None:
        if self.kind not in RULINGS:
            raise ValueError(f"A ruling is {' or '.join(RULINGS)}, not {self.kind!r}.")
        if self.kind == PENALTY and self.points <= 0:
            raise ValueError(f"A penalty takes points, not {self.points}.")


@dataclass(frozen=True, slots=True)
class RoundResults:
    """A round by its number: its tables, byes and rulings."""

    number: int
    tables: tuple[TableResult, ...]
    byes: tuple[str, ...] = ()
    rulings: tuple[Ruling, ...] = ()


def table_worth(method: str, table: TableResult, place_points: Worth) -> PerSide:
    """Return the worth of a table in the standings, per side; `method` is one of `POINTS`."""
    return METHODS[method](table, place_points)


def place_worth(place_points: Worth, sides: int) -> Worth:
    """Return the worth of each place at a table, given its number of sides.

    The last place has the last of `place_points`, and the places before it have the first ones. So
    of 4-2-1-0, two sides have 4 and 0. Further places are worth the last one.
    """
    first = place_points[: sides - 1]
    return first + place_points[-1:] * (sides - len(first))


@lru_cache(maxsize=1024)
def split_places(ranks: tuple[int, ...], place_points: Worth) -> PerSide:
    """Return place points, one per side; sides that share places share their exact worth."""
    worth = place_worth(place_points, len(ranks))
    return tuple(
        whole(Fraction(sum(worth[rank - 1 : rank - 1 + count]), count))
        for rank, count in ((rank, ranks.count(rank)) for rank in ranks)
    )


def win_share(table: TableResult, side: int) -> Points:
    """Return 1 for a side that is out, and 0 for one that is sunk.

    If nobody is out (games without out and sunk, or a draw), the best place has the win, and sides
    that share the place share it.
    """
    if table.out:
        return int(side in table.out)
    return split_places(table.ranks, (1, 0))[side]


def as_forfeited(table: TableResult, side: int, points: Points) -> TableResult:
    """Return a table as it counts for a side that forfeits it, and for no other side."""
    sides = range(len(table.entrants))
    return TableResult(
        entrants=table.entrants,
        totals=tuple(points if each == side else table.totals[each] for each in sides),
        # The others rank before it, each alike, so the last place is not shared.
        ranks=tuple(len(sides) if each == side else 1 for each in sides),
        out=tuple(each for each in table.out if each != side),
    )


def not_seated(entrant: str, points: Points) -> TableResult:
    """Return the result of an entrant with a ruling but without a table."""
    return TableResult((entrant, NOBODY), (points, 0), (2, 1))


def _differences(table: TableResult, _place_points: Worth) -> PerSide:
    """The lead of each side over the mean of the others; for two sides, over the other."""
    together, others = sum(table.totals), len(table.totals) - 1
    return tuple(whole(Fraction(total * (others + 1) - together, others)) for total in table.totals)


METHODS: Mapping[str, Callable[[TableResult, Worth], PerSide]] = MappingProxyType(
    {
        "game": lambda table, _place_points: table.totals,
        "places": lambda table, place_points: split_places(table.ranks, place_points),
        "out": lambda table, _place_points: tuple(
            win_share(table, side) for side in range(len(table.ranks))
        ),
        "pair-difference": _differences,
    }
)
"""The worth of a table in the standings, per side, from the table and the place points."""
