"""Who does something, and the line in the audit of a club that says so.

Each service that changes results, people, roles or settings of a club adds its line in its own
transaction: no change without a line, no line without its change.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tournaments.models import AuditLine, Club, Event, User


@dataclass(frozen=True, slots=True)
class Actor:
    """Whoever does something: an account, the phone of a table (its public id), or nobody known.

    `address` is where the request came from, an IP address, or empty.
    """

    user: User | None = None
    table: str = ""
    address: str = ""


NOBODY = Actor()
"""Who writes at an open table, and the program itself."""


@dataclass(frozen=True, slots=True)
class Change:
    """What was done to what, with the values before and after as JSON has them.

    `event` is the one it belongs to: who may see that may follow what was done in it.
    """

    kind: AuditLine.Kind
    action: str
    subject: str = ""
    before: Any = None
    after: Any = None
    reason: str = ""
    event: Event | None = None


def note_change(club: Club, change: Change, by: Actor, *, at: datetime) -> AuditLine:
    """Add the line of a change; the caller holds the transaction in which it is made."""
    line = _line(club, change, by, at)
    line.save(force_insert=True)
    return line


def note_changes(club: Club, changes: Iterable[Change], by: Actor, *, at: datetime) -> None:
    """Add the lines of several changes at once, as `note_change` does for one."""
    AuditLine.objects.bulk_create(_line(club, change, by, at) for change in changes)


def _line(club: Club, change: Change, by: Actor, at: datetime) -> AuditLine:
    return AuditLine(
        club=club,
        event=change.event,
        kind=change.kind,
        action=change.action,
        subject=change.subject,
        before=change.before,
        after=change.after,
        reason=change.reason,
        user=by.user,
        table=by.table,
        address=by.address or None,
        at=at,
    )
