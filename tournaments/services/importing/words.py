"""What is wrong with a line or a record that is to be imported, in words."""

from collections.abc import Callable, Mapping

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext_lazy

from tournaments import messages, words
from tournaments.services.importing.faults import Fault, Wrong
from tournaments.services.importing.records import RecordSeen

Text = str | Promise

COLUMNS: Mapping[str, Text] = {
    "name": gettext_lazy("Name"),
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
"""What a column is headed by."""

SENTENCES: Mapping[Wrong, Text] = {
    Wrong.EMPTY: gettext_lazy("Nothing stands here."),
    Wrong.NO_NAME: gettext_lazy("A name has letters, and 80 of them at most."),
    Wrong.TWICE: gettext_lazy("The same name stands on line %(line)s."),
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


def fault_text(fault: Fault) -> str:
    """What is wrong, in a sentence, after the column it is in."""
    sentence = _SAID.get(fault.code, _said)(fault)
    column = COLUMNS.get(fault.column)
    return f"{column}: {sentence}" if column else sentence


def _said(fault: Fault) -> str:
    told = dict(fault.params)
    if "points" in told:
        told["points"] = words.points_text(told["points"])
    return str(SENTENCES[fault.code]) % told


def _ambiguous(fault: Fault) -> str:
    names = ", ".join(str(player) for player in fault.params["players"])
    return _("Who is “%(name)s”: %(names)s? Choose one.") % {
        "name": fault.params["name"],
        "names": names,
    }


def _wrong_size(fault: Fault) -> str:
    lines, seats = fault.params["lines"], fault.params["seats"]
    sentence = ngettext(
        "Table %(table)s has %(lines)s line, and this game has %(seats)s players.",
        "Table %(table)s has %(lines)s lines, and this game has %(seats)s players.",
        lines,
    )
    return sentence % {"table": fault.params["table"], "lines": lines, "seats": seats}


def _wrong_sum(fault: Fault) -> str:
    told = {name: words.points_text(value) for name, value in fault.params.items()}
    if told["least"] == told["most"]:
        return _("All together have %(sum)s points, and a whole game gives %(least)s.") % told
    sentence = _("All together have %(sum)s points, and a whole game gives %(least)s to %(most)s.")
    return sentence % told


_SAID: Mapping[Wrong, Callable[[Fault], str]] = {
    Wrong.AMBIGUOUS: _ambiguous,
    Wrong.WRONG_SIZE: _wrong_size,
    Wrong.WRONG_SUM: _wrong_sum,
}


def record_texts(seen: RecordSeen) -> list[str]:
    """Everything that is wrong with a record, in sentences."""
    where = ""
    if seen.entry is not None:
        where = _("Line %(number)s of the sheet") % {"number": seen.entry + 1} + ": "
    told = [where + messages.explain(problem, seen.typed) for problem in seen.problems]
    return [*told, *(fault_text(fault) for fault in seen.faults)]
