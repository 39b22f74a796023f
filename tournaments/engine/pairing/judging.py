"""How good a seating is, whether it is valid, and why it is as it is."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import chain, combinations
from random import Random

from tournaments.engine.pairing.field import PairingField, same_club_pairs

Tables = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Quality:
    """The figures of a seating, as in `docs/records.md` §2."""

    repeat_meetings: int
    repeat_bound: int
    score_spread: Fraction
    seat_imbalance: int
    avoided_met: int
    same_club: int
    fixed_parted: int = 0
    """The fixed groups that do not share a table, which happens only by a director's change."""


@dataclass(frozen=True, slots=True)
class SeatingReason:
    """One reason for a table or a bye, as a code with its parameters."""

    code: str
    params: Mapping[str, int]


def measure(field: PairingField, tables: Tables) -> Quality:
    """Return the quality of a seating; `tables` are places in `field.entrants`, in seat order."""
    pairs = {pair for table in tables for pair in combinations(sorted(table), 2)}
    avoided = {tuple(sorted(field.index[name] for name in two)) for two in field.avoid}
    together = [{field.entrants[place].id for place in table} for table in tables]
    taken = [list(times) for times in field.seats_taken]
    for table in tables:
        for seat, place in enumerate(table):
            taken[place][seat] += 1
    return Quality(
        repeat_meetings=sum(field.meetings[pair] for pair in pairs),
        repeat_bound=repeat_bound(field, [place for table in tables for place in table]),
        score_spread=spread_at(field, tables),
        seat_imbalance=max((max(times) - min(times) for times in taken), default=0),
        avoided_met=len(pairs & avoided),
        same_club=len(pairs & set(same_club_pairs(field))),
        fixed_parted=sum(
            not any(here.issuperset(group) for here in together) for group in field.fixed
        ),
    )


def rounds_without_repeats(entrants: int, table_size: int) -> int:
    """Return a bound for the rounds in which nobody needs to meet anybody twice."""
    tables, byes = divmod(entrants, table_size)
    # A table of the second round takes one from each of the first, and else those who had a bye.
    if tables * (table_size - tables) > byes:
        return 1
    return (entrants - 1) // (table_size - 1)


def repeat_bound(field: PairingField, playing: Sequence[int]) -> int:
    """Return a lower bound for repeats: some players have too few left whom they have not met."""
    met: dict[int, list[int]] = {place: [] for place in playing}
    for (one, other), times in field.meetings.items():
        if one in met and other in met:
            met[one].append(times)
            met[other].append(times)
    ends = 0
    for often in met.values():
        again = field.table_size - 1 - (len(playing) - 1 - len(often))
        ends += sum(sorted(often)[: max(0, again)])
    # Each meeting was counted from both sides.
    return -(-ends // 2)


def least_spread(field: PairingField, playing: Collection[str]) -> Fraction:
    """Return a lower bound for the spread: that of plain neighbours in the standings."""
    scores = sorted(entrant.score for entrant in field.entrants if entrant.id in playing)
    size = field.table_size
    widths = [
        Fraction(scores[at + size - 1] - scores[at])
        for at in range(0, len(scores) - size + 1, size)
    ]
    return sum(widths, Fraction(0)) / max(1, len(widths))


def leaders_apart(field: PairingField, tables: Sequence[Sequence[str]]) -> bool:
    """Return whether the leaders in score, as many as a table has, sit at several tables."""
    scores = {entrant.id: entrant.score for entrant in field.entrants}
    here = [sorted((scores[name] for name in table), reverse=True) for table in tables]
    return bool(here) and sorted(chain(*here), reverse=True)[: field.table_size] not in here


def reasons(field: PairingField, table: Sequence[int], seat: int) -> Iterator[SeatingReason]:
    """Yield the reasons why the entrant at a seat of a table sits there."""
    place = table[seat]
    here = {field.entrants[other].id for other in table}
    groups = (group for group in field.fixed if field.entrants[place].id in group)
    fixed = next((group for group in groups if here.issuperset(group)), None)
    if fixed:
        yield SeatingReason("fixed", {"with": len(fixed) - 1})
    yield SeatingReason("score-group", {"rank": field.ranks[place]})
    others = [other for other in table if other != place]
    again = [field.meetings[min(place, other), max(place, other)] for other in others]
    if any(again):
        yield SeatingReason("met-before", {"players": sum(map(bool, again)), "times": sum(again)})
    else:
        yield SeatingReason("not-met", {"tables": len(field.rounds)})
    yield SeatingReason("seat", {"seat": seat, "times": field.seats_taken[place][seat]})


def reasons_for_bye(field: PairingField, place: int) -> Iterator[SeatingReason]:
    had, there = field.byes_had[place], field.rounds_there[place]
    yield SeatingReason("fewest-byes", {"byes": had, "rounds": there})
    *turn, score = field.bye_turn(place)
    others = map(field.bye_turn, range(len(field.entrants)))
    lower = sum(least < score for *same, least in others if same == turn)
    yield SeatingReason("lowest-score", {"lower": lower})


def spread_at(field: PairingField, tables: Tables) -> Fraction:
    """Return the mean over tables of the highest less the lowest score."""
    widths = []
    for table in tables:
        scores = [field.entrants[place].score for place in table]
        widths.append(Fraction(max(scores) - min(scores)))
    return sum(widths, Fraction(0)) / max(1, len(widths))


@dataclass(frozen=True, slots=True)
class Seating:
    """Tables as ids in seat order, and the byes, with quality and reasons."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    quality: Quality
    why: dict[str, tuple[SeatingReason, ...]]
    seed: int


@dataclass(frozen=True, slots=True)
class SeatingFault:
    """One reason why tables and byes are no valid seating.

    `code` is `unseated`, `seated-twice` or `unknown` (with the id as `entrant`), or `odd-table`
    (with the `table` from 0, `expected` and `got`).
    """

    code: str
    params: Mapping[str, str | int] = field(default_factory=dict)


class InvalidSeating(Exception):
    """Tables and byes with entrants unseated or seated twice, or with tables that are not full."""

    def __init__(self, faults: Iterable[SeatingFault]) -> None:
        self.faults = tuple(faults)
        super().__init__(", ".join(f"{fault.code} {dict(fault.params)}" for fault in self.faults))


def judge(field: PairingField, tables: Sequence[Sequence[str]], byes: Sequence[str]) -> Seating:
    """Return the quality and the reasons of a seating; ids in seat order for each table.

    There may be any number of byes.

    Raises: InvalidSeating: with every fault.
    """
    unseated = field.index.keys() - {*chain(*tables), *byes}
    faults = [
        *check_tables(field, tables, byes),
        *(SeatingFault("unseated", {"entrant": name}) for name in field.index if name in unseated),
    ]
    if faults:
        raise InvalidSeating(faults)
    playing = playing_field(field, byes)
    places = [tuple(playing.index[name] for name in table) for table in tables]
    return describe(field, playing, places, byes)


def lot_of(field: PairingField) -> Random:
    """Return the random generator of a round, always with the same seed."""
    return Random(f"{field.seed} {field.number}")  # noqa: S311 - not for secrets


def playing_field(field: PairingField, byes: Iterable[str]) -> PairingField:
    """Return the field of those who play, with its groups."""
    return replace(field.without(frozenset(byes)), fixed=field.fixed)


def describe(
    field: PairingField, playing: PairingField, tables: Sequence[Sequence[int]], byes: Iterable[str]
) -> Seating:
    """Return the seating of `tables`, as places in `playing.entrants`; `byes` are ids."""
    why = {
        playing.entrants[place].id: tuple(reasons(playing, table, seat))
        for table in tables
        for seat, place in enumerate(table)
    }
    out = tuple(byes)
    why |= {name: tuple(reasons_for_bye(field, field.index[name])) for name in out}
    names = tuple(tuple(playing.entrants[place].id for place in table) for table in tables)
    places = [[field.index[name] for name in table] for table in names]
    return Seating(names, out, measure(field, places), why, field.seed)


def check_tables(
    field: PairingField, tables: Sequence[Sequence[str]], byes: Sequence[str] = ()
) -> list[SeatingFault]:
    seated = Counter([*chain(*tables), *byes])
    size = field.table_size
    return [
        *(
            SeatingFault("odd-table", {"table": number, "expected": size, "got": len(table)})
            for number, table in enumerate(tables)
            if len(table) != size
        ),
        *(SeatingFault("unknown", {"entrant": name}) for name in seated if name not in field.index),
        *(SeatingFault("seated-twice", {"entrant": name}) for name in seated if seated[name] > 1),
    ]
