"""Make the games again: `python -m benchmarks.king_bots.generate` (some ten minutes).

    --evenings 100      of 40 players, 5 rounds, 10 tables: `games.txt.gz`
    --measure 20000     other games, between random kinds, to know their strengths: `strengths.json`

With 0 evenings and 0 to measure it only lets the engine check the games that are kept. Each game
has random numbers of its own, made from `--seed` and its number. `uv sync --group experiments`
brings numba, without which it takes days.
"""

import argparse
import json
import random
from collections.abc import Iterator

import numpy as np

from benchmarks.king_bots.bots import KINDS, PLAYERS, STRENGTHS, kind_of, kinds
from benchmarks.king_bots.playing import play_game
from benchmarks.king_bots.sheets import Sheet, keep, kept, record_of
from tournaments.engine.documents.games import read_game, write_result

AT_TABLES = 40
ROUNDS = 5


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("--seed", type=int, default=2026)
    words.add_argument("--evenings", type=int, default=100)
    words.add_argument("--measure", type=int, default=20_000)
    given = words.parse_args()
    if given.evenings:
        keep(season(given.seed, given.evenings))
    print(f"{check():,} games, each found whole and legal by the engine")
    if given.measure:
        measure(given.seed, given.measure)


def season(seed: int, evenings: int) -> Iterator[Sheet]:
    """All games of all evenings."""
    chance = random.Random(seed)
    zeal = [chance.lognormvariate(0, 0.8) for _ in range(PLAYERS)]
    # A third come for the first time later on.
    since = [chance.randrange(evenings) if p % 3 == 0 else 0 for p in range(PLAYERS)]
    for evening in range(evenings):
        here = [p for p in range(PLAYERS) if since[p] <= evening]
        here.sort(key=lambda p: chance.random() ** (1 / zeal[p]), reverse=True)
        yield from play_evening(seed, chance, evening, here[:AT_TABLES])


def play_evening(
    seed: int, chance: random.Random, evening: int, players: list[int]
) -> Iterator[Sheet]:
    """Two rounds by lot, then those with like points together."""
    points = dict.fromkeys(players, 0)
    for number in range(ROUNDS):
        chance.shuffle(players)
        if number >= 2:
            players.sort(key=lambda player: -points[player])
        for table in range(len(players) // 4):
            seats = players[4 * table : 4 * table + 4]
            chance.shuffle(seats)
            deals = play(f"{seed} {evening} {number} {table}", [kind_of(p) for p in seats])
            sheet = Sheet(evening, number, tuple(seats), deals)
            for player, own in zip(seats, sheet.totals, strict=True):
                points[player] += own
            yield sheet


def play(lot: str, seats: list[int]) -> tuple[tuple[int, ...], ...]:
    """The deals of a game between these kinds of bots."""
    chance = random.Random(lot)
    rng = np.array([chance.randrange(1, 2147483563), chance.randrange(1, 2147483399)])
    rows = play_game(kinds()[seats], 0, rng)
    return tuple(tuple(int(number) for number in row) for row in rows)


def check() -> int:
    """Return the number of games; the engine accepts each one and computes the same sums."""
    sheets = list(kept())
    for sheet in sheets:
        result = write_result(read_game(record_of(sheet)))
        assert result["finished"]
        assert result["totals"] == sheet.totals
        assert result["ranks"] == sheet.ranks
    return len(sheets)


def measure(seed: int, games: int) -> None:
    """Each kind's mean points against the field, by least squares, and its standard error.

    Also what each seat is worth, the first declarer first.
    """
    chance = random.Random(seed + 1)
    squares, sums, rest = np.zeros((KINDS, KINDS)), np.zeros(KINDS), 0.0
    by_seat, shown_by_seat = np.zeros(4), np.zeros((4, KINDS))
    for number in range(games):
        seats = chance.sample(range(KINDS), 4)
        totals = np.array(Sheet(0, 0, tuple(seats), play(f"{seed} m {number}", seats)).totals)
        totals = totals - totals.mean()
        # What a seat shows is its strength less the mean strength at the table.
        shown = np.zeros((4, KINDS))
        shown[range(4), seats] = 1
        shown -= shown.mean(axis=0)
        squares += shown.T @ shown
        sums += shown.T @ totals
        rest += totals @ totals
        by_seat += totals
        shown_by_seat += shown
    points = np.linalg.pinv(squares) @ sums
    luck = np.sqrt((rest - points @ sums) / (3 * games))
    errors = luck * np.sqrt(np.diag(np.linalg.pinv(squares)))
    seats = (by_seat - shown_by_seat @ points) / games
    STRENGTHS.write_text(
        json.dumps(
            {
                "games": games,
                "luck": round(float(luck), 1),
                "points": [round(float(own), 1) for own in points],
                "errors": [round(float(own), 1) for own in errors],
                "seats": [round(float(own), 1) for own in seats],
                "seat_error": round(float(luck * np.sqrt(3 / 4 / games)), 1),
            }
        )
        + "\n"
    )


if __name__ == "__main__":
    main()
