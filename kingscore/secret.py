"""The secret file: one secret a line, the current one first, then old ones that still open things.

Addresses of tables, sessions and tokens are derived from it.
"""

import os
import re
import secrets
import sqlite3
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

from django.core.exceptions import ImproperlyConfigured

USABLE = re.compile(r"[^\x00-\x1f\x7f\N{REPLACEMENT CHARACTER}]{32,}")
"""A text of at least 32 characters; anything else is damaged, for example by a power cut."""

DATA = ("tournaments_user", "tournaments_club", "tournaments_game")
"""Tables in which any row is user data."""

TABLES_OF_SQLITE = "SELECT name FROM sqlite_master"
TABLES_OF_POSTGRESQL = "SELECT relname FROM pg_class WHERE pg_table_is_visible(oid)"

MISSING = "{path} is missing, and the database has data.\n"
UNKNOWN = "{path} is missing, and the database does not say whether it has data: {error}\n"
UNUSABLE = (
    "{path} has no usable secret: it is empty, damaged, or shorter than 32 bytes.\n"
    "Where nothing is kept yet, remove the file: the next start makes a new one. Else:\n"
)
WHAT_TO_DO = (
    "Put back the one from a backup: unzip -p BACKUP secret-key > {path}\n"
    "Only if it is lost, make a new one: openssl rand -hex 32 > {path}\n"
    "With a new one no printed QR code and no link to a table works any more, and everybody has to"
    " sign in again."
)


def kept_secrets(path: Path, database_url: str, sqlite: Path) -> list[str]:
    """Return the secrets in a file. The first process makes one if there are no data yet.

    Raises: ImproperlyConfigured: the file cannot be used, or is missing although there are data.
    """
    if not path.exists():
        try:
            has_data = _has_data(database_url, sqlite)
        # Exceptions of both drivers, which share no base class.
        except Exception as error:
            message = (UNKNOWN + WHAT_TO_DO).format(path=path, error=error)
            raise ImproperlyConfigured(message) from error
        if has_data:
            raise ImproperlyConfigured((MISSING + WHAT_TO_DO).format(path=path))
        # Another process may do so meanwhile. Unlike a rename, a link replaces no secret in use.
        with _written_beside(path, [new_secret()]) as beside, suppress(FileExistsError):
            os.link(beside, path)
    try:
        secrets_ = path.read_text(encoding="utf-8", errors="replace").strip().split("\n")
    except OSError:
        secrets_ = [""]
    if not all(USABLE.fullmatch(secret) for secret in secrets_):
        raise ImproperlyConfigured((UNUSABLE + WHAT_TO_DO).format(path=path))
    return secrets_


def new_secret() -> str:
    return secrets.token_urlsafe(48)


def replace_secrets(path: Path, secrets_: Sequence[str]) -> None:
    """Replace the secrets in a file by others, atomically."""
    with _written_beside(path, secrets_) as beside:
        beside.replace(path)


@contextmanager
def _written_beside(path: Path, secrets_: Sequence[str]) -> Iterator[Path]:
    """Yield a file for its owner only; what becomes of it survives a power cut."""
    descriptor, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(descriptor, "w") as file:
        file.write("\n".join(secrets_))
        file.flush()
        os.fsync(file.fileno())
    yield Path(name)
    Path(name).unlink(missing_ok=True)
    folder = os.open(path.parent, os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


def _has_data(database_url: str, sqlite: Path) -> bool:
    """Query the database by its driver: Django's connections need settings that depend on this."""
    connection: Any
    if database_url:
        import psycopg

        connection, tables = psycopg.connect(database_url, connect_timeout=5), TABLES_OF_POSTGRESQL
    elif sqlite.exists():
        connection, tables = sqlite3.connect(sqlite, timeout=20), TABLES_OF_SQLITE
    else:
        return False
    with closing(connection):
        there = {name for (name,) in connection.execute(tables)}
        return any(
            connection.execute(f"SELECT 1 FROM {table} LIMIT 1").fetchone()  # noqa: S608 - named here
            for table in DATA
            if table in there
        )
