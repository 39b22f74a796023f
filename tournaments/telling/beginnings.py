"""How it is found who begins a game, in words."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from tournaments.engine.rulesets import Ruleset
from tournaments.words import Text


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


def begins(rules: Ruleset) -> str:
    """How it is found who begins a game: a key of `BEGINNINGS`."""
    return BEGINS.get(rules.family, "starter")


def beginning_of(rules: Ruleset) -> Beginning:
    """The words for who begins a game."""
    return BEGINNINGS[begins(rules)]
