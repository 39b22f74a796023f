"""The named methods of seating a round, tables of two, draws by lot, changes, and alternatives."""

from collections import defaultdict
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import chain, combinations, islice, permutations
from random import Random
from types import MappingProxyType
from typing import TYPE_CHECKING

from tournaments.engine.pairing.field import (
    BYES_DUE_FROM,
    NUMBERED_FROM,
    TOGETHER,
    Entrant,
    PairingField,
    PlayedRound,
    Weights,
    choose_byes,
    join_groups,
    seat_cost,
    seat_groups,
    seat_table,
    spread_by_lot,
)
from tournaments.engine.pairing.judging import (
    InvalidSeating,
    Quality,
    Seating,
    SeatingFault,
    check_tables,
    describe,
    judge,
    least_spread,
    lot_of,
    playing_field,
)
from tournaments.engine.work import spend

if TYPE_CHECKING:
    from tournaments.engine.pairing.search import Costs


FOLD = 4_000
"""The weight of a distance in score against the order within one score."""


def draw_twos(
    field: PairingField, groups: Sequence[Sequence[int]], random: Random
) -> list[tuple[int, ...]]:
    """Return the pairs of a round in seat order, as places in `field.entrants`; all play."""
    # Only tables of two need them.
    import rustworkx

    from tournaments.engine.pairing.search import pair_costs, scaled_scores

    fixed = {place for group in groups for place in group}
    free = [place for place in range(len(field.entrants)) if place not in fixed]
    costs = pair_costs(field)
    folds = _folds(field, free, random)
    graph = rustworkx.PyGraph[int, int](multigraph=False)
    graph.add_nodes_from(free)
    graph.add_edges_from([
        (one, other, int(costs[free[one], free[other]]) * FOLD + folds(free[one], free[other]))
        for one, other in combinations(range(len(free)), 2)
    ])  # fmt: skip
    most = max(graph.edges(), default=0) + 1
    matched = rustworkx.max_weight_matching(
        graph, max_cardinality=True, weight_fn=lambda cost: most - cost
    )
    # The matching returns pairs in any order, and each pair in either.
    pairs = [sorted((free[one], free[other])) for one, other in matched]
    pairs += [sorted(group) for group in groups]
    scores = scaled_scores(field)
    pairs.sort(key=lambda pair: (-max(scores[pair]), -min(scores[pair]), pair))
    return [seat_table(field, pair, random) for pair in pairs]


def _folds(field: PairingField, free: Sequence[int], random: Random) -> Callable[[int, int], int]:
    """The cost of a pair of equal score: its distance from a pairing of the halves in order."""
    ranks: dict[object, list[int]] = defaultdict(list)
    for place in random.sample(list(free), len(free)):
        ranks[field.entrants[place].score].append(place)
    at = {place: (rank, len(group)) for group in ranks.values() for rank, place in enumerate(group)}

    def fold(one: int, other: int) -> int:
        if field.entrants[one].score != field.entrants[other].score:
            return 0
        (rank, count), (opposite, _) = at[one], at[other]
        return min(FOLD - 1, abs(abs(rank - opposite) - count // 2))

    return fold


def draw_round(field: PairingField) -> Seating:
    """Seat the next round of a field with at least one table of entrants.

    Raises: ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    random = lot_of(field)
    out = choose_byes(field, random)
    byes = [field.entrants[place].id for place in out]
    playing = playing_field(field, byes)
    if field.table_size == 2:
        groups = join_groups(playing)
        seat_groups(groups, len(playing.entrants) // field.table_size, field.table_size)
        return describe(field, playing, draw_twos(playing, groups, random), byes)
    # Only tables of four need it.
    from tournaments.engine.pairing.search import draw_fours

    tables = draw_fours(field, out, random)
    names = [[field.entrants[place].id for place in table] for table in tables]
    return describe(field, playing, [[playing.index[n] for n in table] for table in names], byes)


Pairs = Sequence[Sequence[int]]


def draw_circle(field: PairingField) -> Seating:
    """Seat the next round so that nobody meets again before all have met.

    The order depends on the seed and the entrants alone. If entrants have come or gone and the
    circle would repeat a pair, or give a bye out of turn, a matching with the fewest repeats
    replaces it. Fixed pairs and pairs to avoid have no effect: all meet.
    """
    random = lot_of(field)
    free = replace(field, avoid=(), fixed=())
    byes, circle = _turn(free)
    seating = _seat(field, byes, circle, random)
    turns = [field.bye_turn(place)[:2] for place in range(len(field.entrants))]
    in_turn = all(turns[field.index[name]] == min(turns) for name in byes)
    in_turn = in_turn or field.version < BYES_DUE_FROM
    if in_turn and not seating.quality.repeat_meetings:
        return seating
    level = free.level()
    out = [field.entrants[place].id for place in choose_byes(level, random)]
    matched = draw_twos(playing_field(level, out), (), random)
    other = _seat(field, out, matched, random)
    if not in_turn:
        return other
    return min(seating, other, key=lambda seated: seated.quality.repeat_meetings)


def _turn(field: PairingField) -> tuple[list[str], list[tuple[int, int]]]:
    names = sorted(field.index)
    Random(str(field.seed)).shuffle(names)  # noqa: S311 - reproducible, not for secrets
    # All but one move round the circle by one place each round; of an odd number the one opposite
    # the empty place is left out.
    even = len(names) + len(names) % 2
    step = len(field.rounds) % (even - 1)
    line = [even - 1, *((step + at) % (even - 1) for at in range(even - 1))]
    places = zip(line[: even // 2], reversed(line[even // 2 :]), strict=True)
    pairs = [(names[one], names[other]) for one, other in places if max(one, other) < len(names)]
    met = {name for pair in pairs for name in pair}
    byes = [name for name in field.index if name not in met]
    index = playing_field(field, byes).index
    return byes, [(index[one], index[other]) for one, other in pairs]


def _seat(field: PairingField, byes: Sequence[str], pairs: Pairs, random: Random) -> Seating:
    playing = playing_field(field, byes)
    return describe(field, playing, [seat_table(playing, pair, random) for pair in pairs], byes)


Tables = list[list[int]]
MOST_PASSES = 16
"""The tries to part pairs that must not meet."""

Cut = Callable[[Sequence[int], int], Tables]


def cut_in_rows(ranked: Sequence[int], size: int) -> Tables:
    return [list(ranked[at : at + size]) for at in range(0, len(ranked), size)]


def cut_in_columns(ranked: Sequence[int], size: int) -> Tables:
    """Return tables with one entrant from each of `size` layers."""
    count = len(ranked) // size
    return [list(ranked[at::count]) for at in range(count)]


def _draw(field: PairingField, ordered: PairingField, cut: Cut) -> Seating:
    """Seat a field by the scores of `ordered`, which has the same entrants; equals are drawn.

    Raises: ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    random = lot_of(field)
    byes = [field.entrants[place].id for place in choose_byes(ordered, random)]
    playing = playing_field(field, byes)
    size = playing.table_size
    held = seat_groups(join_groups(playing), len(playing.entrants) // size, size)
    places = random.sample(range(len(playing.entrants)), len(playing.entrants))
    scores = [entrant.score for entrant in playing_field(ordered, byes).entrants]
    ranked = sorted(places, key=lambda place: -scores[place])
    # In columns, exchanges keep one entrant of each layer at a table.
    layer = len(ranked) // size if cut is cut_in_columns else len(ranked)
    draft = _RandomDraft(cut(ranked, size), ranked, held, layer)
    draft.gather()
    draft.part(playing)
    seated = [seat_table(playing, table, random) for table in draft.tables]
    return describe(field, playing, seated, byes)


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


Method = Callable[[PairingField], Seating]


class NoRoundRobin(Exception):
    """No round robin exists for this number of entrants at tables of four; see `sizes`."""

    def __init__(self, count: int) -> None:
        self.count, self.sizes = count, COMPLETE
        super().__init__(f"{count} entrants; {', '.join(map(str, COMPLETE))} would do")


GHOST = ""
"""The id of the ghost; no entrant has an empty id."""

COMPLETE = (4, 16, 28)
"""The numbers of entrants for which a round robin exists at tables of four."""


def seat_round(field: PairingField, method: str) -> Seating:
    """Seat the next round of a field with at least one table of entrants; see `METHODS`.

    Raises:
        KeyError: if there is no such method.
        ImpossibleFixed: if the fixed groups do not fit the tables.
        NoRoundRobin: if none exists for this number of entrants at tables of four.
    """
    seating = METHODS[method](field)
    return replace(seating, tables=number_tables(field, seating.tables))


def number_tables(
    field: PairingField,
    tables: Sequence[Sequence[str]],
    locked: Mapping[int, Sequence[str]] = MappingProxyType({}),
) -> tuple[tuple[str, ...], ...]:
    """Return the tables in order of numbers, with those `locked` at their places, from 0.

    The others are in order of their highest scores, but for those with an entrant who wishes a
    number. Of several who wish the same one it is for the highest.
    """
    free, numbered = list(map(tuple, tables)), field.version >= NUMBERED_FROM
    entrants = {entrant.id: entrant for entrant in field.entrants}
    if numbered:
        free.sort(
            key=lambda table: sorted((entrants[name].score for name in table), reverse=True),
            reverse=True,
        )
    last, placed = len(free) + len(locked) - 1, dict[int, tuple[str, ...]]()
    for place in sorted(locked, reverse=True):
        placed[min(place, last)] = tuple(locked[place])
        last = min(place, last) - 1
    rest = []
    for table in free:
        wishes = (entrants[name].table - 1 for name in table if numbered)
        open_ = (wish for wish in wishes if 0 <= wish < len(free) + len(locked))
        wished = next((wish for wish in open_ if wish not in placed), None)
        if wished is None:
            rest.append(table)
        else:
            placed[wished] = table
    left = iter(rest)
    return tuple(
        placed[at] if at in placed else next(left) for at in range(len(free) + len(locked))
    )


def schedule(field: PairingField, rounds: int, method: str) -> tuple[Seating, ...]:
    """Seat `rounds` rounds after those in `field.rounds` at once, as one schedule.

    Each round is judged after those before it.

    Raises:
        KeyError: if the method is not in `WHOLE_EVENING`, so that it needs scores.
        ImpossibleFixed, NoRoundRobin: as `seat_round`.
    """
    if method not in WHOLE_EVENING:
        raise KeyError(method)
    seatings: list[Seating] = []
    for left in range(rounds, 0, -1):
        seating = seat_round(replace(field, rounds_left=left), method)
        seatings.append(seating)
        field = replace(field, rounds=(*field.rounds, PlayedRound(seating.tables, seating.byes)))
    return tuple(seatings)


def draw_fixed(field: PairingField) -> Seating:
    """Seat the next round of a schedule without repeat meetings, whatever the scores.

    A plan continues only if this method drew the earlier rounds too. `field.rounds_left` is the
    number of rounds that the plan must still cover.

    Raises: ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    if field.table_size == 2:
        return draw_circle(field)
    ghostly = _draw_with_ghost(field)
    if ghostly is not None:
        return ghostly
    seating = draw_round(field.level())
    return judge(field, seating.tables, seating.byes)


def draw_round_robin(field: PairingField) -> Seating:
    """Seat the next round of a schedule in which everybody meets everybody once.

    Raises: NoRoundRobin: at tables of four, if the number of entrants is not in `COMPLETE`.
    """
    if field.table_size == 2:
        return draw_circle(field)
    count = len(field.entrants)
    if count not in COMPLETE:
        raise NoRoundRobin(count)
    left = (count - 1) // 3 - len(field.rounds)
    return draw_fixed(replace(field, avoid=(), fixed=(), rounds_left=max(1, left)))


def _draw_with_ghost(field: PairingField) -> Seating | None:
    """Add a ghost if one player is missing for full tables; the byes are its table.

    So a plan works for one entrant less, and nobody meets the ghost twice. Return None if that
    would not be fair.
    """
    if len(field.entrants) % 4 != 3 or any(len(played.byes) != 3 for played in field.rounds):
        return None
    rounds = tuple(PlayedRound((*played.tables, (*played.byes, GHOST))) for played in field.rounds)
    full = replace(field.level(), entrants=(*field.entrants, Entrant(GHOST)), rounds=rounds)
    tables = draw_round(full).tables
    out = next(table for table in tables if GHOST in table)
    byes = sorted((name for name in out if name != GHOST), key=field.index.__getitem__)
    turns = [field.bye_turn(place)[:2] for place in range(len(field.entrants))]
    fair = max(turns[field.index[name]] for name in byes) == min(turns)
    fixed = any(name in group for name in byes for group in field.fixed)
    if fixed or not fair:
        return None
    playing, random = playing_field(field, byes), lot_of(field)
    places = [[playing.index[name] for name in table] for table in tables if table != out]
    # The ghost's rounds have seats for byes; here all players have their own seats.
    seated = [seat_table(playing, table, random) for table in places]
    return describe(field, playing, seated, byes)


METHODS: Mapping[str, Method] = {
    "swiss": draw_round,
    # Everybody at random; byes are drawn among those with the fewest byes.
    "random": lambda field: _draw(field, field.level(), cut_in_rows),
    # The standings in rows: 1-2-3-4, 5-6-7-8 and so on.
    "rank-near": lambda field: _draw(field, field, cut_in_rows),
    # The standings in columns: with four tables 1-5-9-13, 2-6-10-14 and so on.
    "rank-spread": lambda field: _draw(field, field, cut_in_columns),
    "round-robin": draw_round_robin,
    "fixed": draw_fixed,
}
"""The methods by name: by score without repeats, random, neighbours in the standings, across the
standings, round robin, and a schedule without repeats whatever the scores."""

WHOLE_EVENING = ("fixed", "round-robin", "random")
"""The methods that need no scores."""


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
            candidates = []
            for number in {table for table, _ in self.gaps}:
                here = set(filter(None, self.tables[number]))
                shared = sum(len(here & {*group}) > 1 for group in self.field.fixed)
                candidates.append((self.tables[number].count(""), -shared, number))
            *_, table = max(candidates)
            self.waiting += filter(None, self.tables[table])
            self.tables[table] = []

    def fill(self) -> None:
        """Seat those who wait at the least cost, as far as there is room."""
        from tournaments.engine.pairing.search import pair_costs

        more = (len(self.waiting) - len(self.gaps)) // self.size
        self.tables += [[""] * self.size for _ in range(more)]
        chairs = self.gaps
        line = self._line()
        self.waiting = [name for name in self.field.index if name in line[len(chairs) :]]
        for (table, seat), name in zip(chairs, line, strict=False):
            self.tables[table][seat] = name
        costs = pair_costs(self.field)
        for group in self.field.fixed:
            places = [self.field.index[name] for name in group]
            for one, other in permutations(places, 2):
                costs[one, other] -= TOGETHER
        while any(self._exchange(costs, *two) for two in combinations(chairs, 2)):
            pass

    def _line(self) -> list[str]:
        """Those who wait; the last get a bye, as in `bye_turn`."""
        fixed = {name for group in self.field.fixed for name in group}
        line = sorted(self.waiting)
        lot_of(self.field).shuffle(line)

        def turn(name: str) -> tuple[bool, object]:
            return name in fixed, self.field.bye_turn(self.field.index[name])

        return sorted(line, key=turn, reverse=True)

    def _exchange(self, costs: "Costs", one: Chair, other: Chair) -> bool:
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
        total = 0
        for table in {*tables}:
            places = [self.field.index[name] for name in self.tables[table]]
            total += sum(int(costs[one, other]) for one, other in combinations(places, 2))
            total += seat_cost(self.field, places)
        return total


@dataclass(frozen=True, slots=True)
class QualityChange:
    """The effect of a swap on one figure of `Quality`, by its name."""

    name: str
    before: int | Fraction
    after: int | Fraction


@dataclass(frozen=True, slots=True)
class Swapped:
    """A seating after two entrants swapped places, and its quality before."""

    seating: Seating
    before: Quality

    @property
    def changes(self) -> tuple[QualityChange, ...]:
        """The figures that differ; none if the swap costs nothing."""
        figures = (
            QualityChange(name, getattr(self.before, name), getattr(self.seating.quality, name))
            for name in (figure.name for figure in fields(Quality))
        )
        return tuple(figure for figure in figures if figure.before != figure.after)


def swap(field: PairingField, seating: Seating, one: str, other: str) -> Swapped:
    """Swap two entrants, by id: at two tables, at one table, or a seat with a bye.

    Raises:
        InvalidSeating: if an entrant is not in the seating, or the seating does not fit the field.
    """
    here = {*chain(*seating.tables), *seating.byes}
    unknown = [name for name in (one, other) if name not in here]
    if unknown:
        raise InvalidSeating(SeatingFault("unknown", {"entrant": name}) for name in unknown)
    turned = {one: other, other: one}
    tables = tuple(tuple(turned.get(name, name) for name in table) for table in seating.tables)
    byes = tuple(turned.get(name, name) for name in seating.byes)
    before = judge(field, seating.tables, seating.byes).quality
    return Swapped(judge(field, tables, byes), before)


def seat_rest(field: PairingField, method: str, locked: Mapping[int, Sequence[str]]) -> Seating:
    """Seat everybody except at tables that are locked.

    `locked` maps the place of each locked table, from 0, to its ids in seat order. Byes are chosen
    among the others. A round robin continues as a schedule without repeats.

    Raises:
        InvalidSeating: if a locked table is not full, or seats an entrant twice or an unknown one.
        KeyError, ImpossibleFixed: as `seat_round`.
    """
    faults = check_tables(field, [locked[number] for number in sorted(locked)])
    if faults:
        raise InvalidSeating(faults)
    rest = field.without(frozenset(chain(*locked.values())))
    tables: Sequence[Sequence[str]] = ()
    byes = tuple(rest.index)
    if len(rest.entrants) >= rest.table_size:
        seating = seat_round(rest, "fixed" if method == "round-robin" else method)
        tables, byes = seating.tables, seating.byes
    return judge(field, number_tables(field, tables, locked), byes)


NEAR, BETWEEN, NEAREST = 20, 40, 10
"""Prices of a repeat: where like scores meet, halfway to it, and where nothing else helps."""

MOST_OFFERED = 3
FEW_REPEATS = 3
"""With fewer repeats between two alternatives there is no third one between them."""

WIDE, FAR = Fraction(8, 10), Fraction(17, 10)
"""The parts of the spread by lot, and of the least one, above which a round is as wide as by lot"""

CLOSE, SMALL, GAIN = Fraction(11, 10), Fraction(2, 10), Fraction(95, 100)
"""The parts of the least spread, and of that by lot, up to which no repeats are worth it; and that
to which further repeats have to bring the spread down."""


@dataclass(frozen=True, slots=True)
class Scale:
    """What the spread of a round is measured by: that of tables drawn by lot, and the least one."""

    by_lot: Fraction
    nearest: Fraction

    def is_as_by_lot(self, spread: Fraction) -> bool:
        return spread > WIDE * self.by_lot and spread > FAR * self.nearest


@dataclass(frozen=True, slots=True)
class Alternative:
    """A seating of a round, and the weights that it was drawn with."""

    weights: Weights
    seating: Seating

    @property
    def repeats(self) -> int:
        return self.seating.quality.repeat_meetings

    @property
    def spread(self) -> Fraction:
        return self.seating.quality.score_spread


def scale_of(sections: Sequence[PairingField], seating: Seating) -> Scale:
    """Return the scale of a round; each section counts by its tables."""
    by_lot, nearest, count = Fraction(0), Fraction(0), 0
    for field in sections:
        playing = playing_field(field, {*seating.byes} & field.index.keys())
        tables = len(playing.entrants) // field.table_size
        by_lot += tables * spread_by_lot(playing)
        nearest += tables * least_spread(playing, playing.index)
        count += tables
    return Scale(by_lot / max(1, count), nearest / max(1, count))


def draw_alternatives(
    sections: Sequence[PairingField],
    draw: Callable[[Weights], Seating],
    most: int = MOST_OFFERED,
    *,
    forbids_repeats: bool = False,
) -> tuple[Scale, list[Alternative]]:
    """Return up to `most` seatings of a round by price of a repeat, with their scale.

    First is the one that the weights of the sections ask for. If they ask for as few repeats as
    possible, and that is as wide as by lot, the next one that is nearer comes first, unless the
    tournament forbids repeats. The others follow by repeats.
    """
    field = sections[0]
    own, price = Alternative(field.weights, draw(field.weights)), field.repeat_price
    scale = scale_of(sections, own.seating)
    found = [own]

    def add(price: int | None) -> None:
        weights = replace(field.weights, repeat=price, last_repeat=price)
        found.append(Alternative(weights, draw(weights)))

    if field.rounds:
        if price is not None and own.repeats:
            add(None)
        is_near = own.spread <= max(CLOSE * scale.nearest, SMALL * scale.by_lot)
        if not is_near and (price is None or price > NEAR):
            add(NEAR)
        if all(scale.is_as_by_lot(each.spread) for each in found):
            add(NEAREST)
        repeats = [each.repeats for each in found]
        if len(found) < MOST_OFFERED and max(repeats) - min(repeats) >= FEW_REPEATS:
            add(BETWEEN)
    offered = [own]
    for each in sorted(found[1:], key=lambda each: (each.repeats, each.spread)):
        if all(_is_other(each, other) for other in offered):
            offered.append(each)
    first = own
    if price is None and not forbids_repeats and scale.is_as_by_lot(own.spread):
        first = next((each for each in offered if not scale.is_as_by_lot(each.spread)), own)
    offered.sort(key=lambda each: (each is not first, each.repeats))
    return scale, offered[:most]


def _is_other(one: Alternative, other: Alternative) -> bool:
    """Return whether there is a reason to take one instead of the other."""
    if one.repeats > other.repeats:
        return one.spread < GAIN * other.spread
    return one.repeats < other.repeats
