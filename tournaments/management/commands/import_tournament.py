"""Import a tournament from a `kingscore-tournament/1` document (`docs/records.md` §3)."""

import json
import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any, NoReturn

from django.core.management.base import BaseCommand
from django.utils import timezone

from tournaments.engine.documents.games import parse_json
from tournaments.engine.rules.rulesets import InvalidEntry
from tournaments.models import Club, User
from tournaments.services.audit import NOBODY
from tournaments.services.tournaments.record_import import (
    ClubExists,
    GamesExist,
    Into,
    TournamentExists,
    import_tournament,
)

STDIN = "-"
IT_IS_REFUSED = 1
IT_CANNOT_BE_READ = 2


class Command(BaseCommand):
    """`manage.py import_tournament FILE`; exit status 0 imported, 1 refused, 2 not read."""

    help = "Take over a tournament from a kingscore-tournament/1 document."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("file", metavar="FILE", help="“-” is standard input")
        where = parser.add_mutually_exclusive_group()
        where.add_argument(
            "--club", metavar="SLUG", help="a club there is; else the one of the document is made"
        )
        where.add_argument(
            "--owner", metavar="EMAIL", help="an account that becomes the owner of the new club"
        )

    def handle(self, *_args: object, **options: Any) -> None:
        """Import everything or nothing, and print the result."""
        file = options["file"]
        try:
            text = sys.stdin.buffer.read() if file == STDIN else Path(file).read_bytes()
        except OSError as error:
            self.stderr.write(f"{file}: {error.strerror}")
            sys.exit(IT_CANNOT_BE_READ)
        into = Into(self._club(options["club"]), self._owner(options["owner"]))
        try:
            tournament = import_tournament(parse_json(text), NOBODY, at=timezone.now(), into=into)
        except InvalidEntry as invalid:
            for problem in invalid.problems:
                line = {"code": problem.code, "where": problem.where, "params": problem.params}
                self.stdout.write(json.dumps(line, ensure_ascii=False))
            self._refuse(f"Nothing was imported: {len(invalid.problems)} problems.")
        except GamesExist as error:
            self._refuse(f"Nothing was imported: {error.data['number']} games are here already.")
        except TournamentExists:
            self._refuse("Nothing was imported: there is a tournament with this slug.")
        except ClubExists:
            self._refuse(
                "Nothing was imported: there is a club with this slug. Is it the same one, "
                "name it with --club."
            )
        self.stdout.write(f"{tournament.slug}: imported into {tournament.event.club.slug}")

    def _club(self, slug: str | None) -> Club | None:
        club = None if slug is None else Club.objects.filter(slug=slug).first()
        if slug is not None and club is None:
            self._refuse(f"No club has the slug {slug!r}.")
        return club

    def _owner(self, email: str | None) -> User | None:
        if email is None:
            return None
        accounts = list(User.objects.filter(email__iexact=email, is_active=True)[:2])
        if len(accounts) != 1:
            self._refuse(f"No account, or more than one, has the address {email!r}.")
        return accounts[0]

    def _refuse(self, why: str) -> NoReturn:
        self.stderr.write(why)
        sys.exit(IT_IS_REFUSED)
