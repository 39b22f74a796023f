"""Names of the roles and settings of a club."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.models import Confirmations, Happening
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

HAPPENINGS: Mapping[str, Text] = {
    Happening.ROUND_PUBLISHED: _("the seating of a round is published"),
    Happening.GAME_BEGUN: _("a game is begun"),
    Happening.RESULT_ENTERED: _("a result is entered or corrected"),
    Happening.ROUND_CLOSED: _("a round is closed"),
    Happening.TOURNAMENT_FINISHED: _("a tournament is finished"),
    Happening.PLAYER_ADDED: _("a player is added"),
    Happening.PLAYER_CHANGED: _("a player is renamed, merged or claimed"),
    Happening.PLAYER_REMOVED: _("a player’s name is removed"),
    Happening.ENTRANT_ADDED: _("entrants are registered"),
    Happening.ENTRANT_CHANGED: _("an entrant changes, withdraws or comes back"),
    Happening.ENTRANT_REMOVED: _("an entrant is struck off the list"),
    Happening.RATINGS_CHANGED: _("ratings are computed"),
}


def role_name(role: str) -> str:
    return str(ROLES[role])


def choices_of(names: Mapping[str, Text]) -> list[tuple[Any, Text]]:
    return [(str(value), name) for value, name in names.items()]
