"""Families of games: what they are called, and how it is found who begins."""

from collections.abc import Mapping
from dataclasses import dataclass

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


@dataclass(frozen=True)
class Beginning:
    """Who begins, beside a name before and after the game, as a question and in a sentence."""

    says: Text
    began: Text
    question: Text
    hint: Text


BEGINNINGS: Mapping[str, Beginning] = {
    "two-of-diamonds": Beginning(
        _("declares first"),
        _("declared first"),
        _("Who has the two of diamonds?"),
        _("Whoever holds the two of diamonds declares first."),
    ),
    "dealer": Beginning(
        _("deals first"),
        _("dealt first"),
        _("Who deals first?"),
        _("Draw by lot who deals first."),
    ),
    "starter": Beginning(
        _("begins"),
        _("began"),
        _("Who begins?"),
        _("Draw by lot who begins."),
    ),
}

BEGINS: Mapping[str, str] = {
    "turkish-king": "two-of-diamonds",
    "italian-king": "dealer",
    "krapet": "starter",
    "euchre": "dealer",
    "portuguese-king": "dealer",
    "barbu": "dealer",
}


def tile_of(rules: Ruleset) -> str:
    """Under which family a game is found."""
    return rules.family if rules.family in NAMES else OTHER


def tile_name(tile: str) -> str:
    """What stands on the tile of a family."""
    return str(NAMES[tile])


def family_name(family: str) -> str:
    """What a family is called, also one that has no tile of its own."""
    return str(NAMES[family]) if family in NAMES else ruleset_name(family)


def begins(rules: Ruleset) -> str:
    """How it is found who begins a game: a key of `BEGINNINGS`."""
    return BEGINS.get(rules.family, "starter")


def beginning_of(rules: Ruleset) -> Beginning:
    """The words for who begins a game."""
    return BEGINNINGS[begins(rules)]
