"""Names of rulings, and why entrants are not seated."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext

from tournaments.models import Round, Ruling
from tournaments.texts.labels import stage_name

Text = str | Promise
Kind = Ruling.Kind

RULINGS: Mapping[str, Text] = {
    Kind.PENALTY: gettext_lazy("Penalty"),
    Kind.ADJUSTED: gettext_lazy("Adjusted score"),
    Kind.FORFEIT: gettext_lazy("Forfeit"),
    Kind.ABSENT: gettext_lazy("Absent"),
}

MEANINGS: Mapping[str, Text] = {
    Kind.PENALTY: gettext_lazy("so many points are taken from the sum"),
    Kind.ADJUSTED: gettext_lazy("the round is worth so many points, whatever was played"),
    Kind.FORFEIT: gettext_lazy("the game counts as so many points, and as the last place"),
    Kind.ABSENT: gettext_lazy("as a forfeit, and nobody was met"),
}

ABSENCES: Mapping[str, Text] = {
    "here": gettext_lazy("came after this seating was drawn"),
    "not-checked-in": gettext_lazy("not checked in"),
    "left": gettext_lazy("did not play the last round"),
    "joins-later": gettext_lazy("plays for somebody else"),
    "withdrawn": gettext_lazy("withdrawn"),
    "qualified-since": gettext_lazy("qualified since"),
    "reserve": gettext_lazy("reserve"),
    "no-team": gettext_lazy("is in no team"),
}
"""Why somebody has no seat in a proposal."""

UNITS: Mapping[str, Text] = {
    "game": gettext_lazy("in points of the game"),
    "places": gettext_lazy("in place points"),
    "out": gettext_lazy("in wins"),
    "pair-difference": gettext_lazy("in points ahead of the others"),
}
"""The unit of the standings, by the setting of the points of a round."""


def round_name(round_: Round) -> str:
    """Return the name of a round: its number, or its stage of the finals."""
    if round_.stage:
        return stage_name(round_.stage)
    return pgettext("of an event", "Round %(number)s") % {"number": round_.number}


def ruling_unit(kind: str, points: str) -> str:
    """Return the unit that a ruling counts in: a forfeited game has points of the game."""
    return str(UNITS["game" if kind in (Kind.FORFEIT, Kind.ABSENT) else points])


def ruling_name(kind: str) -> str:
    return str(RULINGS.get(kind, kind))
