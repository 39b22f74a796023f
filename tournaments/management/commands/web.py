"""Run a web server; there may be several."""

from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from tournaments.management.programs import become, web_words


class Command(BaseCommand):
    """The web server alone; run `migrate` and `createcachetable` before the first one."""

    help = "Run the web server only. Migrate first; `up` does all of it on one machine."
    # `migrate`, which runs before, has run the checks.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="127.0.0.1", help="0.0.0.0 for other machines")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *_: Any, **options: Any) -> None:
        become(web_words(f"{options['host']}:{options['port']}"))
