"""Ratings computed from the games anew."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services.ratings.computing import differing_ratings, rebuild_ratings


class Command(BaseCommand):
    """Throw all ratings away and make them again; the numbers stay as they were."""

    help = "Compute all ratings from the games; with --check only say which would change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Whether only to look."""
        parser.add_argument("--check", action="store_true", help="only look; exit 1 if any differs")

    def handle(self, *args: Any, **options: Any) -> None:
        """Do it and say how much it was."""
        if not options["check"]:
            self.stdout.write(f"{rebuild_ratings()} games rated")
            return
        wrong = differing_ratings()
        for pool in wrong:
            self.stdout.write(f"{pool} differs from its games")
        if wrong:
            raise CommandError(f"{len(wrong)} pools differ; rebuild_ratings makes them right")
        self.stdout.write("every rating is what the games make of it")
