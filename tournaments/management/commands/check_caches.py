"""Compare every cached value with its computation."""

import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tournaments.services.checks.nights import (
    CACHES,
    Differing,
    close_repaired,
    look_at_all,
    repair,
)


class Command(BaseCommand):
    """`manage.py check_caches`; exit status 1 if anything differs."""

    help = (
        "Compare every stored cache (results, names, ratings) with what it is computed from;"
        " with --repair compute anew what differs."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--repair", action="store_true", help="compute anew what differs")

    def handle(self, *args: Any, **options: Any) -> None:
        found = self.look()
        if found and options["repair"]:
            repair(found)
            self.stdout.write(f"{len(found)} differences; what was repaired is looked at again")
            found = self.look()
        for cache in CACHES:
            subjects = {details.subject for of, details in found if of == cache}
            close_repaired(cache, subjects, timezone.now())
        if found:
            raise CommandError(f"{len(found)} differences")
        self.stdout.write("every cache is what it is computed from")

    def look(self) -> list[Differing]:
        """Check everything and print each difference."""
        found = []
        for cache, details in look_at_all():
            found.append((cache, details))
            values = [json.dumps(value) for value in (details.stored, details.computed)]
            text = "" if values == ["null", "null"] else f": {values[0]}, computed {values[1]}"
            self.stdout.write(f"{cache}: {details.subject}{text}")
        return found
