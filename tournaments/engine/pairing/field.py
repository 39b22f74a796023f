"""The entrants of a round, what their meetings cost, their seats, and who sits out."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import chain, combinations, permutations
from math import comb
from random import Random
from types import MappingProxyType

SEATING_VERSION = 5
"""Raised with each change that seats the same field and seed otherwise."""

BYES_DUE_FROM, NUMBERED_FROM = 4, 5
"""The versions that chose byes by the rounds that one was there, and numbered tables by scores."""

REDRAWN = (3, 4, SEATING_VERSION)
"""The versions that can be drawn again."""

LARGEST_PRICE = 10_000


@dataclass(frozen=True, slots=True)
class Weights:
    """The prices of a seating, in percent of the spread of a table drawn by lot.

    So they mean the same for every way of scoring, and in every round. A seating with the smallest
    sum of spreads and prices is sought.

    `repeat` is the price of a pair that meets again (None: as few as possible, whatever the
    spread), and `last_repeat` that in the last round. `seat` is the price of a player whose use of
    the seats differs by 2; it never differs by more. The spread of a table with one of
    the first four counts `leaders` percent more, in the last round `last_leaders`.
    """

    repeat: int | None = None
    last_repeat: int | None = None
    seat: int = 2
    leaders: int = 0
    last_leaders: int = 0


NEW_OPPONENTS = Weights()

OBJECTIVES: Mapping[str, Weights] = MappingProxyType(
    {
        "new-opponents": NEW_OPPONENTS,
        "no-repeats": NEW_OPPONENTS,
        "near-scores": Weights(repeat=20, last_repeat=20, last_leaders=100),
        "leaders": Weights(repeat=20, last_repeat=20, leaders=100, last_leaders=100),
    }
)
"""The weights by what a tournament is for: everyone meets everyone, and nobody twice whatever the
scores; players of like scores meet, and the most meetings of leaders."""

LEADERS_LAST = {"last_repeat": 20, "last_leaders": 100}
"""What differs if the leaders are to meet in the last round."""


def weights_for(objective: str, *, leaders_last: bool) -> Weights:
    weights = OBJECTIVES[objective]
    return replace(weights, **LEADERS_LAST) if leaders_last else weights


Score = int | Fraction


@dataclass(frozen=True, slots=True)
class Entrant:
    """An entrant to be seated: an id, the points so far, and an optional club.

    `table` is the number of the table that they wish to sit at, from 1; 0 for any.
    """

    id: str
    score: Score = 0
    club: str = ""
    table: int = 0


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """An earlier round: ids in seat order for each table, and the byes."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
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
    Earlier rounds may name entrants who have left since; whom one names nowhere was not there. An
    earlier `version` seats them as it did.
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
    version: int = SEATING_VERSION

    @cached_property
    def index(self) -> dict[str, int]:
        return {entrant.id: place for place, entrant in enumerate(self.entrants)}

    @cached_property
    def meetings(self) -> Counter[tuple[int, int]]:
        """The number of times that two entrants, as ascending places, sat at one table."""
        met: Counter[tuple[int, int]] = Counter()
        for played in self.rounds:
            for table in played.tables:
                met.update(
                    combinations(
                        sorted([self.index[name] for name in table if name in self.index]), 2
                    )
                )
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
        if self.version < BYES_DUE_FROM:
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


TOGETHER = 10**13
"""The gain if two members of a fixed group share a table."""

AVOIDED = 10**12
REPEAT = 10**9
"""The cost of a repeat if there are to be as few as possible."""

TWICE = 3
"""A pair that met twice costs as much as three that met once."""

UNEVEN = 10**7
"""The cost of a player whose use of the seats would differ by more than 2."""

PERCENT = 100
BY_LOT = 100 * PERCENT

SAME_CLUB = BY_LOT // 4


def repeat_cost(field: PairingField) -> int:
    """Return the cost of a pair that met once, as the weights have it for this round."""
    price = field.repeat_price
    return REPEAT if price is None else price * PERCENT


def same_club_pairs(field: PairingField) -> list[tuple[int, int]]:
    clubs: dict[str, list[int]] = {}
    for place, entrant in enumerate(field.entrants):
        if entrant.club:
            clubs.setdefault(entrant.club, []).append(place)
    return [pair for places in clubs.values() for pair in combinations(places, 2)]


def spread_by_lot(field: PairingField) -> Fraction:
    """Return the mean spread of scores at a table drawn by lot: the mean over all tables."""
    scores = sorted(entrant.score for entrant in field.entrants)
    count, others = len(scores), field.table_size - 1
    # A score is the highest at as many tables as there are choices among the lower ones.
    ways = (comb(at, others) - comb(count - 1 - at, others) for at in range(count))
    total = sum((Fraction(score) * n for score, n in zip(scores, ways, strict=True)), Fraction(0))
    return total / max(1, comb(count, field.table_size))


def unwanted_pairs(field: PairingField) -> Iterator[tuple[int, int, int]]:
    """Yield pairs that should not meet, with what each reason costs."""
    repeat = repeat_cost(field)
    for (one, other), times in field.meetings.items():
        yield one, other, repeat * TWICE ** min(times - 1, 4)
    for name, avoided in field.avoid:
        yield field.index[name], field.index[avoided], AVOIDED
    if field.separate_clubs:
        for one, other in same_club_pairs(field):
            yield one, other, SAME_CLUB


SEATS = 4
ALL_SEATS = (1 << SEATS) - 1
EVEN, MOST = 1, 2
"""The differences in the use of seats that are free, and the greatest one."""


def open_seats(field: PairingField, most: int) -> list[int]:
    """Return the seats (as bits) after which the use differs by `most` at most, or all if none."""
    return [_open(taken, most) for taken in field.seats_taken]


def _open(taken: Sequence[int], most: int) -> int:
    mask = sum(1 << seat for seat in range(len(taken)) if _difference(taken, seat) <= most)
    return mask or ALL_SEATS


def seat_cost(field: PairingField, order: Sequence[int]) -> int:
    """Return the cost of a seat order, by the weights of the field."""
    price = 0 if field.score_before_seats else field.weights.seat * PERCENT
    cost = 0
    for seat, place in enumerate(order):
        difference = _difference(field.seats_taken[place], seat)
        cost += UNEVEN * (difference > MOST) + price * (difference == MOST)
    return cost


def seat_table(field: PairingField, table: Sequence[int], random: Random) -> tuple[int, ...]:
    """Return a table in the seat order of least cost, then of the most even use."""
    orders = list(permutations(table))
    random.shuffle(orders)
    return min(
        orders,
        key=lambda order: (
            seat_cost(field, order),
            sum(field.seats_taken[place][seat] for seat, place in enumerate(order)),
        ),
    )


def _difference(taken: Sequence[int], seat: int) -> int:
    after = [*taken]
    after[seat] += 1
    return max(after) - min(after)


class ImpossibleFixed(Exception):
    """The groups that must share a table do not fit the tables."""


def choose_byes(field: PairingField, random: Random) -> list[int]:
    """Return the byes: those whose turn it is, as in `bye_turn`; equals are drawn at random.

    Raises: ImpossibleFixed: if too many entrants are in fixed groups, which never get a bye.
    """
    fixed = {field.index[name] for group in field.fixed for name in group}
    free = [place for place in range(len(field.entrants)) if place not in fixed]
    wanted = len(field.entrants) % field.table_size
    if wanted > len(free):
        raise ImpossibleFixed
    random.shuffle(free)
    free.sort(key=field.bye_turn)
    return sorted(free[:wanted])


def join_groups(field: PairingField) -> list[list[int]]:
    """Return the fixed groups; groups that share an entrant are merged.

    Raises: ImpossibleFixed: if a group is larger than a table.
    """
    groups: list[set[int]] = []
    for names in field.fixed:
        joined = {field.index[name] for name in names}
        apart = [group for group in groups if not group & joined]
        joined.update(*(group for group in groups if group & joined))
        groups = [*apart, joined]
    if any(len(group) > field.table_size for group in groups):
        raise ImpossibleFixed
    return sorted((sorted(group) for group in groups), key=lambda group: (-len(group), group))


def seat_groups(groups: Sequence[Sequence[int]], count: int, size: int) -> list[list[int]]:
    """Return the first of `count` tables of a size, each with the groups that share it.

    Raises: ImpossibleFixed: if the groups need more tables.
    """
    tables: list[list[int]] = []
    for group in groups:
        if len(tables) < count:
            tables.append(list(group))
            continue
        table = next((table for table in tables if len(table) + len(group) <= size), None)
        if table is None:
            raise ImpossibleFixed
        table.extend(group)
    return tables
