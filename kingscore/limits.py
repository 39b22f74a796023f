"""What is too large is refused before it is read."""

from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponseBase

from kingscore.faults import length_required, too_large


def refuse_large_bodies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 413 by the announced length, and 411 to a body without one.

    Django would read such a body as empty, and do what was never asked for. The server of the
    project reads it before Django does, and announces what it has read.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if announced_length(request) > settings.LARGEST_BODY:
            megabytes = settings.LARGEST_BODY // 1024**2
            return too_large(request, megabytes)
        if "HTTP_TRANSFER_ENCODING" in request.META and not request.META.get("CONTENT_LENGTH"):
            return length_required(request)
        return get_response(request)

    return middleware


def announced_length(request: HttpRequest) -> int:
    """Return the length in bytes that the visitor announced, 0 where it is no number."""
    length = request.META.get("CONTENT_LENGTH") or ""
    # Cut, because Python refuses to read a number of thousands of digits.
    return int(length[:20]) if length.isdecimal() else 0
