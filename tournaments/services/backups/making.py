"""Making a backup while the site is running: one file, which is there whole or not at all."""

import fcntl
import os
import tempfile
import zipfile
from collections.abc import Iterable, Iterator
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
from tournaments.services.backups.snapshots import one_moment
from tournaments.services.backups.states import Model, applied_migrations, state_at

HALF = ".half-backup-"
"""How the names of files begin that are being written, or were when their writer was killed."""


@dataclass
class Made:
    """What came of a backup; `missing` are files that rows name and that are not there.

    `not_noted` is why it is not in the list of backups, and empty where it is.
    """

    path: Path
    began_at: datetime
    rows: int = 0
    files: int = 0
    size: int = 0
    missing: list[str] = field(default_factory=list)
    not_noted: str = ""


def make_backup(path: Path) -> Made:
    """Write everything that is kept to a file, and note that it was done.

    Raises:
        BackupFault: there is nothing to keep, or the database is of a newer version.
        OSError: the file cannot be written; nothing is left of it.
    """
    made = Made(path, timezone.now())
    _clear_halves(path.parent)
    with _whole_or_not_at_all(path) as file:
        # Deflate's fast end: the rows are a third larger than at its best, in a third of the time.
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=2) as archive:
            _write(BackupWriter(archive), made)
        made.size = file.tell()
    _note(made)
    return made


def _note(made: Made) -> None:
    told = {"began_at": made.began_at, "rows": made.rows, "size": made.size}
    try:
        with transaction.atomic():
            Backup.objects.create(**told, ended_at=timezone.now())
    except DatabaseError as error:
        # Its disk is full, or its tables are of an older version: the backup is whole all the same.
        made.not_noted = str(error)


def _write(writer: BackupWriter, made: Made) -> None:
    migrations = applied_migrations()
    if not migrations:
        raise BackupFault("there is no data here yet")
    state = state_at(migrations)
    with one_moment():
        tables = [_write_table(writer, name, model) for name, model in state.kept.items()]
        for name in sorted(_stored_files(state.kept.values())):
            _write_file(writer, name, made)
    writer.add(KEY_PART, [settings.SECRET_KEY.encode()])
    made.rows = sum(table.rows for table in tables)
    told = Manifest(
        version=settings.VERSION,
        began_at=made.began_at.isoformat(),
        database=connection.vendor,
        migrations=migrations,
        tables=tables,
        sums=writer.sums,
    )
    writer.end(told.to_json())


def _write_table(writer: BackupWriter, name: str, model: Model) -> TableTold:
    rows = 0

    def counted(lines: Iterable[bytes]) -> Iterator[bytes]:
        nonlocal rows
        for line in lines:
            rows += 1
            yield line

    # Closed where the disk is full, too: the database would still be at its answer.
    with closing(write_rows(model)) as lines:
        writer.add(f"rows/{name}.jsonl", counted(lines))
    columns = [column.attname for column in columns_of(model)]
    return TableTold(name, columns, rows, last_key(model))


def _stored_files(kept: Iterable[Model]) -> set[str]:
    """The names of the files that rows speak of."""
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
        # Thrown away since, or long ago: the pages know what to say then.
        made.missing.append(name)
    else:
        made.files += 1


@contextmanager
def _whole_or_not_at_all(path: Path) -> Iterator[IO[bytes]]:
    """A file, for its owner only, that gets its name when all of it is on the disk."""
    # mkstemp gives mode 600: the secret is in it.
    descriptor, beside = tempfile.mkstemp(prefix=HALF, dir=path.parent)
    try:
        with os.fdopen(descriptor, "w+b") as file:
            # Held as long as the file is open: it is nobody's leftover.
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
    """Let a name in a folder outlive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _clear_halves(folder: Path) -> None:
    """Remove what killed backups left behind, and nothing that is being written."""
    for half in folder.glob(f"{HALF}*"):
        with suppress(OSError), half.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            half.unlink()
