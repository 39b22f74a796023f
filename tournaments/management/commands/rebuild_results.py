"""What finished games came to, computed from their entries anew."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services.play.results import differing_results, rebuild_results


class Command(BaseCommand):
    """Make the results right that are not what the entries of their games give."""

    help = "Compute all results from the entries; with --check only say which would change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether only to look."""
        parser.add_argument("--check", action="store_true", help="only look; exit 1 if any differs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and say how much it was."""
        if not options["check"]:
            self.stdout.write(f"{rebuild_results()} results made right")
            return
        wrong = differing_results()
        for game in wrong:
            self.stdout.write(f"game {game} has another result than its entries")
        if wrong:
            raise CommandError(f"{len(wrong)} results differ; rebuild_results makes them right")
        self.stdout.write("every result is what the entries make of it")
