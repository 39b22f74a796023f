"""The last key each table has given out, so that a restore does not reuse keys."""

from django.db import connection, models

from tournaments.services.backups.states import Model


def last_key(model: Model) -> int:
    """Return the highest key a table has given; 0 if it gives none or is unused."""
    key = model._meta.pk  # noqa: SLF001 - public in all but its name
    if not isinstance(key, models.AutoField | models.BigAutoField):
        return 0
    table = model._meta.db_table  # noqa: SLF001 - as above
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            name = "pg_get_serial_sequence(%s, %s)::regclass"
            cursor.execute(f"SELECT pg_sequence_last_value({name})", [table, key.column])
        else:
            cursor.execute("SELECT seq FROM sqlite_sequence WHERE name = %s", [table])
        found = cursor.fetchone()
    return (found and found[0]) or 0


def go_on_after(model: Model, last: int) -> None:
    """Make a filled table give keys above `last`."""
    if not last:
        return
    table = model._meta.db_table  # noqa: SLF001
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            column = model._meta.pk.column  # noqa: SLF001
            name = "pg_get_serial_sequence(%s, %s)::regclass"
            cursor.execute(f"SELECT setval({name}, %s)", [table, column, last])
            return
        cursor.execute("DELETE FROM sqlite_sequence WHERE name = %s", [table])
        cursor.execute("INSERT INTO sqlite_sequence (name, seq) VALUES (%s, %s)", [table, last])
