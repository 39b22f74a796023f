"""Families of games: what they are called."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from tournaments.engine.rulesets import Ruleset
from tournaments.words import Text, ruleset_name

OTHER = "other"
NAMES: Mapping[str, Text] = {
    "turkish-king": _("King"),
    "italian-king": _("Italian King"),
    "krapet": _("Krapet"),
    "euchre": _("Euchre"),
    OTHER: _("Other games"),
}
"""Families to choose from by themselves; all others stand together."""


def tile_of(rules: Ruleset) -> str:
    """Under which family a game is found."""
    return rules.family if rules.family in NAMES else OTHER


def tile_name(tile: str) -> str:
    """What stands on the tile of a family."""
    return str(NAMES[tile])


def family_name(family: str) -> str:
    """What a family is called, also one that has no tile of its own."""
    return str(NAMES[family]) if family in NAMES else ruleset_name(family)
