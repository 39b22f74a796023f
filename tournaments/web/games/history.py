"""The log of a table, the newest first: nothing is ever erased."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments.models import Game, Revision
from tournaments.permissions import writable_row
from tournaments.presenters.games.sheets import authors_of
from tournaments.queries.games.sheets import Sheet, load_sheet, rules_of
from tournaments.texts import labels
from tournaments.web.base.htmx import HtmxRequest
from tournaments.web.base.phone import address
from tournaments.web.games.deals.entry_text import summary_of
from tournaments.web.games.deals.sheet_view import lines_of
from tournaments.web.games.pages import handed_over


@dataclass(frozen=True)
class HistoryStep:
    """A revision: action, person, time and reason; `changes` lists its effects."""

    what: str
    author: str
    at: datetime
    reason: str
    changes: tuple[str, ...]
    position: int | None = None
    number: int | None = None


@never_cache
@require_safe
def history(request: HtmxRequest, public_id: str, secret: str) -> HttpResponse:
    """List all revisions of a game, including those of removed entries."""
    row = writable_row(request, public_id, secret)
    if row is None:
        return handed_over(request, public_id, secret)
    steps = list(_steps(load_sheet(row)))
    page = {"row": row, "secret": secret, "steps": steps[::-1], "back": address(row, "write")}
    return render(request, "tournaments/games/history.html", page)


DONE = {
    Revision.Kind.ENTRY: gettext_lazy("written"),
    Revision.Kind.COMPLETION: gettext_lazy("played out"),
    Revision.Kind.REVEAL: gettext_lazy("revealed"),
    Revision.Kind.CORRECTION: gettext_lazy("corrected"),
    Revision.Kind.WITHDRAWAL: gettext_lazy("taken off"),
    Revision.Kind.HEAD: gettext_lazy("names, seats or rules changed"),
}


def done(write: Revision) -> str:
    """Return the action of a revision as text."""
    return str(DONE[Revision.Kind(write.kind)])


def _steps(sheet: Sheet) -> Iterator[HistoryStep]:
    """Yield the revisions, the oldest first."""
    numbers = {line.position: line.number for line in lines_of(sheet)}
    authors = authors_of(sheet.row, sheet.revisions)
    stood: dict[int, str] = {}
    for write in sheet.revisions:
        position, changes = write.position, tuple(_head_changes(sheet.row, write))
        if position is not None:
            says = summary_of(write.body or {}, sheet)
            before, stood[position] = stood.get(position, ""), says
            changes = (changed(before, says) if says else before,)
        number = None if position is None else numbers.get(position)
        author = authors[write.revision]
        yield HistoryStep(done(write), author, write.at, write.reason, changes, position, number)


def _head_changes(row: Game, write: Revision) -> Iterator[str]:
    if write.kind == Revision.Kind.HEAD:
        yield from head_changes(row, write.before or {}, write.body or {})


def head_changes(row: Game, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """Yield the changes between two setups of a game."""
    old, new = (dict(_head_words(row, head)) for head in (before, after))
    for name in dict.fromkeys([*old, *new]):
        if old.get(name, "") != new.get(name, ""):
            yield f"{name}: {changed(old.get(name, ''), new.get(name, ''))}"


def _head_words(row: Game, head: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the fields of a setup with their labels."""
    for seat, name in enumerate(head.get("players", ())):
        yield _("Seat %(number)s") % {"number": seat + 1}, name
    if "first_declarer" in head:
        first = _("Seat %(number)s") % {"number": head["first_declarer"] + 1}
        yield _("Who declared first"), first
    if "options" in head:
        rules = rules_of(row).with_options(head["options"])
        for option in rules.options:
            value = rules.settings.get(option.setting)
            name = labels.option_name(option.setting)
            yield name, "" if value is None else labels.option_value_name(option.setting, value)
    for name, label in (("title", _("Title")), ("place", _("Place"))):
        yield label, head.get(name, "")


def changed(before: str, after: str) -> str:
    """Return a change as text, with the old value if there was one."""
    return f"{before} → {after or '–'}" if before and before != after else after
