"""Write a backup of all stored data to one file while the site is running."""

import os
import subprocess
import tempfile
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, OutputWrapper
from django.db import DatabaseError
from django.utils import timezone

from tournaments.services.backups.archives import BackupFault
from tournaments.services.backups.backups import Made, keep_latest, make_backup, name_at

STDOUT = "-"


class Command(BaseCommand):
    """`manage.py backup FILE-OR-FOLDER`."""

    help = (
        "Write everything that is kept, with the secret, to one file; in a folder, under a name"
        " made of the time."
    )
    # Checking all pages would take longer than a backup.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("where", metavar="FILE-OR-FOLDER", help="“-” is standard output")
        parser.add_argument("--force", action="store_true", help="replace a file that is there")
        parser.add_argument(
            "--pipe",
            metavar="COMMAND",
            help="give the backup to a command of the shell, which may encrypt it and send it away;"
            " $BACKUP is its file name",
        )
        parser.add_argument(
            "--keep", type=int, metavar="N", help="remove the older ones in the folder but so many"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        where, keep, pipe = Path(options["where"]), options["keep"], options["pipe"]
        if options["where"] == STDOUT:
            with tempfile.TemporaryDirectory(prefix="kingscore-backup-") as folder:
                made = self.make(Path(folder) / name_at(timezone.now()))
                self.report(made, STDOUT, self.stderr)
                self.give(made.path, pipe or "cat")
            return
        into_folder = where.is_dir() or options["where"].endswith(os.sep) or keep is not None
        if keep is not None and (keep < 1 or where.is_file()):
            raise CommandError("--keep wants a folder, and a number from 1")
        if where.is_file() and not options["force"]:
            raise CommandError(f"No backup: {where} exists; --force replaces it")
        made = self.make(where / name_at(timezone.now()) if into_folder else where)
        self.report(made, str(made.path), self.stdout)
        if pipe:
            self.give(made.path, pipe)
        if keep is not None:
            for path in keep_latest(made.path, keep):
                self.stdout.write(f"{path}: removed")

    def make(self, path: Path) -> Made:
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            return make_backup(path)
        except (BackupFault, DatabaseError) as fault:
            raise CommandError(f"No backup: {fault}") from fault
        except OSError as error:
            raise CommandError(f"No backup: {path}: {error.strerror}") from error

    def report(self, made: Made, where: str, out: OutputWrapper) -> None:
        """Say what was made, and what is missing in it."""
        for name in made.missing:
            self.stderr.write(f"left out, since it is not there: {name}")
        out.write(
            f"{where}: {made.rows:,} rows, {made.files:,} files,"
            f" {made.size / 1e6:,.1f} MB. It opens every table: keep it as you keep a key."
        )
        if made.not_noted:
            self.stderr.write(f"it is whole, but the site does not know of it: {made.not_noted}")

    def give(self, path: Path, command: str) -> None:
        """Give the complete file to a command, which has to succeed."""
        with path.open("rb") as file:
            status = subprocess.call(
                ["/bin/bash", "-o", "pipefail", "-c", command],
                stdin=file,
                env=os.environ | {"BACKUP": path.name},
            )
        if status:
            raise CommandError(f"“{command}” failed with status {status}")
