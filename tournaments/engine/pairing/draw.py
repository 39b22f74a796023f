"""The seating of a round, by the Swiss rules of `docs/seating.md`."""

from tournaments.engine.pairing.byes import choose_byes, join_groups, seat_groups
from tournaments.engine.pairing.field import Field
from tournaments.engine.pairing.fours import draw_fours
from tournaments.engine.pairing.judging import Seating, describe, lot_of, playing_field
from tournaments.engine.pairing.twos import draw_twos


def draw_round(field: Field) -> Seating:
    """Seat the next round of a field with at least one table of entrants.

    Raises:
        ImpossibleFixed: the fixed groups cannot all sit as they must.
    """
    random = lot_of(field)
    byes = [field.entrants[place].id for place in choose_byes(field, random)]
    playing = playing_field(field, byes)
    groups = join_groups(playing)
    seat_groups(groups, len(playing.entrants) // field.table_size, field.table_size)
    draw = draw_twos if field.table_size == 2 else draw_fours
    return describe(field, playing, draw(playing, groups, random), byes)
