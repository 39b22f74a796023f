"""Run everything Kingscore needs, the web server and the worker, under one process."""

import hashlib
import os
import socket
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import segno
from django.conf import settings
from django.contrib.staticfiles.finders import get_finders
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import connections
from django.db.migrations.executor import MigrationExecutor

from tournaments.management.programs import keep_private, project, web_words, worker_words
from tournaments.management.supervisor import Plan, become_supervisor
from tournaments.origin import lan_address


def open_listener(host: str, port: int) -> socket.socket:
    """Listen for connections.

    The web server inherits the socket: while it restarts, connections wait in the queue instead of
    being refused.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        raise CommandError(
            f"Cannot listen on {host}, port {port}: {error.strerror}."
            " Is Kingscore running already? Another port: --port 8001"
        ) from error


def addresses(host: str, port: int) -> list[str]:
    """Return the URLs of the site, that for this machine first."""
    if host not in {"0.0.0.0", "::", ""}:  # noqa: S104 - compared, not listened on
        name = f"[{host}]" if ":" in host else host
        return [f"http://{name}:{port}/"]
    lan = lan_address()
    return [f"http://{name}:{port}/" for name in ("localhost", lan) if name]


def migrate_if_needed() -> None:
    """Migrate the database; checking first is faster than a migration without changes."""
    executor = MigrationExecutor(connections["default"])
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        call_command("migrate", verbosity=0, interactive=False)
    # No migration creates this table, since the settings choose the cache.
    call_command("createcachetable", verbosity=0)
    # The programs started later have connections of their own.
    connections.close_all()


def static_fingerprint() -> str:
    """Return a digest that changes when a static file changes."""
    parts = [f"django {version('django')}", f"whitenoise {version('whitenoise')}"]
    for finder in get_finders():
        for name, storage in finder.list([]):
            state = Path(storage.path(name)).stat()
            parts.append(f"{name} {state.st_size} {state.st_mtime_ns}")
    return hashlib.sha256("\n".join(sorted(parts)).encode()).hexdigest()


def collect_static_if_needed() -> None:
    """Collect and compress the static files if one has changed."""
    stamp = Path(settings.STATIC_ROOT) / ".collected"
    fingerprint = static_fingerprint()
    if not stamp.exists() or stamp.read_text() != fingerprint:
        call_command("collectstatic", verbosity=0, interactive=False)
        stamp.parent.mkdir(parents=True, exist_ok=True)
        stamp.write_text(fingerprint)


class Command(BaseCommand):
    """The one command that a club needs."""

    help = "Set up what is missing and run the web server and the worker until Ctrl-C."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--host", default="0.0.0.0")  # noqa: S104 - phones must reach it
        parser.add_argument("--port", type=int, default=8000, help="0 takes a free one")

    def handle(self, *_: Any, **options: Any) -> None:
        with open_listener(options["host"], options["port"]) as listener:
            keep_private(settings.DATA)
            migrate_if_needed()
            call_command("compile_translations", verbosity=0)
            collect_static_if_needed()
            found_at = addresses(options["host"], listener.getsockname()[1])
            if not settings.SITE_ADDRESS:
                # For e-mails and QR codes: phones can reach the last one, too.
                os.environ["KINGSCORE_FOUND_AT"] = found_at[-1]
            self.announce(found_at)
            number = os.dup(listener.fileno())
            os.set_inheritable(number, True)  # noqa: FBT003 - it takes no keyword
            plan = Plan(
                shared=f"{project()}.preloading",
                web=web_words(f"fd://{number}"),
                worker=worker_words(beat=True),
                listener=number,
                failures=str(settings.WORKER_FAILURES),
            )
            become_supervisor(plan, settings.BASE_DIR)

    def announce(self, found_at: list[str]) -> None:
        self.stdout.write("Kingscore is at " + " and ".join(found_at))
        if self.stdout.isatty():
            segno.make(found_at[-1], micro=False).terminal(sys.stdout, compact=True)
        self.stdout.write("Stop it with Ctrl-C.")
        self.stdout.flush()
