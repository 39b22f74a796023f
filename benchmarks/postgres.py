"""A PostgreSQL for as long as something is measured, where its programs are at hand."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg

from tests.postgres import Postgres, program


@contextmanager
def a_postgres() -> Iterator[str | None]:
    """The address of a database as the package comes, every commit on the disk; None without it.

    An address in KINGSCORE_DATABASE_URL is used as it is.
    """
    given = os.environ.get("KINGSCORE_DATABASE_URL")
    if given or program("initdb") is None:
        yield given or None
        return
    with tempfile.TemporaryDirectory(prefix="kingscore-postgres-") as folder:
        # It runs as somebody else.
        Path(folder).chmod(0o755)
        postgres = Postgres(folder)
        postgres.start()
        try:
            yield postgres.url()
        finally:
            postgres.stop()


def version_of(url: str | None) -> str:
    """Which PostgreSQL answers at an address; nothing where there is none."""
    if not url:
        return ""
    with psycopg.connect(url) as connection:
        (version,) = connection.execute("SHOW server_version").fetchone() or ("",)
    return str(version)
