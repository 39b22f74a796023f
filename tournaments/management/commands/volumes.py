"""Volumes of PostgreSQL's largest tables: list them, begin one with a season, archive one."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from tournaments.models import Volume
from tournaments.services.backups.faults import BackupFault
from tournaments.services.backups.volumes import archive_volume
from tournaments.services.volumes import NoVolumes, begin_volume


class Command(BaseCommand):
    """`manage.py volumes`, `volumes begin` and `volumes archive NUMBER FILE`."""

    help = "List the volumes of the largest tables, begin one, or archive one that is over."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act")
        acts.add_parser("begin", help="write what begins from now on into a new volume")
        archive = acts.add_parser("archive", help="move the deals and the audit of one to a file")
        archive.add_argument("number", type=int)
        archive.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["act"] == "begin":
                begin_volume(at=timezone.now())
            elif options["act"] == "archive":
                self.archive(options["number"], options["file"])
        except (NoVolumes, BackupFault, DatabaseError, OSError) as error:
            raise CommandError(str(error)) from error
        for volume in Volume.objects.all():
            archived = f", archived {volume.archived_at:%Y-%m-%d}" if volume.archived_at else ""
            self.stdout.write(f"volume {volume.number}, begun {volume.begun_at:%Y-%m-%d}{archived}")

    def archive(self, number: int, path: Path) -> None:
        """Archive a volume into a file that does not exist."""
        if path.exists():
            raise CommandError(f"{path} exists")
        made = archive_volume(number, path, at=timezone.now())
        self.stdout.write(f"{path}: {made.rows:,} rows, {made.size / 1e6:,.1f} MB")
