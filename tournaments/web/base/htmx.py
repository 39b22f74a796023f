"""The request after django_htmx.middleware.HtmxMiddleware, and the ETag of what it asks for."""

from hashlib import sha256

from django.contrib.staticfiles.storage import staticfiles_storage
from django.http import HttpRequest, HttpResponse
from django.utils.cache import get_conditional_response
from django_htmx.middleware import HtmxDetails

ANNOUNCED = "kingscore.announced"
"""The key in `request.META` of the version of a game that a stream announced, or of a newer one.
It is set only where the address gives access to the game."""


class HtmxRequest(HttpRequest):
    """A request with the details of htmx."""

    htmx: HtmxDetails


def tag_of(seen: list[object]) -> str:
    """Return the ETag of a page that depends on all values of `seen`."""
    # Includes the style sheet, so that open pages of an older program reload.
    details = repr([*seen, staticfiles_storage.url("events.css")])
    return f'"{sha256(details.encode()).hexdigest()[:32]}"'


def not_modified(request: HttpRequest, etag: str | None) -> HttpResponse | None:
    """Return a 304 if the client has what has this ETag, which the answer repeats (RFC 9110)."""
    response: HttpResponse | None = get_conditional_response(request, etag=etag)
    if response is not None and etag:
        response["ETag"] = etag
    return response
