"""Recompute the results of finished games from their entries."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services.games.tables import differing_results, rebuild_results


class Command(BaseCommand):
    """Correct the results that differ from the entries of their games."""

    help = "Compute all results from the entries; with --check only say which would change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only look; exit 1 if any differs")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["check"]:
            self.stdout.write(f"{rebuild_results()} results made right")
            return
        wrong = [row.public_id for row, _result in differing_results()]
        for game in wrong:
            self.stdout.write(f"game {game} has another result than its entries")
        if wrong:
            raise CommandError(f"{len(wrong)} results differ; rebuild_results makes them right")
        self.stdout.write("every result is what the entries make of it")
