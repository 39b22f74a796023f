"""Run a worker; there may be several."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tournaments.management.programs import become, worker_words


class Command(BaseCommand):
    """One worker: builds documents, rates games, sends e-mails."""

    help = "Run a worker only. One `beat` beside all workers tells them when to look."
    # `migrate`, which runs before, has run the checks.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--beat", action="store_true", help="with the clock in it")

    def handle(self, *_: Any, **options: Any) -> None:
        become(worker_words(beat=options["beat"]))
