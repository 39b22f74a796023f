"""Bulk writes of rating rows, each database in its fastest way."""

# Tables and columns have fixed names; values are never part of the SQL text.
# ruff: noqa: S608

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import NamedTuple

from django.db import connection, models

from tournaments.models import PlayerRating, RatedRound, RatingChange, RatingCount

ChangeRow = tuple[int, int, int, int, str, float, float, float, float]
"""The columns `CHANGED` of a `RatingChange`; its moment in the format of `moment`."""

CHANGED = "rating_id, game_id, seat, number, at, mean_before, variance_before, mean, variance"


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


class CountKey(NamedTuple):
    """The columns by which a `RatingCount` counts ratings."""

    pool_id: int
    points: int
    month: int
    provisional: bool


def moment(at: datetime) -> str:
    """Return a moment in the text format of the database."""
    return str(connection.ops.adapt_datetimefield_value(at))


def add_changes(rows: Sequence[ChangeRow]) -> None:
    """Insert rating changes of games."""
    table = _table(RatingChange)
    if connection.vendor != "postgresql":
        _execute_many(_insert(table, CHANGED, CHANGED.count(",") + 1), rows)
        return
    # Several times as fast as INSERT. The repr of a float reads back as the same float.
    with connection.cursor() as cursor, cursor.copy(f"COPY {table} ({CHANGED}) FROM STDIN") as copy:
        copy.write("".join(["\t".join(map(str, row)) + "\n" for row in rows]))


def delete_numbers(stretches: Sequence[tuple[int, int, int]]) -> None:
    """Delete the changes of ratings by key and their first and last number."""
    table = _table(RatingChange)
    numbers = "number >= %s AND number <= %s"
    _execute_many(f"DELETE FROM {table} WHERE rating_id = %s AND {numbers}", stretches)


def put_states(rows: Sequence[StateRow]) -> None:
    """Update ratings; their rows must exist."""
    names = ", ".join(f"{name} = %s" for name in StateRow._fields[:-1])
    _execute_many(f"UPDATE {_table(PlayerRating)} SET {names} WHERE id = %s", rows)


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


def delete_all() -> None:
    """Delete all ratings without reading them first; pools keep their constants."""
    with connection.cursor() as cursor:
        for model in (RatingChange, RatedRound, RatingCount, PlayerRating):
            cursor.execute(f"DELETE FROM {_table(model)}")


@contextmanager
def filled_at_once(model: type[models.Model]) -> Iterator[None]:
    """Fill a table inside a transaction. SQLite makes its indexes at the end, which is faster.

    Elsewhere they stay, since dropping them would keep readers out until the commit.
    """
    if connection.vendor != "sqlite":
        yield
        return
    editor = connection.schema_editor()
    meta = model._meta  # noqa: SLF001 - public in all but its name
    unique = [each for each in meta.constraints if isinstance(each, models.UniqueConstraint)]
    indexes = {each.name: str(each.create_sql(model, editor)) for each in (*meta.indexes, *unique)}
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA cache_size = -262144")
        for name in indexes:
            cursor.execute(f'DROP INDEX "{name}"')
        yield
        for statement in indexes.values():
            cursor.execute(statement)
        cursor.execute("PRAGMA cache_size = -2000")


def _table(model: type[models.Model]) -> str:
    return model._meta.db_table  # noqa: SLF001 - public in all but its name


def _insert(table: str, names: str, number: int) -> str:
    values = ", ".join(["%s"] * number)
    return f"INSERT INTO {table} ({names}) VALUES ({values})"


def _execute_many(sql: str, rows: Sequence[tuple[int | float | str, ...]]) -> None:
    if rows:
        with connection.cursor() as cursor:
            cursor.executemany(sql, rows)
