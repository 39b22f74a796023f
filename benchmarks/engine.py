"""Whole games checked and scored on one core: `python benchmarks/engine.py`.

Each game of 20 deals goes the whole way: JSON text, reading, checking, scoring, result as
JSON text. The control, measured in turn with it, only reads and writes the same two texts.
"""

import json
import random
import statistics
import sys
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from tournaments.engine.records import parse_json, read_game, write_result

GAMES = 300
ROUNDS = 9
UNITS = {
    "no-tricks": ("tricks", 13),
    "no-hearts": ("hearts", 13),
    "no-men": ("men", 8),
    "no-queens": ("queens", 4),
    "heart-king": ("heart_king", 1),
    "last-two": ("last_two", 2),
    "trump": ("tricks", 13),
}
PENALTIES = list(UNITS)[:6]


def main() -> None:
    """Measure, and print a table."""
    chance = random.Random(20)
    texts = [json.dumps(draw_game(chance), ensure_ascii=False) for _ in range(GAMES)]
    results = [score(text) for text in texts]
    assert all(json.loads(result)["ended_by"] == "length" for result in results)
    pairs = list(zip(texts, results, strict=True))
    engine, control = [], []
    for _ in range(ROUNDS):
        engine.append(seconds(lambda: [score(text) for text, _ in pairs]))
        control.append(seconds(lambda: [repeat(*pair) for pair in pairs]))
    print(f"{GAMES} games of 20 deals, {ROUNDS} rounds, one core, games per second\n")
    print(f"{'':28}{'median':>10}{'slowest':>10}{'fastest':>10}")
    show("checked and scored", engine)
    show("control: JSON only", control)
    print(f"\ntimes the control: {statistics.median(engine) / statistics.median(control):.1f}")


def score(text: str) -> str:
    """A game record to its result."""
    return json.dumps(write_result(read_game(parse_json(text))))


def repeat(text: str, result: str) -> tuple[str, str]:
    """Both documents parsed and written again, and nothing else."""
    return json.dumps(json.loads(text)), json.dumps(json.loads(result))


def seconds(work: Callable[[], object]) -> float:
    """How long a piece of work takes this process, whatever else the machine does."""
    start = time.process_time()
    work()
    return time.process_time() - start


def show(name: str, times: list[float]) -> None:
    """A line of the table."""
    figures = (statistics.median(times), max(times), min(times))
    print(f"{name:28}" + "".join(f"{GAMES / figure:10,.0f}" for figure in figures))


def draw_game(chance: random.Random) -> dict[str, object]:
    """A whole game of Turkish King without a King, drawn by chance."""
    penalties = PENALTIES * 2
    chance.shuffle(penalties)
    kinds = [chance.sample(["penalty"] * 3 + ["trump"] * 2, 5) for _ in range(4)]
    contracts = [
        penalties.pop() if kinds[deal % 4][deal // 4] == "penalty" else "trump"
        for deal in range(20)
    ]
    return {
        "format": "kingscore-game/1",
        "ruleset": "turkish-king",
        "players": ["Ayşe", "Burak", "Cem", "Deniz"],
        "first_declarer": 0,
        "entries": [draw_deal(chance, number % 4, name) for number, name in enumerate(contracts)],
    }


def draw_deal(chance: random.Random, declarer: int, contract: str) -> dict[str, object]:
    """A deal in which no one takes everything, nor each a queen."""
    unit, units = UNITS[contract]
    counts = [0, 0, 0, 0]
    for taken in range(units):
        # The first two go to different seats, and so do not make a King; nor do four queens.
        counts[taken % 2 if taken < 4 else chance.randrange(4)] += 1
    chance.shuffle(counts)
    deal = {"type": "deal", "contract": contract, "declarer": declarer, "counts": {unit: counts}}
    return deal | ({"trump": "spades"} if contract == "trump" else {})


if __name__ == "__main__":
    main()
