"""Log each successful sign-in, reauthentication and second factor.

A line gives the kind, and by the id of the request the time and the route. It never names a
person or an address.
"""

import logging

logger = logging.getLogger(__name__)

WAYS = {"mfa": "passkey", "password_reset": "password reset"}
"""Log names of the methods that allauth records; others keep their names."""


def note_success(what: str, method: str) -> None:
    """Log a correct password, code or passkey."""
    kind = f"{what} by {WAYS.get(method, method)}"
    logger.info("Accepted: %s", kind, extra={"kind": kind})
