"""A PostgreSQL for as long as something is measured, where its programs are at hand."""

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg


def programs() -> Path | None:
    """The folder of initdb and pg_ctl: Debian keeps them off the path, the newest last."""
    versions = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda p: int(p.parts[4])
    )
    if versions:
        return versions[-1].parent
    found = shutil.which("initdb")
    return Path(found).resolve().parent if found else None


@contextmanager
def a_postgres() -> Iterator[str | None]:
    """The address of a database as the package comes, every commit on the disk; None without it.

    An address in KINGSCORE_DATABASE_URL is used as it is.
    """
    given, place = os.environ.get("KINGSCORE_DATABASE_URL"), programs()
    if given or place is None:
        yield given or None
        return
    with tempfile.TemporaryDirectory(prefix="kingscore-postgres-") as folder:
        # It refuses to run as root.
        who = ["runuser", "-u", "postgres", "--"] if os.geteuid() == 0 else []
        if who:
            shutil.chown(folder, "postgres")
        control = [*who, str(place / "pg_ctl"), "--pgdata", f"{folder}/db", "--silent"]
        port = free_port()
        options = f"-c listen_addresses=127.0.0.1 -c port={port} -c unix_socket_directories=''"
        ways = ["--username", "kingscore", "--auth", "trust", "--encoding", "UTF8"]
        # From the root folder: postgres may not enter every one.
        tell(
            [*who, str(place / "initdb"), "--pgdata", f"{folder}/db", "--locale", "C.UTF-8", *ways]
        )
        tell([*control, "--wait", "--log", f"{folder}/log", "--options", options, "start"])
        try:
            yield f"postgresql://kingscore@127.0.0.1:{port}/postgres"
        finally:
            tell([*control, "--mode", "fast", "stop"])


def version_of(url: str | None) -> str:
    """Which PostgreSQL answers at an address; nothing where there is none."""
    if not url:
        return ""
    with psycopg.connect(url) as connection:
        (version,) = connection.execute("SHOW server_version").fetchone() or ("",)
    return str(version)


def tell(words: list[str]) -> None:
    """Run one of its programs."""
    # A server that stays would hold a pipe open.
    subprocess.run(words, cwd="/", stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as door:
        return int(door.getsockname()[1])
