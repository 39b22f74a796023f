"""Make backups and restore them, and keep the latest."""

import fcntl
import os
import re
import shutil
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from itertools import zip_longest
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import (
    DatabaseError,
    DataError,
    IntegrityError,
    OperationalError,
    connection,
    models,
    transaction,
)
from django.utils import timezone

from tournaments.models import Backup
from tournaments.models.audit import drop_view
from tournaments.services.backups.archives import (
    KEY_PART,
    MANIFEST,
    BackupFault,
    BackupReader,
    DamagedBackup,
    Manifest,
    Model,
    ModelState,
    NotEmpty,
    TableSummary,
    applied_migrations,
    chunks_of,
    columns_of,
    fill_table,
    go_on_after,
    in_one_transaction,
    last_key,
    migrate_to,
    part_of,
    state_at,
    without_foreign_keys,
    write_rows,
)
from tournaments.services.base.writes import one_moment

HALF = ".half-backup-"
"""Prefix of partial files, being written or left by a killed writer."""


@dataclass
class Made:
    """The result of a backup; `missing` are files that rows name but that do not exist.

    `not_noted` is the reason why it is not in the list of backups; empty if it is.
    """

    path: Path
    began_at: datetime
    rows: int = 0
    files: int = 0
    size: int = 0
    missing: list[str] = field(default_factory=list)
    not_noted: str = ""


def make_backup(path: Path) -> Made:
    """Write all data to a file, and add it to the list of backups.

    Raises:
        BackupFault: there is no data, or the database is of a newer version.
        OSError: the file cannot be written; no partial file is left.
    """
    made = Made(path, timezone.now())
    # Partial files of killed backups, but none that is being written.
    for half in path.parent.glob(f"{HALF}*"):
        with suppress(OSError), half.open("rb") as left:
            fcntl.flock(left, fcntl.LOCK_EX | fcntl.LOCK_NB)
            half.unlink()
    with _whole_or_not_at_all(path) as file:
        # Deflate's fastest level: rows get a third larger than at its best, in a third of the time.
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=2) as archive:
            _write(archive, made)
        made.size = file.tell()
    data = {"began_at": made.began_at, "rows": made.rows, "size": made.size}
    try:
        with transaction.atomic():
            Backup.objects.create(**data, ended_at=timezone.now())
    except DatabaseError as error:
        # The database's disk is full, or its tables are older: the backup is complete all the same.
        made.not_noted = str(error)
    return made


def _write(archive: zipfile.ZipFile, made: Made) -> None:
    migrations = applied_migrations()
    if not migrations:
        raise BackupFault("there is no data here yet")
    state = state_at(migrations)
    with one_moment():
        tables = [_write_table(archive, name, model) for name, model in state.kept.items()]
        for name in sorted(_stored_files(state.kept.values())):
            try:
                with (
                    (Path(settings.MEDIA_ROOT) / name).open("rb") as file,
                    part_of(archive, f"files/{name}") as part,
                ):
                    shutil.copyfileobj(file, part)
                made.files += 1
            except FileNotFoundError:
                # Deleted meanwhile or long ago; the pages handle a missing file.
                made.missing.append(name)
    archive.writestr(KEY_PART, settings.SECRET_KEY)
    made.rows = sum(table.rows for table in tables)
    data = Manifest(
        version=settings.VERSION,
        began_at=made.began_at.isoformat(),
        database=connection.vendor,
        migrations=migrations,
        tables=tables,
    )
    archive.writestr(MANIFEST, data.to_json())


def _write_table(archive: zipfile.ZipFile, name: str, model: Model) -> TableSummary:
    rows = 0
    # Closed on a full disk too, or the database would still be sending rows.
    with closing(write_rows(model)) as written, part_of(archive, f"rows/{name}.jsonl") as part:
        for number, lines in written:
            rows += number
            part.write(lines)
    columns = [column.attname for column in columns_of(model)]
    return TableSummary(name, columns, rows, last_key(model))


def _stored_files(tables: Iterable[Model]) -> set[str]:
    return {
        name
        for model in tables
        for column in columns_of(model)
        if isinstance(column, models.FileField)
        for name in model._base_manager.values_list(column.attname, flat=True).distinct()  # noqa: SLF001
        if name
    }


@contextmanager
def _whole_or_not_at_all(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file, readable by its owner only, that gets its name once it is fully on disk."""
    # mkstemp gives mode 600: the backup contains the secret.
    descriptor, beside = tempfile.mkstemp(prefix=HALF, dir=path.parent)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            # The lock is held while the file is open: other backups must not clear it away.
            fcntl.flock(file, fcntl.LOCK_EX)
            yield file
            file.flush()
            os.fsync(file.fileno())
        Path(beside).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(beside).unlink()
        raise
    sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Sync a folder, so that a new name in it survives a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


WRITTEN_BY_ITSELF = {
    *("django_migrations", "django_content_type", "auth_permission", "django_session"),
    *("tournaments_worker", "tournaments_check", "tournaments_backup"),
    *("_litestream_lock", "_litestream_seq"),
}
"""Tables that have rows even on a server without user data."""

RESTORING_HALF = ".half-restored-"


def restore_backup(backup: BackupReader) -> None:
    """Restore rows, files and secret.

    Raises: BackupFault: it cannot be restored here; no row was changed.
    """
    state = state_at(backup.manifest.migrations)
    if state.kept.keys() != {table.name for table in backup.manifest.tables}:
        raise DamagedBackup("its tables are not those of its migrations")
    refuse_where_data_are()
    secret = secret_of(backup)
    # An unusable secret is no loss.
    is_usable = settings.USABLE_SECRET.fullmatch(secret)
    if settings.SECRET_FILE is None and is_usable and secret != settings.SECRET_KEY:
        raise BackupFault(
            "KINGSCORE_SECRET_KEY has another secret than the backup, and no address that was"
            " printed would open anything. Set it to the one in the backup"
            " (unzip -p FILE secret-key), or leave it unset."
        )
    _refuse_other_files(backup)
    try:
        with in_one_transaction():
            if connection.vendor == "postgresql":
                _shut_out_others()
            # Checked again, now that nobody else can write.
            refuse_where_data_are()
            _fill(backup, state)
            # Last, once nothing can be refused any more; a repeated restore may overwrite them.
            for name, part in backup.files().items():
                place_file(Path(settings.MEDIA_ROOT) / name, backup.pieces(part))
            if settings.SECRET_FILE is not None:
                place_file(settings.SECRET_FILE, [secret.encode()])
    except (IntegrityError, DataError) as error:
        raise DamagedBackup(f"its rows do not fit each other: {error}") from error
    except OperationalError as error:
        raise BackupFault(f"the database says: {error}") from error


def secret_of(backup: BackupReader) -> str:
    """Return the secret of a backup.

    Raises: BackupFault: Kingscore would not start with it, and the environment has no other.
    """
    secret = b"".join(backup.pieces(KEY_PART)).decode(errors="replace")
    if settings.SECRET_FILE is not None and not settings.USABLE_SECRET.fullmatch(secret):
        raise BackupFault(
            "its secret is empty, damaged, or shorter than 32 bytes. Take an older backup, or set"
            " KINGSCORE_SECRET_KEY to a new one (openssl rand -hex 32) and restore again: then no"
            " printed QR code and no link to a table from before works any more."
        )
    return secret


def refuse_where_data_are() -> None:
    """Check that no table contains data.

    Raises: NotEmpty: a table contains rows.
    """
    quoted = connection.ops.quote_name
    caches = (cache.get("LOCATION") for cache in settings.CACHES.values())
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        for table in sorted(set(tables) - WRITTEN_BY_ITSELF - set(caches)):
            cursor.execute(f"SELECT 1 FROM {quoted(table)} LIMIT 1")  # noqa: S608 - as it is named
            if cursor.fetchone():
                raise NotEmpty(
                    f"there are data here already (in {table}); a backup is restored"
                    " into an empty folder or database only"
                )


def _shut_out_others() -> None:
    """Lock out other readers and writers until the end; on SQLite the transaction does."""
    with connection.cursor() as cursor:
        tables = map(connection.ops.quote_name, connection.introspection.table_names(cursor))
        if named := ", ".join(sorted(tables)):
            cursor.execute(f"LOCK TABLE {named} IN ACCESS EXCLUSIVE MODE")


def _refuse_other_files(backup: BackupReader) -> None:
    root, files = Path(settings.MEDIA_ROOT), backup.files()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_dir() or path.name.startswith(RESTORING_HALF):
            continue
        # A restore that was killed at its end left the same files.
        is_same = False
        if name in files:
            with path.open("rb") as file:
                pairs = zip_longest(chunks_of(file), backup.pieces(files[name]))
                is_same = all(here == kept for here, kept in pairs)
        if not is_same:
            raise NotEmpty(f"there are files here already, {path} among them")


def place_file(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, complete or not at all, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f"{RESTORING_HALF}*"):
        left.unlink()
    descriptor, beside = tempfile.mkstemp(prefix=RESTORING_HALF, dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
    Path(beside).replace(path)
    sync_folder(path.parent)


def _fill(backup: BackupReader, state: ModelState) -> None:
    # `migrate` creates it afterwards: tables of an older version lack some of its columns.
    drop_view()
    if applied_migrations() != state.migrations:
        quoted = connection.ops.quote_name
        cascade = " CASCADE" if connection.vendor == "postgresql" else ""
        with connection.cursor() as cursor:
            for name in connection.introspection.table_names(cursor):
                cursor.execute(f"DROP TABLE {quoted(name)}{cascade}")
        migrate_to(state)
    with without_foreign_keys():
        for model in (*state.kept.values(), *state.left_out.values()):
            model._base_manager.all()._raw_delete(connection.alias)  # noqa: SLF001 - no row is loaded
        for table in backup.manifest.tables:
            model = state.kept[table.name]
            rows = fill_table(model, table.columns, backup.lines(table.name))
            if rows != table.rows:
                raise DamagedBackup(f"{table.name} has {rows} rows, not {table.rows}")
            go_on_after(model, table.last_key)


NAME = re.compile(r"kingscore-\d{8}T\d{6}Z\.zip")


def name_at(at: datetime) -> str:
    """Return the file name of a backup that began at `at`; names sort by date."""
    return f"kingscore-{at.astimezone(UTC):%Y%m%dT%H%M%SZ}.zip"


def keep_latest(newest: Path, number: int) -> list[Path]:
    """Delete the oldest backups beside `newest` until `number` are left; return them."""
    others = (path for path in newest.parent.iterdir() if NAME.fullmatch(path.name))
    # The newest stays, even if a wrong clock gave others a later name.
    by_age = sorted((path for path in others if path != newest), key=lambda path: path.name)
    old = by_age[: max(0, len(by_age) + 1 - number)]
    for path in old:
        path.unlink()
    return old
