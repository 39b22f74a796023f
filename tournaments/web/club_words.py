"""What roles and settings of a club are called."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.models import Confirmations
from tournaments.models.clubs import Role

Text = str | Promise

ROLES: Mapping[str, Text] = {
    Role.OWNER: pgettext_lazy("of a club", "owner"),
    Role.DIRECTOR: pgettext_lazy("of a club", "director"),
    Role.MEMBER: pgettext_lazy("of a club", "member"),
}

MAY: Mapping[str, Text] = {
    Role.OWNER: _("everything, also roles and settings"),
    Role.DIRECTOR: _("evenings, players and results; invites members"),
    Role.MEMBER: _("sees evenings, sheets and players"),
}

CONFIRMATIONS: Mapping[str, Text] = {
    Confirmations.NONE: _("nobody"),
    Confirmations.TWO: _("any two players of the table"),
    Confirmations.ALL: _("all players of the table"),
}


def role_name(role: str) -> str:
    """What somebody is in a club."""
    return str(ROLES[role])


def choices_of(names: Mapping[str, Text]) -> list[tuple[Any, Text]]:
    """Names as the choices of a form."""
    return [(str(value), name) for value, name in names.items()]
