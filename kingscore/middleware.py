"""Middleware: cookies, headers, caching, limits, and the answers to faults and outages."""

import errno
import sqlite3
import sys
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from hashlib import sha256
from http.cookies import Morsel
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed, ObjectDoesNotExist
from django.db import DatabaseError, InterfaceError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.template import loader
from django.utils.cache import add_never_cache_headers
from django.views import defaults

from tournaments.api.access import tell_limit
from tournaments.api.problems import (
    Away,
    BodyTooLarge,
    DigestMismatch,
    Full,
    LengthRequired,
    NotUnderstood,
    ServerError,
    is_of_rendering,
    plain_problem,
)
from tournaments.queries.sheets import Archived

HOST, SECURE = "__Host-", "__Secure-"
"""The first is for cookies of the whole site: no other host of the domain can set them. The second
is for cookies of a part of the site."""

GUARDED = {settings.SESSION_COOKIE_NAME, settings.CSRF_COOKIE_NAME, "device"}
"""Ignored without their prefix: another host may have set them. All other cookies are signed or
mere preferences, and phones may have older ones without a prefix."""


def prefix_cookies(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add a prefix to all outgoing cookies, and remove it from incoming ones."""
    if not settings.HTTPS:
        raise MiddlewareNotUsed

    def middleware(request: HttpRequest) -> HttpResponseBase:
        request.COOKIES = without_prefixes(request.COOKIES)
        response = get_response(request)
        for name in list(response.cookies):
            morsel = with_prefix(response.cookies.pop(name))
            response.cookies[morsel.key] = morsel
        return response

    return middleware


def without_prefixes(sent: dict[str, str]) -> dict[str, str]:
    """Return cookies under their names in the program; prefixed ones take precedence."""
    prefixed = {
        name.removeprefix(HOST).removeprefix(SECURE): value
        for name, value in sent.items()
        if name.startswith((HOST, SECURE))
    }
    plain = {name: value for name, value in sent.items() if name not in GUARDED}
    return {**plain, **prefixed}


def with_prefix(morsel: "Morsel[str]") -> "Morsel[str]":
    """Return a cookie with the prefix and attributes for the browser."""
    prefix = HOST if morsel["path"] == "/" else SECURE
    if not morsel.key.startswith((HOST, SECURE)):
        morsel.set(prefix + morsel.key, morsel.value, morsel.coded_value)
    morsel["secure"] = True
    return morsel


class Outage(Enum):
    """An outage; `again_after` is the number of seconds after which to retry."""

    AWAY = 10
    FULL = 60

    @property
    def again_after(self) -> int:
        return self.value


FULL_ERRORS = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}

# SQLSTATEs of PostgreSQL: two characters are a class of errors, five are one error.
FULL_STATE = "53100"
AWAY_CLASSES = {"08", "53", "57"}
# Deadlock, serialization failure, and lock timeout.
AWAY_STATES = {"40001", "40P01", "55P03"}

AWAY_CODES = {
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_PROTOCOL,
    sqlite3.SQLITE_NOMEM,
}


def outage_of(error: BaseException | None) -> Outage | None:
    """Return the outage behind an error, or None for a fault of ours."""
    found = {outage for each in _chain(error) if (outage := _outage(each))}
    # A full disk also causes broken connections, and is the reason to report.
    return Outage.FULL if Outage.FULL in found else next(iter(found), None)


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def _outage(error: BaseException) -> Outage | None:
    if isinstance(error, OSError):
        return Outage.FULL if error.errno in FULL_ERRORS else None
    if isinstance(error, sqlite3.Error):
        return _outage_of_sqlite(error)
    if isinstance(error, InterfaceError):
        return Outage.AWAY
    # Errors of psycopg carry a code; Django's own have one of these as their cause.
    if isinstance(error, DatabaseError) or not hasattr(error, "sqlstate"):
        return None
    return _outage_of_postgresql(error)


def _outage_of_sqlite(error: sqlite3.Error) -> Outage | None:
    # The upper bytes hold the extended code.
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    if code == sqlite3.SQLITE_FULL:
        return Outage.FULL
    return Outage.AWAY if code in AWAY_CODES else None


def _outage_of_postgresql(error: BaseException) -> Outage | None:
    state: str | None = getattr(error, "sqlstate", None)
    if state == FULL_STATE:
        return Outage.FULL
    if state is None:
        # No answer from the server: no connection, a broken one, or none free in time.
        return Outage.AWAY if "OperationalError" in _kinds(error) else None
    return Outage.AWAY if state in AWAY_STATES or state[:2] in AWAY_CLASSES else None


def _kinds(error: BaseException) -> set[str]:
    return {kind.__name__ for kind in type(error).__mro__}


PROBLEMS = {Outage.AWAY: Away, Outage.FULL: Full}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 400."""
    if is_for_programs(request):
        return plain_problem(NotUnderstood(), request)
    return defaults.bad_request(request, exception)


def not_found(request: HttpRequest, exception: Exception) -> HttpResponse:  # noqa: ARG001
    """Answer 404. Somebody who is not signed in may be at a page that needs it.

    It is the same page for addresses that do not exist, so that nothing is given away.
    """
    needs_account = request.path.startswith("/clubs/") and not request.user.is_authenticated
    if not needs_account:
        return render(request, "404.html", status=404)
    back = request.get_full_path()
    if request.method == "POST":
        # The page with the form; `static/typed.js` has what was typed there.
        page = urlsplit(request.headers.get("Referer", ""))
        back = page._replace(scheme="", netloc="").geturl() if page.path else "/"
    response = render(request, "404.html", {"back": back}, status=404)
    if "HX-Request" in request.headers:
        # htmx would show nothing.
        response["HX-Redirect"] = back
    return response


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 without details, and without a query."""
    outage = outage_of(sys.exception())
    if outage is not None:
        return come_again(request, outage)
    if is_for_programs(request):
        return plain_problem(ServerError(), request)
    return defaults.server_error(request)


def come_again(request: HttpRequest, outage: Outage) -> HttpResponse:
    """Answer 503 with a time to retry; phones keep unsent entries and retry by themselves."""
    problem = PROBLEMS[outage]()
    problem.headers = {"Retry-After": str(outage.again_after)}
    if is_for_programs(request):
        return plain_problem(problem, request)
    page = loader.render_to_string(f"{problem.status}.html")
    return HttpResponse(page, status=problem.status, headers=problem.headers)


def too_large(request: HttpRequest, megabytes: int) -> HttpResponse:
    """Answer 413 with the largest size allowed."""
    if is_for_programs(request):
        return plain_problem(BodyTooLarge(data={"megabytes": megabytes}), request)
    return render(request, "413.html", {"megabytes": megabytes}, status=413)


def length_required(request: HttpRequest) -> HttpResponse:
    """Answer 411; no browser omits the length."""
    return plain_problem(LengthRequired(), request)


def digest_mismatch(request: HttpRequest) -> HttpResponse:
    """Answer 400; only programs and the scripts of our pages send a digest."""
    return plain_problem(DigestMismatch(), request)


def archived(request: HttpRequest) -> HttpResponse:
    """Answer 410: the deals of a game are in the file of an archived partition."""
    return render(request, "410.html", status=410)


def is_for_programs(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")


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
