"""Start-up of the project once Django is loaded."""

from typing import Any

from django.apps import AppConfig
from django.conf import settings
from django.core import checks
from django.db.backends.signals import connection_created

from kingscore.observing.logs import watch_connection


class KingscoreConfig(AppConfig):
    """Connects the logging of queries."""

    name = "kingscore"

    def ready(self) -> None:
        connection_created.connect(watch_connection)


@checks.register(checks.Tags.security, deploy=True)
def check_address(**_more: Any) -> list[checks.CheckMessage]:
    """Require the address of the site: e-mails, QR codes and documents contain it."""
    if settings.SITE_ADDRESS:
        return []
    return [
        checks.Warning(
            "KINGSCORE_HOSTS is not set: the site does not know its own address.",
            hint="Set KINGSCORE_HOSTS=king.example.org, or KINGSCORE_ADDRESS.",
            id="kingscore.W001",
        )
    ]
