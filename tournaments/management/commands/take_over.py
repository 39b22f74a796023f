"""Take over from a machine that died: restore its continuous copy, and start."""

import json
import os
import shutil
import sqlite3
import sys
from argparse import ArgumentParser
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.db import connection

from tournaments.management import copying
from tournaments.management.copying import CopyFault, has_copy, litestream
from tournaments.management.programs import open_listener
from tournaments.origin import THIS_MACHINE_ONLY, lan_address
from tournaments.services.backups.archives import BackupFault, state_at
from tournaments.services.backups.backups import place_file, refuse_where_data_are

HALF = ".half-taken-over-"
"""Prefix of restored files that are not checked yet."""


class Command(BaseCommand):
    """`manage.py take_over FROM`; refused or killed, it can be run again."""

    help = "Restore what another machine copied by KINGSCORE_COPY_TO, and run the site here."
    # `up` migrates first.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("place", metavar="FROM", help="the KINGSCORE_COPY_TO of that machine")
        parser.add_argument("--host", default="0.0.0.0")  # noqa: S104 - phones must reach it
        parser.add_argument("--port", default="8000")

    def handle(self, *_: Any, place: str, host: str, port: str, **__: Any) -> None:
        # Ends here if Kingscore is running.
        open_listener(host, int(port)).close()
        if copying.is_folder(place):
            place = str(Path(place).absolute())
        try:
            self.take_over(place)
        except (BackupFault, CopyFault) as fault:
            raise CommandError(f"Nothing was taken over: {fault}") from fault
        words = [str(settings.BASE_DIR / "manage.py"), "up", "--host", host, "--port", port]
        self.stdout.flush()
        # A process of its own: this one began with another secret.
        os.execv(sys.executable, [sys.executable, *words])  # noqa: S606 - no shell wanted

    def take_over(self, place: str) -> None:
        """Restore the newest copy, and mark the place as taken over.

        Raises: BackupFault, CopyFault: nothing was changed.
        """
        if connection.vendor != "sqlite":
            raise CopyFault("here is PostgreSQL, which has other means: docs/take-over.md")
        # What root writes there the user of the site cannot read, and the first machine not notice.
        is_folder = copying.is_folder(place) and copying.is_there(place)
        if is_folder and not os.geteuid() and Path(place).stat().st_uid:
            raise CopyFault(f"{place} is not root's. As the user of the site: kingscore take_over")
        refuse_where_data_are()
        os.chdir(settings.DATA)
        newest, source = find_copy(place)
        own = settings.COPY_TO or place
        if has_copy(own, newest + 1):
            raise CopyFault(copying.TAKEN_OVER.format(place=copying.hidden(own)))
        at = restore(place, source, copying.DATABASE)
        restore(place, source, copying.FILES)
        with closing(sqlite3.connect(HALF + copying.DATABASE)) as rows:
            applied = set(rows.execute("SELECT app, name FROM django_migrations"))
        # Refused here if it is of a newer version.
        state_at(applied)
        connection.close()
        with closing(sqlite3.connect(HALF + copying.FILES)) as files:
            kept = dict(files.execute("SELECT name, content FROM file"))
        secret = kept.pop(copying.SECRET, b"").decode(errors="replace")
        check_secret(secret)
        found_at = kept.pop(copying.FOUND_AT, b"").decode()
        for name, content in kept.items():
            path = Path(settings.MEDIA_ROOT, name.removeprefix(copying.DOCUMENTS)).resolve()
            if path.is_relative_to(settings.MEDIA_ROOT):
                place_file(path, [content])
        if settings.SECRET_FILE is not None:
            place_file(settings.SECRET_FILE, [secret.encode()])
        place_file(settings.TIMELINE_FILE, [str(newest + 1).encode()])
        Path(HALF + copying.FILES).replace(copying.FILES)
        try:
            litestream("replicate -once", place, newest + 1, copying.FILES)
            # The same place may have several names.
            if has_copy(own, newest + 1):
                Path(copying.PLACE).write_text(own)
        except CopyFault as fault:
            self.stderr.write(f"Never start the other machine again, it would not notice: {fault}")
        # Last: with it there are data here.
        for end in ("-wal", "-shm"):
            Path(copying.DATABASE + end).unlink(missing_ok=True)
        Path(HALF + copying.DATABASE).replace(copying.DATABASE)
        self.stdout.write(f"Taken over, as it was at {at}. The other machine was {found_at}")
        host = urlsplit(found_at).hostname
        if host not in {None, lan_address()}:
            # Behind a proxy.
            is_hidden = host in THIS_MACHINE_ONLY
            way = "let its name lead here" if is_hidden else f"give this machine the address {host}"
            self.stdout.write(f"Phones go on once you {way}. docs/take-over.md says how.")
        if not settings.COPY_TO:
            self.stdout.write("This machine is not copied: KINGSCORE_COPY_TO is not set.")


def find_copy(place: str) -> tuple[int, int]:
    """Return the highest number in a place, and the highest with a database.

    They differ where a machine was stopped while it took over.

    Raises: CopyFault: there is no database.
    """
    newest = 0
    while has_copy(place, newest + 1):
        newest += 1
    source = newest
    while source and not has_copy(place, source, copying.DATABASE):
        source -= 1
    if not source:
        raise CopyFault(
            f"there is no copy in {copying.hidden(place)}. Name the folder, or the address, that"
            " KINGSCORE_COPY_TO had on the other machine."
        )
    return newest, source


def restore(place: str, timeline: int, name: str) -> str:
    """Restore a database beside the one of the site, and return of which moment it is.

    Raises: CopyFault: it is not whole.
    """
    half = HALF + name
    for left in Path().glob(f"{half}*"):
        left.unlink()
    # Of another database, which this machine had copied before.
    shutil.rmtree(f".{name}-litestream", ignore_errors=True)
    plan = json.loads(litestream("restore -dry-run -json -o none", place, timeline, name))
    litestream(f"restore -integrity-check quick -o {half}", place, timeline, name)
    return str(plan["files"][-1]["timestamp"])


def check_secret(secret: str) -> None:
    """Refuse a copy with another secret than the environment has, or with none.

    Raises: CopyFault: printed QR codes would open nothing.
    """
    current = secret.partition("\n")[0]
    if settings.SECRET_FILE is None and current not in {"", settings.SECRET_KEY}:
        raise CopyFault("KINGSCORE_SECRET_KEY has another secret than the copy: leave it unset")
    if settings.SECRET_FILE is not None and not settings.USABLE_SECRET.fullmatch(current):
        raise CopyFault(
            "the copy has no usable secret. Set KINGSCORE_SECRET_KEY to that of the other machine,"
            " or of a backup (unzip -p FILE secret-key)."
        )
