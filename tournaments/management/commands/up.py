"""The one command that a club needs: set up what is missing, and run web server and worker."""

import hashlib
import json
import os
from importlib.metadata import version
from pathlib import Path
from typing import Any

import zxingcpp
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tournaments.management import copying, supervisor
from tournaments.management.programs import (
    addresses,
    become,
    keep_private,
    open_listener,
    web_words,
    worker_words,
)


class Command(BaseCommand):
    help = "Set up what is missing and run the web server and the worker until Ctrl-C."
    # `make check` runs them; they are of the program, not of a site.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="0.0.0.0")  # noqa: S104 - phones must reach it
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")

    def handle(self, *_: Any, **options: Any) -> None:
        if settings.COPY_TO:
            self.claim_copy()
        listener = open_listener(options["host"], options["port"])
        keep_private(settings.DATA)
        migrate_if_needed()
        call_command("compile_translations", verbosity=0)
        collect_static_if_needed()
        found_at = addresses(options["host"], listener.getsockname()[1])
        self.announce(found_at)
        # For e-mails and QR codes: phones can reach the last one, too.
        os.environ["KINGSCORE_FOUND_AT"] = found_at[-1]
        number, failures = listener.fileno(), str(settings.WORKER_FAILURES)
        os.set_inheritable(number, True)  # noqa: FBT003 - it takes no keyword
        programs = [web_words(f"fd://{number}"), worker_words(beat=True)]
        if settings.COPY_TO:
            programs.append([copying.__name__, str(settings.DATA), str(settings.TIMELINE)])
            with copying.open_files(settings.DATA) as files:
                copying.put_file(files, copying.FOUND_AT, 0, found_at[-1].encode())
                if settings.SECRET_FILE is None:
                    copying.put_file(files, copying.SECRET, 0, settings.SECRET_KEY.encode())
        become([supervisor.__name__, str(number), failures, json.dumps(programs)])

    def claim_copy(self) -> None:
        """Refuse to start where another machine has taken over.

        Raises: CommandError: it has, or there is no Litestream.
        """
        try:
            copying.claim(settings.DATA, settings.COPY_TO, settings.TIMELINE)
        except copying.CopyRefused as refused:
            raise CommandError(str(refused)) from refused
        except copying.CopyFault as fault:
            # Whoever is in the hall plays on; the status page says how old the copy is.
            self.stderr.write(f"No copy is made yet: {fault}")

    def announce(self, found_at: list[str]) -> None:
        """Print the addresses of the site, and a QR code for phones."""
        self.stdout.write("Kingscore is at " + " and ".join(found_at))
        if self.stdout.isatty():
            form = zxingcpp.BarcodeFormat.QRCode
            image: Any = zxingcpp.create_barcode(found_at[-1], form).to_image()
            light: Any = memoryview(image).tolist()
            # Two rows a line; the margin's first row is light, as one after the last.
            for upper, lower in zip(light[::2], [*light[1::2], light[0]], strict=True):
                pairs = zip(upper, lower, strict=True)
                line = "".join(" ▄▀█"[2 * bool(top) + bool(below)] for top, below in pairs)
                self.stdout.write(f"\x1b[97;40m{line}\x1b[0m")
        self.stdout.write("Stop it with Ctrl-C.")
        self.stdout.flush()


def migrate_if_needed() -> None:
    """Migrate the database; checking first is faster than a migration without changes."""
    executor = MigrationExecutor(connections["default"])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    # No migration creates this table, since the settings choose the cache.
    call_command("createcachetable", verbosity=0)


def collect_static_if_needed() -> None:
    """Collect and compress the static files if one has changed."""
    parts = [f"django {version('django')}", f"whitenoise {version('whitenoise')}"]
    parts += map(repr, settings.BUNDLES.items())
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            parts.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    fingerprint = hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(fingerprint)
