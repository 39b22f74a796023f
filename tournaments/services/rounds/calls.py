"""Calls from a table for a director."""

from datetime import datetime

from django.db import transaction

from tournaments.models import AuditEntry, Table
from tournaments.services.audit import Actor, Change, note_change
from tournaments.services.games.tables import subject_of
from tournaments.services.games.writing import RoundClosed


def call_director(table_pk: int, by: Actor, *, at: datetime) -> Table:
    """Call a director from a table of an open round. Idempotent.

    Raises:
        RoundClosed: the round is closed, or not open yet.
        Table.DoesNotExist: the table was removed.
    """
    with transaction.atomic():
        table = _lock(table_pk)
        if table.called_at is None:
            if not table.round.is_open:
                raise RoundClosed
            _put(table, at, "call-director", by, at)
    return table


def answer_call(table_pk: int, by: Actor, *, at: datetime) -> Table:
    """Clear the call of a table, answered or not needed. Idempotent.

    Raises:
        Table.DoesNotExist: the table was removed.
    """
    with transaction.atomic():
        table = _lock(table_pk)
        if table.called_at is not None:
            _put(table, None, "answer-call", by, at)
    return table


def _lock(table_pk: int) -> Table:
    rows = Table.objects.select_for_update(of=("self",))
    return rows.select_related("round__event__club").get(pk=table_pk)


def _put(table: Table, called_at: datetime | None, action: str, by: Actor, at: datetime) -> None:
    table.called_at = called_at
    table.save(update_fields=["called_at"])
    event = table.round.event
    change = Change(AuditEntry.Kind.EVENT, action, subject_of(table), event=event)
    note_change(event.club, change, by, at=at)
