"""Rows of any table as lines of JSON, the same from every database, and lines as rows again.

Django's own `dumpdata` and `loaddata` know one state of the models only, and save row by row;
django-dbbackup keeps what each database's own tools write, which no other database reads.
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
"""Columns of which JSON, Python and the databases have the same values."""

Column: TypeAlias = "models.Field[Any, Any]"
Read = Callable[[Any], Any]


def columns_of(model: Model) -> list[Column]:
    """What is stored of a model and not computed by the database."""
    return [column for column in model._meta.local_concrete_fields if not column.generated]  # noqa: SLF001


def write_rows(model: Model) -> Generator[bytes]:
    """A line for each row, the first one first."""
    names = [column.attname for column in columns_of(model)]
    rows = model._base_manager.order_by("pk").values_list(*names)  # noqa: SLF001
    for row in rows.iterator(chunk_size=AT_ONCE):
        text = json.dumps(row, default=_told, ensure_ascii=False, separators=(",", ":"))
        yield f"{text}\n".encode()


def _told(value: object) -> str:
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    if isinstance(value, (bytes, memoryview)):
        return base64.b64encode(value).decode()
    raise TypeError(f"{type(value).__name__} has no form in a backup")


def fill_table(model: Model, names: list[str], lines: Iterable[bytes]) -> int:
    """Put rows into an empty table, past everything that looks at them; return how many.

    Raises:
        DamagedBackup: the columns, or what a line says, are not those of the table.
    """
    columns = {column.attname: column for column in columns_of(model)}
    if set(names) != columns.keys():
        raise DamagedBackup(f"{model._meta.label_lower} has other columns")  # noqa: SLF001
    ordered = [columns[name] for name in names]
    readers = [_reader(column) for column in ordered]
    rows = (_row(line, readers) for line in lines)
    count = 0
    while heap := list(itertools.islice(rows, AT_ONCE)):
        _insert(model, ordered, heap)
        count += len(heap)
    return count


def _row(line: bytes, readers: list[Read]) -> list[Any]:
    try:
        values = json.loads(line)
        return [read(value) for read, value in zip(readers, values, strict=True)]
    except (TypeError, ValueError, ValidationError) as error:
        raise DamagedBackup(f"a line cannot be read: {error}") from error


def _reader(column: Column) -> Read:
    """What makes a value of JSON into one for the database."""
    kind = column
    while isinstance(kind, models.ForeignKey):
        kind = kind.target_field
    if isinstance(kind, AS_THEY_ARE):
        return _as_it_is
    if isinstance(kind, models.JSONField):
        # Where the column must have something, None is the null of JSON.
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
