"""Why neighbours in the standings sit at different tables, and what it would cost if not."""

from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, permutations

from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import Seating, spread_at

Tables = Sequence[Sequence[int]]


@dataclass(frozen=True, slots=True)
class Apart:
    """Why a neighbour in the standings sits elsewhere, and what it would cost to be together.

    `code` is `sits-out`, `locked` (a table stays), `avoided`, `met` (in `round`, the last time),
    `same-club`, `seat` (one used too often), or `others`: others would have to change tables. The
    costs are those of the best exchange of two: further `repeats` and pairs of one club, and how
    much further scores are apart at the two tables together.
    """

    other: str
    rank: int
    code: str
    round: int = 0
    repeats: int = 0
    same_club: int = 0
    spread: Fraction = Fraction(0)


def apart_from_neighbours(
    field: PairingField, seating: Seating, locked: AbstractSet[str] = frozenset()
) -> dict[str, tuple[Apart, ...]]:
    """Return for everybody at a table which neighbours in the standings sit elsewhere, and why.

    The neighbours are as many as share a table: the next ones with more points or as many, and
    below the leaders the next ones with fewer. Those at `locked` tables do not change.
    """
    # Only a page of a proposal needs it.
    from tournaments.engine.pairing.search import costs_of

    tables = [tuple(field.index[name] for name in table) for table in seating.tables]
    home = {place: at for at, table in enumerate(tables) for place in table}
    wanted = list(_neighbours(field, tables, home))
    ways = {
        pair: list(_together(tables, home, *pair)) if pair[1] in home else [] for pair in wanted
    }
    tried = [table for exchanged in ways.values() for two in exchanged for table in two]
    costs = iter(costs_of(field, [*tables, *tried]))
    before = [next(costs) for _ in tables]
    met = {
        pair: number
        for number, played in enumerate(field.rounds, 1)
        for table in played.tables
        for pair in permutations(table, 2)
    }
    avoided = {pair for two in field.avoid for pair in permutations(two)}
    found: dict[str, list[Apart]] = {name: [] for table in seating.tables for name in table}
    for one, other in wanted:
        mine, theirs = field.entrants[one], field.entrants[other]
        here = found[mine.id]
        if other not in home:
            here.append(Apart(theirs.id, field.ranks[other], "sits-out"))
            continue
        stood = (tables[home[one]], tables[home[other]])
        prices = [next(costs) + next(costs) for _ in ways[one, other]]
        cost = min(prices)
        best = ways[one, other][prices.index(cost)]
        after, now = _figures(field, best), _figures(field, stood)
        repeats, clubs, spread = after[0] - now[0], after[1] - now[1], after[2] - now[2]
        last = met.get((mine.id, theirs.id), 0)
        if not locked.isdisjoint((mine.id, theirs.id)):
            code = "locked"
        elif (mine.id, theirs.id) in avoided:
            code = "avoided"
        elif last:
            code = "met"
        elif field.separate_clubs and mine.club and mine.club == theirs.club:
            code = "same-club"
        elif (
            max(repeats, clubs) <= 0
            and spread <= 0
            and cost > before[home[one]] + before[home[other]]
        ):
            code = "seat"
        else:
            code = "others"
        here.append(Apart(theirs.id, field.ranks[other], code, last, repeats, clubs, spread))
    return {name: tuple(here) for name, here in found.items()}


def _neighbours(
    field: PairingField, tables: Tables, home: Mapping[int, int]
) -> Iterator[tuple[int, int]]:
    """Yield everybody at a table with those next to them in score who sit elsewhere."""
    # Many fractions take long to compare.
    scores = [float(entrant.score) for entrant in field.entrants]
    # Who sits out comes first among equals.
    order = sorted(range(len(scores)), key=lambda at: (-scores[at], home.get(at, -1)))
    group = {score: at for at, score in reversed(list(enumerate(scores[at] for at in order)))}
    below = {score: at for at, score in enumerate((scores[at] for at in order), 1)}
    few = field.table_size - 1
    for at, one in enumerate(order):
        if one not in home:
            continue
        first, last, mates = group[scores[one]], below[scores[one]], tables[home[one]]
        near = [*order[max(0, first - few) : first], *order[max(first, at - few) : at]]
        near += [*order[at + 1 : at + 1 + few], *order[last : last + few], *mates]
        # Of equals, those at the same table come first.
        by_distance = sorted(
            (
                scores[other] < scores[one],
                abs(scores[other] - scores[one]),
                other not in mates,
                other,
            )
            for other in {*near} - {one}
        )
        nearest = [other for *_distance, other in by_distance[:few]]
        yield from ((one, other) for other in nearest if other not in mates)


def _figures(field: PairingField, tables: Tables) -> tuple[int, int, Fraction]:
    """Return the repeats and the pairs of one club at tables, and the sum of their spreads."""
    pairs = [pair for table in tables for pair in combinations(sorted(table), 2)]
    clubs = [(field.entrants[one].club, field.entrants[other].club) for one, other in pairs]
    repeats = sum(field.meetings[pair] for pair in pairs)
    return (
        repeats,
        sum(bool(one) and one == other for one, other in clubs),
        len(tables) * spread_at(field, tables),
    )


def _together(
    tables: Sequence[tuple[int, ...]], home: Mapping[int, int], one: int, other: int
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """Yield the two tables after each exchange of two that brings two entrants together."""
    here, there = tables[home[one]], tables[home[other]]
    for mine in here:
        for theirs in there:
            if (mine == one) != (theirs == other):
                yield (
                    tuple(theirs if place == mine else place for place in here),
                    tuple(mine if place == theirs else place for place in there),
                )
