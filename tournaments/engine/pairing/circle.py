"""Round robins at tables of two, by the circle method."""

from collections.abc import Sequence
from dataclasses import replace
from random import Random

from tournaments.engine.pairing.byes import choose_byes
from tournaments.engine.pairing.field import PairingField
from tournaments.engine.pairing.judging import Seating, describe, lot_of, playing_field
from tournaments.engine.pairing.seats import seat_table
from tournaments.engine.pairing.twos import draw_twos

Pairs = Sequence[Sequence[int]]


def draw_circle(field: PairingField) -> Seating:
    """Seat the next round so that nobody meets again before all have met.

    The order depends on the seed and the entrants alone. If entrants have come or gone and the
    circle would repeat a pair, or give a bye out of turn, a matching with the fewest repeats
    replaces it. Fixed pairs and pairs to avoid have no effect: all meet.
    """
    random = lot_of(field)
    free = replace(field, avoid=(), fixed=())
    byes, circle = _turn(free)
    seating = _seat(field, byes, circle, random)
    turns = [field.bye_turn(place)[:2] for place in range(len(field.entrants))]
    in_turn = all(turns[field.index[name]] == min(turns) for name in byes)
    in_turn = in_turn or field.absence_counts
    if in_turn and not seating.quality.repeat_meetings:
        return seating
    level = free.level()
    out = [field.entrants[place].id for place in choose_byes(level, random)]
    matched = draw_twos(playing_field(level, out), (), random)
    other = _seat(field, out, matched, random)
    if not in_turn:
        return other
    return min(seating, other, key=lambda each: each.quality.repeat_meetings)


def circle_rounds(count: int) -> list[list[tuple[int, int]]]:
    """Return the rounds in which `count` players all meet once; the odd one out is left out."""
    even = count + count % 2
    rounds = []
    for step in range(even - 1):
        line = [even - 1, *((step + at) % (even - 1) for at in range(even - 1))]
        pairs = zip(line[: even // 2], reversed(line[even // 2 :]), strict=True)
        rounds.append([(one, other) for one, other in pairs if max(one, other) < count])
    return rounds


def _turn(field: PairingField) -> tuple[list[str], list[tuple[int, int]]]:
    """The bye, if any, and the pairs of this round, as places among the others."""
    names = sorted(field.index)
    Random(str(field.seed)).shuffle(names)  # noqa: S311 - reproducible, not for secrets
    rounds = circle_rounds(len(names))
    pairs = [(names[one], names[other]) for one, other in rounds[len(field.rounds) % len(rounds)]]
    met = {name for pair in pairs for name in pair}
    byes = [name for name in field.index if name not in met]
    index = playing_field(field, byes).index
    return byes, [(index[one], index[other]) for one, other in pairs]


def _seat(field: PairingField, byes: Sequence[str], pairs: Pairs, random: Random) -> Seating:
    playing = playing_field(field, byes)
    return describe(field, playing, [seat_table(playing, pair, random) for pair in pairs], byes)
