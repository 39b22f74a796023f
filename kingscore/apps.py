"""Start-up of the project once Django is loaded."""

from importlib import import_module

from django.apps import AppConfig
from django.db.backends.signals import connection_created

from kingscore.observing.slow_queries import watch_connection


class KingscoreConfig(AppConfig):
    """Connects the logging of queries."""

    name = "kingscore"

    def ready(self) -> None:
        connection_created.connect(watch_connection)
        # They import models, which are available only now.
        for name in ("sessions", "checks"):
            import_module(f"kingscore.{name}")
