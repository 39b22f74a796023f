"""Start-up of the project once Django is loaded."""

import sys
from importlib import import_module

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from kingscore.observing.slow_queries import watch_connection

# REST framework loads them for fields and pages that nobody here uses: 90 modules, among them the
# driver of PostgreSQL, which a site on SQLite does without.
UNUSED = ("django.contrib.postgres.fields", "pygments")


def import_without_unused() -> None:
    """Import what REST framework finds of other packages, as if these were not installed."""
    hidden = [name for name in UNUSED if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]
    try:
        import_module("rest_framework.compat")
    finally:
        for name in hidden:
            del sys.modules[name]


class KingscoreConfig(AppConfig):
    """Connects the logging of queries and tasks."""

    name = "kingscore"

    def ready(self) -> None:
        connection_created.connect(watch_connection)
        import_without_unused()
        # They import models, which are available only now.
        for name in ("observing.workers", "middleware", "checks"):
            import_module(f"kingscore.{name}")
