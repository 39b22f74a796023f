"""Restore a backup into an empty site: all of it, or nothing that matters.

All rows are written in one transaction, and its commit completes the restore. Files and secret
are written before, and may be overwritten by another try. A restore that was killed can be
repeated; afterwards only migrations of newer versions may be due, which `up` and `migrate` run.
"""

import hashlib
import os
import tempfile
from collections.abc import Iterable
from pathlib import Path

from django.conf import settings
from django.db import DataError, IntegrityError, OperationalError, connection

from tournaments.models.audit import create_view, drop_view
from tournaments.services.backups.archives import KEY_PART, BackupReader, chunks_of
from tournaments.services.backups.faults import BackupFault, DamagedBackup, NotEmpty
from tournaments.services.backups.foreign_keys import in_one_transaction, without_foreign_keys
from tournaments.services.backups.last_keys import go_on_after
from tournaments.services.backups.making import sync_folder
from tournaments.services.backups.rows import fill_table
from tournaments.services.backups.states import ModelState, applied_migrations, migrate_to, state_at
from tournaments.services.partitions import is_partitioned

WRITTEN_BY_ITSELF = {
    *("django_migrations", "django_content_type", "auth_permission", "django_session"),
    *("tournaments_worker", "tournaments_check", "tournaments_backup"),
}
"""Tables that have rows even on a server without user data."""

HALF = ".half-restored-"


def restore_backup(backup: BackupReader) -> None:
    """Restore rows, files and secret.

    Raises:
        BackupFault: it cannot be restored here; no row was changed.
    """
    state = state_at(backup.manifest.migrations)
    if state.kept.keys() != {table.name for table in backup.manifest.tables}:
        raise DamagedBackup("its tables are not those of its migrations")
    refuse_where_data_are()
    secret = secret_of(backup)
    _refuse_another_secret(secret)
    _refuse_other_files(backup)
    try:
        with in_one_transaction():
            _put_all(backup, state, secret.encode())
    except (IntegrityError, DataError) as error:
        raise DamagedBackup(f"its rows do not fit each other: {error}") from error
    except OperationalError as error:
        raise BackupFault(f"the database says: {error}") from error


def secret_of(backup: BackupReader) -> str:
    """Return the secret of a backup.

    Raises:
        BackupFault: Kingscore would not start with it, and the environment has no other.
    """
    secret = b"".join(backup.pieces(KEY_PART)).decode(errors="replace")
    if settings.SECRET_FILE is not None and not settings.USABLE_SECRET.fullmatch(secret):
        raise BackupFault(
            "its secret is empty, damaged, or shorter than 32 bytes. Take an older backup, or set"
            " KINGSCORE_SECRET_KEY to a new one (openssl rand -hex 32) and restore again: then no"
            " printed QR code and no link to a table from before works any more."
        )
    return secret


def _put_all(backup: BackupReader, state: ModelState, secret: bytes) -> None:
    _shut_out_others()
    # Checked again, now that nobody else can write.
    refuse_where_data_are()
    _fill(backup, state)
    # Last, once nothing can be refused any more; a repeated restore may overwrite them.
    for name, part in backup.files().items():
        _place(Path(settings.MEDIA_ROOT) / name, backup.pieces(part))
    if settings.SECRET_FILE is not None:
        _place(settings.SECRET_FILE, [secret])


def refuse_where_data_are() -> None:
    """Check that no table contains data.

    Raises:
        NotEmpty: a table contains rows.
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
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        tables = map(connection.ops.quote_name, connection.introspection.table_names(cursor))
        if named := ", ".join(sorted(tables)):
            cursor.execute(f"LOCK TABLE {named} IN ACCESS EXCLUSIVE MODE")


def _refuse_another_secret(secret: str) -> None:
    # An unusable secret is no loss.
    is_usable = settings.USABLE_SECRET.fullmatch(secret)
    if settings.SECRET_FILE is None and is_usable and secret != settings.SECRET_KEY:
        raise BackupFault(
            "KINGSCORE_SECRET_KEY has another secret than the backup, and no address that was"
            " printed would open anything. Set it to the one in the backup"
            " (unzip -p FILE secret-key), or leave it unset."
        )


def _refuse_other_files(backup: BackupReader) -> None:
    root, files = Path(settings.MEDIA_ROOT), backup.files()
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_dir() or path.name.startswith(HALF):
            continue
        # A restore that was killed at its end left the same files.
        if name not in files or _sum_of(path) != backup.manifest.sums[files[name]]:
            raise NotEmpty(f"there are files here already, {path} among them")


def _sum_of(path: Path) -> str:
    digest = hashlib.sha256()
    with path.open("rb") as file:
        for chunk in chunks_of(file):
            digest.update(chunk)
    return digest.hexdigest()


def _place(path: Path, pieces: Iterable[bytes]) -> None:
    """Write a file, complete or not at all, readable by its owner only."""
    path.parent.mkdir(parents=True, exist_ok=True)
    for left in path.parent.glob(f"{HALF}*"):
        left.unlink()
    descriptor, beside = tempfile.mkstemp(prefix=HALF, dir=path.parent)
    with os.fdopen(descriptor, "wb") as file:
        file.writelines(pieces)
        file.flush()
        os.fsync(file.fileno())
    Path(beside).replace(path)
    sync_folder(path.parent)


def _fill(backup: BackupReader, state: ModelState) -> None:
    drop_view()
    # Rows of partitions go into one table; another partition may be begun behind them.
    if applied_migrations() != state.migrations or is_partitioned():
        _drop_tables()
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
    create_view()


def _drop_tables() -> None:
    quoted = connection.ops.quote_name
    cascade = " CASCADE" if connection.vendor == "postgresql" else ""
    with connection.cursor() as cursor:
        for table in connection.introspection.table_names(cursor):
            cursor.execute(f"DROP TABLE {quoted(table)}{cascade}")
