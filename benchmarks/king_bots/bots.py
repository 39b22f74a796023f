"""32 kinds of bots, four players of each."""

import json
import random
from pathlib import Path

import numpy as np

KINDS = 32
PLAYERS = 128
STRENGTHS = Path(__file__).with_name("strengths.json")


def kinds(seed: int = 6) -> np.ndarray:
    """The parameters of each kind of bot, a row each in the order of `thinking.SLIPS` and the rest.

    Some look at nothing but the trick before them, some try the cards in up to 20 worlds to the end
    of the deal; most do so only for some of their cards, and err now and then. The first, a
    beginner, errs in every third card.
    """
    chance = random.Random(seed)
    rows = [[330, 0, 0, 0, 0, -1]]
    for _ in range(KINDS - 1):
        slips = int(1000 * chance.betavariate(1, 9))
        attention = chance.choice((0, 300, 600, 1000))
        worlds, ahead = chance.choice((1, 3, 6, 12, 20)), chance.choice((1, 2, 3, 5, 13))
        rows.append([slips, attention, worlds, ahead, chance.randrange(2), 0])
        rows[-1][5] = chance.choice((0, 3, 8, 20))
    return np.array(rows)


def kind_of(player: int) -> int:
    """Which kind of bot a player is."""
    return player % KINDS


def strengths() -> list[float]:
    """Each player's mean points against the field, measured in games that are not in the set."""
    measured = json.loads(STRENGTHS.read_text())["points"]
    return [measured[kind_of(player)] for player in range(PLAYERS)]
