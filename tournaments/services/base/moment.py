"""Read many rows as of one moment while others write."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction

from tournaments.models import AuditRow, RatingChange, Revision


@contextmanager
def one_moment() -> Iterator[None]:
    """Read everything inside as of one moment, without blocking writers.

    Inside a transaction already begun, its snapshot applies.
    """
    if connection.in_atomic_block:
        yield
        return
    with _reading(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
                # Before the snapshot: a rebuild of ratings exchanges the table, and archiving a
                # partition empties the others. A snapshot of before would find nothing there.
                tables = (model._meta.db_table for model in (RatingChange, Revision, AuditRow))  # noqa: SLF001 - public in all but its name
                cursor.execute(f"LOCK TABLE {', '.join(tables)} IN ACCESS SHARE MODE")
        yield


@contextmanager
def _reading() -> Iterator[None]:
    """Begin SQLite transactions without the write lock that all others take."""
    if connection.vendor != "sqlite":
        yield
        return
    wrapper: Any = connections[DEFAULT_DB_ALIAS]
    # Only an open connection has the setting.
    wrapper.ensure_connection()
    mode, wrapper.transaction_mode = wrapper.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        wrapper.transaction_mode = mode
