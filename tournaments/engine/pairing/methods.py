"""The named methods of seating a round, and those that can seat a whole evening at once."""

from collections.abc import Callable, Mapping
from dataclasses import replace

from tournaments.engine.pairing.circle import draw_circle
from tournaments.engine.pairing.draw import draw_round
from tournaments.engine.pairing.field import Entrant, PairingField, PlayedRound
from tournaments.engine.pairing.judging import Seating, describe, judge, lot_of, playing_field
from tournaments.engine.pairing.random_draw import draw_across, draw_neighbours, random_draw
from tournaments.engine.pairing.seats import seat_table

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
    return METHODS[method](field)


def schedule(field: PairingField, rounds: int, method: str) -> tuple[Seating, ...]:
    """Seat `rounds` rounds after those in `field.rounds` at once, as one schedule.

    Each round is judged after those before it.

    Raises:
        KeyError: if the method is not in `WHOLE_EVENING`, so that it needs scores.
        ImpossibleFixed, NoRoundRobin: as `seat_round`.
    """
    draw = {name: METHODS[name] for name in WHOLE_EVENING}[method]
    seatings: list[Seating] = []
    for left in range(rounds, 0, -1):
        seating = draw(replace(field, rounds_left=left))
        seatings.append(seating)
        field = replace(field, rounds=(*field.rounds, PlayedRound(seating.tables, seating.byes)))
    return tuple(seatings)


def draw_fixed(field: PairingField) -> Seating:
    """Seat the next round of a schedule without repeat meetings, whatever the scores.

    A plan continues only if this method drew the earlier rounds too. `field.rounds_left` is the
    number of rounds that the plan must still cover.

    Raises:
        ImpossibleFixed: if the fixed groups do not fit the tables.
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

    Raises:
        NoRoundRobin: at tables of four, if the number of entrants is not in `COMPLETE`.
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
    "random": random_draw,
    "rank-near": draw_neighbours,
    "rank-spread": draw_across,
    "round-robin": draw_round_robin,
    "fixed": draw_fixed,
}
"""The methods by name: by score without repeats, random, neighbours in the standings, across the
standings, round robin, and a schedule without repeats whatever the scores."""

WHOLE_EVENING = ("fixed", "round-robin", "random")
"""The methods that need no scores."""
