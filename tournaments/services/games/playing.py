"""Record deals, confirm and seal a sheet, and enter totals."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from types import MappingProxyType
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models import F, Q
from django.utils.crypto import salted_hmac
from django.utils.translation import gettext_lazy as _

from tournaments.engine.documents.entries import parse_entry, write_entry
from tournaments.engine.documents.games import check_first_declarer, check_players
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.play.games import check_room, play, seal
from tournaments.engine.rules.entries import (
    IMPORTED,
    STAKE,
    TOTALS,
    Adjustment,
    Deal,
    Entry,
    Stopped,
    Totals,
    Void,
)
from tournaments.engine.rules.rulesets import (
    LONGEST_REASON,
    Code,
    Contract,
    InvalidEntry,
    PerSide,
    Problem,
    Ruleset,
    refuse,
)
from tournaments.models import (
    AuditEntry,
    Confirmation,
    Event,
    Game,
    Match,
    OpenTable,
    Player,
    Report,
    Revision,
    Round,
    Table,
    fields,
)
from tournaments.models.games import digest
from tournaments.queries.rulesets import find_ruleset, house_document, parsed_ruleset
from tournaments.queries.sheets import (
    Agreement,
    LaterEntryInvalid,
    Sheet,
    agreement_of,
    load_sheet,
    phone_seats,
    rules_of,
)
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.writes import Refused
from tournaments.services.documents.reporting import throw_away
from tournaments.services.games.seating import (
    SeatsDrawn,
    TableSeating,
    is_drawn,
    reseat,
)
from tournaments.services.games.writing import (
    KEY,
    BadKey,
    KeyReused,
    NoSuchEntry,
    NotFinished,
    StaleRevision,
    Write,
    WriteContext,
    check_version,
    remark,
    store,
)

ENDS_A_DEAL = Deal | Void | Stopped
"""The entries that can replace an open deal."""

SAID_BEFORE = ("contract", "declarer", "trump", "sealed", "salt")
"""Fields recorded at the begin of a deal, which its end must keep."""

OF_A_VOID = ("contract", "declarer", "sealed", "salt")
PROOF = ("sealed", "salt")


def completed(begun: Mapping[str, Any], entry: Entry) -> Entry:
    """Return `entry` completed with the fields of the open deal `begun`.

    Raises: InvalidEntry: `open-deal`, if it contradicts `begun` or adds nothing.
    """
    if isinstance(entry, Stopped):
        return entry
    if isinstance(entry, Deal) and entry.counts is None:
        raise InvalidEntry([Problem(Code.OPEN_DEAL)])
    body = write_entry(entry)
    named = {name: value for name, value in begun.items() if name not in ("type", "author")}
    if isinstance(entry, Void):
        # Before the contract is known, its seal proves nothing.
        known = "contract" in named or "contract" in body
        fixed = OF_A_VOID if known else ("declarer",)
        named = {name: value for name, value in named.items() if name in fixed}
    stands = [name for name in SAID_BEFORE if name in named]
    changed = [name for name in stands if body.get(name, named[name]) != named[name]]
    if changed:
        raise InvalidEntry([Problem(Code.OPEN_DEAL, name) for name in changed])
    return parse_entry({**named, **body})


def corrected(ruleset: Ruleset, before: Mapping[str, Any], entry: Entry) -> Entry:
    """Return a correction of `before` that keeps the named contract, its proof, and a past result.

    Raises: InvalidEntry: the correction contradicts what was named.
    """
    stood = parse_entry(before)
    if isinstance(stood, Deal) and stood.counts is None and ruleset.unnamed is None:
        return completed(before, entry)
    if "salt" in before and isinstance(entry, Deal | Void):
        return parse_entry({**write_entry(entry), **{name: before[name] for name in PROOF}})
    if isinstance(stood, Totals) and isinstance(entry, Totals):
        # Whether they are rated is decided once.
        return replace(entry, imported=stood.imported)
    return entry


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
    stake: Mapping[str, Any] | None = None


def start_game(head: GameSetup, *, at: datetime, key: str | None = None) -> Game:
    """Open a new table. Idempotent for one `key` and setup.

    House rules of a club must be copied into the setup: only people who may see them have a copy.

    Raises: InvalidEntry: invalid names, seat, ruleset or options; nothing is written.
    """
    ruleset = parsed_ruleset(head.document) if head.document else find_ruleset(head.ruleset)
    check_head(head, ruleset)
    fields = _setup_of(head)
    # House rules may change between two tries; the game keeps those it was opened with.
    document = write_ruleset(ruleset) if head.document and ruleset else house_document(ruleset)
    stored = {"ruleset": head.ruleset, "document": document, "played_at": at}
    if key is None:
        return Game.objects.create(**fields, **stored)
    defaults = {**fields, **stored}
    return Game.objects.get_or_create(start_key=start_key_of(head, key), defaults=defaults)[0]


def _setup_of(head: GameSetup | Game) -> dict[str, Any]:
    return {
        "options": dict(head.options or {}),
        "players": [name.strip() for name in head.players],
        "first_declarer": head.first_declarer,
        "title": head.title,
        "place": head.place,
        **({"stake": dict(head.stake)} if head.stake else {}),
    }


def start_key_of(head: GameSetup, key: str) -> str:
    """Return the digest of a key and what it starts: the key gives access to the table."""
    setup = {"ruleset": head.ruleset, **_setup_of(head)}
    return digest(json.dumps([key, setup], sort_keys=True))


def check_head(head: GameSetup, ruleset: Ruleset | None) -> None:
    """Check the setup of a sheet of `ruleset` (None: unknown ruleset).

    Raises: InvalidEntry: contains every problem; `where` names the field of the setup.
    """
    if ruleset is None:
        raise InvalidEntry([Problem(Code.UNKNOWN_RULESET, "ruleset", {"ruleset": head.ruleset})])
    problems = [*check_players(ruleset, list(head.players))]
    problems += check_first_declarer(ruleset, head.first_declarer)
    problems += STAKE.problems(head.stake, "stake")
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
    """

    def add(sheet: Sheet) -> Sheet:
        # The declarer is not stored: it follows from the turn when the first one is corrected.
        if isinstance(entry, Deal) and context.turn not in (None, sheet.game.declarer):
            params = {"expected": sheet.game.declarer, "got": context.turn}
            raise InvalidEntry([Problem(Code.WRONG_DECLARER, "declarer", params)])
        _check_totals_typed(entry)
        return with_entry(sheet, entry)

    return store(game_pk, context, [Write(context.key, add, partial(_is_entry, entry))])


def _is_entry(entry: Entry, sheet: Sheet, stored: Revision) -> bool:
    if stored.kind != Revision.Kind.COMPLETION:
        return stored.kind == Revision.Kind.ENTRY and stored.body == write_entry(
            entry, sheet.game.ruleset
        )
    try:
        return bool(stored.body == write_entry(completed(_version_before(sheet, stored), entry)))
    except InvalidEntry:
        return False


def record_keyed(
    game_pk: int, entries: Sequence[tuple[str, Entry]], context: WriteContext
) -> Sheet:
    """Append several entries, each with its key and once: all not there yet, or none.

    Raises:
        InvalidEntry: contains every reason against the first invalid one; `where` begins with
            its place in the list, as `2.entry.counts`.
        StaleRevision: others have written since the context's revision.
        KeyReused, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
    """
    if not all(KEY.fullmatch(key) for key, _entry in entries):
        raise BadKey
    if len({key for key, _entry in entries}) < len(entries):
        raise KeyReused

    def add(sheet: Sheet, number: int, entry: Entry) -> Sheet:
        try:
            _check_totals_typed(entry)
            return with_entry(sheet, entry)
        except InvalidEntry as error:
            at = f"{number}.entry"
            raise InvalidEntry(
                [replace(p, where=f"{at}.{p.where}" if p.where else at) for p in error.problems]
            ) from error

    writes = [
        Write(key, partial(add, number=number, entry=entry), partial(_is_entry, entry))
        for number, (key, entry) in enumerate(entries)
    ]
    return store(game_pk, context, writes)


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


def with_entry(sheet: Sheet, entry: Entry) -> Sheet:
    """Return the sheet with one more entry, of which the end of a deal replaces its begin.

    Only that entry is played, not the whole game again.
    """
    game, positions = sheet.game, sheet.positions
    if game.open_deal is not None and isinstance(entry, ENDS_A_DEAL):
        position, kind = positions[-1], Revision.Kind.COMPLETION
        game, entry = game.without_open_deal(), completed(sheet.body(position) or {}, entry)
    else:
        refuse(check_room(game))
        # After all entries, including withdrawn ones.
        known = (w.position for w in sheet.revisions if w.position is not None)
        position, kind = max(known, default=-1) + 1, Revision.Kind.ENTRY
        positions = (*positions, position)
    revision = Revision(kind=kind, position=position, body=write_entry(entry, game.ruleset))
    return Sheet(sheet.row, (*sheet.revisions, revision), positions, play(game, entry))


def record_entries(game_pk: int, entries: Iterable[Entry], context: WriteContext) -> Sheet:
    """Append the entries of a record from the first one on: all or none.

    Each is a revision of its own, as from `record_entry`; its key is the context's with a number.
    A repeat is stale.

    Raises:
        InvalidEntry: contains every reason against the first invalid entry.
        StaleRevision, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
    """
    writes = [
        Write(f"{context.key}-{number:03}", partial(with_entry, entry=entry))
        for number, entry in enumerate(entries)
    ]
    return store(game_pk, context, writes)


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
        StaleRevision: with a version in the context, that entry has changed, else the sheet.
        KeyReused, BadKey, Game.DoesNotExist: as in `record_entry`.
    """
    version = Revision(
        kind=Revision.Kind.CORRECTION, position=position, reason=remark(reason, LONGEST_REASON)
    )

    def correct(sheet: Sheet) -> Sheet:
        before = _body_at(sheet, position)
        try:
            rules = sheet.game.ruleset
            version.body = write_entry(corrected(rules, before, entry), rules)
            _check_totals_typed(entry, before)
        except InvalidEntry as error:
            raise LaterEntryInvalid(position, error.problems) from error
        if version.body == before:
            return sheet
        check_version(sheet, position, context)
        return sheet.after_change(version)

    def is_same(sheet: Sheet, stored: Revision) -> bool:
        if stored.kind != version.kind:
            return False
        try:
            before = _version_before(sheet, stored)
            rules = sheet.game.ruleset
            version.body = write_entry(corrected(rules, before, entry), rules)
        except InvalidEntry:
            return False
        return _says_the_same(stored, version)

    return store(game_pk, context, [Write(context.key, correct, is_same, has_version=True)])


def _body_at(sheet: Sheet, position: int) -> Mapping[str, Any]:
    body = sheet.body(position)
    if body is None:
        raise NoSuchEntry
    return body


def moves_declarers(sheet: Sheet, position: int) -> bool:
    """Return whether later deals get other declarers without the entry at `position`."""
    types = {p: body["type"] for p in sheet.positions if (body := sheet.body(p))}
    return types.get(position) == "deal" and any(
        kind == "deal" for later, kind in types.items() if later > position
    )


def withdraw_entry(
    game_pk: int, position: int, reason: str, context: WriteContext, *, moves: bool = True
) -> Sheet:
    """Withdraw the entry at `position`; it stays in the log.

    Without `moves` the phone saw no deal after it that would get another declarer. With a version
    in the context, what another phone has withdrawn since then stays so.

    Raises:
        LaterEntryInvalid: a later entry is invalid without it.
        StaleRevision: as in `correct_entry`, or a later deal would get another declarer.
        NoSuchEntry, KeyReused, BadKey, Game.DoesNotExist: as in `correct_entry`.
    """
    version = Revision(
        kind=Revision.Kind.WITHDRAWAL, position=position, reason=remark(reason, LONGEST_REASON)
    )

    def withdraw(sheet: Sheet) -> Sheet:
        versions = sheet.versions(position)
        if context.version is not None and versions and versions[-1].body is None:
            return sheet
        _body_at(sheet, position)
        check_version(sheet, position, context)
        if not moves and moves_declarers(sheet, position):
            raise StaleRevision(sheet)
        return sheet.after_change(version)

    write = Write(context.key, withdraw, _same_as(version), has_version=True)
    return store(game_pk, context, [write])


def change_head(
    game_pk: int, head: GameSetup, context: WriteContext, *, whole_evening: bool = False
) -> Sheet:
    """Correct names, seats, first declarer, options or stake of a game; its ruleset stays.

    At a club's table the names must be players of the club, and are shown as those wish. For the
    `whole_evening` the other games at an open table get the same stake.

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
        with transaction.atomic():
            for other in _locked_games_at_table_of(game_pk) if whole_evening else ():
                # A stake of earlier versions is an option.
                options = {
                    name: set_to
                    for name, set_to in other.options.items()
                    if name not in ("stake", "stake_per")
                }
                if other.pk != game_pk and (options, head.stake) != (other.options, other.stake):
                    changed = {"stake": head.stake, "options": options}
                    own = GameSetup(other.ruleset, **_setup_of(other) | changed)
                    _put_head(other, own, replace(context, revision=other.revision, version=None))
            return _put_head(row, head, context)
    if is_drawn(row.table_id):
        drawn = ([name.strip() for name in head.players], dict(head.options or {}), head.stake)
        if drawn != (row.players, row.options, row.stake):
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
        stays = ("first_declarer", "options", "title", "place", "stake")
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
    body = _setup_of(head)
    players = body["players"]
    version = Revision(kind=Revision.Kind.HEAD, body=body)

    def put_head(sheet: Sheet) -> Sheet:
        if sheet.row.table_id != row.table_id:
            # Adopted into a club since it was read: its names are players now.
            raise StaleRevision(sheet)
        version.before = _setup_of(sheet.row)
        moved = seating is not None and seating.sit_down(sheet.row)
        if version.before == body and not moved:
            return sheet
        check_version(sheet, None, context)
        if seating is None:
            # Who is renamed keeps their phone; a club's player is somebody else.
            seats, before = phone_seats(sheet.row), sheet.row.players
            for seat, name in zip(seats, players, strict=True):
                if seat.name not in players and name not in before:
                    seat.name, seat.was = name, [*seat.was, seat.name]
            if any(seat.was for seat in seats):
                sheet.row.phones = [asdict(seat) for seat in seats]
        for name, value in ({"stake": None} | body).items():
            setattr(sheet.row, name, value)
        return sheet.after_change(version)

    write = Write(context.key, put_head, _same_as(version), has_version=True)
    return store(row.pk, context, [write])


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
            row.phones = [{**phone, "pen": 0, "given": False, "backs": ""} for phone in row.phones]
            row.save(update_fields=["write_generation", "taken_with", "taken_at", "phones"])
            if row.table_id is not None:
                table = Table.objects.select_related("round__event__club").get(pk=row.table_id)
                event, subject = table.round.event, f"table:{table.public_id}"
                change = Change(AuditEntry.Kind.EVENT, "take-pen", subject, event=event)
                note_change(event.club, change, by, at=at)
        elif row.taken_with != digest(key):
            raise ScoringTaken
    return row


TWO_AGREE, ONE_ALONE = timedelta(minutes=2), timedelta(minutes=5)
"""The silence of the writing phone after which the scoring goes to a seat that asked for it."""


def may_take_pen(row: Game, seat: int, phone: str, *, at: datetime) -> bool:
    """Return whether the phone of a seat, which asked for the scoring, may take it over (1 query).

    The writing phone gives it. At an open table it may also have been silent since the request and
    the last entry: for two minutes if another seat agrees or this one wrote the last entry, else
    for five. Whoever follows a club's table may be a stranger; there directors help.
    """
    seats = phone_seats(row)
    there = seats[seat]
    if there.phone != phone or not there.pen or row.result is not None:
        return False
    last = row.revisions.order_by("-revision").first()
    agreed = any(each.backs == there.name and each is not there for each in seats)
    agreed = agreed or (last is not None and last.author == there.name)
    silent_since = max(there.pen, last.at.timestamp() if last else 0)
    silence = timedelta(seconds=at.timestamp() - silent_since)
    is_silent = silence >= (TWO_AGREE if agreed else ONE_ALONE)
    return there.given or (is_silent and row.table_id is None)


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


def _same_as(version: Revision) -> Callable[[Sheet, Revision], bool]:
    return lambda _sheet, stored: _says_the_same(stored, version)


def _says_the_same(stored: Revision, version: Revision) -> bool:
    at_same = version.position is None or stored.position == version.position
    content = (stored.kind, stored.body, stored.reason)
    return at_same and content == (version.kind, version.body, version.reason)


class NotSeated(Refused, code="not-seated", status=404):
    sentence = _("Nobody sits at this seat.")


def agreement_on(sheet: Sheet, setting: str, confirmations: Iterable[Confirmation]) -> Agreement:
    """Return the confirmations of a finished sheet; those of earlier revisions do not count."""
    return agreement_of(sheet.row, setting, confirmations)


def is_agreed(row: Game, event: Event) -> bool:
    """Return whether a finished result has all confirmations that its event requires (1 query)."""
    return agreement_of(row, event.confirmations, row.confirmations.all()).enough


def confirm_result(game_pk: int, seat: int, revision: int, by: Actor, *, at: datetime) -> Sheet:
    """Confirm a result for a seat, on the phone of the table. Idempotent.

    Raises:
        NotFinished: the game is not finished.
        NotSeated: the game belongs to no club, or has no such seat.
        StaleRevision: the sheet has changed since; the exception contains it.
        Game.DoesNotExist: the game was removed.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        return _confirm(row, seat, revision, by, at)


def confirm_all(game_pk: int, revision: int, by: Actor, *, at: datetime) -> None:
    """Confirm a result for every seat, on a director's word. Idempotent.

    Raises:
        NotFinished, NotSeated, StaleRevision, Game.DoesNotExist: as in `confirm_result`.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        for seat in range(len(row.players)):
            _confirm(row, seat, revision, by, at)


def confirm_own_result(game_pk: int, revision: int, by: Actor, *, at: datetime) -> Sheet:
    """Confirm a result as the account of one of its players, from any device.

    Raises:
        NotSeated: no player of the account sits at the table.
        NotFinished, StaleRevision, Game.DoesNotExist: as in `confirm_result`.
    """
    with transaction.atomic():
        row = Game.objects.select_for_update().get(pk=game_pk)
        seat = own_seat(row, by)
        if seat is None:
            raise NotSeated
        return _confirm(row, seat, revision, by, at)


def own_seat(row: Game, by: Actor) -> int | None:
    """Return the seat of the account's player; None if they do not sit at the table."""
    if by.user is None:
        return None
    seats = row.seats.filter(player__account=by.user)
    return seats.values_list("number", flat=True).first()


def _confirm(row: Game, seat: int, revision: int, by: Actor, at: datetime) -> Sheet:
    """Confirm for a seat of a locked game, so that no revision comes in between."""
    sheet = load_sheet(row)
    player = Player.objects.filter(seats__game=row, seats__number=seat).first()
    if player is None or row.table_id is None:
        raise NotSeated
    if row.revision != revision:
        raise StaleRevision(sheet)
    if not sheet.game.finished:
        raise NotFinished
    clubs = Table.objects.filter(pk=row.table_id).values_list("round__event__club", flat=True)
    Confirmation.objects.get_or_create(
        game=row,
        revision=revision,
        seat=seat,
        defaults={
            "player": row.players[seat],
            "user": by.user,
            # Many hold the table's phone; only the player's account proves who confirmed.
            "own": by.user is not None and player.account_id == by.user.pk,
            "at": at,
            "club_id": clubs.get(),
            "by_phone": bool(by.table),
            "address": by.address or None,
        },
    )
    return sheet


class SealNotOurs(Refused, code="seal-not-ours"):
    sentence = _("This seal was not made here: whoever made it has to prove it.")


def seal_contract(game_pk: int, contract: str, context: WriteContext) -> Sheet:
    """Begin a deal with a contract only the declarer knows; the sheet gets its hash.

    A used-up contract can be sealed too; the reveal shows it. A repeat of the key changes nothing,
    whatever contract it contains.

    Raises:
        InvalidEntry: unknown contract, or the ruleset has no sealed contracts.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `playing.record_entry`.
    """
    public_id = Game.objects.values_list("public_id", flat=True).get(pk=game_pk)
    sealed = Deal(
        details={"sealed": seal(contract, _salt(public_id, context.key, settings.SECRET_KEY))}
    )

    def add(sheet: Sheet) -> Sheet:
        named = sheet.game.ruleset.by_id.get(contract)
        if not contract:
            raise InvalidEntry([Problem(Code.MISSING_FIELD, "contract", {"field": "contract"})])
        if named is None or not named.named:
            raise InvalidEntry([Problem(Code.UNKNOWN_CONTRACT, "contract", {"contract": ""})])
        return with_entry(sheet, sealed)

    def is_same(_sheet: Sheet, stored: Revision) -> bool:
        # Comparing the hash would tell anybody who knows the key which contract was sealed.
        return stored.kind == Revision.Kind.ENTRY and "sealed" in (stored.body or {})

    return store(game_pk, context, [Write(context.key, add, is_same)])


def reveal_contract(game_pk: int, position: int, context: WriteContext) -> Sheet:
    """Reveal the contract sealed at `position` with its salt; over quota, the deal is void.

    Raises:
        NoSuchEntry: there is no sealed contract, or it is revealed already.
        SealNotOurs: the server cannot determine the contract of this seal.
        StaleRevision, KeyReused, BadKey, Game.DoesNotExist: as in `playing.record_entry`.
    """

    def reveal(sheet: Sheet) -> Sheet:
        sealed = sealed_at(sheet, position)
        if sealed is None:
            raise NoSuchEntry
        begun = parse_entry(sealed.body)
        assert isinstance(begun, Deal)
        contract, salt = _open_seal(sheet, sealed)
        proof = {"sealed": begun.details["sealed"], "salt": salt}
        entry: Entry = replace(begun, contract=contract.id, details={**begun.details, **proof})
        if any(sheet.game.without_open_deal().check_choice(contract)):
            entry = Void("over-quota", contract.id, begun.declarer, proof)
        return sheet.after_change(
            Revision(kind=Revision.Kind.REVEAL, position=position, body=write_entry(entry))
        )

    def is_same(_sheet: Sheet, stored: Revision) -> bool:
        return (stored.kind, stored.position) == (Revision.Kind.REVEAL, position)

    return store(game_pk, context, [Write(context.key, reveal, is_same)])


def sealed_at(sheet: Sheet, position: int) -> Revision | None:
    """Return the revision with the sealed, not yet revealed contract at a position."""
    versions = sheet.versions(position)
    last = versions[-1] if versions else None
    if last is None or not last.body or "sealed" not in last.body or "contract" in last.body:
        return None
    return last


def _open_seal(sheet: Sheet, sealed: Revision) -> tuple[Contract, str]:
    for secret in fields.server_keys():
        salt = _salt(sheet.row.public_id, sealed.key, secret)
        for contract in sheet.game.ruleset.contracts:
            if seal(contract.id, salt) == (sealed.body or {}).get("sealed"):
                return contract, salt
    raise SealNotOurs


def _salt(public_id: str, key: str, secret: str) -> str:
    """Return a salt of 256 bits, different for each write and secret with the server."""
    return salted_hmac(
        "kingscore.seal", f"{public_id}:{key}", secret, algorithm="sha256"
    ).hexdigest()


def totals_on(sheet: Sheet) -> tuple[int, Mapping[str, Any]] | None:
    """Return the position and the body of the totals on a sheet; None if it has none."""
    for position, entry in zip(sheet.positions, sheet.game.entries, strict=True):
        if isinstance(entry, Totals):
            return position, sheet.body(position) or {}
    return None


def record_totals(  # noqa: PLR0913 - what was typed, and how
    game_pk: int,
    totals: PerSide,
    context: WriteContext,
    *,
    early: bool = False,
    signed: bool = False,
    reason: str = "",
) -> Sheet:
    """Bring a game to its final `totals`, one per side, and end it. Idempotent for one key.

    Totals that are on the sheet are corrected, for `reason`: a new version of the same entry.
    With `early` a King or the table ended the game before its last deal, so that any sum goes.
    With `signed` everybody has signed the paper: each seat confirms the result.

    Raises:
        InvalidEntry: the game cannot have ended so, is over by its deals, or has an open deal.
        StaleRevision, KeyReused, BadKey, RoundClosed, Game.DoesNotExist: as in `record_entry`.
        LaterEntryInvalid: corrected totals that the game cannot have ended with.
    """
    with transaction.atomic():
        # Locked, so that what was on the sheet when this was decided is on it when it is written.
        before = load_sheet(Game.objects.select_for_update().get(pk=game_pk))
        known = next(
            (revision for revision in before.revisions if revision.key == context.key), None
        )
        stands = totals_on(before)
        if stands is None or (known is not None and known.kind == Revision.Kind.ENTRY):
            sheet = record_entry(game_pk, Totals(totals, early), context)
        else:
            position, body = stands
            entry = Totals(totals, early, note=body.get("note"))
            sheet = correct_entry(game_pk, position, entry, reason, context)
        if signed and known is None:
            confirm_all(game_pk, sheet.row.revision, context.by, at=context.at)
        return sheet
