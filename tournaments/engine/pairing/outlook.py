"""Small fields with byes: what a seating leaves for the next round.

Each has one seat left in round 4, and in round 5 whoever sat out: whether they can all have it
without meeting again is settled before.
"""

from dataclasses import replace
from random import Random

from tournaments.engine.pairing.covers import least_cover, likely_tables
from tournaments.engine.pairing.field import Field, PlayedRound
from tournaments.engine.pairing.seats import SEATS

NEXT_ROUNDS = range(4, 6)
LEAST, MOST = 22, 27
SAMPLES = 6
MOST_REPEATS = 1


def looks_ahead(field: Field) -> bool:
    """Whether the next round can be got stuck in, and is small enough to be looked at."""
    count = len(field.entrants)
    small = LEAST <= count <= MOST and count % SEATS > 0 and field.table_size == SEATS
    return small and field.rounds_left > 1 and field.number + 1 in NEXT_ROUNDS and not field.fixed


def trouble_after(field: Field, played: PlayedRound, random: Random) -> int:
    """How badly the next round can be seated, over some of those who may sit out in it."""
    after = replace(field, rounds=(*field.rounds, played), rounds_left=field.rounds_left - 1)
    ways = likely_tables(after, MOST_REPEATS)
    return sum(_trouble(after, ways, random) for _ in range(SAMPLES))


def _trouble(after: Field, ways: list[tuple[int, int]], random: Random) -> int:
    wanted = len(after.entrants) % SEATS
    fewest = sorted(
        range(len(after.entrants)),
        key=lambda place: (after.byes_had[place], after.entrants[place].score),
    )
    # The round to come changes the scores: anybody of the lower ones may sit out then.
    free = sum(times == min(after.byes_had) for times in after.byes_had)
    out = random.sample(fewest[: max(wanted, free // 2)], wanted)
    playing = [place for place in range(len(after.entrants)) if place not in out]
    found = least_cover(ways, playing, MOST_REPEATS)
    return MOST_REPEATS + 1 if found is None else sum(cost for cost, _ in found)
