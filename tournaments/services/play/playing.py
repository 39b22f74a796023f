"""Starting games, what is written on their sheets, and deleting them."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from typing import Any

from django.db import transaction

from tournaments.engine.entry_records import read_entry, write_entry
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.records import (
    check_first_declarer,
    check_players,
    play_record,
)
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.rulesets import Ruleset
from tournaments.models import AuditLine, Game, Match, Report, Table, Write
from tournaments.models.play import LONGEST_REASON, digest
from tournaments.queries.rulesets import find_ruleset, house_document, parsed_ruleset, rules_of
from tournaments.queries.sheets import LaterEntryInvalid, Sheet
from tournaments.services.auditing import NOBODY, Actor, Change, note_change
from tournaments.services.documents.reporting import throw_away
from tournaments.services.play.open_deals import (
    ENDS_A_DEAL,
    before_open_deal,
    completed,
    corrected,
)
from tournaments.services.play.seating import Seating, SeatsDrawn, is_drawn, reseat
from tournaments.services.play.writing import (
    NoSuchEntry,
    Pen,
    StaleRevision,
    remark,
    store_write,
    store_writes,
)


class PenTaken(Exception):
    """Someone else has taken the pen meanwhile."""


@dataclass(frozen=True, slots=True)
class Head:
    """What stands above a sheet: names in seat order, who declares first, the table's rules.

    With a `document` house rules are played as it says, not as they stand now.
    """

    ruleset: str
    players: Sequence[str]
    first_declarer: int = 0
    options: Mapping[str, Any] | None = None
    title: str = ""
    place: str = ""
    document: Mapping[str, Any] | None = None


def start_game(head: Head, *, at: datetime, key: str | None = None) -> Game:
    """Open a new table; asked twice with the same `key` and head, it is opened once.

    House rules of a club are played from the copy in the head only: whoever may see them has one.

    Raises:
        InvalidEntry: names, seat, ruleset or options that cannot be; nothing is written.
    """
    ruleset = parsed_ruleset(head.document) if head.document else find_ruleset(head.ruleset)
    check_head(head, ruleset)
    fields = {
        "ruleset": head.ruleset,
        "options": dict(head.options or {}),
        "players": [name.strip() for name in head.players],
        "first_declarer": head.first_declarer,
        "title": head.title,
        "place": head.place,
    }
    # House rules may change between two tries; the game keeps those it was opened with.
    document = write_ruleset(ruleset) if head.document and ruleset else house_document(ruleset)
    kept = {"document": document, "played_at": at}
    if key is None:
        return Game.objects.create(**fields, **kept)
    # Whoever knows the key is shown the table it opened, so the row holds only its digest.
    start_key = digest(json.dumps([key, fields], sort_keys=True))
    defaults = {**fields, **kept}
    return Game.objects.get_or_create(start_key=start_key, defaults=defaults)[0]


def check_head(head: Head, ruleset: Ruleset | None) -> None:
    """Check what stands above a sheet of `ruleset` (None: there is no such ruleset).

    Raises:
        InvalidEntry: with every problem, `where` naming the field of the head.
    """
    if ruleset is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": head.ruleset})])
    problems = [*check_players(ruleset, list(head.players))]
    problems += check_first_declarer(ruleset, head.first_declarer)
    try:
        ruleset.with_options(head.options or {})
    except InvalidEntry as error:
        problems += error.problems
    if problems:
        raise InvalidEntry(problems)


def record_entry(game_pk: int, body: Mapping[str, Any], pen: Pen) -> Sheet:
    """Add an entry, given as it stands in a record, to the end of the sheet.

    While the last deal is open, what ends it takes its place, as a new version that keeps all
    that was said when it was begun.

    Raises:
        InvalidEntry: with every reason why it cannot be, or that it is another's turn.
        StaleRevision: the sheet has moved on; it comes with the exception.
        KeyReused, BadKey: the key cannot be used for this.
        RoundClosed: the round of a club's table is closed, and it is no director who writes.
        Game.DoesNotExist: the game was deleted.
    In each case nothing is written.
    """

    def add(sheet: Sheet) -> Write:
        if body.get("type") == "deal":
            _check_turn(sheet, pen.turn)
        return _entry(sheet, body)

    def is_same(sheet: Sheet, stored: Write) -> bool:
        if stored.kind != Write.Kind.COMPLETION:
            return stored.kind == Write.Kind.ENTRY and stored.body == canonical(body)
        try:
            return stored.body == canonical(completed(_version_before(sheet, stored), body))
        except InvalidEntry:
            return False

    return store_write(game_pk, pen, is_same, add)


def _check_turn(sheet: Sheet, turn: int | None) -> None:
    # The declarer is not stored: after the first declarer is corrected it follows from the turn.
    if turn not in (None, sheet.game.declarer):
        params = {"expected": sheet.game.declarer, "got": turn}
        raise InvalidEntry([Problem(Code.WRONG_DECLARER, "declarer", params)])


def _entry(sheet: Sheet, body: Mapping[str, Any]) -> Write:
    if sheet.game.open_deal is not None and body.get("type") in ENDS_A_DEAL:
        return _completion(sheet, body)
    play_record(sheet.game, body)
    return Write(kind=Write.Kind.ENTRY, position=next_position(sheet), body=canonical(body))


def record_entries(game_pk: int, bodies: Sequence[Mapping[str, Any]], pen: Pen) -> Sheet:
    """Add what a record has, from its first entry on: all of it, or nothing.

    Each is a write of its own, as `record_entry` leaves it, its key the pen's with a number. Sent
    again it is stale.

    Raises:
        InvalidEntry: with every reason why the first that cannot be is none.
        StaleRevision, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
    """
    return store_writes(game_pk, pen, [partial(_entry, body=body) for body in bodies])


def _completion(sheet: Sheet, body: Mapping[str, Any]) -> Write:
    position = sheet.positions[-1]
    whole = completed(sheet.body(position) or {}, body)
    play_record(before_open_deal(sheet.game), whole)
    return Write(kind=Write.Kind.COMPLETION, position=position, body=canonical(whole))


def next_position(sheet: Sheet) -> int:
    """The position after every entry there ever was."""
    return max((w.position for w in sheet.writes if w.position is not None), default=-1) + 1


def _version_before(sheet: Sheet, stored: Write) -> Mapping[str, Any]:
    versions = sheet.versions(stored.position or 0)
    before = [version for version in versions if version.revision < stored.revision]
    return before[-1].body or {} if before else {}


def correct_entry(
    game_pk: int, position: int, body: Mapping[str, Any], reason: str, pen: Pen
) -> Sheet:
    """Put a new version of the entry at `position` above the old one, which stays in the log.

    Raises:
        LaterEntryInvalid: the corrected entry, or one after it, cannot be; with the reasons.
        NoSuchEntry: nothing stands at that position.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    version = Write(
        kind=Write.Kind.CORRECTION,
        position=position,
        body=canonical(body),
        reason=remark(reason, LONGEST_REASON),
    )

    def correct(sheet: Sheet) -> Write | None:
        try:
            said = corrected(sheet.game.ruleset, sheet.body(position) or {}, body)
        except InvalidEntry as error:
            raise LaterEntryInvalid(position, error.problems) from error
        version.body = canonical(said)
        return _new_version(sheet, version)

    def is_same(sheet: Sheet, stored: Write) -> bool:
        try:
            said = corrected(sheet.game.ruleset, _version_before(sheet, stored), body)
        except InvalidEntry:
            return False
        version.body = canonical(said)
        return _says_the_same(stored, version)

    return store_write(game_pk, pen, is_same, correct)


def withdraw_entry(game_pk: int, position: int, reason: str, pen: Pen) -> Sheet:
    """Take the entry at `position` off the sheet; it stays in the log.

    Raises:
        LaterEntryInvalid: an entry after it no longer fits.
        NoSuchEntry, StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `correct_entry`.
    """
    version = Write(
        kind=Write.Kind.WITHDRAWAL, position=position, reason=remark(reason, LONGEST_REASON)
    )
    return store_write(game_pk, pen, _same_as(version), lambda sheet: _new_version(sheet, version))


def change_head(game_pk: int, head: Head, pen: Pen) -> Sheet:
    """Correct names, seats, first declarer or options of a game; its ruleset stays.

    At a club's table the names say which of its players sit where, and are written as those wish.

    Raises:
        InvalidEntry: a head that cannot be.
        LaterEntryInvalid: an entry no longer fits the new head.
        NotOfClub, SitsTwice, SitsElsewhere: nobody of the club can sit there under that name.
        SeatsDrawn: players, seats or options of a tournament's table.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    # A game never changes its rules, so that they may be read before it is locked.
    row = Game.objects.get(pk=game_pk)
    check_head(head, rules_of(row))
    if row.table_id is None:
        return _put_head(row, head, pen)
    if is_drawn(row.table_id):
        said = ([name.strip() for name in head.players], dict(head.options or {}))
        if said != (row.players, row.options):
            raise SeatsDrawn
        return _put_head(row, head, pen)
    with transaction.atomic():
        seating = reseat(row, head.players, pen.by, at=pen.at)
        return _put_head(row, replace(head, players=seating.names), pen, seating)


def seat_others(row: Game, seating: Seating, pen: Pen) -> Sheet:
    """Put others at the seats of a tournament's table, as a write by the director.

    Raises:
        RoundClosed, StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    stays = {name: getattr(row, name) for name in ("first_declarer", "options", "title", "place")}
    return _put_head(row, Head(row.ruleset, seating.names, **stays), pen, seating)


def _put_head(row: Game, head: Head, pen: Pen, seating: Seating | None = None) -> Sheet:
    body = {
        "players": [name.strip() for name in head.players],
        "first_declarer": head.first_declarer,
        "options": dict(head.options or {}),
        "title": head.title,
        "place": head.place,
    }
    version = Write(kind=Write.Kind.HEAD, body=body)

    def put_head(sheet: Sheet) -> Write | None:
        if sheet.row.table_id != row.table_id:
            # Adopted into a club since it was looked at: its names are players now.
            raise StaleRevision(sheet)
        version.before = {name: getattr(sheet.row, name) for name in body}
        moved = seating is not None and seating.sit_down(sheet.row)
        if version.before == body and not moved:
            return None
        for name, value in body.items():
            setattr(sheet.row, name, value)
        return version

    return store_write(row.pk, pen, _same_as(version), put_head)


def hand_over(game_pk: int, generation: int, key: str, by: Actor = NOBODY, *, at: datetime) -> Game:
    """Give the pen to whoever chose `key`: every write address before the new one is revoked.

    Asked twice with the same `generation` and `key`, as after a lost answer, it is given once.

    Raises:
        PenTaken: it was taken with another key meanwhile.
        Game.DoesNotExist: the game was deleted.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        if row.write_generation == generation:
            row.write_generation += 1
            row.taken_with, row.taken_at = digest(key), at
            row.save(update_fields=["write_generation", "taken_with", "taken_at"])
            _note_taking(row, by, at)
        elif row.taken_with != digest(key):
            raise PenTaken
    return row


def delete_game(game_pk: int) -> None:
    """Delete an open table's game with all that was written and its documents.

    Deleting it twice is no error; a club's game stays.
    """
    with transaction.atomic():
        # A write under way is waited for, or its row would be left behind without a game.
        row = Game.objects.select_for_update().filter(pk=game_pk, table=None).first()
        if row is not None:
            delete_locked(row)


def delete_locked(row: Game) -> None:
    """Delete a game whose row the caller has locked, with its documents and an empty match."""
    throw_away(Report.objects.filter(game_id=row.pk))
    Game.objects.filter(pk=row.pk).delete()
    if row.match_id is not None:
        Match.objects.filter(pk=row.match_id, games=None).delete()


def canonical(body: Mapping[str, Any]) -> dict[str, Any]:
    """An entry as the log holds it: defaults left out, fields in one order.

    A body that cannot be read stays as it is; it is refused when it is played.
    """
    entry, faults = read_entry(body)
    return dict(body) if entry is None or faults else write_entry(entry)


def _new_version(sheet: Sheet, version: Write) -> Write | None:
    if version.position is None or version.position not in sheet.positions:
        raise NoSuchEntry
    return None if version.body == sheet.body(version.position) else version


def _note_taking(row: Game, by: Actor, at: datetime) -> None:
    """Put into the audit of its club that another phone writes at a table."""
    if row.table_id is not None:
        table = Table.objects.select_related("round__event__club").get(pk=row.table_id)
        event = table.round.event
        subject = f"table:{table.public_id}"
        change = Change(AuditLine.Kind.EVENT, "take-pen", subject, event=event)
        note_change(event.club, change, by, at=at)


def _same_as(version: Write) -> Callable[[Sheet, Write], bool]:
    return lambda _sheet, stored: _says_the_same(stored, version)


def _says_the_same(stored: Write, version: Write) -> bool:
    """Whether a stored write is the one sent again."""
    at_same = version.position is None or stored.position == version.position
    said = (stored.kind, stored.body, stored.reason)
    return at_same and said == (version.kind, version.body, version.reason)
