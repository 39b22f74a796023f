"""Partitions of PostgreSQL's largest tables: list, begin, pack and archive them."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError
from django.utils import timezone

from tournaments.models import Partition
from tournaments.services.backups.archives import BackupFault
from tournaments.services.backups.backups import archive_partition
from tournaments.services.partitions import NoPartition, begin_partition, pack


class Command(BaseCommand):
    """`manage.py partitions`, with `begin`, `pack` or `archive NUMBER FILE`."""

    help = "List the partitions of the largest tables, begin one, or pack or archive those over."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        acts = parser.add_subparsers(dest="act")
        acts.add_parser("begin", help="write what begins from now on into a new partition")
        acts.add_parser(
            "pack", help="write the indexes of seasons that are over anew, with full pages"
        )
        archive = acts.add_parser("archive", help="move the deals and the audit of one to a file")
        archive.add_argument("number", type=int)
        archive.add_argument("file", type=Path)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            if options["act"] == "begin":
                begin_partition(at=timezone.now())
            elif options["act"] == "pack":
                pack()
            elif options["act"] == "archive":
                self.archive(options["number"], options["file"])
        except (NoPartition, BackupFault, DatabaseError, OSError) as error:
            raise CommandError(str(error)) from error
        for partition in Partition.objects.all():
            archived = (
                f", archived {partition.archived_at:%Y-%m-%d}" if partition.archived_at else ""
            )
            self.stdout.write(
                f"partition {partition.number}, begun {partition.begun_at:%Y-%m-%d}{archived}"
            )

    def archive(self, number: int, path: Path) -> None:
        """Archive a partition into a file that does not exist."""
        if path.exists():
            raise CommandError(f"{path} exists")
        made = archive_partition(number, path, at=timezone.now())
        self.stdout.write(f"{path}: {made.rows:,} rows, {made.size / 1e6:,.1f} MB")
