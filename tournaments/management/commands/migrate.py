"""Django's command, but a new database gets all tables at once."""

from typing import Any

from django.core.management.base import no_translations
from django.core.management.commands import migrate

from tournaments.models.server import make_database

# With any of these the command does something else than apply all migrations.
OTHER_WISHES = (
    *("app_label", "migration_name", "fake", "fake_initial"),
    *("plan", "check_unapplied", "prune"),
)


class Command(migrate.Command):
    @no_translations
    def handle(self, *args: Any, **options: Any) -> None:
        verbosity, interactive = options["verbosity"], options["interactive"]
        if any(options[wish] for wish in OTHER_WISHES) or not make_database(
            options["database"], verbosity, interactive=interactive
        ):
            super().handle(*args, **options)
        elif verbosity:
            self.stdout.write("All tables of a new database are made.")
