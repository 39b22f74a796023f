"""Starting games and writing their sheets.

Every write of a sheet carries a key chosen by the phone and the revision it last saw;
it locks the game row, folds the whole game with the change, and only then stores it.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.db import transaction

from tournaments.counts import count_refusal, count_write
from tournaments.engine.entry_records import read_entry, write_entry
from tournaments.engine.problems import Code, InvalidEntry, Problem
from tournaments.engine.records import (
    check_first_declarer,
    check_players,
    play_record,
)
from tournaments.engine.ruleset_records import write_ruleset
from tournaments.engine.rulesets import Ruleset
from tournaments.models import AuditLine, Club, Event, Game, Match, Report, Round, Table, Write
from tournaments.models.play import LONGEST_AUTHOR, LONGEST_REASON, digest
from tournaments.queries.rulesets import find_ruleset, house_document, parsed_ruleset, rules_of
from tournaments.queries.sheets import LaterEntryInvalid, Sheet, fold_sheet, load_sheet, result_of
from tournaments.services.auditing import NOBODY, Actor, Change, note_change
from tournaments.services.documents.reporting import throw_away
from tournaments.services.nudges import wake_webhooks
from tournaments.services.play.open_deals import (
    ENDS_A_DEAL,
    before_open_deal,
    completed,
    corrected,
)
from tournaments.services.play.seating import Seating, SeatsDrawn, is_drawn, reseat
from tournaments.services.ratings.due import rate_round_again

KEY = re.compile(r"[0-9A-Za-z_-]{8,64}")


class StaleRevision(Exception):
    """The sheet has moved on since the phone saw it; `sheet` is how it stands now."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        super().__init__(f"the game is at revision {sheet.row.revision}")


class KeyReused(Exception):
    """A key that has already stored something else was sent again."""


class BadKey(Exception):
    """A key that is no key: 8 to 64 letters, digits, `-` or `_`."""


class NoSuchEntry(Exception):
    """There is no entry at this position (any more)."""


class RoundClosed(Exception):
    """The round of the table is closed, or not open yet: only a director writes its sheets."""


class PenTaken(Exception):
    """Someone else has taken the pen meanwhile."""


REFUSALS = (
    *(InvalidEntry, LaterEntryInvalid, StaleRevision),
    *(KeyReused, BadKey, NoSuchEntry, RoundClosed),
)
"""Why a write is not taken; whatever else is raised is a fault, and counted as one."""


@dataclass(frozen=True, slots=True)
class Pen:
    """Whose write this is: its key, the revision seen, who holds the phone, and when.

    `author` is the name at the seat of the phone; `by` is the account, where one is signed in.
    `turn` is the seat whose turn to declare the phone showed, None where it showed none.
    """

    key: str
    revision: int
    at: datetime
    author: str = ""
    by: Actor = NOBODY
    turn: int | None = None


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
    with _refusals_counted(), transaction.atomic():
        sheet = _locked(game_pk, pen)
        place = _place(sheet, pen)
        pen = _signed(pen, sheet.row, place)
        for number, body in enumerate(bodies):
            own = replace(pen, key=f"{pen.key}-{number:03}")
            sheet = _written(sheet, _entry(sheet, body), own, place)
        _keep(sheet, place)
    for write in sheet.writes[pen.revision :]:
        count_write(sheet.row.ruleset, write.kind)
    return sheet


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
        reason=_remark(reason, LONGEST_REASON),
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
        kind=Write.Kind.WITHDRAWAL, position=position, reason=_remark(reason, LONGEST_REASON)
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


def _remark(text: str, longest: int) -> str:
    """What was said about a write, as far as its field can hold it."""
    # No write fails for its remark: PostgreSQL refuses a NUL, and what is too long.
    return text.replace("\0", "")[:longest]


def _new_version(sheet: Sheet, version: Write) -> Write | None:
    if version.position is None or version.position not in sheet.positions:
        raise NoSuchEntry
    return None if version.body == sheet.body(version.position) else version


def store_write(
    game_pk: int,
    pen: Pen,
    is_same: Callable[[Sheet, Write], bool],
    change: Callable[[Sheet], Write | None],
) -> Sheet:
    """Store what `change` makes of the sheet, once; None is a change that changes nothing.

    `is_same` says of a write stored with this key whether this one was sent before.
    """
    with _refusals_counted(), transaction.atomic():
        sheet = _locked(game_pk, pen)
        for stored in sheet.writes:
            if stored.key == pen.key:
                if not is_same(sheet, stored):
                    raise KeyReused
                return sheet
        place = _place(sheet, pen)
        pen = _signed(pen, sheet.row, place)
        write = change(sheet)
        if write is None:
            return sheet
        after = _written(sheet, write, pen, place)
        _keep(after, place)
    count_write(after.row.ruleset, write.kind)
    return after


@contextmanager
def _refusals_counted() -> Iterator[None]:
    try:
        yield
    except REFUSALS as reason:
        count_refusal(reason)
        raise


def _locked(game_pk: int, pen: Pen) -> Sheet:
    if not KEY.fullmatch(pen.key):
        raise BadKey
    # The lock makes writers of one game queue up; without it two could see one revision.
    return load_sheet(Game.objects.select_for_update().get(pk=game_pk))


def _place(sheet: Sheet, pen: Pen) -> Round | None:
    """Where a locked game is played, once it is sure that this pen may go on with it."""
    place = place_for_writing(sheet.row, pen.by)
    if sheet.row.revision != pen.revision:
        raise StaleRevision(sheet)
    return place


def _signed(pen: Pen, row: Game, place: Round | None) -> Pen:
    author = _remark(pen.author, LONGEST_AUTHOR)
    # The phone was late: that player is called otherwise now, or removed.
    late = place is not None and author not in row.players
    return replace(pen, author="" if late else author)


def _written(sheet: Sheet, write: Write, pen: Pen, place: Round | None) -> Sheet:
    """The sheet with one more write, which is stored; its row is changed, and not stored yet."""
    row = sheet.row
    write.game, write.key, write.author, write.at = row, pen.key, pen.author, pen.at
    write.revision = row.revision + 1
    after = fold_sheet(row, (*sheet.writes, write))
    write.save(force_insert=True)
    row.revision = write.revision
    if place is not None:
        _note_write(place.event, sheet, after, write, pen)
    return after


def _keep(sheet: Sheet, place: Round | None) -> None:
    sheet.row.result = result_of(sheet)
    sheet.row.save()
    if place is not None:
        rate_round_again(place)


def place_for_writing(row: Game, by: Actor) -> Round | None:
    """The round of a club in which a locked game is played; None for an open table.

    Raises:
        RoundClosed: whoever writes is no director, and the round is over.
    """
    if row.table_id is None:
        return None
    # Read after the game was locked, and not joined to it: closing a round locks its games, so
    # that a write which waited for it sees that it is closed.
    place = Table.objects.select_related("round__event__club").get(pk=row.table_id).round
    if not place.is_open:
        directed = Club.objects.directed_by(by.user).filter(pk=place.event.club_id)
        if not directed.exists():
            raise RoundClosed
    return place


def _note_write(event: Event, before: Sheet, now: Sheet, write: Write, pen: Pen) -> None:
    """Put a write into the audit of its club, with what it took the place of.

    For whoever is told of results it says whether one was entered by it, or corrected.
    """
    stood = write.before if write.position is None else before.body(write.position)
    after = {"position": write.position, "body": write.body}
    if before.game.finished or now.game.finished:
        after["result"] = "corrected" if before.game.finished else "entered"
        wake_webhooks()
    change = Change(
        AuditLine.Kind.RESULT,
        write.kind,
        f"game:{before.row.public_id}",
        {"position": write.position, "body": stood},
        after,
        write.reason,
        event,
    )
    note_change(event.club, change, pen.by, at=pen.at)


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
