"""Everything that was written at a table, the newest first: nothing is ever wiped out."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import words
from tournaments.engine.rulesets import Ruleset
from tournaments.models import Game, Write
from tournaments.queries.rulesets import rules_of
from tournaments.queries.sheets import Sheet, load_sheet
from tournaments.telling.authors import authors_of
from tournaments.telling.sheets import MARKS, marks_of, title_of
from tournaments.visitors import writable_game
from tournaments.web.deals.sheet_view import lines_of
from tournaments.web.phone import address
from tournaments.web.scoring.pages import handed_over


@dataclass(frozen=True)
class Step:
    """One write: what was done, by whom, when and why; `changes` says what it did."""

    what: str
    author: str
    at: datetime
    reason: str
    changes: tuple[str, ...]
    position: int | None = None
    number: int | None = None


@never_cache
@require_safe
def history(request: HttpRequest, public_id: str, secret: str) -> HttpResponse:
    """All writes of a game, also of what was taken off its sheet."""
    row = writable_game(request, public_id, secret).first()
    if row is None:
        return handed_over(request, public_id, secret)
    steps = list(_steps(load_sheet(row)))
    page = {"row": row, "secret": secret, "steps": steps[::-1], "back": address(row, "write")}
    return render(request, "tournaments/history.html", page)


def done(write: Write) -> str:
    """What a write did, in a word."""
    words = {
        Write.Kind.ENTRY: _("written"),
        Write.Kind.COMPLETION: _("played out"),
        Write.Kind.REVEAL: _("revealed"),
        Write.Kind.CORRECTION: _("corrected"),
        Write.Kind.WITHDRAWAL: _("taken off"),
        Write.Kind.HEAD: _("names, seats or rules changed"),
    }
    return words[Write.Kind(write.kind)]


def summary_of(body: Mapping[str, Any], sheet: Sheet) -> str:
    """What an entry says, in one line."""
    return entry_text(body, sheet.row.players, sheet.game.ruleset)


def entry_text(body: Mapping[str, Any], players: Sequence[str], rules: Ruleset) -> str:
    """What an entry says at a table with these players and rules, in one line."""
    parts: list[str] = []
    if "contract" in body:
        parts.append(title_of(rules, body["contract"]))
    if "trump" in body:
        parts.append(words.suit_symbol(body["trump"]))
    parts += _counts(body.get("counts", {}))
    parts += marks_of(rules, players, body, MARKS)
    # Whose turn it was need not be said: only where a partner may speak it does not follow.
    said = ("seat", "by", "declarer") if rules.declares == "pair" else ("seat", "by")
    for name in said:
        if name in body:
            parts.append(players[body[name]])
    if "points" in body:
        parts.append(words.points_text(body["points"]))
    if body.get("type") == "adjustment":
        parts.append(body["reason"])
    elif "reason" in body:
        parts.append(words.reason_name(body["type"], body["reason"]))
    if body.get("type") == "passed":
        parts.append(_("Everyone passed"))
    return " · ".join(parts)


def _counts(counts: Mapping[str, Sequence[int]]) -> Iterator[str]:
    """The numbers of each unit, named where there are several."""
    for unit, numbers in counts.items():
        written = " ".join(map(str, numbers))
        yield f"{words.unit_name(unit)} {written}" if len(counts) > 1 else written


def _steps(sheet: Sheet) -> Iterator[Step]:
    """The writes in the order in which they were made."""
    numbers = {line.position: line.number for line in lines_of(sheet)}
    authors = authors_of(sheet.row, sheet.writes)
    stood: dict[int, str] = {}
    for write in sheet.writes:
        position, changes = write.position, tuple(_head_changes(sheet.row, write))
        if position is not None:
            says = summary_of(write.body or {}, sheet)
            before, stood[position] = stood.get(position, ""), says
            changes = (changed(before, says) if says else before,)
        number = None if position is None else numbers.get(position)
        author = authors[write.revision]
        yield Step(done(write), author, write.at, write.reason, changes, position, number)


def _head_changes(row: Game, write: Write) -> Iterator[str]:
    """What a write changed above the sheet."""
    if write.kind == Write.Kind.HEAD:
        yield from head_changes(row, write.before or {}, write.body or {})


def head_changes(row: Game, before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[str]:
    """What became other above the sheet of a game."""
    old, new = (dict(_head_words(row, head)) for head in (before, after))
    for name in dict.fromkeys([*old, *new]):
        if old.get(name, "") != new.get(name, ""):
            yield f"{name}: {changed(old.get(name, ''), new.get(name, ''))}"


def _head_words(row: Game, head: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """What stands above a sheet, each with what it is."""
    for seat, name in enumerate(head.get("players", ())):
        yield _("Seat %(number)s") % {"number": seat + 1}, name
    if "first_declarer" in head:
        first = _("Seat %(number)s") % {"number": head["first_declarer"] + 1}
        yield _("Who declared first"), first
    if "options" in head:
        rules = rules_of(row).with_options(head["options"])
        for option in rules.options:
            value = rules.settings.get(option.setting)
            name = words.option_name(option.setting)
            yield name, "" if value is None else words.option_value_name(option.setting, value)
    for name, label in (("title", _("Title")), ("place", _("Place"))):
        yield label, head.get(name, "")


def changed(before: str, after: str) -> str:
    """What stood and what stands, where something stood."""
    return f"{before} → {after or '–'}" if before and before != after else after
