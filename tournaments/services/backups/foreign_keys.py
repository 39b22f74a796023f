"""One transaction in which tables are filled in any order, and what refers to what is checked last.

Keys that are deferred as they are would do for few rows: PostgreSQL keeps every check that it owes
in memory, and makes them one by one.
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
    """A transaction in which tables may be altered, and filled without their foreign keys."""
    if connection.vendor == "postgresql":
        with transaction.atomic():
            yield
        return
    # SQLite does not listen to this within a transaction.
    with connection.constraint_checks_disabled(), transaction.atomic():
        yield


@contextmanager
def without_foreign_keys() -> Iterator[None]:
    """Within that transaction; what refers to something must find it at the end.

    Raises:
        IntegrityError: something is not there.
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
