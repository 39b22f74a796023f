"""Starting a game at an open table, from its head or from a whole record."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext_lazy as _

from tournaments.api.problems import Refused, engine_faults, fault, invalid
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.records import read_game, read_rules
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.models import Game, Visitor
from tournaments.queries.rulesets import find_ruleset, house_document
from tournaments.services.importing.records import moment_of
from tournaments.services.play.matches import start_match
from tournaments.services.play.playing import Head, record_entries, start_game
from tournaments.services.play.writing import Pen

Said = Mapping[str, Any]


def start(said: Said, visitor: Visitor, *, at: datetime) -> Game:
    """Open a table with what was said, and write every entry down: all of it, or nothing.

    Raises:
        Refused, InvalidEntry: every problem of the head, or of the first entry that cannot be.
    """
    head = _head(said, visitor)
    _check_record(said, head)
    terms = said.get("match")
    with transaction.atomic():
        played_at = _moment(said, at)
        if terms:
            row = start_match(head, terms["length"], terms["number"], at=played_at)
        else:
            row = start_game(head, at=played_at)
        record_entries(row.pk, said["entries"], Pen("of-record", 0, at))
        row.refresh_from_db()
    return row


def _head(said: Said, visitor: Visitor) -> Head:
    rules, document = said["ruleset"], None
    if isinstance(rules, dict):
        ruleset = read_rules(rules)
        name, document = ruleset.id, write_ruleset(ruleset)
    else:
        name = rules if isinstance(rules, str) else ""
        found = find_ruleset(name, visitor)
        if found is None:
            raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": name})])
        document = house_document(found)
    stays = ("players", "first_declarer", "options", "title", "place")
    return Head(name, document=document, **{field: said[field] for field in stays})


def _check_record(said: Said, head: Head) -> None:
    """Refuse a record that cannot be, before anything is written."""
    fields = ("format", "players", "first_declarer", "options", "title", "place", "entries")
    record = {field: said[field] for field in fields}
    reading = read_game(record | {"ruleset": head.document or head.ruleset})
    if reading.problems:
        at = "" if reading.entry is None else f"entries.{reading.entry}"
        raise Refused(invalid(engine_faults(reading.problems, at)))


def _moment(said: Said, at: datetime) -> datetime:
    """When the game was played."""
    if "played_at" not in said:
        return at
    moment = moment_of(said["played_at"], at)
    if moment is None:
        text = _("This is no day or moment of the past.")
        raise Refused(invalid([fault("wrong-type", "played_at", text)]))
    return moment
