"""Late arrivals and departures, after the seating has been published."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from tournaments.engine.pairing.costs import TOGETHER
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import InvalidSeating, Seating, SeatingFault, judge, lot_of
from tournaments.engine.pairing.seats import seat_cost

if TYPE_CHECKING:
    from tournaments.engine.pairing.matrices import Costs

Chair = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Published:
    """A published seating: ids in seat order for each table, and the byes.

    `begun` are the places, from 0, of the tables that have begun.
    """

    tables: Sequence[Sequence[str]]
    byes: Sequence[str] = ()
    begun: Collection[int] = ()


@dataclass(frozen=True, slots=True)
class LateChange:
    """The tables after a late change, each at its old place; a closed table is empty.

    New tables come last. `changed` are the places, from 0, of all tables that differ; `seating`
    judges the tables that are left.
    """

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    changed: frozenset[int]
    seating: Seating


class ImpossibleChange(Exception):
    """A late change that is not possible.

    `code` is `begun` (an entrant would leave a table that has begun: `table`, from 0) or `too-few`
    (no table could be filled: `table` is -1).
    """

    def __init__(self, code: str, table: int = -1) -> None:
        self.code, self.table = code, table
        super().__init__(f"{code} {table}")


def late_change(
    field: PairingField,
    published: Published,
    *,
    arriving: Sequence[str] = (),
    leaving: Sequence[str] = (),
) -> LateChange:
    """Seat late arrivals and remove those who leave, changing as few tables as possible.

    `field` has all entrants to be seated now, including the arrivals. Byes take empty seats. If
    there are too few, a table with an empty seat is closed to fill the others; if there are enough
    for a table, they get one. All others keep their seats, and tables that have begun do not
    change. A house player leaves if an entrant arrives to take the seat.

    Raises:
        ImpossibleChange: if the change is not possible.
        InvalidSeating: if tables, byes and change together do not seat everybody once.
    """
    here = {name for table in (*published.tables, published.byes) for name in table}
    unknown = [name for name in leaving if name not in here]
    if unknown:
        raise InvalidSeating(SeatingFault("unknown", {"entrant": name}) for name in unknown)
    waiting = [*published.byes, *arriving]
    draft = _LateDraft(field.without(leaving), published.tables, waiting, leaving)
    for table, _ in draft.gaps:
        if table in published.begun:
            raise ImpossibleChange("begun", table)
    draft.give_up()
    draft.fill()
    return _changed(draft, published)


def _changed(draft: "_LateDraft", published: Published) -> LateChange:
    after = tuple(map(tuple, draft.tables))
    left = [table for table in after if table]
    if not left:
        raise ImpossibleChange("too-few")
    new = len(after) - len(published.tables)
    before = [*map(tuple, published.tables), *[()] * new]
    changed = frozenset(n for n, table in enumerate(after) if table != before[n])
    seating = judge(draft.field, left, draft.waiting)
    return LateChange(after, tuple(draft.waiting), changed, seating)


class _LateDraft:
    """Tables with empty seats (""), and the entrants waiting for one."""

    def __init__(
        self,
        field: PairingField,
        tables: Sequence[Sequence[str]],
        waiting: Sequence[str],
        leaving: Collection[str],
    ) -> None:
        self.field, self.size = field, field.table_size
        self.tables = [["" if n in leaving else n for n in table] for table in tables]
        self.waiting = [name for name in waiting if name not in leaving]
        unknown = [
            n for t in (*self.tables, self.waiting) for n in t if n not in {"", *field.index}
        ]
        if unknown:
            raise InvalidSeating(SeatingFault("unknown", {"entrant": name}) for name in unknown)

    @property
    def gaps(self) -> list[Chair]:
        return [(t, s) for t, table in enumerate(self.tables) for s, n in enumerate(table) if not n]

    def give_up(self) -> None:
        """Close tables until the others can be filled, choosing tables that change anyway."""
        while len(self.gaps) > len(self.waiting):
            table = max({table for table, _ in self.gaps}, key=self._easy_to_give_up)
            self.waiting += filter(None, self.tables[table])
            self.tables[table] = []

    def fill(self) -> None:
        """Seat those who wait at the least cost, as far as there is room."""
        more = (len(self.waiting) - len(self.gaps)) // self.size
        self.tables += [[""] * self.size for _ in range(more)]
        chairs = self.gaps
        line = self._line()
        self.waiting = [name for name in self.field.index if name in line[len(chairs) :]]
        for (table, seat), name in zip(chairs, line, strict=False):
            self.tables[table][seat] = name
        costs = self._costs()
        while any(self._exchange(costs, *two) for two in combinations(chairs, 2)):
            pass

    def _easy_to_give_up(self, table: int) -> tuple[int, int, int]:
        here = {name for name in self.tables[table] if name}
        shared = sum(len(here & {*group}) > 1 for group in self.field.fixed)
        return self.tables[table].count(""), -shared, table

    def _line(self) -> list[str]:
        """Those who wait; the last get a bye, as in `bye_turn`."""
        fixed = {name for group in self.field.fixed for name in group}
        line = sorted(self.waiting)
        lot_of(self.field).shuffle(line)

        def turn(name: str) -> tuple[bool, object]:
            return name in fixed, self.field.bye_turn(self.field.index[name])

        return sorted(line, key=turn, reverse=True)

    def _costs(self) -> "Costs":
        # Imports numpy.
        from tournaments.engine.pairing.matrices import pair_costs

        costs = pair_costs(self.field)
        for group in self.field.fixed:
            places = [self.field.index[name] for name in group]
            for one, other in permutations(places, 2):
                costs[one, other] -= TOGETHER
        return costs

    def _exchange(self, costs: "Costs", one: Chair, other: Chair) -> bool:
        """Exchange two seated entrants if that lowers the cost."""
        before = self._cost(costs, one[0], other[0])
        self._turn(one, other)
        if self._cost(costs, one[0], other[0]) < before:
            return True
        self._turn(one, other)
        return False

    def _turn(self, one: Chair, other: Chair) -> None:
        (here, seat), (there, chair) = one, other
        names = self.tables[here][seat], self.tables[there][chair]
        self.tables[there][chair], self.tables[here][seat] = names

    def _cost(self, costs: "Costs", *tables: int) -> int:
        return sum(self._cost_of(costs, self.tables[table]) for table in {*tables})

    def _cost_of(self, costs: "Costs", table: Sequence[str]) -> int:
        places = [self.field.index[name] for name in table]
        meetings = sum(int(costs[one, other]) for one, other in combinations(places, 2))
        return meetings + seat_cost(self.field, places)
