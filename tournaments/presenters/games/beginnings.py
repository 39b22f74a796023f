"""Texts for choosing the player who begins a game."""

from collections.abc import Mapping
from dataclasses import dataclass

from django.utils.translation import gettext_lazy as _

from tournaments.engine.rules.rulesets import Ruleset
from tournaments.texts.labels import Text


@dataclass(frozen=True)
class Beginning:
    """Texts for the first player: beside a name before and after the game, question, sentence."""

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
    "two-of-diamonds-leads": Beginning(
        _("leads first"),
        _("led first"),
        _("Who has the two of diamonds?"),
        _("Whoever holds the two of diamonds leads first."),
    ),
    "declarer": Beginning(
        _("declares first"),
        _("declared first"),
        _("Who declares first?"),
        _("Draw by lot who declares first."),
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
    "turkish-king-double": "two-of-diamonds-leads",
    "italian-king": "dealer",
    "krapet": "starter",
    "euchre": "dealer",
    "portuguese-king": "dealer",
    "barbu": "declarer",
}
"""The key in `BEGINNINGS` by ruleset, or else by family; other games have a starter."""


def begins(rules: Ruleset) -> str:
    """Return the key in `BEGINNINGS` for how the first player is chosen."""
    return BEGINS.get(rules.id) or BEGINS.get(rules.family, "starter")


def beginning_of(rules: Ruleset) -> Beginning:
    return BEGINNINGS[begins(rules)]
