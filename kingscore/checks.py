"""What `manage.py check --deploy` finds missing."""

from typing import Any

from django.conf import settings
from django.core import checks


@checks.register(checks.Tags.security, deploy=True)
def check_address(**_more: Any) -> list[checks.CheckMessage]:
    """Ask for the address of the site: mails, QR codes and documents lead there."""
    if settings.SITE_ADDRESS:
        return []
    return [
        checks.Warning(
            "KINGSCORE_HOSTS is not set: the site does not know its own address.",
            hint="Set KINGSCORE_HOSTS=king.example.org, or KINGSCORE_ADDRESS.",
            id="kingscore.W001",
        )
    ]
