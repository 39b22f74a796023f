"""Make a backup of a running site: one file, complete or absent."""

import fcntl
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import IO

from django.conf import settings
from django.db import DatabaseError, connection, models, transaction
from django.utils import timezone

from tournaments.models import Backup
from tournaments.services.backups.archives import (
    KEY_PART,
    BackupWriter,
    Manifest,
    TableTold,
    chunks_of,
)
from tournaments.services.backups.faults import BackupFault
from tournaments.services.backups.last_keys import last_key
from tournaments.services.backups.rows import columns_of, write_rows
from tournaments.services.backups.states import Model, applied_migrations, state_at
from tournaments.services.base.moment import one_moment

Within = Mapping[str, str]
"""Conditions as SQL, by the label of a table."""

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
    made = write_backup(path, {})
    _note(made)
    return made


def write_backup(path: Path, within: Within) -> Made:
    """Write all data to a file, but of some tables only the rows of which a condition is true.

    Raises: as `make_backup`.
    """
    made = Made(path, timezone.now())
    _clear_halves(path.parent)
    with _whole_or_not_at_all(path) as file:
        # Deflate's fastest level: rows get a third larger than at its best, in a third of the time.
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=2) as archive:
            _write(BackupWriter(archive), made, within)
        made.size = file.tell()
    return made


def _note(made: Made) -> None:
    data = {"began_at": made.began_at, "rows": made.rows, "size": made.size}
    try:
        with transaction.atomic():
            Backup.objects.create(**data, ended_at=timezone.now())
    except DatabaseError as error:
        # The database's disk is full, or its tables are older: the backup is complete all the same.
        made.not_noted = str(error)


def _write(writer: BackupWriter, made: Made, within: Within) -> None:
    migrations = applied_migrations()
    if not migrations:
        raise BackupFault("there is no data here yet")
    state = state_at(migrations)
    with one_moment():
        tables = [
            _write_table(writer, name, model, within.get(name, "true"))
            for name, model in state.kept.items()
        ]
        for name in sorted(_stored_files(state.kept.values())):
            _write_file(writer, name, made)
    writer.add(KEY_PART, [settings.SECRET_KEY.encode()])
    made.rows = sum(table.rows for table in tables)
    data = Manifest(
        version=settings.VERSION,
        began_at=made.began_at.isoformat(),
        database=connection.vendor,
        migrations=migrations,
        tables=tables,
        sums=writer.sums,
    )
    writer.end(data.to_json())


def _write_table(writer: BackupWriter, name: str, model: Model, where: str) -> TableTold:
    rows = 0

    def counted(written: Iterable[tuple[int, bytes]]) -> Iterator[bytes]:
        nonlocal rows
        for number, lines in written:
            rows += number
            yield lines

    # Closed on a full disk too, or the database would still be sending rows.
    with closing(write_rows(model, where)) as written:
        writer.add(f"rows/{name}.jsonl", counted(written))
    columns = [column.attname for column in columns_of(model)]
    return TableTold(name, columns, rows, last_key(model))


def _stored_files(kept: Iterable[Model]) -> set[str]:
    """Return the names of all files that rows refer to."""
    return {
        name
        for model in kept
        for column in columns_of(model)
        if isinstance(column, models.FileField)
        for name in model._base_manager.values_list(column.attname, flat=True).distinct()  # noqa: SLF001
        if name
    }


def _write_file(writer: BackupWriter, name: str, made: Made) -> None:
    try:
        with (Path(settings.MEDIA_ROOT) / name).open("rb") as file:
            writer.add(f"files/{name}", chunks_of(file))
    except FileNotFoundError:
        # Deleted meanwhile or long ago; the pages handle a missing file.
        made.missing.append(name)
    else:
        made.files += 1


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


def _clear_halves(folder: Path) -> None:
    """Delete partial files of killed backups, but none that is being written."""
    for half in folder.glob(f"{HALF}*"):
        with suppress(OSError), half.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            half.unlink()
