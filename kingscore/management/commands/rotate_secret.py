"""Replace the secret of the server by a new one."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from kingscore.secret import new_secret, replace_secrets


class Command(BaseCommand):
    """`manage.py rotate_secret [--keep-old | --forget-old]`."""

    help = (
        "Replace the secret by a new one. Sign-ins, links to tables and printed QR codes of the old"
        " one end with the next start, unless it is kept beside the new one."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        way = parser.add_mutually_exclusive_group()
        way.add_argument(
            "--keep-old", action="store_true", help="let links and sign-ins of the old one work on"
        )
        way.add_argument(
            "--forget-old", action="store_true", help="keep the secret, and end all older ones"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        old = [settings.SECRET_KEY, *settings.SECRET_KEY_FALLBACKS]
        if options["forget_old"]:
            secrets = old[:1]
        else:
            secrets = [new_secret(), *(old if options["keep_old"] else ())]
        if settings.SECRET_FILE is None:
            self.stdout.write("The environment has the secret. Set there:")
            self.stdout.write(f"KINGSCORE_SECRET_KEY={secrets[0]}")
            self.stdout.write(f"KINGSCORE_OLD_SECRETS={','.join(secrets[1:])}")
        else:
            replace_secrets(settings.SECRET_FILE, secrets)
            self.stdout.write(f"{settings.SECRET_FILE} is written.")
        self.stdout.write("Restart all web servers and workers now.")
