"""Checks for `manage.py check --deploy`."""

from typing import Any

from django.conf import settings
from django.core import checks


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
