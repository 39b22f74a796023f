"""Keep the webhooks of the whole server, which are called about every club."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone

from tournaments.models import EventType, Webhook
from tournaments.services.audit import NOBODY
from tournaments.services.base.writes import Refused
from tournaments.services.webhooks import calling


class Command(BaseCommand):
    """`manage.py server_webhook [URL [EVENT…] | --remove ID]`."""

    help = "Add a webhook about all clubs and print its secret; without a URL list those there are."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("url", nargs="?")
        parser.add_argument(
            "event", nargs="*", help=f"all if none is named: {', '.join(EventType.values)}"
        )
        parser.add_argument("--remove", metavar="ID")

    def handle(self, *args: Any, **options: Any) -> None:
        rows = Webhook.objects.filter(club=None)
        if options["remove"]:
            row = rows.filter(public_id=options["remove"]).first()
            if row is None:
                raise CommandError("The server has no such webhook.")
            calling.remove_webhook(row.pk, NOBODY, at=timezone.now())
        elif options["url"]:
            self._add(options["url"], options["event"] or EventType.values)
        else:
            for row in rows:
                paused = ["paused"] if row.paused else []
                self.stdout.write(" ".join([row.public_id, row.url, *row.events, *paused]))

    def _add(self, url: str, events: list[str]) -> None:
        if unknown := set(events) - set(EventType.values):
            raise CommandError(f"No such event: {', '.join(sorted(unknown))}.")
        try:
            made = calling.create_webhook(None, url, events, NOBODY, at=timezone.now())
        except Refused as refused:
            raise CommandError(str(refused)) from refused
        self.stdout.write(f"{made.public_id} {calling.secret_text(made)}")
