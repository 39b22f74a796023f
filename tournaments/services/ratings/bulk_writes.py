"""Bulk writes of rating rows, each database in its fastest way."""

# Tables and columns have fixed names; values are never part of the SQL text.
# ruff: noqa: S608

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from django.db import OperationalError, connection, models, transaction

from tournaments.engine.ratings.fitting import CHANGE, Changes
from tournaments.models import PlayerRating, RatedRound, RatingChange, RatingCount

CHANGED = "rating_id, game_id, seat, number, at, mean_before, variance_before, mean, variance"
"""The columns of a `RatingChange`, in the order of `CHANGE`."""

FIELDS: tuple[str, ...] = CHANGE.names or ()

COPY_ROW = np.dtype(
    ",".join([">i2", *(f">i4,{CHANGE[name].newbyteorder('>').str}" for name in FIELDS)])
)
"""The same in the binary format of PostgreSQL's COPY: each field follows its length in bytes."""

COPY_BEGINS, COPY_ENDS = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"

EPOCH = datetime(2000, 1, 1, tzinfo=UTC)
"""The beginning of time for COPY."""

ASIDE = "kingscore_rebuild"
"""The schema in which a rebuild fills the table of changes on PostgreSQL."""

LOCK_TRIES = 300
"""Seconds of readers, and as many between them, until a rebuild gives up."""


class StateRow(NamedTuple):
    """The columns of a `PlayerRating` after its last game, and its key."""

    player_id: int
    mean: float
    variance: float
    start: float
    games: int
    last_at: str
    points: int
    month: int
    provisional: bool
    id: int


STATE_KINDS = (
    *("bigint", "float8", "float8", "float8", "integer", "timestamptz"),
    *("integer", "integer", "boolean", "bigint"),
)
"""The types of a `StateRow` in PostgreSQL."""


class CountKey(NamedTuple):
    """The columns by which a `RatingCount` counts ratings."""

    pool_id: int
    points: int
    month: int
    provisional: bool


def microseconds(at: datetime) -> int:
    """Return a moment as COPY has it."""
    return (at - EPOCH) // timedelta(microseconds=1)


@lru_cache(maxsize=1024)
def moment(at: int) -> datetime:
    """Return the moment of these microseconds."""
    return EPOCH + timedelta(microseconds=at)


@lru_cache(maxsize=1024)
def moment_text(at: int) -> str:
    """Return the same in the text format of the database."""
    return str(connection.ops.adapt_datetimefield_value(moment(at)))


def add_changes(changes: Sequence[Changes]) -> None:
    """Insert rating changes; their players are given as the keys of their ratings."""
    if connection.vendor != "postgresql":
        sql = _insert(_table(RatingChange), CHANGED, len(FIELDS))
        for each in changes:
            _execute_many(sql, [(*row[:4], moment_text(row[4]), *row[5:]) for row in each.tolist()])
        return
    with connection.cursor() as cursor:
        _copy(cursor, changes)


@contextmanager
def adding_changes(changes: Sequence[Changes]) -> Iterator[None]:
    """Insert rating changes; on PostgreSQL while the block runs, which may not use the database."""
    if connection.vendor != "postgresql":
        add_changes(changes)
        yield
        return
    with ThreadPoolExecutor(1) as thread, connection.cursor() as cursor:
        done = thread.submit(_copy, cursor, changes)
        yield
        done.result()


def _copy(cursor: Any, changes: Sequence[Changes]) -> None:
    """Insert rating changes with COPY, which is many times as fast as INSERT."""
    statement = f"COPY {_table(RatingChange)} ({CHANGED}) FROM STDIN (FORMAT BINARY)"
    with cursor.copy(statement) as copy:
        copy.write(b"".join([COPY_BEGINS, *map(_packed, changes), COPY_ENDS]))


def _packed(changes: Changes) -> bytes:
    """Return changes as `COPY_ROW`."""
    rows = np.empty(len(changes), COPY_ROW)
    rows["f0"] = len(FIELDS)
    for number, name in enumerate(FIELDS):
        rows[f"f{2 * number + 1}"] = CHANGE[name].itemsize
        rows[f"f{2 * number + 2}"] = changes[name]
    return rows.tobytes()


def delete_numbers(stretches: Sequence[tuple[int, int, int]]) -> None:
    """Delete the changes of ratings by key and their first and last number."""
    delete = f"DELETE FROM {_table(RatingChange)}"
    if connection.vendor == "postgresql":
        using = f"{delete} USING {{rows}} AS gone (rating, low, high)"
        where = "rating_id = gone.rating AND number BETWEEN gone.low AND gone.high"
        _execute_once(f"{using} WHERE {where}", ("bigint", "integer", "integer"), stretches)
    else:
        numbers = "number >= %s AND number <= %s"
        _execute_many(f"{delete} WHERE rating_id = %s AND {numbers}", stretches)


def put_states(rows: Sequence[StateRow]) -> None:
    """Update ratings; their rows must exist."""
    table, names = _table(PlayerRating), StateRow._fields
    if connection.vendor == "postgresql":
        values = ", ".join(f"{name} = new.{name}" for name in names[:-1])
        source = f"{{rows}} AS new ({', '.join(names)})"
        sql = f"UPDATE {table} SET {values} FROM {source} WHERE {table}.id = new.id"
        _execute_once(sql, STATE_KINDS, rows)
    else:
        values = ", ".join(f"{name} = %s" for name in names[:-1])
        _execute_many(f"UPDATE {table} SET {values} WHERE id = %s", rows)


def put_counts(differences: Counter[CountKey]) -> None:
    """Add the differences to the counts of shown ratings; a count of 0 is deleted."""
    table, names = _table(RatingCount), ", ".join(CountKey._fields)
    same = " AND ".join(f"{name} = %s" for name in CountKey._fields)
    more = [(*key, number) for key, number in differences.items() if number > 0]
    fewer = [(-number, *key) for key, number in differences.items() if number < 0]
    insert = _insert(table, f"{names}, ratings", len(CountKey._fields) + 1)
    sum_up = f"DO UPDATE SET ratings = {table}.ratings + excluded.ratings"
    _execute_many(f"{insert} ON CONFLICT ({names}) {sum_up}", more)
    # First those that reach 0, since a stored count is never 0.
    _execute_many(f"DELETE FROM {table} WHERE ratings = %s AND {same}", fewer)
    _execute_many(f"UPDATE {table} SET ratings = ratings - %s WHERE {same}", fewer)


def delete_ratings() -> None:
    """Delete all ratings, without their changes; pools keep their constants."""
    with connection.cursor() as cursor:
        for model in (RatedRound, RatingCount, PlayerRating):
            cursor.execute(f"DELETE FROM {_table(model)}")


@contextmanager
def filling_changes(*, aside: bool) -> Iterator[None]:
    """Empty the table of rating changes, for a transaction to fill it.

    SQLite makes its indexes at the end, which is faster. On PostgreSQL readers would have to wait
    for that: with `aside`, a table in a schema of its own is filled and takes the place of the old
    one at the end.
    """
    filling: AbstractContextManager[None] = nullcontext()
    with connection.cursor() as cursor:
        if connection.vendor == "sqlite":
            filling = _without_indexes(cursor)
        elif aside and _may_create_schemas(cursor):
            filling = _in_a_new_table(cursor)
        else:
            cursor.execute(f"DELETE FROM {_table(RatingChange)}")
        with filling:
            yield


@contextmanager
def _without_indexes(cursor: Any) -> Iterator[None]:
    indexes = _indexes_of_changes()
    cursor.execute(f"DELETE FROM {_table(RatingChange)}")
    cursor.execute("PRAGMA cache_size = -262144")
    for name in indexes:
        cursor.execute(f'DROP INDEX "{name}"')
    yield
    for statement in indexes.values():
        cursor.execute(statement)
    cursor.execute("PRAGMA cache_size = -2000")


@contextmanager
def _in_a_new_table(cursor: Any) -> Iterator[None]:
    """Fill a copy of the table, which hides it from this transaction by the search path."""
    table = _table(RatingChange)
    home_of = "SELECT relnamespace::regnamespace FROM pg_class WHERE oid = "
    home = _value(cursor, f"{home_of}'{table}'::regclass")
    path = _value(cursor, "SHOW search_path")
    cursor.execute(f"CREATE SCHEMA {ASIDE}")
    cursor.execute(f"CREATE TABLE {ASIDE}.{table} (LIKE {table} INCLUDING ALL EXCLUDING INDEXES)")
    cursor.execute(f"SET LOCAL search_path = {ASIDE}, {path}")
    yield
    key = ", ".join(str(field.column) for field in RatingChange._meta.pk_fields)  # noqa: SLF001 - public in all but its name
    indexes = _indexes_of_changes().values()
    for statement in (*indexes, f"ALTER TABLE {table} ADD PRIMARY KEY ({key})"):
        cursor.execute(statement)
    cursor.execute(f"ANALYZE {table}")
    _lock_out_readers(f"{home}.{table}")
    cursor.execute(f"DROP TABLE {home}.{table}")
    cursor.execute(f"ALTER TABLE {ASIDE}.{table} SET SCHEMA {home}")
    cursor.execute(f"DROP SCHEMA {ASIDE}")
    cursor.execute(f"SET LOCAL search_path = {path}")


def _lock_out_readers(table: str) -> None:
    """Lock a table once nobody reads it.

    Everybody else would wait behind a lock that waits for a long reader, such as a backup.
    """
    for remaining in reversed(range(LOCK_TRIES)):
        try:
            with transaction.atomic(), connection.cursor() as cursor:
                cursor.execute("SET LOCAL lock_timeout = '1s'")
                cursor.execute(f"LOCK TABLE {table} IN ACCESS EXCLUSIVE MODE")
                cursor.execute("SET LOCAL lock_timeout TO DEFAULT")
        except OperationalError:
            if not remaining:
                raise
            time.sleep(1)
        else:
            return


def _may_create_schemas(cursor: Any) -> bool:
    return bool(_value(cursor, "SELECT has_database_privilege(current_database(), 'CREATE')"))


def _value(cursor: Any, sql: str) -> Any:
    cursor.execute(sql)
    return cursor.fetchone()[0]


def _indexes_of_changes() -> dict[str, str]:
    """Return the statements that make the indexes of changes, by name."""
    editor = connection.schema_editor()
    meta = RatingChange._meta  # noqa: SLF001 - public in all but its name
    unique = [each for each in meta.constraints if isinstance(each, models.UniqueConstraint)]
    return {
        each.name: str(each.create_sql(RatingChange, editor)) for each in (*meta.indexes, *unique)
    }


def _table(model: type[models.Model]) -> str:
    return model._meta.db_table  # noqa: SLF001 - public in all but its name


def _insert(table: str, names: str, number: int) -> str:
    values = ", ".join(["%s"] * number)
    return f"INSERT INTO {table} ({names}) VALUES ({values})"


def _execute_many(sql: str, rows: Sequence[tuple[int | float | str, ...]]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(sql, rows)


def _execute_once(
    sql: str, kinds: Sequence[str], rows: Sequence[tuple[int | float | str, ...]]
) -> None:
    """Execute a statement of PostgreSQL on all rows at once, which are `{rows}` in it.

    One statement for each row takes ten times as long.
    """
    if rows:
        arrays = ", ".join(f"%s::{kind}[]" for kind in kinds)
        columns = [list(column) for column in zip(*rows, strict=True)]
        with connection.cursor() as cursor:
            cursor.execute(sql.format(rows=f"unnest({arrays})"), columns)
