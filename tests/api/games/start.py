"""Bodies that start a game."""

from tests.deals import NAMES

HEAD = {"ruleset": "turkish-king", "players": list(NAMES)}
