"""Whole games checked and scored on one core, beside reading and writing their JSON only.

Each game of 20 deals goes the whole way: JSON text, reading, checking, scoring, result as
JSON text. The control, measured in turn with it, only reads and writes the same two texts.
"""

import json
import random
from collections.abc import Iterable, Iterator
from functools import partial
from math import log
from statistics import median

from benchmarks.figures import Figure, in_turn
from tournaments.engine.documents.games import parse_json, read_game, write_result
from tournaments.engine.play.most_probable import ReadRow, most_probable
from tournaments.engine.variants import RULESETS

SIZES = {
    "tiny": {"games": 3, "times": 1},
    "usual": {"games": 300, "times": 9},
    "full": {"games": 1000, "times": 15},
}
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


def measure(games: int, times: int) -> Iterator[Figure]:
    chance = random.Random(20)
    texts = [json.dumps(draw_game(chance), ensure_ascii=False) for _ in range(games)]
    results = [score(text) for text in texts]
    assert all(json.loads(result)["ended_by"] == "length" for result in results)
    pairs = list(zip(texts, results, strict=True))
    works = {
        "scored": lambda: [score(text) for text, _ in pairs],
        "JSON": lambda: [repeat(*pair) for pair in pairs],
    }
    taken = in_turn(works, times)
    scored, control = (median(one.used for one in taken[name]) / games for name in works)
    what = "a game of 20 deals, none like one before, checked and scored"
    yield Figure(what, scored, "ms of CPU", "JSON only", control)
    ruleset, sheet = RULESETS["turkish-king"], partial(draw_sheet, chance)
    works = {
        "unsure": lambda: most_probable(ruleset, sheet(0.1)),
        "sure": lambda: most_probable(ruleset, sheet(0.0001)),
    }
    taken = in_turn(works, times)
    unsure, sure = (median(one.used for one in taken[name]) for name in works)
    what = "a paper sheet of 20 deals, each cell unsure, read by the rules"
    yield Figure(what, unsure, "ms of CPU", "each cell sure", sure)


def draw_sheet(chance: random.Random, doubt: float) -> list[ReadRow]:
    """A game as a program may read it from paper."""
    game = read_game(draw_game(chance)).game
    assert game is not None
    rows = [(played.contract.id, *(played.deal.counts or {}).values()) for played in game.deals]

    def look(classes: Iterable[object], right: object) -> list[float]:
        return [log(doubt * chance.random() + 0.5 * (one == right)) for one in classes]

    return [
        ReadRow(
            dict(zip(UNITS, look(UNITS, contract), strict=True)),
            [look(range(14), count) for count in counts],
        )
        for contract, counts in rows
    ]


def score(text: str) -> str:
    """A game record to its result."""
    return json.dumps(write_result(read_game(parse_json(text))))


def repeat(text: str, result: str) -> tuple[str, str]:
    """Both documents parsed and written again, and nothing else."""
    return json.dumps(json.loads(text)), json.dumps(json.loads(result))


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
