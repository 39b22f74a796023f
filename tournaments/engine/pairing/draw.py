"""The seating of a round, by the Swiss rules of `docs/seating.md`."""

from tournaments.engine.pairing.byes import choose_byes, join_groups, seat_groups
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import Seating, describe, lot_of, playing_field
from tournaments.engine.pairing.twos import draw_twos


def draw_round(field: PairingField) -> Seating:
    """Seat the next round of a field with at least one table of entrants.

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
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
    from tournaments.engine.pairing.fours import draw_fours

    tables = draw_fours(field, out, random)
    names = [[field.entrants[place].id for place in table] for table in tables]
    return describe(field, playing, [[playing.index[n] for n in table] for table in names], byes)
