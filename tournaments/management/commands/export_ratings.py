"""Write a club's rating history as a `kingscore-ratings/1` document (`docs/ratings.md`)."""

import json
import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from tournaments.management.output import write_document
from tournaments.models import Club
from tournaments.reports.ratings import ratings_document
from tournaments.services.ratings.computing import sweep_ratings

THERE_IS_NONE = 1


class Command(BaseCommand):
    """`manage.py export_ratings CLUB`; exit status 1 unknown club, 2 cannot write the file."""

    help = "Write the rated games of a club, with names and ratings, as kingscore-ratings/1."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("club", metavar="CLUB", help="as in the addresses of its pages")
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *_args: object, **options: Any) -> None:
        club = Club.objects.filter(slug=options["club"]).first()
        if club is None:
            self.stderr.write(f"No club has the address {options['club']!r}.")
            sys.exit(THERE_IS_NONE)
        sweep_ratings()
        text = json.dumps(ratings_document(club), ensure_ascii=False) + "\n"
        write_document(self, text, options["output"])
