"""The shared write path: idempotency key, lock, revision check, fold, store.

Each write has a key chosen by the phone and the revision it last saw. It locks the game row,
folds the whole game with the change, and only then stores it.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Sum
from django.utils.translation import gettext_lazy as _
from prometheus_client import Counter

from tournaments.engine.rules.entries import clean_line
from tournaments.engine.rules.rulesets import (
    LAST_FOR_DIRECTORS,
    LONGEST_EVENING,
    LONGEST_NAME,
    MOST_GAMES_AT_TABLE,
    Code,
    InvalidEntry,
)
from tournaments.engine.variants import RULESETS
from tournaments.models import AuditEntry, Club, DealReview, Event, Game, Revision, Round, Table
from tournaments.queries.sheets import (
    LaterEntryInvalid,
    Sheet,
    load_reviews,
    load_sheet,
    put_computed,
)
from tournaments.services.audit import NOBODY, Actor, Change, note_change
from tournaments.services.base.writes import ChangedMeanwhile, Refused, note_refusal, wake_webhooks
from tournaments.services.events.events import seal_after_commit
from tournaments.services.ratings.computing import rate_round_again
from tournaments.texts import messages

COMPUTED = ("revision", "result", "digest")
"""The columns of a game that every write changes."""

KEY = re.compile(r"[0-9A-Za-z_-]{8,64}")

WRITES = Counter(
    "kingscore_writes", "Writes stored on sheets, by ruleset and kind", ["ruleset", "kind"]
)
REFUSED_WRITES = Counter(
    "kingscore_refusals", "Writes on sheets that were refused, by code", ["code"]
)

HOUSE = "house"
"""Label of all house rules: clubs control their number."""


class StaleRevision(ChangedMeanwhile):
    """The sheet has changed since the phone read it; `sheet` is the current one."""

    sentence = _("Someone else has written meanwhile. Yours was not saved.")

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        revision = sheet.row.revision
        super().__init__(f'"{revision}"', data={"revision": revision})


class KeyReused(Refused, code="key-reused", status=422):
    sentence = _("This key was used for another request.")


class BadKey(Refused, code="bad-key", status=422):
    sentence = _("An idempotency key has 8 to 64 letters, digits, - or _.")


class NoSuchEntry(Refused, code="no-such-entry", status=404):
    sentence = _("This line has been taken off the sheet meanwhile.")


class NotFinished(Refused, code="game-goes-on"):
    sentence = _("The game is not finished.")


class RoundClosed(Refused, code="round-closed"):
    sentence = _("The round is closed: only a director writes here.")


class DealFixed(Refused, code="deal-fixed"):
    sentence = _("Only a director changes this deal now: call the director.")


class SheetFull(Refused, code="too-many-revisions"):
    sentence = messages.SENTENCES[Code.TOO_MANY_REVISIONS]


class NoMoreTables(RoundClosed, where="round"):
    sentence = _("The round is closed: open it again to add a table.")


REFUSALS = (InvalidEntry, LaterEntryInvalid, Refused)
"""Expected reasons for refusing a write; any other exception counts as an error."""


@dataclass(frozen=True, slots=True)
class WriteContext:
    """The context of a write: key, revision seen, author and time.

    `author` is a given name; `phone` is a digest that distinguishes the phones of one game; `by` is
    the account, if signed in.
    `turn` is the seat whose turn to declare the phone showed, None if it showed none.
    `version` is the revision of the last write of the one entry that is changed, or of the setup:
    with it, others may have written elsewhere on the sheet since `revision`.
    """

    key: str
    revision: int
    at: datetime
    author: str = ""
    by: Actor = NOBODY
    turn: int | None = None
    phone: str = ""
    version: int | None = None


@dataclass(frozen=True, slots=True)
class Write:
    """One revision to store: its key, how it changes a sheet, and how a repeat of it is known.

    `change` returns the sheet with the revision behind it, or the same sheet if nothing changes.
    `is_same` returns whether a revision stored with this key is this write; without it, a repeat is
    stale. `has_version` says that `change` compares the context's version, by `check_version`.
    """

    key: str
    change: Callable[[Sheet], Sheet]
    is_same: Callable[[Sheet, Revision], bool] | None = None
    has_version: bool = False


def store(game_pk: int, context: WriteContext, writes: Sequence[Write]) -> Sheet:
    """Store the revisions of `writes` that are not stored yet, all or none; return the sheet.

    Raises:
        KeyReused, BadKey: a key was used for something else, or cannot be one.
        StaleRevision: others have written since the context's revision.
        RoundClosed, DealFixed, SheetFull: this author may not write, or nobody may write so much.
        Game.DoesNotExist: the game was deleted.
    """
    try:
        with transaction.atomic():
            if not KEY.fullmatch(context.key):
                raise BadKey
            # The lock makes writers of one game queue up; without it, two could see one revision.
            sheet = load_sheet(Game.objects.select_for_update().get(pk=game_pk))
            stored = {revision.key: revision for revision in sheet.revisions}
            known = [(write, stored[write.key]) for write in writes if write.key in stored]
            if not all(write.is_same is None or write.is_same(sheet, old) for write, old in known):
                raise KeyReused
            left = writes[len(known) :]
            # A repeat that cannot be told from another write, or in another order.
            if any(write.is_same is None for write, _ in known) or any(
                write.key in stored for write in left
            ):
                raise StaleRevision(sheet)
            if not left:
                return sheet
            round_ = round_for_writing(sheet.row, context.by)
            since = sum(old.revision > context.revision for _, old in known)
            compared = context.version is not None and all(write.has_version for write in left)
            if not compared and sheet.row.revision != context.revision + since:
                raise StaleRevision(sheet)
            after = _write(sheet, context, left, round_, alone=len(writes) == 1)
    except REFUSALS as reason:
        # Once for each code of the engine, or by the name of the refusal.
        if isinstance(reason, InvalidEntry):
            codes = {problem.code.value for problem in reason.problems}
        else:
            codes = {re.sub(r"(?<!^)(?=[A-Z])", "-", type(reason).__name__).lower()}
        for code in codes:
            REFUSED_WRITES.labels(code).inc()
        note_refusal(reason)
        raise
    for revision in after.revisions[len(sheet.revisions) :]:
        count_write(after.row.ruleset, revision.kind)
    return after


def check_version(sheet: Sheet, position: int | None, context: WriteContext) -> None:
    """Refuse to change an entry, or the setup at None, in another version than the phone saw.

    Raises: StaleRevision: somebody has changed just that meanwhile.
    """
    if context.version not in (None, sheet.version(position)):
        raise StaleRevision(sheet)


def _write(
    sheet: Sheet,
    context: WriteContext,
    writes: Sequence[Write],
    round_: Round | None,
    *,
    alone: bool,
) -> Sheet:
    """Store the revisions of a locked game that change something; return the sheet with them."""
    before, row, disputed = sheet, sheet.row, False
    author = remark(context.author, LONGEST_NAME)
    if round_ is not None and author not in row.players:
        # The phone was late: that player has been renamed or removed.
        author = ""
    for write in writes:
        after = write.change(sheet)
        if after is sheet:
            continue
        revision = after.revisions[-1]
        # Several at once are new entries, or people who change seats with their deals: what a
        # deal says stays, so nothing that is disputed is settled by it.
        if alone and round_ is not None and revision.kind in CHANGES:
            disputed = _check_reviewed(sheet, revision, round_, context)
        revision.game, revision.key, revision.author, revision.at = (
            row,
            write.key,
            author,
            context.at,
        )
        revision.user, revision.phone = context.by.user, context.phone
        revision.revision = row.revision + 1
        if round_ is not None:
            _note_write(round_.event, sheet, after, revision, context)
        row.revision = revision.revision
        sheet = after
    new = sheet.revisions[len(before.revisions) :]
    if not new:
        return sheet
    _check_room(sheet, context, round_)
    Revision.objects.bulk_create(new)
    put_computed(sheet)
    # Only a new setup changes more than this.
    setups = any(revision.kind == Revision.Kind.HEAD for revision in new)
    row.save(update_fields=None if setups else COMPUTED)
    if round_ is not None and round_.closed_at is not None:
        rate_round_again(round_)
        seal_after_commit(round_.event)
    if disputed:
        names = ("game", "position", "revision", "user", "at")
        settled = {name: getattr(new[0], name) for name in names}
        DealReview.objects.create(kind=DealReview.Kind.SETTLED, **settled)
    return sheet


CHANGES = (Revision.Kind.CORRECTION, Revision.Kind.WITHDRAWAL, Revision.Kind.HEAD)


def _check_reviewed(sheet: Sheet, write: Revision, round_: Round, context: WriteContext) -> bool:
    """Return whether a change corrects a disputed deal, which settles it.

    Raises: DealFixed: it changes a deal that only a director may change, and the author is none.
    """
    reviews = load_reviews(sheet)
    if reviews is None:
        return False
    if write.kind == Revision.Kind.CORRECTION:
        changed = [write.position]
    elif write.kind == Revision.Kind.WITHDRAWAL:
        # The deals after it may move to other declarers.
        changed = [position for position in reviews.deals if position >= (write.position or 0)]
    else:
        moves = (write.before or {})["first_declarer"] != (write.body or {})["first_declarer"]
        changed = list(reviews.deals) if moves else []
    if any(reviews.is_fixed(position, context.at) for position in changed if position is not None):
        directed = Club.objects.directed_by(context.by.user).filter(pk=round_.event.club_id)
        if not directed.exists():
            raise DealFixed
    deal = reviews.deals.get(-1 if write.position is None else write.position)
    corrects = write.kind == Revision.Kind.CORRECTION
    return corrects and deal is not None and deal.dispute is not None


def _check_room(sheet: Sheet, context: WriteContext, round_: Round | None) -> None:
    """Refuse revisions too many; the last ones are for directors, who correct what phones did."""
    row, written = sheet.row, len(sheet.revisions)
    limits = [(written, sheet.game.ruleset.most_revisions)]
    # Rarely asked: the first game of a table has the limit of a sheet, and a few lines always fit.
    goes_on = row.match_id is not None or (row.number or 1) > 1
    if goes_on and written > LONGEST_EVENING // MOST_GAMES_AT_TABLE:
        table = {"open_table": row.open_table_id} if row.open_table_id else {"match": row.match_id}
        others = Game.objects.filter(**table).exclude(pk=row.pk)
        before = others.aggregate(written=Sum("revision"))["written"] or 0
        limits.append((before + written, LONGEST_EVENING))
    for number, limit in limits:
        most = limit
        if number <= most - LAST_FOR_DIRECTORS:
            continue
        directed = Club.objects.directed_by(context.by.user)
        if round_ is None or not directed.filter(pk=round_.event.club_id).exists():
            most -= LAST_FOR_DIRECTORS
        if number > most:
            raise SheetFull({"most": most})


def round_for_writing(row: Game, by: Actor) -> Round | None:
    """Return the club round of a locked game; None for an open table.

    Raises:
        RoundClosed: the author is no director, and the round is closed or its tournament cancelled.
    """
    if row.table_id is None:
        return None
    # Read after the game was locked, and not joined to it: closing a round locks its games, so a
    # write that waited for it sees the round closed.
    event = ("round__event__club", "round__event__tournament")
    row.table = Table.objects.select_related(*event).get(pk=row.table_id)
    round_ = row.table.round
    tournament = getattr(round_.event, "tournament", None)
    cancelled = tournament is not None and tournament.cancelled_at is not None
    is_open = round_.opened_at is not None and round_.closed_at is None
    if cancelled or not is_open:
        directed = Club.objects.directed_by(by.user).filter(pk=round_.event.club_id)
        if not directed.exists():
            sentence = _("The tournament is cancelled: only a director writes here.")
            raise RoundClosed(sentence=sentence if cancelled else "")
    return round_


def _note_write(
    event: Event, before: Sheet, now: Sheet, write: Revision, context: WriteContext
) -> None:
    """Make a revision an entry of the audit, which shows the version before it as well.

    Followers of results read from it whether a result was entered or corrected.
    """
    if before.game.finished or now.game.finished:
        write.result = "corrected" if before.game.finished else "entered"
    if write.kind == Revision.Kind.HEAD:
        # Names in setups follow their players; the audit says what was written.
        after = {"position": None, "body": write.body}
        after |= {"result": write.result} if write.result else {}
        stood = {"position": None, "body": write.before}
        subject = f"game:{before.row.public_id}"
        kind, reason = AuditEntry.Kind.RESULT, write.reason
        change = Change(kind, write.kind, subject, stood, after, reason, event)
        note_change(event.club, change, context.by, at=context.at)
        return
    write.club_id = event.club_id
    write.address = context.by.address or None
    write.by_phone = bool(context.by.table)
    if write.result or (write.kind == Revision.Kind.ENTRY and write.position == 0):
        wake_webhooks()


def remark(text: str, longest: int) -> str:
    """Return a remark in a form its field can store; one that is too long must not fail a write."""
    return clean_line(text)[:longest]


def count_write(ruleset: str, kind: str) -> None:
    WRITES.labels(ruleset if ruleset in RULESETS else HOUSE, kind).inc()
