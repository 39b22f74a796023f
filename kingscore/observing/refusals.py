"""Log each failed sign-in, refused permission and exceeded limit.

A line gives the kind, and by the id of the request the time and the route. It never names a
person or an address.
"""

import logging

from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import SimpleLazyObject

logger = logging.getLogger(__name__)

STATUSES = {401: "token", 403: "permission", 429: "limit"}


def note_refusal(kind: str) -> None:
    logger.info("Refused: %s", kind, extra={"kind": kind})


def note_limit(request: HttpRequest, action: str) -> None:
    note_refusal(f"limit {action}")
    request.limit_is_noted = True  # type: ignore[attr-defined]


def note_answer(request: HttpRequest, response: HttpResponseBase) -> None:
    """Log an answer that refuses something."""
    kind = STATUSES.get(response.status_code)
    if response.status_code == 404 and request.resolver_match and is_signed_in(request):
        # A missing permission is answered 404.
        kind = "permission"
    if kind == "limit" and hasattr(request, "limit_is_noted"):
        return
    if kind:
        note_refusal(kind)


def is_signed_in(request: HttpRequest) -> bool:
    """Return whether the request is known to be signed in, without a query."""
    user = getattr(request, "user", None)
    if isinstance(user, SimpleLazyObject):
        user = getattr(request, "_cached_user", None)
    return user is not None and user.is_authenticated
