"""Redo: the entry that was taken off the sheet last, to be written again."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.rules.entries import REMARKS
from tournaments.engine.rules.rulesets import InvalidEntry, Ruleset
from tournaments.models import Revision
from tournaments.queries.games.sheets import Sheet
from tournaments.web.games.deals.entry_text import entry_text
from tournaments.web.games.deals.reading import parse_form, typed_entry


@dataclass(frozen=True)
class Redo:
    """An entry to write again: what it says, and the fields of its form."""

    text: str
    fields: Mapping[str, str]


def redo_of(sheet: Sheet) -> Redo | None:
    """Return the entry that was undone last; None if something else was written since."""
    undone = _undone(sheet)
    fields = _fields(sheet.game.ruleset, undone[-1]) if undone else None
    if fields is None:
        return None
    return Redo(entry_text(undone[-1], sheet.row.players, sheet.game.ruleset), fields)


def _undone(sheet: Sheet) -> list[Mapping[str, Any]]:
    """Return the entries that were undone one after another, the last one last."""
    undone: list[Mapping[str, Any]] = []
    stands: dict[int, Mapping[str, Any]] = {}
    for write in sheet.revisions:
        position = -1 if write.position is None else write.position
        if write.kind == Revision.Kind.WITHDRAWAL and position == max(stands):
            undone.append(stands[position])
        elif write.kind == Revision.Kind.ENTRY and undone and undone[-1] == write.body:
            undone.pop()
        else:
            undone.clear()
        if write.position is not None:
            stands.pop(position, None)
            stands |= {} if write.body is None else {position: write.body}
    return undone


def _fields(ruleset: Ruleset, body: Mapping[str, Any]) -> Mapping[str, str] | None:
    """Return the form's fields of an entry; None if no form writes it, as for a sealed deal."""
    fields = typed_entry(ruleset, body)
    if body["type"] not in ("deal", "totals"):
        fields = {name: str(value) for name, value in body.items()}
        fields |= {"sure": "yes"} if body["type"] == "stopped" else {}
    fields |= {name: body[name] for name in ("type", *REMARKS) if name in body}
    try:
        return fields if write_entry(parse_form(ruleset, fields)) == body else None
    except InvalidEntry:
        return None
