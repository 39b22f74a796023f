"""Families of games: under which one a game is chosen."""

from tournaments.engine.rulesets import Ruleset
from tournaments.family_words import NAMES, OTHER


def tile_of(rules: Ruleset) -> str:
    """Under which family a game is found."""
    return rules.family if rules.family in NAMES else OTHER


def tile_name(tile: str) -> str:
    """What stands on the tile of a family."""
    return str(NAMES[tile])
