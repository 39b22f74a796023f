"""Write a backup of all stored data to one file while the site is running."""

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from tournaments.services.backups.faults import BackupFault
from tournaments.services.backups.folders import keep_latest, name_at
from tournaments.services.backups.making import Made, make_backup


class Command(BaseCommand):
    """`manage.py backup FILE-OR-FOLDER`."""

    help = (
        "Write everything that is kept, with the secret, to one file; in a folder, under a name"
        " made of the time."
    )
    # Checking all pages would take longer than a backup.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("where", metavar="FILE-OR-FOLDER")
        parser.add_argument(
            "--keep", type=int, metavar="N", help="remove the older ones in the folder but so many"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        where, keep = Path(options["where"]), options["keep"]
        into_folder = where.is_dir() or options["where"].endswith(os.sep) or keep is not None
        if keep is not None and (keep < 1 or where.is_file()):
            raise CommandError("--keep wants a folder, and a number from 1")
        made = self.make(where, into_folder=into_folder)
        for name in made.missing:
            self.stderr.write(f"left out, since it is not there: {name}")
        self.stdout.write(
            f"{made.path}: {made.rows:,} rows, {made.files:,} files,"
            f" {made.size / 1e6:,.1f} MB. It opens every table: keep it as you keep a key."
        )
        if made.not_noted:
            self.stderr.write(f"it is whole, but the site does not know of it: {made.not_noted}")
        if keep is not None:
            self.remove_older(made.path, keep)

    def make(self, where: Path, *, into_folder: bool) -> Made:
        """Make the backup, and its folder if needed."""
        try:
            if into_folder:
                where.mkdir(parents=True, exist_ok=True)
                where /= name_at(timezone.now())
            return make_backup(where)
        except (BackupFault, DatabaseError) as fault:
            raise CommandError(f"No backup: {fault}") from fault
        except OSError as error:
            raise CommandError(f"No backup: {where}: {error.strerror}") from error

    def remove_older(self, newest: Path, keep: int) -> None:
        """Remove all but the `keep` newest backups."""
        for path in keep_latest(newest, keep):
            self.stdout.write(f"{path}: removed")
