"""The seating of a round, by the Swiss rules of `docs/seating.md`."""

from dataclasses import dataclass, replace
from random import Random

from tournaments.engine.pairing.byes import choose_byes, join_groups, seat_groups
from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.fours import draw_fours
from tournaments.engine.pairing.quality import (
    Quality,
    Reason,
    measure,
    reasons,
    reasons_for_bye,
)
from tournaments.engine.pairing.twos import draw_twos


@dataclass(frozen=True, slots=True)
class Seating:
    """Who sits where, by ids in seat order, and who sits out; how good it is, and why."""

    tables: tuple[tuple[str, ...], ...]
    byes: tuple[str, ...]
    quality: Quality
    why: dict[str, tuple[Reason, ...]]
    seed: int


def draw_round(field: Field) -> Seating:
    """Seat the next round of a field with at least one table of entrants.

    Raises:
        ImpossibleFixed: the fixed groups cannot all sit as they must.
    """
    random = Random(f"{field.seed} {field.number}")  # noqa: S311 - a lot that can be drawn again
    out = choose_byes(field, random)
    byes = [field.entrants[place] for place in out]
    playing = replace(
        field,
        entrants=tuple(entrant for entrant in field.entrants if entrant not in byes),
        avoid=tuple(pair for pair in field.avoid if not {*pair} & {bye.id for bye in byes}),
    )
    groups = join_groups(playing)
    seat_groups(groups, len(playing.entrants) // field.table_size, field.table_size)
    draw = draw_twos if field.table_size == 2 else draw_fours
    tables = draw(playing, groups, random)
    why = {
        playing.entrants[place].id: tuple(reasons(playing, table, seat))
        for table in tables
        for seat, place in enumerate(table)
    }
    why |= {field.entrants[place].id: tuple(reasons_for_bye(field, place)) for place in out}
    names = tuple(tuple(playing.entrants[place].id for place in table) for table in tables)
    sat_out = tuple(bye.id for bye in byes)
    return Seating(names, sat_out, measure(playing, tables), why, field.seed)
