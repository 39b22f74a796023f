"""Seat the next round of a `kingscore-pairing/1` document (`docs/records.md` §2)."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.engine.documents.pairing_records import seat_document, write_refusal
from tournaments.engine.documents.records import parse_json
from tournaments.engine.rules.problems import InvalidEntry

STDIN = "-"
IT_HAS_PROBLEMS = 1
IT_CANNOT_BE_READ = 2


class Command(BaseCommand):
    """`manage.py pair FILE`; exit status 0 seated, 1 problems, 2 the file cannot be read."""

    help = "Seat the next round of a kingscore-pairing/1 document."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="“-” is standard input")

    def handle(self, *_args: object, **options: Any) -> None:
        """Write the seating, or the problems."""
        file = options["file"]
        try:
            text = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
        except OSError as error:
            self.stderr.write(f"{file}: {error.strerror}")
            sys.exit(IT_CANNOT_BE_READ)
        try:
            answer = seat_document(parse_json(text))
        except InvalidEntry as invalid:
            answer = write_refusal(invalid.problems)
        self.stdout.write(json.dumps(answer))
        self.stdout.flush()
        if "problems" in answer:
            sys.exit(IT_HAS_PROBLEMS)
