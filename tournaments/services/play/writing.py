"""Writing on a sheet, whatever is written.

Every write of a sheet carries a key chosen by the phone and the revision it last saw;
it locks the game row, folds the whole game with the change, and only then stores it.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import datetime

from django.db import transaction

from tournaments.counts import count_refusal, count_write
from tournaments.engine.problems import InvalidEntry
from tournaments.models import AuditLine, Club, Event, Game, Round, Table, Write
from tournaments.models.play import LONGEST_AUTHOR
from tournaments.queries.sheets import LaterEntryInvalid, Sheet, fold_sheet, load_sheet, result_of
from tournaments.services.auditing import NOBODY, Actor, Change, note_change
from tournaments.services.nudges import wake_webhooks
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


REFUSALS = (
    *(InvalidEntry, LaterEntryInvalid, StaleRevision),
    *(KeyReused, BadKey, NoSuchEntry, RoundClosed),
)
"""Why a write is not taken; whatever else is raised is a fault, and counted as one."""


@dataclass(frozen=True, slots=True)
class Pen:
    """Whose write this is: its key, the revision seen, who made it, and when.

    `author` is a name that was given, `phone` a digest that tells the phones of one game apart;
    `by` is the account, where one is signed in.
    `turn` is the seat whose turn to declare the phone showed, None where it showed none.
    """

    key: str
    revision: int
    at: datetime
    author: str = ""
    by: Actor = NOBODY
    turn: int | None = None
    phone: str = ""


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


def store_writes(game_pk: int, pen: Pen, changes: Iterable[Callable[[Sheet], Write]]) -> Sheet:
    """Store what each of `changes` makes of the sheet before it: all of them, or none.

    The key of each is the pen's with a number; sent again they are stale.
    """
    with _refusals_counted(), transaction.atomic():
        sheet = _locked(game_pk, pen)
        place = _place(sheet, pen)
        pen = _signed(pen, sheet.row, place)
        for number, change in enumerate(changes):
            own = replace(pen, key=f"{pen.key}-{number:03}")
            sheet = _written(sheet, change(sheet), own, place)
        _keep(sheet, place)
    for write in sheet.writes[pen.revision :]:
        count_write(sheet.row.ruleset, write.kind)
    return sheet


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
    author = remark(pen.author, LONGEST_AUTHOR)
    # The phone was late: that player is called otherwise now, or removed.
    late = place is not None and author not in row.players
    return replace(pen, author="" if late else author)


def _written(sheet: Sheet, write: Write, pen: Pen, place: Round | None) -> Sheet:
    """The sheet with one more write, which is stored; its row is changed, and not stored yet."""
    row = sheet.row
    write.game, write.key, write.author, write.at = row, pen.key, pen.author, pen.at
    write.user, write.phone = pen.by.user, pen.phone
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


def remark(text: str, longest: int) -> str:
    """What was said about a write, as far as its field can hold it."""
    # No write fails for its remark: PostgreSQL refuses a NUL, and what is too long.
    return text.replace("\0", "")[:longest]
