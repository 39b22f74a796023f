"""Names of the families of games."""

from collections.abc import Mapping

from django.utils.translation import gettext_lazy as _

from tournaments.texts.labels import Text, ruleset_name

OTHER = "other"
NAMES: Mapping[str, Text] = {
    "turkish-king": _("King"),
    "italian-king": _("Italian King"),
    "krapet": _("Krapet"),
    "euchre": _("Euchre"),
    OTHER: _("Other games"),
}
"""Families with a tile of their own; all others share one."""


def family_name(family: str) -> str:
    """Return the name of a family, with or without a tile of its own."""
    return str(NAMES[family]) if family in NAMES else ruleset_name(family)
