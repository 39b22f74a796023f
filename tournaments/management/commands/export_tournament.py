"""Write a tournament as a `kingscore-tournament/1` document (`docs/records.md` §3)."""

import sys
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from tournaments.engine.documents.tournaments import write_tournament
from tournaments.management.output import write_document
from tournaments.models import Tournament
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.tournaments.lifecycle import lock_tournament

THERE_IS_NONE = 1


class Command(BaseCommand):
    """`manage.py export_tournament SLUG`; exit status 1 unknown slug, 2 cannot write the file."""

    help = "Write a tournament, with whole names, as a kingscore-tournament/1 document."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", metavar="SLUG", help="as in the addresses of its pages")
        parser.add_argument("--output", metavar="FILE", help="instead of standard output")

    def handle(self, *_args: object, **options: Any) -> None:
        with transaction.atomic():
            pks = Tournament.objects.filter(slug=options["slug"]).values_list("pk", flat=True)
            if not pks:
                self.stderr.write(f"No tournament has the slug {options['slug']!r}.")
                sys.exit(THERE_IS_NONE)
            # The lock keeps directors from advancing it meanwhile.
            text = write_tournament(tournament_document(lock_tournament(pks[0])))
        write_document(self, text, options["output"])
