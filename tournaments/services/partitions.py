"""Begin a partition: the first time by making the tables partitioned, without moving a row.

A table that was plain becomes the partition of all that was written so far. Sites go on writing:
nothing is locked while rows are checked. Locks are then taken all at once and given up after a
moment, so that no writer is refused because of them.
"""

import time
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import TypeVar

from django.db import OperationalError, connection, transaction
from django.db.backends.utils import CursorWrapper

from tournaments.models import Partition
from tournaments.models.audit import create_view, drop_view
from tournaments.models.server import KEYS_OF_A_PARTITION

PARTITIONED = {"tournaments_revision": "game_id", "tournaments_auditentry": "id"}
"""The tables with the most rows, and the column that says the partition of a row."""

NEVER_WAIT_LONG = "SET LOCAL lock_timeout = '300ms'"
"""Shorter than PostgreSQL waits to look for deadlocks: of two that block each other we give up."""

TRIES, PAUSE = 100, 0.2
IN_USE = {"55P03", "40P01"}
"""PostgreSQL's codes for a lock that was not got in time, and for a deadlock."""

PACKED = (
    *("tournaments_table", "tournaments_game", "tournaments_seat"),
    *("tournaments_confirmation", "tournaments_ratingchange"),
)
"""The other tables that grow with games."""

PACKING = 7_305_402
"""The key of an advisory lock; any number that no other lock has."""

GIVE_KEYS = ("tournaments_game", "tournaments_newline")


Result = TypeVar("Result")


class NoPartition(Exception):
    """The reason why no partition can be begun or archived."""


def begin_partition(*, at: datetime) -> Partition:
    """Let everything that begins from now on be written into a new partition.

    Raises:
        NoPartition: the database is not PostgreSQL, or others have been using the tables all the
            time; nothing was changed.
    """
    if connection.vendor != "postgresql":
        raise NoPartition("only PostgreSQL has partitions")
    number = _next_number()
    if not is_partitioned():
        _check_ranges(number * KEYS_OF_A_PARTITION)
    partition = _when_free(lambda cursor: _begin(cursor, number, at))
    with connection.cursor() as cursor:
        # PostgreSQL does so by itself for partitions, but not for what they are together.
        cursor.execute(f"ANALYZE {', '.join(PARTITIONED)}")
    return partition


def pack() -> None:
    """Write the indexes of the tables that grow with games anew, with full pages.

    Writing leaves gaps, most where many tables play at once. In partitioned tables only partitions
    that are over are packed. Sites go on writing meanwhile. After a kill, run it again.

    Raises: NoPartition: the database is not PostgreSQL, or another process is packing it.
    """
    if connection.vendor != "postgresql":
        raise NoPartition("only indexes of PostgreSQL are packed")
    kept = Partition.objects.filter(archived_at=None).order_by("number")
    over = [each.number for each in kept][:-1]
    parts = [part_of(table, number) for number in over for table in PARTITIONED]
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_lock(%s)", [PACKING])
        if not cursor.fetchone()[0]:
            raise NoPartition("another process is packing the indexes")
        try:
            for table in (*PACKED, *(parts if is_partitioned() else PARTITIONED)):
                _pack(cursor, table)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [PACKING])


def _pack(cursor: CursorWrapper, table: str) -> None:
    # Left by one that was killed.
    for index in _indexes(cursor, table, "NOT indisvalid AND relname ~ '_cc(new|old)\\d*$'"):
        cursor.execute(f"DROP INDEX CONCURRENTLY IF EXISTS {index}")
    indexes = _indexes(cursor, table, "indisvalid")
    try:
        for index in indexes:
            cursor.execute(f"ALTER INDEX {index} SET (fillfactor = 100)")
        cursor.execute(f"REINDEX TABLE CONCURRENTLY {table}")
    finally:
        for index in indexes:
            # What is written next leaves room again for what tables write beside each other.
            cursor.execute(f"ALTER INDEX {index} RESET (fillfactor)")


def _indexes(cursor: CursorWrapper, table: str, which: str) -> list[str]:
    cursor.execute(
        "SELECT indexrelid::regclass::text FROM pg_index JOIN pg_class ON oid = indexrelid"  # noqa: S608 - our own names
        f" WHERE indrelid = '{table}'::regclass AND {which}"
    )
    return [name for (name,) in cursor.fetchall()]


def is_partitioned() -> bool:
    """Return whether the database has partitions as partitions (1 query on PostgreSQL)."""
    if connection.vendor != "postgresql":
        return False
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT relkind = 'p' FROM pg_class WHERE oid = to_regclass(%s)", [*PARTITIONED][:1]
        )
        row = cursor.fetchone()
    return bool(row and row[0])


def part_of(table: str, number: int) -> str:
    return f"{table}_v{number}"


def _when_free(work: Callable[[CursorWrapper], Result]) -> Result:
    for _try in range(TRIES):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute(NEVER_WAIT_LONG)
                return work(cursor)
        except OperationalError as error:
            if getattr(error.__cause__, "sqlstate", "") not in IN_USE:
                raise
            time.sleep(PAUSE)
    raise NoPartition("others have been using the tables all the time; try again later")


def _next_number() -> int:
    last = Partition.objects.order_by("number").last()
    numbers = [0 if last is None else last.number]
    with connection.cursor() as cursor:
        for table in GIVE_KEYS:
            cursor.execute(
                "SELECT pg_sequence_last_value(pg_get_serial_sequence(%s, 'id'))", [table]
            )
            numbers.append((cursor.fetchone()[0] or 0) // KEYS_OF_A_PARTITION)
    return max(numbers) + 1


def _check_ranges(end: int) -> None:
    """Have all rows checked now, without a lock: then they need not be when they are attached."""
    for table, column in PARTITIONED.items():
        _when_free(partial(_limit_range, table, column, end))
        with connection.cursor() as cursor:
            cursor.execute(f"ALTER TABLE {table} VALIDATE CONSTRAINT partition_range")


def _limit_range(table: str, column: str, end: int, cursor: CursorWrapper) -> None:
    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT IF EXISTS partition_range")
    cursor.execute(
        f"ALTER TABLE {table} ADD CONSTRAINT partition_range CHECK ({column} < {end}) NOT VALID"
    )


def _begin(cursor: CursorWrapper, number: int, at: datetime) -> Partition:
    first, end = number * KEYS_OF_A_PARTITION, (number + 1) * KEYS_OF_A_PARTITION
    cursor.execute("LOCK TABLE tournaments_partition IN EXCLUSIVE MODE")
    is_first = not is_partitioned()
    _lock(cursor, is_first)
    if is_first:
        drop_view()
        for table, column in PARTITIONED.items():
            _make_partitioned(cursor, table, column, number - 1)
        create_view()
        # A site that was restored may know of earlier ones, which are a part of it now.
        Partition.objects.filter(archived_at=None).delete()
        Partition.objects.create(number=number - 1, first_key=0, end_key=first, begun_at=at)
    for table, column in PARTITIONED.items():
        _add_partition(cursor, table, column, number)
    for table in GIVE_KEYS:
        cursor.execute("SELECT setval(pg_get_serial_sequence(%s, 'id'), %s)", [table, first])
    return Partition.objects.create(number=number, first_key=first, end_key=end, begun_at=at)


def _lock(cursor: CursorWrapper, is_first: bool) -> None:
    """Take all locks in the order in which writers do: what is referred to, and then the tables."""
    cursor.execute(
        "SELECT DISTINCT confrelid::regclass::text FROM pg_constraint"
        " WHERE contype = 'f' AND conrelid = ANY(%s::regclass[]) ORDER BY 1",
        [list(PARTITIONED)],
    )
    referred = ", ".join(name for (name,) in cursor.fetchall())
    if not is_first:
        cursor.execute(f"LOCK TABLE {referred} IN SHARE ROW EXCLUSIVE MODE")
        return
    # Attaching needs this lock of the tables referred to, too. Taken only then, it deadlocks with a
    # writer that has read one of them and waits for our lock.
    cursor.execute(f"LOCK TABLE {referred}, {', '.join(PARTITIONED)} IN ACCESS EXCLUSIVE MODE")


def _make_partitioned(cursor: CursorWrapper, table: str, column: str, number: int) -> None:
    part = part_of(table, number)
    cursor.execute(
        "SELECT conname, contype, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = %s::regclass AND contype IN ('p', 'u', 'f')",
        [table],
    )
    constraints = cursor.fetchall()
    cursor.execute("SELECT indexname, indexdef FROM pg_indexes WHERE tablename = %s", [table])
    indexes = dict(cursor.fetchall())
    cursor.execute(f"ALTER TABLE {table} RENAME TO {part}")
    for name in indexes:
        # With the constraint that it belongs to, if it does.
        cursor.execute(f"ALTER INDEX {name} RENAME TO {part_of(name, number)}")
    cursor.execute(
        f"CREATE TABLE {table} (LIKE {part} INCLUDING DEFAULTS INCLUDING IDENTITY"
        f" INCLUDING CONSTRAINTS INCLUDING STORAGE) PARTITION BY RANGE ({column})"
    )
    cursor.execute(f"ALTER TABLE {table} DROP CONSTRAINT partition_range")
    for name, kind, definition in constraints:
        indexes.pop(name, None)
        # PostgreSQL keeps one of all partitions only if it has the column; each has its own.
        if kind == "f" or column in definition:
            cursor.execute(f"ALTER TABLE {table} ADD CONSTRAINT {name} {definition}")
    for definition in indexes.values():
        cursor.execute(definition)
    cursor.execute(f"ALTER TABLE {part} ALTER COLUMN id DROP IDENTITY IF EXISTS")
    end = (number + 1) * KEYS_OF_A_PARTITION
    cursor.execute(
        f"ALTER TABLE {table} ATTACH PARTITION {part} FOR VALUES FROM (MINVALUE) TO ({end})"
    )
    cursor.execute(f"ALTER TABLE {part} DROP CONSTRAINT partition_range")


def _add_partition(cursor: CursorWrapper, table: str, column: str, number: int) -> None:
    part = part_of(table, number)
    cursor.execute(
        f"CREATE TABLE {part}"
        f" (LIKE {table} INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING STORAGE)"
    )
    if column != "id":
        cursor.execute(f"ALTER TABLE {part} ADD PRIMARY KEY (id)")
    first, end = number * KEYS_OF_A_PARTITION, (number + 1) * KEYS_OF_A_PARTITION
    cursor.execute(
        f"ALTER TABLE {table} ATTACH PARTITION {part} FOR VALUES FROM ({first}) TO ({end})"
    )
