"""Names of the roles and settings of a club."""

from collections.abc import Mapping
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from tournaments.models import Confirmations, EventType
from tournaments.models.clubs import LeaguePoints, Role
from tournaments.texts.labels import POINTS

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

LEAGUE_POINTS: Mapping[str, Text] = {
    LeaguePoints.OF_TOURNAMENTS: _("what its tournaments count, which has to be alike"),
    **POINTS,
    LeaguePoints.EVENING: _("places of the evening: 1 for coming, and 1 for each behind"),
}

EVENT_TYPES: Mapping[str, Text] = {
    EventType.ROUND_PUBLISHED: _("the seating of a round is published"),
    EventType.GAME_BEGUN: _("a game is begun"),
    EventType.RESULT_ENTERED: _("a result is entered or corrected"),
    EventType.ROUND_CLOSED: _("a round is closed"),
    EventType.TOURNAMENT_FINISHED: _("a tournament is finished"),
    EventType.PLAYER_ADDED: _("a player is added"),
    EventType.PLAYER_CHANGED: _("a player is renamed, merged or claimed"),
    EventType.PLAYER_REMOVED: _("a player’s name is removed"),
    EventType.ENTRANT_ADDED: _("entrants are registered"),
    EventType.ENTRANT_CHANGED: _("an entrant changes, withdraws or comes back"),
    EventType.ENTRANT_REMOVED: _("an entrant is struck off the list"),
    EventType.RATINGS_CHANGED: _("ratings are computed"),
}


def role_name(role: str) -> str:
    return str(ROLES[role])


def choices_of(names: Mapping[str, Text]) -> list[tuple[Any, Text]]:
    return [(str(value), name) for value, name in names.items()]
