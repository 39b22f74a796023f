"""Fill tables in any order within one transaction; check foreign keys at its end.

Deferred constraints would only do for a few rows: PostgreSQL keeps every pending check in memory
and runs them one by one.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

FOREIGN_KEYS = """
SELECT conrelid::regclass::text, quote_ident(conname), pg_get_constraintdef(oid)
FROM pg_constraint WHERE contype = 'f' AND connamespace = current_schema()::regnamespace
"""


@contextmanager
def in_one_transaction() -> Iterator[None]:
    """Open a transaction in which tables may be altered and filled without foreign keys."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield
        return
    # SQLite ignores this pragma inside a transaction.
    with connection.constraint_checks_disabled(), transaction.atomic():
        yield


@contextmanager
def without_foreign_keys() -> Iterator[None]:
    """Suspend foreign keys inside `in_one_transaction`, and check all references at the end.

    Raises:
        IntegrityError: a reference has no target.
    """
    if connection.vendor != "postgresql":
        yield
        connection.check_constraints()
        return
    with connection.cursor() as cursor:
        cursor.execute(FOREIGN_KEYS)
        keys = cursor.fetchall()
        for table, name, _ in keys:
            cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
        yield
        for table, name, definition in keys:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
