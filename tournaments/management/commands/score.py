"""Check and score game records: one result a line, or the sheet as text (`docs/records.md` §1)."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.engine.documents.games import Reading
from tournaments.management.records import HELP, add_arguments_of_score, run_score
from tournaments.reports.sheets import draw_sheet


class Command(BaseCommand):
    """`manage.py score FILE…`; exit status 0 valid, 1 problems, 2 a file cannot be read."""

    help = HELP["score"]
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_arguments_of_score(parser)

    def handle(self, *_args: object, **options: Any) -> None:
        """Score every game of every file, and exit with the worst status."""
        show = self._draw if options["table"] else None
        status = run_score(options["files"], self.stdout, self.stderr, show)
        self.stdout.flush()
        if status:
            sys.exit(status)

    def _draw(self, reading: Reading) -> str:
        # A terminal may lack ♠ and −, and a bad record may contain half a character.
        encoding = getattr(self.stdout, "encoding", None) or "utf-8"
        return draw_sheet(reading).encode(encoding, "replace").decode(encoding)
