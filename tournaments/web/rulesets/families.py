"""Families of games, by which a game is chosen."""

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.texts.labels import NAMES, OTHER


def tile_of(rules: Ruleset) -> str:
    return rules.family if rules.family in NAMES else OTHER


def tile_name(tile: str) -> str:
    return str(NAMES[tile])
