"""Lookahead for small fields with byes: how a seating limits the next round.

In round 4 each player has one seat left, and in round 5 so do those who sat out. The rounds before
decide whether all of them can have it without repeats.
"""

from dataclasses import replace
from random import Random

from tournaments.engine.pairing.exact_cover import least_cover, likely_tables
from tournaments.engine.pairing.field import PairingField, PlayedRound
from tournaments.engine.pairing.seats import SEATS

NEXT_ROUNDS = range(4, 6)
LEAST, MOST = 22, 27
SAMPLES = 6
MOST_REPEATS = 1


def looks_ahead(field: PairingField) -> bool:
    """Return whether the next round can get stuck, and is small enough to search."""
    count = len(field.entrants)
    small = LEAST <= count <= MOST and count % SEATS > 0 and field.table_size == SEATS
    if field.fixed or field.score_before_seats:
        return False
    return small and field.rounds_left > 1 and field.number + 1 in NEXT_ROUNDS


def trouble_after(field: PairingField, played: PlayedRound, random: Random) -> int:
    """Return how badly the next round can be seated, summed over a sample of its byes."""
    after = replace(field, rounds=(*field.rounds, played), rounds_left=field.rounds_left - 1)
    ways = likely_tables(after, MOST_REPEATS)
    return sum(_trouble(after, ways, random) for _ in range(SAMPLES))


def _trouble(after: PairingField, ways: list[tuple[int, int]], random: Random) -> int:
    wanted = len(after.entrants) % SEATS
    fewest = sorted(
        range(len(after.entrants)),
        key=lambda place: (after.byes_had[place], after.entrants[place].score),
    )
    # This round changes the scores: any of the lower-placed may sit out next.
    free = sum(times == min(after.byes_had) for times in after.byes_had)
    out = random.sample(fewest[: max(wanted, free // 2)], wanted)
    playing = [place for place in range(len(after.entrants)) if place not in out]
    found = least_cover(ways, playing, MOST_REPEATS)
    return MOST_REPEATS + 1 if found is None else sum(cost for cost, _ in found)
