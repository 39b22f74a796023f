"""Rows of any table as lines of JSON, equal on every database, and back.

Django's `dumpdata` and `loaddata` only know the current models, and save row by row;
django-dbbackup keeps the output of each database's own tools, which no other database reads.
"""

import base64
import itertools
import json
from collections.abc import Callable, Generator, Iterable
from datetime import date, datetime, time
from typing import Any, TypeAlias

from django.core.exceptions import ValidationError
from django.db import connection, models

from tournaments.services.backups.faults import DamagedBackup
from tournaments.services.backups.states import Model

AT_ONCE = 1_000

AS_THEY_ARE = (
    models.BooleanField,
    models.CharField,
    models.FloatField,
    models.IntegerField,
    models.TextField,
)
"""Column types whose values are equal in JSON, Python and the databases."""

Column: TypeAlias = "models.Field[Any, Any]"
Read = Callable[[Any], Any]


def columns_of(model: Model) -> list[Column]:
    """Return the stored columns of a model, without generated ones."""
    return [column for column in model._meta.local_concrete_fields if not column.generated]  # noqa: SLF001


def write_rows(model: Model) -> Generator[bytes]:
    """Yield one line for each row, ordered by primary key."""
    names = [column.attname for column in columns_of(model)]
    rows = model._base_manager.order_by("pk").values_list(*names)  # noqa: SLF001
    for row in rows.iterator(chunk_size=AT_ONCE):
        text = json.dumps(row, default=_json_of, ensure_ascii=False, separators=(",", ":"))
        yield f"{text}\n".encode()


def _json_of(value: object) -> str:
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no form in a backup")


def fill_table(model: Model, names: list[str], lines: Iterable[bytes]) -> int:
    """Insert rows into an empty table, bypassing signals and `save`; return their number.

    Raises:
        DamagedBackup: the columns or the values do not fit the table.
    """
    columns = {column.attname: column for column in columns_of(model)}
    if set(names) != columns.keys():
        raise DamagedBackup(f"{model._meta.label_lower} has other columns")  # noqa: SLF001
    ordered = [columns[name] for name in names]
    readers = [_reader(column) for column in ordered]
    rows = (_row(line, readers) for line in lines)
    count = 0
    while batch := list(itertools.islice(rows, AT_ONCE)):
        _insert(model, ordered, batch)
        count += len(batch)
    return count


def _row(line: bytes, readers: list[Read]) -> list[Any]:
    try:
        values = json.loads(line)
        return [read(value) for read, value in zip(readers, values, strict=True)]
    except (TypeError, ValueError, ValidationError) as error:
        raise DamagedBackup(f"a line cannot be read: {error}") from error


def _reader(column: Column) -> Read:
    """Return a function that converts a JSON value for the database."""
    kind = column
    while isinstance(kind, models.ForeignKey):
        kind = kind.target_field
    if isinstance(kind, AS_THEY_ARE):
        return _as_it_is
    if isinstance(kind, models.JSONField):
        # In a column that is NOT NULL, None stands for the null of JSON.
        save = kind.get_db_prep_save if kind.null else kind.get_db_prep_value
        return lambda value: save(value, connection)
    return lambda value: kind.get_db_prep_save(kind.to_python(value), connection)


def _as_it_is(value: Any) -> Any:
    return value


def _insert(model: Model, columns: list[Column], rows: list[list[Any]]) -> None:
    quoted = connection.ops.quote_name
    table = quoted(model._meta.db_table)  # noqa: SLF001
    names = ", ".join(quoted(str(column.column)) for column in columns)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with (
                connection.wrap_database_errors,
                cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
            ):
                for row in rows:
                    copy.write_row(row)
            return
        marks = ", ".join(["%s"] * len(columns))
        cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", rows)  # noqa: S608 - our names
