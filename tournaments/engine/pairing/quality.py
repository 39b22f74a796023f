"""How good a seating is, and why everybody sits where they sit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations

from tournaments.engine.pairing.costs import same_club_pairs
from tournaments.engine.pairing.field import Field

Tables = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Quality:
    """What can be counted of a seating, as `docs/records.md` §2 has it."""

    repeat_meetings: int
    repeat_bound: int
    score_spread: Fraction
    seat_imbalance: int
    avoided_met: int
    same_club: int
    fixed_parted: int = 0
    """Groups that are to share a table and do not, as only a director's hand can do it."""


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason for a table, as a code with its parameters."""

    code: str
    params: Mapping[str, int]


def measure(field: Field, tables: Tables) -> Quality:
    """How good a seating is; `tables` are places in `field.entrants`, in seat order."""
    pairs = {pair for table in tables for pair in combinations(sorted(table), 2)}
    avoided = {tuple(sorted(field.index[name] for name in two)) for two in field.avoid}
    return Quality(
        repeat_meetings=sum(field.meetings[pair] for pair in pairs),
        repeat_bound=repeat_bound(field, [place for table in tables for place in table]),
        score_spread=_spread(field, tables),
        seat_imbalance=_imbalance(field, tables),
        avoided_met=len(pairs & avoided),
        same_club=len(pairs & set(same_club_pairs(field))),
        fixed_parted=_parted(field, tables),
    )


def repeat_bound(field: Field, playing: Sequence[int]) -> int:
    """So many meetings must be repeats: some have too few left whom they have not met."""
    met: dict[int, list[int]] = {place: [] for place in playing}
    for (one, other), times in field.meetings.items():
        if one in met and other in met:
            met[one].append(times)
            met[other].append(times)
    ends = 0
    for often in met.values():
        again = field.table_size - 1 - (len(playing) - 1 - len(often))
        ends += sum(sorted(often)[: max(0, again)])
    # Each meeting was counted from both its ends.
    return -(-ends // 2)


def reasons(field: Field, table: Sequence[int], seat: int) -> Iterator[Reason]:
    """Why the one at a seat of a table sits there."""
    place = table[seat]
    here = {field.entrants[other].id for other in table}
    groups = (group for group in field.fixed if field.entrants[place].id in group)
    fixed = next((group for group in groups if here.issuperset(group)), None)
    if fixed:
        yield Reason("fixed", {"with": len(fixed) - 1})
    yield Reason("score-group", {"rank": field.ranks[place]})
    others = [other for other in table if other != place]
    again = [field.meetings[min(place, other), max(place, other)] for other in others]
    if any(again):
        yield Reason("met-before", {"players": sum(map(bool, again)), "times": sum(again)})
    else:
        yield Reason("not-met", {"tables": len(field.rounds)})
    yield Reason("seat", {"seat": seat, "times": field.seats_taken[place][seat]})


def reasons_for_bye(field: Field, place: int) -> Iterator[Reason]:
    """Why somebody sits out."""
    had, score = field.byes_had[place], field.entrants[place].score
    yield Reason("fewest-byes", {"byes": had})
    lower = sum(
        other.score < score
        for other, times in zip(field.entrants, field.byes_had, strict=True)
        if times == had
    )
    yield Reason("lowest-score", {"lower": lower})


def _spread(field: Field, tables: Tables) -> Fraction:
    widths = []
    for table in tables:
        scores = [field.entrants[place].score for place in table]
        widths.append(Fraction(max(scores) - min(scores)))
    return sum(widths, Fraction(0)) / max(1, len(widths))


def _parted(field: Field, tables: Tables) -> int:
    together = [{field.entrants[place].id for place in table} for table in tables]
    return sum(not any(here.issuperset(group) for here in together) for group in field.fixed)


def _imbalance(field: Field, tables: Tables) -> int:
    taken = [list(times) for times in field.seats_taken]
    for table in tables:
        for seat, place in enumerate(table):
            taken[place][seat] += 1
    return max((max(times) - min(times) for times in taken), default=0)
