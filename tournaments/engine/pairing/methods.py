"""The ways to seat a round, by name, and those that can seat a whole evening at once."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tournaments.engine.pairing.circle import draw_circle
from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import Entrant, Field, PlayedRound
from tournaments.engine.pairing.judging import Seating, describe, judge, lot_of, playing_field
from tournaments.engine.pairing.lots import draw_across, draw_by_lot, draw_neighbours
from tournaments.engine.pairing.seats import seat_table

Method = Callable[[Field], Seating]


class NoRoundRobin(Exception):
    """So many cannot meet each other exactly once at tables of four; `sizes` are those who can."""

    def __init__(self, count: int) -> None:
        self.count, self.sizes = count, COMPLETE
        super().__init__(f"{count} entrants; {', '.join(map(str, COMPLETE))} would do")


GHOST = ""
"""No entrant has an empty id."""

COMPLETE = (4, 16, 28)
"""So many meet each other exactly once at tables of four."""


def seat_round(field: Field, method: str) -> Seating:
    """Seat the next round of a field with at least one table of entrants; see `METHODS`.

    Raises:
        KeyError: there is no such method.
        ImpossibleFixed: the fixed groups cannot all sit as they must.
        NoRoundRobin: so many cannot play one at tables of four.
    """
    return METHODS[method](field)


def schedule(field: Field, rounds: int, method: str) -> tuple[Seating, ...]:
    """Seat `rounds` rounds after those in `field.rounds` at once, so that they fit together.

    Each is judged as it stands after those before it.

    Raises:
        KeyError: the method is not one of `WHOLE_EVENING`: it needs the scores of the rounds.
        ImpossibleFixed, NoRoundRobin: as `seat_round`.
    """
    draw = {name: METHODS[name] for name in WHOLE_EVENING}[method]
    seatings: list[Seating] = []
    for left in range(rounds, 0, -1):
        seating = draw(replace(field, rounds_left=left))
        seatings.append(seating)
        field = replace(field, rounds=(*field.rounds, PlayedRound(seating.tables, seating.byes)))
    return tuple(seatings)


def draw_fixed(field: Field) -> Seating:
    """Seat the next round of a schedule without repeat meetings, whatever the scores.

    The rounds before must have been drawn so too for a plan to be kept. `field.rounds_left`
    says how far it must go.

    Raises:
        ImpossibleFixed: the fixed groups cannot all sit as they must.
    """
    if field.table_size == 2:
        return draw_circle(field)
    ghostly = _draw_with_ghost(field)
    if ghostly is not None:
        return ghostly
    seating = draw_round(field.level())
    return judge(field, seating.tables, seating.byes)


def draw_round_robin(field: Field) -> Seating:
    """Seat the next of the rounds in which each meets each other once.

    Raises:
        NoRoundRobin: at tables of four only the sizes of `COMPLETE` can.
    """
    if field.table_size == 2:
        return draw_circle(field)
    count = len(field.entrants)
    if count not in COMPLETE:
        raise NoRoundRobin(count)
    left = (count - 1) // 3 - len(field.rounds)
    return draw_fixed(replace(field, avoid=(), fixed=(), rounds_left=max(1, left)))


def _draw_with_ghost(field: Field) -> Seating | None:
    """Where one is missing to full tables: sit out with the ghost who makes them full.

    So a plan does for one entrant less, and nobody meets the ghost again either. None where
    that would not be fair.
    """
    if len(field.entrants) % 4 != 3 or any(len(played.byes) != 3 for played in field.rounds):
        return None
    rounds = tuple(PlayedRound((*played.tables, (*played.byes, GHOST))) for played in field.rounds)
    full = replace(field.level(), entrants=(*field.entrants, Entrant(GHOST)), rounds=rounds)
    tables = draw_round(full).tables
    out = next(table for table in tables if GHOST in table)
    byes = sorted((name for name in out if name != GHOST), key=field.index.__getitem__)
    had = field.byes_had
    fair = max(had[field.index[name]] for name in byes) == min(had)
    fixed = any(name in group for name in byes for group in field.fixed)
    if fixed or not fair:
        return None
    playing, random = playing_field(field, byes), lot_of(field)
    places = [[playing.index[name] for name in table] for table in tables if table != out]
    # The ghost's history has seats of those who sat out; here all have their own.
    seated = [seat_table(playing, table, random) for table in places]
    return describe(field, playing, seated, byes)


METHODS: Mapping[str, Method] = {
    "swiss": draw_round,
    "random": draw_by_lot,
    "rank-near": draw_neighbours,
    "rank-spread": draw_across,
    "round-robin": draw_round_robin,
    "fixed": draw_fixed,
}
"""By name: by score without repeats, by lot, neighbours in the standings, across the
standings, each against each, and a schedule without repeats whatever the scores."""

WHOLE_EVENING = ("fixed", "round-robin", "random")
"""The methods that need no scores."""
