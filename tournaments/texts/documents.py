"""Names and descriptions of the documents."""

from collections.abc import Callable, Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

from django.utils.formats import date_format
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from tournaments.models import Report

Kind = Report.Kind

NAMES: Mapping[Report.Kind, Promise] = MappingProxyType(
    {
        Kind.SCORESHEET: gettext_lazy("Scoresheet"),
        Kind.EMPTY_SHEET: gettext_lazy("Empty sheet"),
        Kind.EVENING: gettext_lazy("The evening"),
        Kind.SHEETS: gettext_lazy("All scoresheets"),
        Kind.TABLE_CARDS: gettext_lazy("Table cards"),
        Kind.NAME_BADGES: gettext_lazy("Name badges"),
        Kind.SEATING_BY_TABLE: gettext_lazy("Seating by table"),
        Kind.SEATING_BY_NAME: gettext_lazy("Seating by name"),
        Kind.STANDINGS: gettext_lazy("Standings"),
        Kind.CROSS_TABLE: gettext_lazy("Cross-table"),
        Kind.BOOKLET: gettext_lazy("Booklet of the tournament"),
        Kind.CERTIFICATES: gettext_lazy("Certificates"),
        Kind.PLAYER_SEASON: gettext_lazy("A player’s season"),
        Kind.CLUB_MONTH: gettext_lazy("The club’s month"),
        Kind.LEAGUE: gettext_lazy("League"),
        Kind.PICTURE: gettext_lazy("Picture of the result"),
    }
)

NOTES: Mapping[Report.Kind, Promise] = MappingProxyType(
    {
        Kind.SHEETS: gettext_lazy("Every table, one page each, with bookmarks."),
        Kind.TABLE_CARDS: gettext_lazy("With QR codes, to lay on the tables."),
        Kind.NAME_BADGES: gettext_lazy("To cut out and pin on."),
        Kind.SEATING_BY_TABLE: gettext_lazy("In large print, for the wall."),
        Kind.SEATING_BY_NAME: gettext_lazy("In large print, to find oneself."),
        Kind.STANDINGS: gettext_lazy("Places, points and tie-breaks."),
        Kind.CROSS_TABLE: gettext_lazy("Who had what in each round, and with whom."),
        Kind.BOOKLET: gettext_lazy("Cover, seating, all sheets, standings, ratings and badges."),
        Kind.CERTIFICATES: gettext_lazy("For the first three, to sign."),
        Kind.PLAYER_SEASON: gettext_lazy("Rating, places, opponents and each game."),
        Kind.CLUB_MONTH: gettext_lazy("Evenings, winners, newcomers, ratings and records."),
        Kind.LEAGUE: gettext_lazy("Places, points and each evening."),
    }
)


def _of_round(parameters: Mapping[str, Any]) -> str:
    number = parameters.get("round")
    return pgettext("of an event", "Round %(number)s") % {"number": number} if number else ""


def _of_season(parameters: Mapping[str, Any]) -> str:
    return str(parameters.get("season_name") or _("All the time"))


def _of_month(parameters: Mapping[str, Any]) -> str:
    year, month = parameters["month"].split("-")
    return date_format(date(int(year), int(month), 1), "YEAR_MONTH_FORMAT")


SUBJECTS: Mapping[Report.Kind, Callable[[Mapping[str, Any]], str]] = MappingProxyType(
    {
        Kind.SHEETS: _of_round,
        Kind.TABLE_CARDS: _of_round,
        Kind.SEATING_BY_TABLE: _of_round,
        Kind.SEATING_BY_NAME: _of_round,
        Kind.STANDINGS: _of_round,
        Kind.PLAYER_SEASON: _of_season,
        Kind.CLUB_MONTH: _of_month,
        Kind.LEAGUE: _of_season,
    }
)
"""The further subject of a document, beyond event, player or club, from its parameters."""
