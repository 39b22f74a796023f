"""The seating of a round, by the Swiss rules of `docs/seating.md`."""

from collections.abc import Iterable, Iterator, Sequence
from random import Random

from tournaments.engine.pairing.annealing import table_cost
from tournaments.engine.pairing.byes import choose_byes, join_groups, seat_groups
from tournaments.engine.pairing.costs import SEATLESS
from tournaments.engine.pairing.field import PairingField, PlayedRound
from tournaments.engine.pairing.fours import draw_fours
from tournaments.engine.pairing.judging import Seating, describe, lot_of, playing_field
from tournaments.engine.pairing.lookahead import looks_ahead, trouble_after
from tournaments.engine.pairing.sharing import seat_tables
from tournaments.engine.pairing.twos import draw_twos

DRAFTS, SEATINGS = 4, 8

Groups = Sequence[Sequence[int]]
Tables = list[tuple[int, ...]]


def draw_round(field: PairingField) -> Seating:
    """Seat the next round of a field with at least one table of entrants.

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
    """
    random = lot_of(field)
    byes = [field.entrants[place].id for place in choose_byes(field, random)]
    playing = playing_field(field, byes)
    groups = join_groups(playing)
    seat_groups(groups, len(playing.entrants) // field.table_size, field.table_size)
    if field.table_size == 2:
        return describe(field, playing, draw_twos(playing, groups, random), byes)
    aside = [field.seats_taken[field.index[name]] for name in byes]
    tables = draw_fours(playing, groups, aside, random)
    if looks_ahead(field):
        drafts = _drafts(playing, groups, aside, tables, random)
        tables = _with_outlook(field, playing, byes, drafts, random)
    return describe(field, playing, tables, byes)


def _drafts(
    playing: PairingField, groups: Groups, aside: Groups, tables: Tables, random: Random
) -> Iterator[Tables]:
    """Yield the given tables and further draws, each with several seat orders."""
    yield tables
    for draft in range(DRAFTS):
        drawn = draw_fours(playing, groups, aside, random) if draft else tables
        for _ in range(SEATINGS):
            yield seat_tables(playing, drawn, aside, random)


def _with_outlook(
    field: PairingField,
    playing: PairingField,
    byes: Sequence[str],
    drafts: Iterable[Tables],
    random: Random,
) -> Tables:
    """Among the tables with the least cost before scores, choose by lookahead to the next round."""
    cost = table_cost(playing)
    best: tuple[int, int, Tables] | None = None
    for tables in drafts:
        hard = sum(map(cost, tables)) // SEATLESS
        if best and hard > best[0]:
            continue
        names = tuple(tuple(playing.entrants[place].id for place in table) for table in tables)
        trouble = trouble_after(field, PlayedRound(names, tuple(byes)), random)
        best = min(best or (hard, trouble, tables), (hard, trouble, tables))
        if not best[1]:
            break
    assert best is not None
    return best[2]
