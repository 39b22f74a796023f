"""Rows of any table as lines of JSON, equal on every database, and back.

The database writes the lines, and Python sees a row as a whole only where SQLite cannot write it:
that is what makes a backup fast.
Django's `dumpdata` and `loaddata` only know the current models, and save row by row;
django-dbbackup keeps the output of each database's own tools, which no other database reads.
"""

import base64
import itertools
import json
import re
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any, TypeAlias

from django.core.exceptions import ValidationError
from django.db import connection, models

from tournaments.models.fields import compact_json
from tournaments.services.backups.faults import DamagedBackup
from tournaments.services.backups.states import Model

AT_ONCE = 1_000

AS_THEY_ARE = (
    models.BooleanField,
    models.CharField,
    models.FloatField,
    models.GenericIPAddressField,
    models.IntegerField,
    models.TextField,
)
"""Column types whose values are equal in JSON, Python and the databases."""

Column: TypeAlias = "models.Field[Any, Any]"
Read = Callable[[Any], Any]

BY_PYTHON: "dict[type[Column], Callable[[Any], str]]" = {
    # SQLite would round it.
    models.FloatField: json.dumps,
    models.BinaryField: lambda value: f'"{base64.b64encode(value).decode()}"',
    models.UUIDField: lambda value: f'"{uuid.UUID(value)}"',
}
"""Column types that SQLite cannot write as JSON; they are the last in a line."""

IN_POSTGRESQL: dict[type[Column], str] = {
    models.BinaryField: "replace(encode({}, 'base64'), E'\\n', '')",
}
IN_SQLITE: dict[type[Column], str] = {
    # As PostgreSQL writes a moment, without zeros at the end. Django leaves the zone out; a
    # statement of ours with a moment does not.
    models.DateTimeField: (
        "replace(iif(length({0}) < 26, substr({0}, 1, 19), rtrim(substr({0}, 1, 26), '0'))"
        " || iif(length({0}) IN (19, 26), '+00:00', substr({0}, -6)), ' ', 'T')"
    ),
    models.BooleanField: "json(CASE {} WHEN 1 THEN 'true' WHEN 0 THEN 'false' END)",
    models.JSONField: "json({})",
}
"""Expressions that give the value of a column as it is in a line."""

MOMENT = re.compile(r"(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)(\.\d{1,6})?\+00:00")


def columns_of(model: Model) -> list[Column]:
    """Return the stored columns of a model, without generated ones, as they are in a line."""
    columns = [each for each in model._meta.local_concrete_fields if not each.generated]  # noqa: SLF001
    return sorted(columns, key=lambda column: isinstance(_kind(column), tuple(BY_PYTHON)))


def _kind(column: Column) -> Column:
    """Return the column, or the one that a foreign key refers to."""
    while isinstance(column, models.ForeignKey):
        column = column.target_field
    return column


def write_rows(model: Model, where: str = "true") -> Generator[tuple[int, bytes]]:
    """Yield the lines of some rows with their number, ordered by primary key.

    Only those of which a condition is true, written as SQL.
    """
    rows = _written_by_postgresql if connection.vendor == "postgresql" else _written_by_sqlite
    lines = rows(model, where)
    while batch := list(itertools.islice(lines, AT_ONCE)):
        yield len(batch), b"".join(batch)


def _written_by_postgresql(model: Model, where: str) -> Iterator[bytes]:
    values = ", ".join(_expression(column, IN_POSTGRESQL) for column in columns_of(model))
    rows = _select(f"json_build_array({values})", model, where)
    # No JSON has these two letters, so CSV leaves all others as they are.
    form = r"FORMAT csv, DELIMITER E'\x01', QUOTE E'\x02'"
    statement = f"COPY ({rows}) TO STDOUT ({form})"
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(statement) as copy,
    ):
        for line in copy:
            yield bytes(line)


def _written_by_sqlite(model: Model, where: str) -> Iterator[bytes]:
    columns = columns_of(model)
    writers = [write for column in columns if (write := _by_python(column))]
    here = len(columns) - len(writers)
    written = ", ".join(_expression(each, IN_SQLITE) for each in columns[:here])
    others = [connection.ops.quote_name(str(each.column)) for each in columns[here:]]
    with connection.cursor() as cursor:
        cursor.execute(_select(", ".join([f"json_array({written})", *others]), model, where))
        while rows := cursor.fetchmany(AT_ONCE):
            for line, *values in rows:
                yield f"{_with(line, writers, values) if values else line}\n".encode()


def _with(line: str, writers: list[Callable[[Any], str]], values: list[Any]) -> str:
    """Return a line with more values at its end."""
    more = (
        "null" if value is None else write(value)
        for write, value in zip(writers, values, strict=True)
    )
    return f"{line[:-1]},{','.join(more)}]"


def _by_python(column: Column) -> Callable[[Any], str] | None:
    kind = _kind(column)
    return next((write for each, write in BY_PYTHON.items() if isinstance(kind, each)), None)


def _select(values: str, model: Model, where: str) -> str:
    quoted, options = connection.ops.quote_name, model._meta  # noqa: SLF001 - public in all but its name
    key = ", ".join(quoted(str(field.column)) for field in options.pk_fields)
    table = quoted(options.db_table)
    return f"SELECT {values} FROM {table} WHERE {where} ORDER BY {key}"  # noqa: S608 - our names


def _expression(column: Column, forms: dict[type[Column], str]) -> str:
    kind, name = _kind(column), connection.ops.quote_name(str(column.column))
    forms_of_it = (form for each, form in forms.items() if isinstance(kind, each))
    return next(forms_of_it, "{}").format(name)


def fill_table(model: Model, names: list[str], lines: Iterable[bytes]) -> int:
    """Insert rows into an empty table, bypassing signals and `save`; return their number.

    Raises:
        DamagedBackup: the columns or the values do not fit the table.
    """
    columns = {column.attname: column for column in columns_of(model)}
    if set(names) != columns.keys():
        raise DamagedBackup(f"{model._meta.label_lower} has other columns")  # noqa: SLF001
    ordered = [columns[name] for name in names]
    rows = _rows(lines, ordered)
    insert = _copy if connection.vendor == "postgresql" else _insert
    return insert(model, ordered, rows)


def _rows(lines: Iterable[bytes], columns: list[Column]) -> Iterator[list[Any]]:
    """Yield the values of each line for the database."""
    readers = [(place, read) for place, each in enumerate(columns) if (read := _reader(each))]
    try:
        for line in lines:
            values = json.loads(line.decode())
            if not isinstance(values, list) or len(values) != len(columns):
                raise DamagedBackup("a line has other columns")
            for place, read in readers:
                values[place] = read(values[place])
            yield values
    except (TypeError, ValueError, RecursionError, ValidationError) as error:
        raise DamagedBackup(f"a line cannot be read: {error}") from error


def _reader(column: Column) -> Read | None:
    """Return a function that converts a JSON value for the database, None if it may stay."""
    kind, vendor = _kind(column), connection.vendor
    if isinstance(kind, AS_THEY_ARE):
        return None
    if isinstance(kind, models.JSONField):
        # In a column that is NOT NULL, None stands for the null of JSON.
        write = compact_json if vendor == "postgresql" else json.dumps
        return lambda value: None if value is None and kind.null else write(value)

    def save(value: Any) -> Any:
        return kind.get_db_prep_save(kind.to_python(value), connection)

    def save_moment(value: Any) -> Any:
        if not isinstance(value, str) or not (found := MOMENT.fullmatch(value)):
            return save(value)
        if vendor == "postgresql":
            return value
        # As Django writes it into SQLite.
        day, time, fraction = found.groups()
        return f"{day} {time}{fraction:0<7}" if fraction else f"{day} {time}"

    return save_moment if isinstance(kind, models.DateTimeField) else save


def _copy(model: Model, columns: list[Column], rows: Iterable[list[Any]]) -> int:
    table, names = _names(model, columns)
    count = 0
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy,
    ):
        for row in rows:
            copy.write_row(row)
            count += 1
    return count


def _insert(model: Model, columns: list[Column], rows: Iterable[list[Any]]) -> int:
    table, names = _names(model, columns)
    marks, count, left = ", ".join(["%s"] * len(columns)), 0, iter(rows)
    with connection.cursor() as cursor:
        while batch := list(itertools.islice(left, AT_ONCE)):
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", batch)  # noqa: S608 - our names
            count += len(batch)
    return count


def _names(model: Model, columns: list[Column]) -> tuple[str, str]:
    quoted = connection.ops.quote_name
    table = quoted(model._meta.db_table)  # noqa: SLF001
    return table, ", ".join(quoted(str(column.column)) for column in columns)
