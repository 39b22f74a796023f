"""Sentences for the faults of a line or record to import."""

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from tournaments.services.imports.problems import ImportFault, Wrong
from tournaments.services.imports.records import RecordSeen
from tournaments.texts import labels, messages

Text = str | Promise

COLUMNS: Mapping[str, Text] = {
    "name": gettext_lazy("Name"),
    "surname": gettext_lazy("Surname"),
    "partner": gettext_lazy("Partner"),
    "team": gettext_lazy("Team"),
    "represents": gettext_lazy("Club"),
    "initials": gettext_lazy("Initials"),
    "date": gettext_lazy("Date"),
    "evening": gettext_lazy("Evening"),
    "round": pgettext_lazy("of an event", "Round"),
    "table": gettext_lazy("Table"),
    "player": gettext_lazy("Player"),
    "players": gettext_lazy("Players"),
    "points": gettext_lazy("Points"),
    "title": gettext_lazy("Title"),
    "place": gettext_lazy("Place"),
    "entries": gettext_lazy("Deals"),
    "played_at": gettext_lazy("Date"),
}
"""Headings of the columns."""

SENTENCES: Mapping[Wrong, Text] = {
    Wrong.EMPTY: gettext_lazy("This cell is empty."),
    Wrong.NO_NAME: gettext_lazy("A name has letters, and 80 of them at most."),
    Wrong.TWICE: gettext_lazy("The same name is on line %(line)s."),
    Wrong.NO_DAY: gettext_lazy("“%(text)s” is no date. Write it as 21.11.2026 or 2026-11-21."),
    Wrong.DAY_TO_COME: gettext_lazy("“%(text)s” is no day of the past."),
    Wrong.NO_NUMBER: gettext_lazy("“%(text)s” is no number from 1 to 999."),
    Wrong.NO_POINTS: gettext_lazy("“%(text)s” is no number of points."),
    Wrong.NO_YES: gettext_lazy("“%(text)s” is neither yes nor no."),
    Wrong.FORMULA: gettext_lazy("“%(text)s” is a formula. Save the table with its values."),
    Wrong.SITS_TWICE: gettext_lazy("%(name)s sits twice at this table."),
    Wrong.SITS_ELSEWHERE: gettext_lazy("%(name)s sits at table %(table)s in this round, too."),
    Wrong.ROUND_OPEN: gettext_lazy("Round %(round)s of this evening is open: close it first."),
    Wrong.TABLE_TAKEN: gettext_lazy("Table %(table)s of this round is there with another result."),
    Wrong.PARTNERS_DIFFER: gettext_lazy(
        "Partners have the same points: %(partner)s has %(points)s."
    ),
    Wrong.NO_MOMENT: gettext_lazy("The record does not say when the game was played."),
    Wrong.TOO_LONG: gettext_lazy("At most %(most)s."),
    Wrong.SAME_AS: gettext_lazy("The same game as in %(name)s."),
    Wrong.OTHER_SHEET: gettext_lazy(
        "These players have a game of this moment here, with another sheet."
    ),
}


def fault_text(fault: ImportFault) -> str:
    """Return a fault as a sentence, after the name of its column."""
    sentence = _SAID.get(fault.code, _said)(fault)
    column = COLUMNS.get(fault.column)
    return f"{column}: {sentence}" if column else sentence


def _said(fault: ImportFault) -> str:
    params = dict(fault.params)
    if "points" in params:
        params["points"] = labels.points_text(params["points"])
    return str(SENTENCES[fault.code]) % params


def _ambiguous(fault: ImportFault) -> str:
    names = ", ".join(str(player) for player in fault.params["players"])
    return _("Who is “%(name)s”: %(names)s? Choose one.") % {
        "name": fault.params["name"],
        "names": names,
    }


def _wrong_size(fault: ImportFault) -> str:
    lines, seats = fault.params["lines"], fault.params["seats"]
    sentence = ngettext(
        "Table %(table)s has %(lines)s line, and this game has %(seats)s players.",
        "Table %(table)s has %(lines)s lines, and this game has %(seats)s players.",
        lines,
    )
    return sentence % {"table": fault.params["table"], "lines": lines, "seats": seats}


def _wrong_sum(fault: ImportFault) -> str:
    params = {name: labels.points_text(value) for name, value in fault.params.items()}
    if params["least"] == params["most"]:
        return _("All together have %(sum)s points, and a whole game gives %(least)s.") % params
    sentence = _("All together have %(sum)s points, and a whole game gives %(least)s to %(most)s.")
    return sentence % params


_SAID: Mapping[Wrong, Callable[[ImportFault], str]] = {
    Wrong.AMBIGUOUS: _ambiguous,
    Wrong.WRONG_SIZE: _wrong_size,
    Wrong.WRONG_SUM: _wrong_sum,
}


def record_texts(seen: RecordSeen) -> list[str]:
    """Return all problems of a record as sentences."""
    where = ""
    if seen.entry is not None:
        where = _("Line %(number)s of the sheet") % {"number": seen.entry + 1} + ": "
    params = [where + messages.explain(problem, seen.typed) for problem in seen.problems]
    return [*params, *(fault_text(fault) for fault in seen.faults)]
