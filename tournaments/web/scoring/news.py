"""What was written last, for a phone on which something else is being typed."""

from django.utils.translation import gettext as _

from tournaments.models import Write
from tournaments.queries.sheets import Sheet
from tournaments.telling.sheets import numbers_of

Kind = Write.Kind


def news_of(sheet: Sheet) -> str:
    """Who wrote last, and what; empty before anything was written."""
    if not sheet.writes:
        return ""
    write = sheet.writes[-1]
    said = {"who": _writer(sheet, write), "number": _number(sheet, write)}
    if write.kind == Kind.HEAD:
        return _("%(who)s has changed names, seats or rules.") % said
    if write.body is None:
        return _("%(who)s has taken a line off the sheet.") % said
    corrected = write.kind == Kind.CORRECTION
    if said["number"] is None:
        text = _("%(who)s has corrected the sheet.") if corrected else _("%(who)s has written.")
    elif corrected:
        text = _("%(who)s has corrected deal %(number)s.")
    else:
        text = _("%(who)s has written deal %(number)s.")
    return text % said


def _writer(sheet: Sheet, write: Write) -> str:
    """The player who held the phone, where its drawing was turned to somebody.

    A phone that nobody turned has the first seat at the bottom, whoever holds it.
    """
    turned = write.author in sheet.row.players[1:]
    return write.author if turned else _("Another phone")


def _number(sheet: Sheet, write: Write) -> int | None:
    """The number of the deal that was written; None of what is no deal, or still being played."""
    if write.position not in sheet.positions:
        return None
    return numbers_of(sheet.game).get(sheet.positions.index(write.position))
