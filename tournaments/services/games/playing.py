"""Start games, write their sheets, delete them."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from types import MappingProxyType
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import write_entry
from tournaments.engine.documents.games import check_first_declarer, check_players
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.entries import IMPORTED, TOTALS, Adjustment, Deal, Entry, Totals
from tournaments.engine.rules.rulesets import (
    LONGEST_REASON,
    Code,
    InvalidEntry,
    Problem,
    Ruleset,
    refuse,
)
from tournaments.models import (
    AuditEntry,
    Game,
    Match,
    OpenTable,
    Report,
    Revision,
    Round,
    Table,
)
from tournaments.models.games import digest
from tournaments.queries.games.sheets import LaterEntryInvalid, Sheet, rules_of
from tournaments.queries.rulesets import (
    find_ruleset,
    house_document,
    parsed_ruleset,
)
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.refusals import Refused
from tournaments.services.documents.reporting import throw_away
from tournaments.services.games.open_deals import ENDS_A_DEAL, completed, corrected
from tournaments.services.games.seats import SeatsDrawn, TableSeating, is_drawn, reseat
from tournaments.services.games.writing import (
    KEY,
    BadKey,
    KeyedWrite,
    KeyReused,
    NoSuchEntry,
    StaleRevision,
    WriteContext,
    remark,
    store_keyed,
    store_write,
    store_writes,
)


class ScoringTaken(Refused, code="pen-taken"):
    sentence = _("Someone else has taken over the scoring in the meantime.")


@dataclass(frozen=True, slots=True)
class GameSetup:
    """The setup of a sheet: names in seat order, first declarer, and the table's rules.

    With a `document`, house rules are played as in it, not as they are now.
    """

    ruleset: str
    players: Sequence[str]
    first_declarer: int = 0
    options: Mapping[str, Any] | None = None
    title: str = ""
    place: str = ""
    document: Mapping[str, Any] | None = None


def start_game(head: GameSetup, *, at: datetime, key: str | None = None) -> Game:
    """Open a new table. Idempotent for one `key` and setup.

    House rules of a club must be copied into the setup: only people who may see them have a copy.

    Raises:
        InvalidEntry: invalid names, seat, ruleset or options; nothing is written.
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
    # The key gives access to the table it opened, so the row contains only its digest.
    start_key = digest(json.dumps([key, fields], sort_keys=True))
    defaults = {**fields, **kept}
    return Game.objects.get_or_create(start_key=start_key, defaults=defaults)[0]


def check_head(head: GameSetup, ruleset: Ruleset | None) -> None:
    """Check the setup of a sheet of `ruleset` (None: unknown ruleset).

    Raises:
        InvalidEntry: contains every problem; `where` names the field of the setup.
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


def record_entry(game_pk: int, entry: Entry, context: WriteContext) -> Sheet:
    """Append an entry to the sheet.

    If the last deal is open, its end replaces it as a new version that keeps everything recorded
    at its begin.

    Raises:
        InvalidEntry: contains every reason, or the turn is another player's.
        StaleRevision: the sheet has changed; the exception contains it.
        KeyReused, BadKey: the key cannot be used for this entry.
        RoundClosed: the round of a club's table is closed, and the author is no director.
        Game.DoesNotExist: the game was deleted.
    In each case nothing is written.
    """

    def add(sheet: Sheet) -> Sheet:
        if isinstance(entry, Deal):
            _check_turn(sheet, context.turn)
        _check_totals_typed(entry)
        return _with_entry(sheet, entry)

    return store_write(game_pk, context, partial(_is_entry, entry), add)


def _is_entry(entry: Entry, sheet: Sheet, stored: Revision) -> bool:
    """Return whether a stored revision came from this entry."""
    if stored.kind != Revision.Kind.COMPLETION:
        return stored.kind == Revision.Kind.ENTRY and stored.body == write_entry(entry)
    try:
        return bool(stored.body == write_entry(completed(_version_before(sheet, stored), entry)))
    except InvalidEntry:
        return False


@dataclass(frozen=True, slots=True)
class KeyedEntry:
    """An entry with the key by which it is recorded once."""

    key: str
    entry: Entry


def record_keyed(game_pk: int, entries: Sequence[KeyedEntry], context: WriteContext) -> Sheet:
    """Append several entries, each once by its key: all that are not there yet, or none.

    Raises:
        InvalidEntry: contains every reason against the first invalid one; `where` begins with
            its place in the list, as `2.entry.counts`.
        StaleRevision: others have written since the context's revision.
        KeyReused, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
    """
    if not all(KEY.fullmatch(each.key) for each in entries):
        raise BadKey
    if len({each.key for each in entries}) < len(entries):
        raise KeyReused

    def add(sheet: Sheet, number: int) -> Sheet:
        try:
            _check_totals_typed(entries[number].entry)
            return _with_entry(sheet, entries[number].entry)
        except InvalidEntry as error:
            at = f"{number}.entry"
            raise InvalidEntry(
                [replace(p, where=f"{at}.{p.where}" if p.where else at) for p in error.problems]
            ) from error

    return store_keyed(
        game_pk,
        context,
        [
            KeyedWrite(each.key, partial(_is_entry, each.entry), partial(add, number=number))
            for number, each in enumerate(entries)
        ],
    )


def _check_turn(sheet: Sheet, turn: int | None) -> None:
    # The declarer is not stored: it follows from the turn when the first declarer is corrected.
    if turn not in (None, sheet.game.declarer):
        params = {"expected": sheet.game.declarer, "got": turn}
        raise InvalidEntry([Problem(Code.WRONG_DECLARER, "declarer", params)])


def _check_totals_typed(entry: Entry, before: Mapping[str, Any] = MappingProxyType({})) -> None:
    """Refuse forms of totals that only past records and imports have, unless `before` has them.

    Raises:
        InvalidEntry: the entry has such a form, in which totals would not be checked or not rated.
    """
    if isinstance(entry, Totals):
        marks = {"imported": entry.imported and not before.get("imported")}
        marks["unchecked"] = entry.unchecked
        refuse(
            Problem(Code.UNEXPECTED_FIELD, name, {"field": name})
            for name, is_new in marks.items()
            if is_new
        )
    elif (
        isinstance(entry, Adjustment)
        and entry.reason in (IMPORTED, TOTALS)
        and before.get("reason") != entry.reason
    ):
        raise InvalidEntry([Problem(Code.BAD_ADJUSTMENT, "reason")])


def _with_entry(sheet: Sheet, entry: Entry) -> Sheet:
    if sheet.game.open_deal is None or not isinstance(entry, ENDS_A_DEAL):
        return sheet.after_entry(entry)
    return sheet.after_completion(completed(sheet.body(sheet.positions[-1]) or {}, entry))


def record_entries(game_pk: int, entries: Iterable[Entry], context: WriteContext) -> Sheet:
    """Append the entries of a record from the first one on: all or none.

    Each is a revision of its own, as from `record_entry`; its key is the context's with a number.
    A repeat is stale.

    Raises:
        InvalidEntry: contains every reason against the first invalid entry.
        StaleRevision, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
    """
    return store_writes(game_pk, context, [partial(_with_entry, entry=entry) for entry in entries])


def _version_before(sheet: Sheet, stored: Revision) -> Mapping[str, Any]:
    versions = sheet.versions(stored.position or 0)
    before = [version for version in versions if version.revision < stored.revision]
    return before[-1].body or {} if before else {}


def correct_entry(
    game_pk: int, position: int, entry: Entry, reason: str, context: WriteContext
) -> Sheet:
    """Replace the entry at `position` by a new version; the old one stays in the log.

    Raises:
        LaterEntryInvalid: the corrected entry or a later one is invalid; contains the reasons.
        NoSuchEntry: there is no entry at that position.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    version = Revision(
        kind=Revision.Kind.CORRECTION, position=position, reason=remark(reason, LONGEST_REASON)
    )

    def correct(sheet: Sheet) -> Sheet | None:
        before = _body_at(sheet, position)
        try:
            version.body = write_entry(corrected(sheet.game.ruleset, before, entry))
            _check_totals_typed(entry, before)
        except InvalidEntry as error:
            raise LaterEntryInvalid(position, error.problems) from error
        return None if version.body == before else sheet.after_change(version)

    def is_same(sheet: Sheet, stored: Revision) -> bool:
        if stored.kind != version.kind:
            return False
        try:
            before = _version_before(sheet, stored)
            version.body = write_entry(corrected(sheet.game.ruleset, before, entry))
        except InvalidEntry:
            return False
        return _says_the_same(stored, version)

    return store_write(game_pk, context, is_same, correct)


def _body_at(sheet: Sheet, position: int) -> Mapping[str, Any]:
    body = sheet.body(position)
    if body is None:
        raise NoSuchEntry
    return body


def withdraw_entry(game_pk: int, position: int, reason: str, context: WriteContext) -> Sheet:
    """Withdraw the entry at `position`; it stays in the log.

    Raises:
        LaterEntryInvalid: a later entry is invalid without it.
        NoSuchEntry, StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `correct_entry`.
    """
    version = Revision(
        kind=Revision.Kind.WITHDRAWAL, position=position, reason=remark(reason, LONGEST_REASON)
    )

    def withdraw(sheet: Sheet) -> Sheet:
        _body_at(sheet, position)
        return sheet.after_change(version)

    return store_write(game_pk, context, _same_as(version), withdraw)


def change_head(game_pk: int, head: GameSetup, context: WriteContext) -> Sheet:
    """Correct names, seats, first declarer or options of a game; its ruleset stays.

    At a club's table the names must be players of the club, and are shown as those wish.

    Raises:
        InvalidEntry: an invalid setup.
        LaterEntryInvalid: an entry is invalid under the new setup.
        NotOfClub, SitsTwice, SitsElsewhere: the club has no player of that name who can sit there.
        SeatsDrawn: players, seats or options of a tournament's table cannot change.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    # A game's ruleset never changes, so it can be read before the lock.
    row = Game.objects.get(pk=game_pk)
    check_head(head, rules_of(row))
    if row.table_id is None:
        return _put_head(row, head, context)
    if is_drawn(row.table_id):
        said = ([name.strip() for name in head.players], dict(head.options or {}))
        if said != (row.players, row.options):
            raise SeatsDrawn
        return _put_head(row, head, context)
    with transaction.atomic():
        seating = reseat(row, head.players, context.by, at=context.at)
        return _put_head(row, replace(head, players=seating.names), context, seating)


def seat_others(row: Game, seating: TableSeating, context: WriteContext) -> None:
    """Change the players of a tournament's table; its entries stay with the seats.

    Once its round is open this is a revision, so that a phone that still shows the players of
    before is refused. The game must be locked.

    Raises:
        RoundClosed, StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    opened = Round.objects.filter(tables=row.table_id, opened_at__isnull=False)
    if row.revision or opened.exists():
        stays = ("first_declarer", "options", "title", "place")
        head = GameSetup(row.ruleset, seating.names, **{name: getattr(row, name) for name in stays})
        _put_head(row, head, context, seating)
        return
    # Nothing to keep in a history yet.
    seating.sit_down(row)
    row.players = seating.names
    row.save(update_fields=["players"])


def _put_head(
    row: Game, head: GameSetup, context: WriteContext, seating: TableSeating | None = None
) -> Sheet:
    body = {
        "players": [name.strip() for name in head.players],
        "first_declarer": head.first_declarer,
        "options": dict(head.options or {}),
        "title": head.title,
        "place": head.place,
    }
    version = Revision(kind=Revision.Kind.HEAD, body=body)

    def put_head(sheet: Sheet) -> Sheet | None:
        if sheet.row.table_id != row.table_id:
            # Adopted into a club since it was read: its names are players now.
            raise StaleRevision(sheet)
        version.before = {name: getattr(sheet.row, name) for name in body}
        moved = seating is not None and seating.sit_down(sheet.row)
        if version.before == body and not moved:
            return None
        for name, value in body.items():
            setattr(sheet.row, name, value)
        return sheet.after_change(version)

    return store_write(row.pk, context, _same_as(version), put_head)


def hand_over(game_pk: int, generation: int, key: str, by: Actor = NOBODY, *, at: datetime) -> Game:
    """Hand over scoring to the phone that chose `key`; revoke every earlier write link.

    That of the other games at the table too, since the last game's leads to the next.

    Idempotent for one `generation` and `key`, as after a lost answer.

    Raises:
        ScoringTaken: another phone took over with another key meanwhile.
        Game.DoesNotExist: the game was deleted.
    """
    with transaction.atomic():
        games = {row.pk: row for row in _locked_games_at_table_of(game_pk)}
        row = games.pop(game_pk)
        if row.write_generation == generation:
            Game.objects.filter(pk__in=games).update(write_generation=F("write_generation") + 1)
            row.write_generation += 1
            row.taken_with, row.taken_at = digest(key), at
            row.save(update_fields=["write_generation", "taken_with", "taken_at"])
            _note_taking(row, by, at)
        elif row.taken_with != digest(key):
            raise ScoringTaken
    return row


def _locked_games_at_table_of(game_pk: int) -> list[Game]:
    """Lock and return the games at the club's table, or else at the open table, of a game.

    Raises:
        Game.DoesNotExist: the game was deleted.
    """
    row = Game.objects.get(pk=game_pk)
    if row.table_id is not None:
        beside = Q(table=row.table_id)
    elif row.open_table_id is not None:
        _lock_open_table(game_pk)
        beside = Q(open_table=row.open_table_id, table=None)
    else:
        beside = Q(pk=game_pk)
    rows = list(Game.objects.select_for_update().filter(beside | Q(pk=game_pk)).order_by("pk"))
    if game_pk not in {row.pk for row in rows}:
        raise Game.DoesNotExist
    return rows


def _lock_open_table(game_pk: int) -> None:
    """Lock the open table of a game, before any of its games: a next game waits."""
    OpenTable.objects.select_for_update(no_key=True).filter(games=game_pk).first()


def delete_game(game_pk: int) -> None:
    """Delete an open table's game with its revisions and documents; the table with its last game.

    Idempotent. A club's game stays.
    """
    with transaction.atomic():
        _lock_open_table(game_pk)
        # Wait for a write in progress, or its row would be left without a game.
        row = Game.objects.select_for_update().filter(pk=game_pk, table=None).first()
        if row is not None:
            delete_locked(row)


def delete_locked(row: Game) -> None:
    """Delete a locked game with its documents, and its match and table if those become empty."""
    of_evening = Q(kind=Report.Kind.EVENING, game__open_table__isnull=False)
    of_evening &= Q(game__open_table=row.open_table_id)
    throw_away(Report.objects.filter(Q(game_id=row.pk) | of_evening))
    Game.objects.filter(pk=row.pk).delete()
    if row.match_id is not None:
        Match.objects.filter(pk=row.match_id, games=None).delete()
    if row.open_table_id is not None:
        OpenTable.objects.filter(pk=row.open_table_id, games=None).delete()


def _note_taking(row: Game, by: Actor, at: datetime) -> None:
    """Add an audit entry that another phone scores at a table."""
    if row.table_id is not None:
        table = Table.objects.select_related("round__event__club").get(pk=row.table_id)
        event = table.round.event
        subject = f"table:{table.public_id}"
        change = Change(AuditEntry.Kind.EVENT, "take-pen", subject, event=event)
        note_change(event.club, change, by, at=at)


def _same_as(version: Revision) -> Callable[[Sheet, Revision], bool]:
    return lambda _sheet, stored: _says_the_same(stored, version)


def _says_the_same(stored: Revision, version: Revision) -> bool:
    """Return whether a stored revision equals the one sent again."""
    at_same = version.position is None or stored.position == version.position
    said = (stored.kind, stored.body, stored.reason)
    return at_same and said == (version.kind, version.body, version.reason)
