"""What a program sends to start a game."""

from tests.deals import NAMES

HEAD = {"ruleset": "turkish-king", "players": list(NAMES)}
