"""Seatings that ignore earlier meetings: random, or by rank alone.

The smallest exchanges keep groups together and pairs to avoid apart.
"""

from collections.abc import Callable, Sequence
from itertools import combinations, islice
from random import Random

from tournaments.engine.pairing.byes import choose_byes, join_groups, seat_groups
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import Seating, describe, lot_of, playing_field
from tournaments.engine.pairing.seats import seat_table
from tournaments.engine.work import spend

Tables = list[list[int]]
MOST_PASSES = 16
"""The tries to part pairs that must not meet."""

Cut = Callable[[Sequence[int], int], Tables]


def random_draw(field: PairingField) -> Seating:
    """Seat everybody at random; byes are drawn among those with the fewest byes.

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    return _draw(field, field.level(), cut_in_rows)


def draw_neighbours(field: PairingField) -> Seating:
    """Seat the standings in rows: 1-2-3-4, 5-6-7-8 and so on; equals in random order.

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    return _draw(field, field, cut_in_rows)


def draw_across(field: PairingField) -> Seating:
    """Seat the standings in columns: with four tables 1-5-9-13, 2-6-10-14 and so on.

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    return _draw(field, field, cut_in_columns)


def cut_in_rows(ranked: Sequence[int], size: int) -> Tables:
    """Return tables of neighbours."""
    return [list(ranked[at : at + size]) for at in range(0, len(ranked), size)]


def cut_in_columns(ranked: Sequence[int], size: int) -> Tables:
    """Return tables with one entrant from each of `size` layers."""
    count = len(ranked) // size
    return [list(ranked[at::count]) for at in range(count)]


def _draw(field: PairingField, ordered: PairingField, cut: Cut) -> Seating:
    """Seat a field by the scores of `ordered`, which has the same entrants."""
    random = lot_of(field)
    byes = [field.entrants[place].id for place in choose_byes(ordered, random)]
    playing = playing_field(field, byes)
    size = playing.table_size
    held = seat_groups(join_groups(playing), len(playing.entrants) // size, size)
    ranked = _ranked(playing_field(ordered, byes), random)
    # In columns, exchanges keep one entrant of each layer at a table.
    layer = len(ranked) // size if cut is cut_in_columns else len(ranked)
    draft = _RandomDraft(cut(ranked, size), ranked, held, layer)
    draft.gather()
    draft.part(playing)
    seated = [seat_table(playing, table, random) for table in draft.tables]
    return describe(field, playing, seated, byes)


def _ranked(field: PairingField, random: Random) -> list[int]:
    places = random.sample(range(len(field.entrants)), len(field.entrants))
    return sorted(places, key=lambda place: -field.entrants[place].score)


class _RandomDraft:
    """Tables of places in the field, changed by exchanging two of one layer if possible.

    The members of each group in `held` share a table.
    """

    def __init__(self, tables: Tables, ranked: Sequence[int], held: Tables, layer: int) -> None:
        self.tables, self.held, self.layer = tables, held, layer
        self.rank = {place: rank for rank, place in enumerate(ranked)}
        self.at = {place: number for number, table in enumerate(tables) for place in table}

    def gather(self) -> None:
        """Bring the members of a group to the table where most of them are."""
        free = set(range(len(self.tables)))
        for group in self.held:
            home = max(sorted(free), key=lambda number: len({*self.tables[number]} & {*group}))
            free.remove(home)
            for place in group:
                if self.at[place] != home:
                    others = [other for other in self.tables[home] if other not in group]
                    self._exchange(place, min(others, key=lambda o: self._distance(place, o)))

    def part(self, field: PairingField) -> None:
        """Exchange pairs that must not meet, with the nearest entrants who can replace them.

        Where no exchange helps, one that costs nothing may let the next one help.
        """
        pairs = [(field.index[one], field.index[other]) for one, other in field.avoid]
        self.avoided = {*pairs, *((other, one) for one, other in pairs)}
        held = {place for group in self.held for place in group}
        free = [place for place in self.rank if place not in held]
        for further in range(MOST_PASSES):
            for pair in pairs:
                if self.at[pair[0]] != self.at[pair[1]]:
                    continue
                spend(2 * len(free) // 10)
                ways = [(one, other) for one in pair if one not in held for other in free]
                ways.sort(key=lambda way: self._distance(*way))
                helping = (way for way in ways if self._saved(*way) > 0)
                costless = (way for way in ways if self._saved(*way) == 0)
                way = next(helping, None) or next(islice(costless, further, None), None)
                if way is not None:
                    self._exchange(*way)

    def _saved(self, one: int, other: int) -> int:
        """Return how many meetings to avoid an exchange would save; none at one table."""
        tables = {self.at[one], self.at[other]}
        before = sum(map(self._meeting, tables))
        self._exchange(one, other)
        after = sum(map(self._meeting, tables))
        self._exchange(one, other)
        return before - after if len(tables) > 1 else -1

    def _meeting(self, table: int) -> int:
        return sum(pair in self.avoided for pair in combinations(self.tables[table], 2))

    def _distance(self, one: int, other: int) -> tuple[int, int]:
        ranks = self.rank[one], self.rank[other]
        return abs(ranks[0] // self.layer - ranks[1] // self.layer), abs(ranks[0] - ranks[1])

    def _exchange(self, one: int, other: int) -> None:
        here, there = self.at[one], self.at[other]
        chairs = self.tables[here].index(one), self.tables[there].index(other)
        self.tables[here][chairs[0]], self.tables[there][chairs[1]] = other, one
        self.at[one], self.at[other] = there, here
