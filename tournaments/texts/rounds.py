"""Names of rulings, and why entrants are not seated."""

from collections.abc import Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from tournaments.models import Ruling

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
}
"""Why somebody has no seat in a proposal."""


def ruling_name(kind: str) -> str:
    return str(RULINGS.get(kind, kind))
