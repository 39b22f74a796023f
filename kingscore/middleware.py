"""Middleware: limits of requests, headers of responses, missing rows."""

from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed, ObjectDoesNotExist
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponseBase
from django.utils.cache import add_never_cache_headers

from kingscore.faults import archived, digest_mismatch, length_required, too_large
from tournaments.api.problems import is_of_rendering
from tournaments.api.throttling import tell_limit
from tournaments.queries.games.sheets import Archived


def refuse_large_bodies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 413 by the announced length, and 411 to a body without a length.

    Django would treat such a body as empty, and do something that nobody asked for. The server of
    the project reads it before Django does, and announces the length that it has read.
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
    """Return the announced length in bytes, or 0 if it is not a number."""
    length = request.META.get("CONTENT_LENGTH") or ""
    # Cut, because Python refuses to parse a number of thousands of digits.
    return int(length[:20]) if length.isdecimal() else 0


def refuse_mixed_up_bodies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 400 if the body is not the one that `Content-Digest` was computed from (RFC 9530).

    A proxy that repeats requests may send the body of one visitor with the headers of another.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        header = request.headers.get("Content-Digest")
        if header is not None and not is_digest_of(request.body, header):
            return digest_mismatch(request)
        return get_response(request)

    return middleware


def is_digest_of(body: bytes, header: str) -> bool:
    """Return whether the sha-256 in the header, if there is one, is that of the body.

    Other algorithms are ignored; of two values the last one counts (RFC 9651).
    """
    members = (each.partition(";")[0].partition("=") for each in header.split(","))
    values = [value.strip() for name, _, value in members if name.strip().lower() == "sha-256"]
    return not values or values[-1] == f":{b64encode(sha256(body).digest()).decode()}:"


def tell_limits(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Tell programs their limit with every answer, also of an error outside of any view."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        answer = get_response(request)
        if request.path.startswith("/api/v1/"):
            # A database that cannot be reached has its own answer.
            with suppress(DatabaseError):
                answer = tell_limit(request, answer)
        return answer

    return middleware


HEADERS = {
    # No page uses any of these, so injected code cannot use them either.
    "Permissions-Policy": ", ".join(
        f"{feature}=()"
        for feature in (
            *("camera", "display-capture", "geolocation", "microphone"),
            *("midi", "payment", "usb"),
        )
    ),
    # No other site may embed our pages; a view may allow it.
    "Cross-Origin-Resource-Policy": "same-origin",
}


def add_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add `HEADERS` to each response that does not set them, static files included."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        return response

    return middleware


def forbid_caching(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Send `no-store` with each response without a cache header."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return middleware


SAFE = frozenset({"GET", "HEAD", "OPTIONS"})


CHANNEL, ANY = "kingscore", ""
"""PostgreSQL's channel of writes, and what it says of those of more than one game."""


def announce_writes(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Tell the streams of all processes that something was written; without it they look later."""
    if connection.vendor != "postgresql":
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        if request.method not in SAFE and response.status_code < 400:
            with suppress(DatabaseError), connection.cursor() as cursor:
                cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, written_by(request)])
        return response

    return middleware


def written_by(request: HttpRequest) -> str:
    """Return the id of the only game that a request wrote, as phones at tables do."""
    match = request.resolver_match
    return match.kwargs["public_id"] if match and match.route.startswith("play/") else ANY


class MissingRowMiddleware:
    """Answer 404 if a row was deleted since the view read it, and 410 if deals are archived."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if not isinstance(error, ObjectDoesNotExist):
            return archived(request) if isinstance(error, Archived) else None
        match = request.resolver_match
        if request.method in SAFE and match is not None:
            # If what the address names is gone by now, the view itself answers 404 this time. A
            # part of the page that is missing again is a fault, which is logged.
            response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
            return response
        if is_of_rendering(error):
            return None
        raise Http404 from error
