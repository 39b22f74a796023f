"""What the project does once Django is there."""

from importlib import import_module

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from kingscore.observing.slow_queries import watch_connection


class KingscoreConfig(AppConfig):
    """Watches what is asked of the database, and what tasks do."""

    name = "kingscore"

    def ready(self) -> None:
        connection_created.connect(watch_connection)
        # They read models, which are there only now.
        for name in ("observing.workers", "sessions", "checks"):
            import_module(f"kingscore.{name}")
