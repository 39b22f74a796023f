"""Recompute all ratings from the games."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services.ratings.computing import differing_ratings, rebuild_ratings


class Command(BaseCommand):
    """Delete all ratings and compute them again; the values stay the same."""

    help = "Compute all ratings from the games; with --check only say which would change."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--check", action="store_true", help="only look; exit 1 if any differs")

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["check"]:
            self.stdout.write(f"{rebuild_ratings()} games rated")
            return
        wrong = differing_ratings()
        for pool in wrong:
            self.stdout.write(f"{pool} differs from its games")
        if wrong:
            raise CommandError(f"{len(wrong)} pools differ; rebuild_ratings makes them right")
        self.stdout.write("every rating is what the games make of it")
