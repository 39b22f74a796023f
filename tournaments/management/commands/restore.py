"""Restore a backup on an empty machine, from either kind of database."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from tournaments.services.backups.archives import BackupFault, BackupReader, open_backup
from tournaments.services.backups.backups import restore_backup, secret_of


class Command(BaseCommand):
    """`manage.py restore FILE`; a refused restore changes nothing."""

    help = "Put everything that is in a backup where nothing is kept yet; --check only looks."
    # Checking all pages would take longer than a backup.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE")
        parser.add_argument(
            "--check",
            action="store_true",
            help="only see whether the file is whole, and what it is",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with open_backup(Path(options["file"])) as backup:
                if options["check"]:
                    secret_of(backup)
                else:
                    restore_backup(backup)
                self.stdout.write(self.details(backup))
        except BackupFault as fault:
            raise CommandError(f"Nothing was restored: {fault}") from fault
        except OSError as error:
            where = error.filename or options["file"]
            raise CommandError(f"Nothing was restored: {where}: {error.strerror}") from error
        if options["check"]:
            return
        # All data are restored; now apply the migrations of newer versions.
        call_command("migrate", verbosity=0, interactive=False)
        call_command("createcachetable", verbosity=0)
        self.stdout.write(
            "Restored. Start Kingscore, or start it again: its secret is another now."
        )

    def details(self, backup: BackupReader) -> str:
        manifest = backup.manifest
        rows = sum(table.rows for table in manifest.tables)
        return (
            f"A backup of {manifest.began_at:.16} UTC, made of {manifest.database} by Kingscore"
            f" {manifest.version}: {rows:,} rows, {len(backup.files()):,} files."
        )
