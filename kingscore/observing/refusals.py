"""A line in the log for each failed sign-in, refused permission and limit that was reached.

It says which kind, and by the id of the request when and where; never who, nor any address.
"""

import logging

from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import SimpleLazyObject

logger = logging.getLogger(__name__)

STATUSES = {401: "token", 403: "permission", 429: "limit"}


def note_refusal(kind: str) -> None:
    """Write a line about something that was refused."""
    logger.info("Refused: %s", kind, extra={"kind": kind})


def note_limit(request: HttpRequest, action: str) -> None:
    """Write a line about a limit that was reached."""
    note_refusal(f"limit {action}")
    request.limit_is_noted = True  # type: ignore[attr-defined]


def note_answer(request: HttpRequest, response: HttpResponseBase) -> None:
    """Write a line about an answer that refuses something."""
    kind = STATUSES.get(response.status_code)
    if response.status_code == 404 and request.resolver_match and is_signed_in(request):
        # What somebody may not see is not found.
        kind = "permission"
    if kind == "limit" and hasattr(request, "limit_is_noted"):
        return
    if kind:
        note_refusal(kind)


def is_signed_in(request: HttpRequest) -> bool:
    """Whether somebody was found to be signed in; the database is not asked for it."""
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject):
        user = getattr(request, "_cached_user", None)
    return user is not None and user.is_authenticated
