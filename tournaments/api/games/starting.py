"""Starting a game at an open table, from its head or from a whole record."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.api.problems import engine_faults, fault
from tournaments.engine.documents.entries import parse_entry
from tournaments.engine.documents.games import read_game, read_rules
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.entries import clean_lines
from tournaments.engine.rules.rulesets import Code, InvalidEntry, Problem, Ruleset
from tournaments.models import Game, Visitor
from tournaments.queries.rulesets import find_ruleset, house_document
from tournaments.services.base.writes import Invalid
from tournaments.services.games.playing import GameSetup, record_entries
from tournaments.services.games.tables import start_table
from tournaments.services.games.writing import WriteContext
from tournaments.services.imports.records import moment_of

Said = Mapping[str, Any]


def start(said: Said, visitor: Visitor, *, at: datetime) -> Game:
    """Open a table with what was said, and write every entry down: all of it, or nothing.

    Raises:
        Invalid, InvalidEntry: every problem of the head, or of the first entry that cannot be.
    """
    head = _head(said, visitor)
    _check_record(said, head)
    terms = said.get("match")
    with transaction.atomic():
        played_at = _moment(said, at)
        length = (terms["length"], terms["number"]) if terms else None
        row = start_table(head, length, at=played_at)
        record_entries(row.pk, map(parse_entry, said["entries"]), WriteContext("of-record", 0, at))
        row.refresh_from_db()
    return row


def _head(said: Said, visitor: Visitor) -> GameSetup:
    rules, document = ruleset_of(said["ruleset"], visitor)
    stays = ("players", "first_declarer", "options", "title", "place")
    return GameSetup(rules.id, document=document, **{field: said[field] for field in stays})


def ruleset_of(said: Any, visitor: Visitor) -> tuple[Ruleset, Mapping[str, Any] | None]:
    """Return the ruleset that was sent or named, with the document of house rules.

    Raises:
        InvalidEntry: there is none, or its document is invalid.
    """
    if isinstance(said, dict):
        ruleset = read_rules(clean_lines(said))
        return ruleset, write_ruleset(ruleset)
    name = said if isinstance(said, str) else ""
    found = find_ruleset(name, visitor)
    if found is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": name})])
    return found, house_document(found)


def _check_record(said: Said, head: GameSetup) -> None:
    """Refuse a record that cannot be, before anything is written."""
    fields = ("format", "players", "first_declarer", "options", "title", "place", "entries")
    record = {field: said[field] for field in fields}
    reading = read_game(record | {"ruleset": head.document or head.ruleset})
    if reading.problems:
        at = "" if reading.entry is None else f"entries.{reading.entry}"
        raise Invalid(faults=engine_faults(reading.problems, at, head.players))


def _moment(said: Said, at: datetime) -> datetime:
    """When the game was played."""
    if "played_at" not in said:
        return at
    moment = moment_of(said["played_at"], at)
    if moment is None:
        text = _("This must be a date or time in the past.")
        raise fault("wrong-type", "played_at", text)
    return moment
