"""Seat the next round of `kingscore-pairing/1` documents (`docs/records.md` §2)."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.management.records import HELP, add_files, run_pair


class Command(BaseCommand):
    """`manage.py pair FILE…`; exit status 0 seated, 1 problems, 2 a file cannot be read."""

    help = HELP["pair"]
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_files(parser)

    def handle(self, *_args: object, **options: Any) -> None:
        """Write a seating, or the problems, for each document."""
        status = run_pair(options["files"], self.stdout, self.stderr)
        self.stdout.flush()
        if status:
            sys.exit(status)
