"""Set up what is missing for the web server and the worker; the supervisor runs them."""

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import segno
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tournaments.management.opening import HELP, add_arguments
from tournaments.management.programs import keep_private


def migrate_if_needed() -> None:
    """Migrate the database; checking first is faster than a migration without changes."""
    executor = MigrationExecutor(connections["default"])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    # No migration creates this table, since the settings choose the cache.
    call_command("createcachetable", verbosity=0)
    # The programs started later have connections of their own.
    connections.close_all()


def prepare() -> None:
    """Set up what is missing or has changed.

    Django's checks are left out: the first target of `make check` runs them, and they are of the
    program, not of a site.
    """
    keep_private(settings.DATA)
    migrate_if_needed()
    call_command("compile_translations", verbosity=0)
    # Collect and compress the static files if one has changed.
    states = [f"django {version('django')}", f"whitenoise {version('whitenoise')}"]
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            states.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    fingerprint = hashlib.sha256("\n".join(sorted(states)).encode()).hexdigest()
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(fingerprint)


def announce(found_at: list[str]) -> None:
    """Print the addresses of the site, and a QR code for phones."""
    sys.stdout.write("Kingscore is at " + " and ".join(found_at) + "\n")
    if sys.stdout.isatty():
        segno.make(found_at[-1], micro=False).terminal(sys.stdout, compact=True)
    sys.stdout.write("Stop it with Ctrl-C.\n")
    sys.stdout.flush()


class Command(BaseCommand):
    """The one command that a club needs; without options of Django it runs without this class."""

    help = HELP
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        add_arguments(parser)

    def handle(self, *_: Any, **options: Any) -> None:
        words = ["manage.py", "up", "--host", options["host"], "--port", str(options["port"])]
        os.chdir(settings.BASE_DIR)
        os.execv(sys.executable, [sys.executable, *words])  # noqa: S606 - no shell wanted
