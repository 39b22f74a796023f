"""The archive of a backup: its parts, its rows, and the keys between them."""

import base64
import io
import itertools
import json
import re
import struct
import uuid
import zipfile
import zlib
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, TypeAlias, cast

from django.apps import apps as current_apps
from django.core.exceptions import ValidationError
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from tournaments.models.fields import compact_json
from tournaments.models.server import make_tables


class BackupFault(Exception):
    """Nothing was done; the message gives the reason and a remedy."""


class DamagedBackup(BackupFault):
    """The file is not a backup, or was altered."""


class NotEmpty(BackupFault):
    """The target of the restore has data already."""


Key = tuple[str, str]
"""A migration: its app and its name."""

Model = type[models.Model]

LEFT_OUT = {"sessions.session", "usersessions.usersession", "tournaments.worker"}
"""Sessions and workers: state of a server, not data to keep."""


@dataclass(frozen=True)
class ModelState:
    """The models after some migrations, by label; only those whose rows are kept."""

    migrations: frozenset[Key]
    kept: dict[str, Model]
    left_out: dict[str, Model]


def applied_migrations() -> frozenset[Key]:
    """Return the migrations applied to the database; empty if it has no tables."""
    loader = MigrationLoader(connection)
    return _without_replaced(loader, loader.applied_migrations)


def state_at(migrations: Collection[Key]) -> ModelState:
    """Return the models as they were after these migrations.

    Raises: BackupFault: some are unknown here, or they are inconsistent.
    """
    loader = MigrationLoader(connection)
    known = _without_replaced(loader, migrations)
    latest = _latest(loader, known)
    # To build models of another time takes longer than to write some 10,000 rows.
    apps = current_apps if _is_now(loader, latest) else loader.project_state(latest).apps
    stored = {
        model._meta.label_lower: model  # noqa: SLF001 - public in all but its name
        for model in apps.get_models(include_auto_created=True)
        if model._meta.managed and not model._meta.proxy  # noqa: SLF001 - as above
    }
    kept = {label: stored[label] for label in sorted(stored.keys() - LEFT_OUT)}
    left_out = {label: stored[label] for label in sorted(stored.keys() & LEFT_OUT)}
    return ModelState(known, kept, left_out)


def migrate_to(state: ModelState) -> None:
    """Migrate a database without tables to a state."""
    executor = MigrationExecutor(connection)
    latest = _latest(executor.loader, state.migrations)
    if _is_now(executor.loader, latest):
        make_tables()
    else:
        executor.migrate(latest)


def _is_now(loader: MigrationLoader, latest: list[Key]) -> bool:
    return latest == sorted(loader.graph.leaf_nodes())


def _without_replaced(loader: MigrationLoader, migrations: Collection[Key]) -> frozenset[Key]:
    known = set(migrations)
    for key, squashed in loader.replacements.items():
        if known >= set(squashed.replaces):
            known.add(key)
        if key in known:
            known.difference_update(squashed.replaces)
    return frozenset(known)


def _latest(loader: MigrationLoader, migrations: Collection[Key]) -> list[Key]:
    graph, wanted = loader.graph, set(migrations)
    if unknown := sorted(wanted - graph.nodes.keys()):
        names = ", ".join(".".join(key) for key in unknown)
        raise BackupFault(f"a newer or another version of Kingscore is needed: it has {names}")
    latest = [
        key
        for key in sorted(wanted)
        if not any(
            child.key in wanted and child.key[0] == key[0] for child in graph.node_map[key].children
        )
    ]
    if {key for last in latest for key in graph.forwards_plan(last)} != wanted:
        raise BackupFault("its migrations do not belong together")
    return latest


FORMAT = "kingscore-backup/1"
MANIFEST = "manifest.json"
KEY_PART = "secret-key"
LARGEST_MANIFEST = 64 * 1024 * 1024
AT_ONCE = 1024 * 1024

STORED_FILE = re.compile(r"files/((?:[^/\\\0:]+/)*[^/\\\0:]+)")

UNREADABLE = (
    *(zipfile.BadZipFile, zlib.error, struct.error, EOFError, OSError, RuntimeError),
    *(LookupError, ValueError, TypeError, AttributeError, MemoryError),
)
"""Exceptions of zipfile and json for a broken or foreign file."""


@dataclass(frozen=True)
class TableSummary:
    """The manifest's entry for a table: label, columns, number of rows, last key given."""

    name: str
    columns: list[str]
    rows: int
    last_key: int


@dataclass(frozen=True)
class Manifest:
    version: str
    began_at: str
    database: str
    migrations: frozenset[Key]
    tables: list[TableSummary]

    def to_json(self) -> str:
        data = {
            "format": FORMAT,
            **{name: getattr(self, name) for name in ("version", "began_at", "database")},
            "migrations": sorted(".".join(key) for key in self.migrations),
            "tables": [vars(table) for table in self.tables],
        }
        return json.dumps(data, indent=1)

    @classmethod
    def from_json(cls, text: bytes) -> "Manifest":
        """Parse the output of `to_json`.

        Raises:
            DamagedBackup: the text is not a manifest.
            BackupFault: a newer version wrote it.
        """
        with _unreadable_is_damaged():
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise BackupFault(f"it is {data['format']!r}, and this version reads {FORMAT}")
            return cls(
                version=str(data["version"]),
                began_at=str(data["began_at"]),
                database=str(data["database"]),
                migrations=frozenset(
                    (app, migration)
                    for app, _dot, migration in (name.partition(".") for name in data["migrations"])
                ),
                tables=[TableSummary(**table) for table in data["tables"]],
            )


@contextmanager
def part_of(archive: zipfile.ZipFile, name: str) -> Iterator[IO[bytes]]:
    with (
        archive.open(name, "w", force_zip64=True) as part,
        # Compresses larger pieces at once than a line.
        io.BufferedWriter(cast("io.RawIOBase", part), AT_ONCE) as written,
    ):
        yield written


def chunks_of(file: IO[bytes]) -> Iterator[bytes]:
    return iter(lambda: file.read(AT_ONCE), b"")


class BackupReader:
    """A backup whose parts are all undamaged."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self.archive, self.manifest = archive, manifest

    def pieces(self, name: str) -> Iterator[bytes]:
        with _unreadable_is_damaged(), self.archive.open(name) as part:
            yield from chunks_of(part)

    def lines(self, label: str) -> Iterator[bytes]:
        with _unreadable_is_damaged(), self.archive.open(f"rows/{label}.jsonl") as part:
            # Reads lines in C, unlike the part itself.
            yield from io.BufferedReader(cast("io.RawIOBase", part), AT_ONCE)

    def files(self) -> dict[str, str]:
        """Map the name of each stored file (in the media folder) to its part."""
        names = ((STORED_FILE.fullmatch(name), name) for name in self.archive.namelist())
        return {found[1]: name for found, name in names if found}


@contextmanager
def open_backup(path: Path) -> Iterator[BackupReader]:
    """Open a backup after verifying all of it.

    Raises:
        DamagedBackup: the file is not a backup, is incomplete, or fails its checksums.
        BackupFault: the version of its format is unknown.
    """
    with path.open("rb") as file:
        with _unreadable_is_damaged():
            archive = zipfile.ZipFile(file)
            if archive.getinfo(MANIFEST).file_size > LARGEST_MANIFEST:
                raise DamagedBackup("its manifest is too large")
            text = archive.read(MANIFEST)
        reader = BackupReader(archive, Manifest.from_json(text))
        _check_names(reader)
        with _unreadable_is_damaged():
            damaged = archive.testzip()
        if damaged:
            raise DamagedBackup(f"{damaged} is not as it was written")
        yield reader


def _check_names(reader: BackupReader) -> None:
    found = reader.archive.namelist()
    tables = {f"rows/{table.name}.jsonl" for table in reader.manifest.tables}
    own = {MANIFEST, KEY_PART, *tables}
    strange = [
        name
        for name in set(found) - own
        if not STORED_FILE.fullmatch(name) or {".", ".."} & set(name.split("/"))
    ]
    if strange or not own <= set(found) or len(set(found)) < len(found):
        raise DamagedBackup(f"parts that no backup has: {sorted(strange) or 'tables'}")


@contextmanager
def _unreadable_is_damaged() -> Iterator[None]:
    try:
        yield
    except UNREADABLE as error:
        raise DamagedBackup(f"it is no backup, or not whole: {error}") from error


ROWS_AT_ONCE = 1_000

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
    while isinstance(column, models.ForeignKey):
        column = column.target_field
    return column


def write_rows(model: Model) -> Generator[tuple[int, bytes]]:
    """Yield the lines of all rows, some at once with their number, ordered by primary key."""
    rows = _written_by_postgresql if connection.vendor == "postgresql" else _written_by_sqlite
    lines = rows(model)
    while batch := list(itertools.islice(lines, ROWS_AT_ONCE)):
        yield len(batch), b"".join(batch)


def _written_by_postgresql(model: Model) -> Iterator[bytes]:
    values = ", ".join(_expression(column, IN_POSTGRESQL) for column in columns_of(model))
    rows = _select(f"json_build_array({values})", model)
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


def _written_by_sqlite(model: Model) -> Iterator[bytes]:
    columns = columns_of(model)
    writers = [write for column in columns if (write := _by_python(column))]
    here = len(columns) - len(writers)
    written = ", ".join(_expression(each, IN_SQLITE) for each in columns[:here])
    others = [connection.ops.quote_name(str(each.column)) for each in columns[here:]]
    with connection.cursor() as cursor:
        cursor.execute(_select(", ".join([f"json_array({written})", *others]), model))
        while rows := cursor.fetchmany(ROWS_AT_ONCE):
            for line, *values in rows:
                more = [
                    "null" if value is None else write(value)
                    for write, value in zip(writers, values, strict=True)
                ]
                yield f"{line[:-1]},{','.join(more)}]\n".encode() if more else f"{line}\n".encode()


def _by_python(column: Column) -> Callable[[Any], str] | None:
    kind = _kind(column)
    return next((write for each, write in BY_PYTHON.items() if isinstance(kind, each)), None)


def _select(values: str, model: Model) -> str:
    quoted, options = connection.ops.quote_name, model._meta  # noqa: SLF001 - public in all but its name
    key = ", ".join(quoted(str(field.column)) for field in options.pk_fields)
    table = quoted(options.db_table)
    return f"SELECT {values} FROM {table} ORDER BY {key}"  # noqa: S608 - our names


def _expression(column: Column, forms: dict[type[Column], str]) -> str:
    kind, name = _kind(column), connection.ops.quote_name(str(column.column))
    forms_of_it = (form for each, form in forms.items() if isinstance(kind, each))
    return next(forms_of_it, "{}").format(name)


def fill_table(model: Model, names: list[str], lines: Iterable[bytes]) -> int:
    """Insert rows into an empty table, bypassing signals and `save`; return their number.

    Raises: DamagedBackup: the columns or the values do not fit the table.
    """
    columns = {column.attname: column for column in columns_of(model)}
    if set(names) != columns.keys():
        raise DamagedBackup(f"{model._meta.label_lower} has other columns")  # noqa: SLF001
    ordered = [columns[name] for name in names]
    rows = _rows(lines, ordered)
    insert = _copy if connection.vendor == "postgresql" else _insert
    return insert(model, ordered, rows)


def _rows(lines: Iterable[bytes], columns: list[Column]) -> Iterator[list[Any]]:
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
        while batch := list(itertools.islice(left, ROWS_AT_ONCE)):
            cursor.executemany(f"INSERT INTO {table} ({names}) VALUES ({marks})", batch)  # noqa: S608 - our names
            count += len(batch)
    return count


def _names(model: Model, columns: list[Column]) -> tuple[str, str]:
    quoted = connection.ops.quote_name
    table = quoted(model._meta.db_table)  # noqa: SLF001
    return table, ", ".join(quoted(str(column.column)) for column in columns)


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

    Raises: IntegrityError: a reference has no target.
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
