"""Many rows read as they were at one moment, while others write."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import DEFAULT_DB_ALIAS, connection, connections, transaction


@contextmanager
def one_moment() -> Iterator[None]:
    """Everything that is read inside is of one moment, and whoever writes is not kept waiting.

    Inside a transaction that has begun already it is that one's moment.
    """
    if connection.in_atomic_block:
        yield
        return
    with _reading(), transaction.atomic():
        if connection.vendor == "postgresql":
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        yield


@contextmanager
def _reading() -> Iterator[None]:
    """Begin transactions of SQLite without the lock that all others take for writing later."""
    if connection.vendor != "sqlite":
        yield
        return
    wrapper: Any = connections[DEFAULT_DB_ALIAS]
    # Only a connection that is there knows how it begins transactions.
    wrapper.ensure_connection()
    mode, wrapper.transaction_mode = wrapper.transaction_mode, "DEFERRED"
    try:
        yield
    finally:
        wrapper.transaction_mode = mode
