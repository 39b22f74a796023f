"""Fill a server with a demo club."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tournaments.services.demo import ACCOUNTS, CLUB, SLUG, DemoThere, seed_demo

PASSWORD = "karo-vale-kupa-dam"  # noqa: S105 - that of accounts which are there to be tried


class Command(BaseCommand):
    """`manage.py seed_demo`; exit status 1 if the demo club exists already."""

    help = (
        "Make a club with 60 players, two finished seasons and a tournament in its third round."
        " What is on the server already stays as it is."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--password", default=PASSWORD, help="of all its accounts")
        parser.add_argument("--once", action="store_true", help="no error where it was made before")

    def handle(self, *_: Any, **options: Any) -> None:
        password = options["password"]
        try:
            seed_demo(password=password, at=timezone.localtime())
        except DemoThere:
            if not options["once"]:
                raise CommandError(
                    "There is a club, or an account, of its name already; nothing was changed."
                ) from None
        self.stdout.write(f"{CLUB} is at /clubs/{SLUG}/")
        self.stdout.write(f"Its accounts, for trying only; their password is {password}")
        for email, role in ACCOUNTS.items():
            self.stdout.write(f"  {role.label:8}  {email}")
