"""Actors, and the audit entries of a club.

Each service that changes results, people, roles or settings of a club adds its audit entry in
the same transaction, so neither exists without the other.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tournaments.models import AuditEntry, AuditRow, Club, Event, User
from tournaments.models.audit import event_types_of
from tournaments.services.base.writes import wake_webhooks


@dataclass(frozen=True, slots=True)
class Actor:
    """The author of a change: an account, the phone of a table (its public id), or unknown.

    `address` is the IP address of the request, or empty.
    """

    user: User | None = None
    table: str = ""
    address: str = ""

    @property
    def account(self) -> User:
        """The account, for what nobody else does."""
        if self.user is None:
            raise TypeError("this takes an account")
        return self.user


NOBODY = Actor()
"""The actor of open tables and of the program itself."""


@dataclass(frozen=True, slots=True)
class Change:
    """An action and its subject, with the JSON values before and after.

    `event` is the event it belongs to: readers of the event may see the audit entry.
    """

    kind: AuditEntry.Kind
    action: str
    subject: str = ""
    before: Any = None
    after: Any = None
    reason: str = ""
    event: Event | None = None


def note_change(club: Club, change: Change, by: Actor, *, at: datetime) -> AuditEntry:
    """Add the audit entry of a change. Call it in the transaction of the change."""
    return note_changes(club, [change], by, at=at)[0]


def note_changes(
    club: Club, changes: Iterable[Change], by: Actor, *, at: datetime
) -> list[AuditEntry]:
    """Add the audit entries of several changes at once; otherwise like `note_change`."""
    lines = [
        AuditEntry(
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
        for change in changes
    ]
    if any(what for line in lines for what in event_types_of(line)):
        wake_webhooks()
    return AuditRow.add(lines)
