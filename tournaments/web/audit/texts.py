"""Texts of the audit: kinds of changes, actions and subjects."""

from collections.abc import Callable, Mapping
from typing import Any

from django.db.models import TextChoices
from django.utils.dateparse import parse_date, parse_datetime
from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from tournaments.engine.documents.games import letters_of
from tournaments.engine.documents.shapes import EVENT_FIELDS
from tournaments.models import (
    AuditEntry,
    Confirmations,
    Entrant,
    EventType,
    Revision,
    Role,
    Ruling,
    Tournament,
)
from tournaments.models.clubs import LeaguePoints, Paper
from tournaments.services.clubs.membership import CLUB_FIELDS
from tournaments.texts import labels
from tournaments.texts.questions import options_text

Text = str | Promise
Kind = AuditEntry.Kind

ACTIONS: Mapping[tuple[str, str], Text] = {
    (Kind.SETTINGS, "create"): gettext_lazy("Club created"),
    (Kind.SETTINGS, "change"): gettext_lazy("Settings changed"),
    (Kind.SETTINGS, "change-logo"): gettext_lazy("Logo changed"),
    (Kind.SETTINGS, "remove-logo"): gettext_lazy("Logo removed"),
    (Kind.SETTINGS, "add-season"): gettext_lazy("Season added"),
    (Kind.SETTINGS, "change-season"): gettext_lazy("Season changed"),
    (Kind.SETTINGS, "remove-season"): gettext_lazy("Season removed"),
    (Kind.SETTINGS, "add-rules"): gettext_lazy("House rules added"),
    (Kind.SETTINGS, "change-rules"): gettext_lazy("House rules changed"),
    (Kind.SETTINGS, "remove-rules"): gettext_lazy("House rules removed"),
    (Kind.SETTINGS, "add-webhook"): gettext_lazy("Webhook added"),
    (Kind.SETTINGS, "change-webhook"): gettext_lazy("Webhook changed"),
    (Kind.SETTINGS, "pause-webhook"): gettext_lazy("Webhook paused"),
    (Kind.SETTINGS, "go-on-webhook"): gettext_lazy("Webhook resumed"),
    (Kind.SETTINGS, "webhook-secret"): gettext_lazy("New secret of the webhook"),
    (Kind.SETTINGS, "replay-webhook"): gettext_lazy("Events sent to the webhook again"),
    (Kind.SETTINGS, "remove-webhook"): gettext_lazy("Webhook removed"),
    (Kind.SETTINGS, "test-webhook"): gettext_lazy("Webhook tested"),
    (Kind.ROLE, "join"): gettext_lazy("Joined the club"),
    (Kind.ROLE, "role"): gettext_lazy("Role changed"),
    (Kind.ROLE, "leave"): gettext_lazy("Left the club"),
    (Kind.ROLE, "remove"): gettext_lazy("Removed from the club"),
    (Kind.ROLE, "invite"): gettext_lazy("Invitation created"),
    (Kind.ROLE, "withdraw"): gettext_lazy("Invitation withdrawn"),
    (Kind.RESULT, "confirm"): gettext_lazy("Result confirmed"),
    (Kind.RESULT, "confirm-deal"): gettext_lazy("Deal confirmed"),
    (Kind.RESULT, "dispute-deal"): gettext_lazy("Deal disputed"),
    (Kind.RESULT, "settle-deal"): gettext_lazy("Disputed deal stands"),
    (Kind.PLAYER, "add"): gettext_lazy("Player added"),
    (Kind.PLAYER, "import-players"): gettext_lazy("Players imported"),
    (Kind.PLAYER, "rename"): gettext_lazy("Player renamed"),
    (Kind.PLAYER, "initials"): gettext_lazy("Shown by initials"),
    (Kind.PLAYER, "remove"): gettext_lazy("Player’s name removed"),
    (Kind.PLAYER, "export"): gettext_lazy("Data downloaded"),
    (Kind.PLAYER, "claim"): gettext_lazy("Player claimed"),
    (Kind.PLAYER, "new code"): gettext_lazy("New code to claim the player"),
    (Kind.PLAYER, "release"): gettext_lazy("Player untied from the account"),
    (Kind.PLAYER, "merge"): gettext_lazy("Players merged"),
    (Kind.PLAYER, "part"): gettext_lazy("Merge undone"),
    (Kind.EVENT, "add-event"): gettext_lazy("Evening added"),
    (Kind.EVENT, "import-results"): gettext_lazy("Results imported"),
    (Kind.EVENT, "import-records"): gettext_lazy("Records of games imported"),
    (Kind.EVENT, "import-games"): gettext_lazy("Games of an import added"),
    (Kind.EVENT, "change-event"): gettext_lazy("Evening changed"),
    (Kind.EVENT, "remove-event"): gettext_lazy("Evening removed"),
    (Kind.EVENT, "open-round"): gettext_lazy("Round opened"),
    (Kind.EVENT, "close-round"): gettext_lazy("Round closed"),
    (Kind.EVENT, "reopen-round"): gettext_lazy("Round opened again"),
    (Kind.EVENT, "add-table"): gettext_lazy("Table added"),
    (Kind.EVENT, "remove-table"): gettext_lazy("Table removed"),
    (Kind.EVENT, "adopt"): gettext_lazy("Open table adopted"),
    (Kind.EVENT, "next-game"): gettext_lazy("Next game of the match begun"),
    (Kind.EVENT, "replace-address"): gettext_lazy("Address of the table replaced"),
    (Kind.EVENT, "shut-door"): gettext_lazy("Door shut after too many wrong codes"),
    (Kind.EVENT, "add-tournament"): gettext_lazy("Tournament added"),
    (Kind.EVENT, "change-tournament"): gettext_lazy("Tournament changed"),
    (Kind.EVENT, "move-tournament"): gettext_lazy("Tournament led on or back"),
    (Kind.EVENT, "cancel-tournament"): gettext_lazy("Tournament cancelled"),
    (Kind.EVENT, "restore-tournament"): gettext_lazy("Tournament no longer cancelled"),
    (Kind.EVENT, "remove-tournament"): gettext_lazy("Tournament removed"),
    (Kind.EVENT, "import-tournament"): gettext_lazy("Tournament taken over from a file"),
    (Kind.EVENT, "replace-links"): gettext_lazy("Links to register and to check in replaced"),
    (Kind.EVENT, "add-entrants"): gettext_lazy("Entrants registered"),
    (Kind.EVENT, "change-entrant"): gettext_lazy("Entrant changed"),
    (Kind.EVENT, "withdraw-entrant"): gettext_lazy("Entrant withdrew"),
    (Kind.EVENT, "return-entrant"): gettext_lazy("Entrant came back"),
    (Kind.EVENT, "let-in"): gettext_lazy("Let in from the waiting list"),
    (Kind.EVENT, "fee-paid"): gettext_lazy("Fee paid"),
    (Kind.EVENT, "fee-not-paid"): gettext_lazy("Fee not paid after all"),
    (Kind.EVENT, "remove-entrant"): gettext_lazy("Entrant struck off the list"),
    (Kind.EVENT, "put-substitute"): gettext_lazy("Substitute put in"),
    (Kind.EVENT, "take-out-substitute"): gettext_lazy("Substitute taken out"),
    (Kind.EVENT, "check-in"): gettext_lazy("Entrant checked in"),
    (Kind.EVENT, "check-out"): gettext_lazy("Check-in taken back"),
    (Kind.EVENT, "put-line-up"): gettext_lazy("Line-up named"),
    (Kind.EVENT, "seat-round"): gettext_lazy("Round seated"),
    (Kind.EVENT, "unseat-round"): gettext_lazy("Seating thrown away"),
    (Kind.EVENT, "change-seating"): gettext_lazy("Seating changed by hand"),
    (Kind.EVENT, "take-alternative"): gettext_lazy("Another alternative taken"),
    (Kind.EVENT, "publish-round"): gettext_lazy("Seating published"),
    (Kind.EVENT, "take-back-round"): gettext_lazy("Published seating taken back"),
    (Kind.EVENT, "take-pen"): gettext_lazy("Another phone took over the scoring"),
    (Kind.EVENT, "call-director"): gettext_lazy("The table called the director"),
    (Kind.EVENT, "answer-call"): gettext_lazy("Call answered"),
    (Kind.EVENT, "start-clock"): gettext_lazy("Clock started"),
    (Kind.EVENT, "pause-clock"): gettext_lazy("Clock stopped"),
    (Kind.EVENT, "add-time"): gettext_lazy("Time of the round changed"),
    (Kind.EVENT, "add-table-time"): gettext_lazy("Time of the table changed"),
    (Kind.EVENT, "rule"): gettext_lazy("Ruling given"),
    (Kind.EVENT, "withdraw-ruling"): gettext_lazy("Ruling withdrawn"),
    (Kind.EVENT, "move-section"): gettext_lazy("Section changed"),
    (Kind.EVENT, "exchange-seats"): gettext_lazy("Chairs exchanged"),
    (Kind.EVENT, "leave-table"): gettext_lazy("Left the table"),
    (Kind.EVENT, "arrive-late"): gettext_lazy("Came late"),
    (Kind.EVENT, "undo-coming"): gettext_lazy("Leaving or coming undone"),
    (Kind.EVENT, "accept-changes"): gettext_lazy("Corrected standings kept"),
    (Kind.EVENT, "seal-rounds"): gettext_lazy("Codes of rounds stored"),
}
"""Actions; revisions of a sheet have the same names as in its history."""

FIELDS: Mapping[str, Text] = {
    **{name: gettext_lazy(about.label) for name, about in {**EVENT_FIELDS, **CLUB_FIELDS}.items()},
    "role": gettext_lazy("Role"),
    "uses": gettext_lazy("Uses"),
    "used": gettext_lazy("Used"),
    "expires": gettext_lazy("Works until"),
    "invitation": gettext_lazy("Joined by"),
    "claim": gettext_lazy("By claiming"),
    "account": gettext_lazy("Account"),
    "initials": gettext_lazy("Initials"),
    "other": gettext_lazy("Other player"),
    "seats": gettext_lazy("Games moved"),
    "starts_on": gettext_lazy("First day"),
    "ends_on": gettext_lazy("Last day"),
    "league_best": gettext_lazy("Best evenings that count in the league"),
    "league_points": gettext_lazy("What the league adds up"),
    "ruleset": gettext_lazy("Game"),
    "options": gettext_lazy("Options"),
    "season": gettext_lazy("Season"),
    "round": pgettext_lazy("of an event", "Round"),
    "table": gettext_lazy("Table"),
    "codes": gettext_lazy("Codes"),
    "players": gettext_lazy("Players"),
    "games_imported": gettext_lazy("Games"),
    "new_players": gettext_lazy("New players"),
    "games": gettext_lazy("Players"),
    "player": gettext_lazy("Player"),
    "line": gettext_lazy("Line of the sheet"),
    "state": gettext_lazy("State"),
    "settings": gettext_lazy("Settings"),
    "entrants": gettext_lazy("Entrants"),
    "team": gettext_lazy("Team"),
    "represents": gettext_lazy("Club they come from"),
    "preferred_table": gettext_lazy("Always at table"),
    "missed": gettext_lazy("Missed rounds are worth"),
    "section": pgettext_lazy("of a tournament", "Section"),
    "house": gettext_lazy("House player"),
    "ruling": gettext_lazy("Decision"),
    "points": gettext_lazy("Points"),
    "added": gettext_lazy("Time added"),
    "clock": gettext_lazy("Time left"),
    "host": gettext_lazy("Server that is called"),
    "happenings": gettext_lazy("When"),
}
"""Labels of values before and after a change, by field."""

LEFT_OUT = (
    *("records", "seat", "revision", "rounds", "gone", "result"),
    *("seating", "lifecycle", "checked_in", "with_people", "sections"),
    # Their consequences have entries of their own, and undoing needs them.
    *("way", "chairs", "here", "byes", "substitute", "replaced", "house_player", "registered"),
    *("withdrawn", "plays", "instead_of", "missed_before"),
)
"""Fields for machines only."""

SHOWN_OF_SUBJECTS: Mapping[str, tuple[str, ...]] = {"rules": ("name",)}
"""The fields shown for subjects with many fields, by kind."""


EMPTY = "–"

UNLIMITED: Mapping[str, Text] = {
    "uses": gettext_lazy("any number"),
    "league_best": pgettext_lazy("evenings", "all"),
}
"""Texts for a missing number, if that is a choice."""


def action_text(kind: str, action: str) -> str:
    """Return the text of an action; one without a text keeps its stored name."""
    if kind == Kind.RESULT and action in Revision.Kind.values:
        return str(Revision.Kind(action).label)
    return str(ACTIONS.get((kind, action), action))


def field_place(name: str) -> tuple[int, str]:
    """Return the sort key of a field: by `FIELDS`, fields without a label last."""
    return (list(FIELDS).index(name) if name in FIELDS else len(FIELDS), name)


def value_text(field: str, value: Any) -> str:
    """Return a value before or after a change as text."""
    if field in UNLIMITED and value is None:
        return str(UNLIMITED[field])
    if value is None or value in ("", [], {}):
        return EMPTY
    if isinstance(value, list):
        return "; ".join(value_text(field, each) for each in value)
    return VALUES.get(field, _plain)(value)


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(value, dict):
        # Of nested values, only the names of players are shown.
        return " · ".join(map(str, value.get("players", ()))) or _("changed")
    return str(value)


def _day(value: str) -> str:
    day = parse_date(value)
    return date_format(day, "DATE_FORMAT") if day else value


def _moment(value: str) -> str:
    moment = parse_datetime(value)
    return date_format(localtime(moment), "SHORT_DATETIME_FORMAT") if moment else value


def _times(number: int) -> str:
    return ngettext("%(number)s time", "%(number)s times", number) % {"number": number}


def _label_in(choices: type[TextChoices]) -> Callable[[Any], str]:
    return lambda value: str(dict(choices.choices).get(value, value))


VALUES: Mapping[str, Callable[[Any], str]] = {
    "role": _label_in(Role),
    "confirmations": _label_in(Confirmations),
    "league_points": _label_in(LeaguePoints),
    "paper": _label_in(Paper),
    "held_on": _day,
    "starts_on": _day,
    "ends_on": _day,
    "expires": _moment,
    "ruleset": labels.ruleset_name,
    "ruling": _label_in(Ruling.Kind),
    "missed": _label_in(Entrant.Missed),
    "points": labels.points_text,
    "added": labels.duration_text,
    "clock": labels.duration_text,
    "options": lambda options: options_text(options) or "–",
    "uses": _times,
    "used": _times,
    "state": _label_in(Tournament.State),
    "happenings": _label_in(EventType),
    "codes": lambda value: "; ".join(
        f"{number}: {letters_of(digest) if digest else '–'}" for number, digest in value.items()
    ),
    "entrants": lambda value: f"№ {str(value).removeprefix('e')}",
}
