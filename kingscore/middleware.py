"""Middleware, in the order of `MIDDLEWARE` in the settings, and the pages of errors.

The latter are `handler400`, `handler404` and `handler500` of `kingscore/urls.py`.
"""

import logging
import sys
from base64 import b64encode
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from time import perf_counter
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed, ObjectDoesNotExist
from django.db import DatabaseError, connection
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase, HttpResponseNotAllowed
from django.shortcuts import render
from django.template import loader
from django.utils import timezone
from django.utils.cache import add_never_cache_headers
from django.utils.deprecation import MiddlewareMixin
from django.views import defaults

from kingscore.observing.health import PROBES, PROTECTION, Outage, outage_of
from kingscore.observing.logs import CURRENT, HEADER, STATUSES, Work, id_from, note_answer, route_of
from kingscore.observing.metrics import REQUEST_SECONDS, REQUESTS
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
from tournaments.services.base.writes import REASONS

requests = logging.getLogger("kingscore.observing.requests")

PAGE_METHODS = ("GET", "HEAD", "POST")
"""The methods of pages: decorators of views only say that they read fewer."""

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def watch_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give each request an id, send it with the answer, and log and count the answer.

    Probes (`/healthz`, `/readyz` and `/metrics`) are answered before any other middleware runs.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if probe := PROBES.get(request.path_info):
            answer = probe(request)
            for name, value in PROTECTION.items():
                answer[name] = value
            return answer
        began = perf_counter()
        # A thread keeps the time zone of the club that it showed last.
        timezone.deactivate()
        work = Work(id_from(request.headers.get(HEADER)), request)
        token, reasons = CURRENT.set(work), set[str]()
        noted = REASONS.set(reasons)
        try:
            response = get_response(request)
            response[HEADER] = work.id
            seconds = perf_counter() - began
            # Clients can send any word as a method.
            method = request.method if request.method in METHODS else "other"
            route, status, ms = route_of(request), response.status_code, round(seconds * 1000, 1)
            REQUESTS.labels(route, method, status).inc()
            REQUEST_SECONDS.labels(route, method).observe(seconds)
            # Of a write that was refused, the log says why, in text format, too.
            codes = sorted(reasons) if method not in SAFE else []
            is_refused = codes or (method not in SAFE and status >= 400 and route != "none")
            requests.log(
                logging.WARNING if is_refused else logging.INFO,
                "%s %s: %d after %s ms%s%s",
                *(method, route, status, ms, ": " if codes else "", ", ".join(codes)),
                extra={"route": route, "method": method, "status": status, "ms": ms}
                | ({"codes": codes} if codes else {}),
            )
            if response.status_code in STATUSES or response.status_code == 404:
                note_answer(request, response)
        finally:
            CURRENT.reset(token)
            REASONS.reset(noted)
        return response

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
    # By this scripts know answers of the site from those of a portal or a proxy, and of a machine
    # that took over.
    "Kingscore-Site": str(settings.TIMELINE),
}


def add_headers(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Add `HEADERS` to each response that does not set them, static files included.

    What says nothing of caching is not stored.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        response = get_response(request)
        for name, value in HEADERS.items():
            response.headers.setdefault(name, value)
        if not response.has_header("Cache-Control"):
            add_never_cache_headers(response)
        return response

    return middleware


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
        prefixed = {
            name.removeprefix(HOST).removeprefix(SECURE): value
            for name, value in request.COOKIES.items()
            if name.startswith((HOST, SECURE))
        }
        plain = {name: value for name, value in request.COOKIES.items() if name not in GUARDED}
        # Names as in the program; of two cookies the prefixed one counts.
        request.COOKIES = plain | prefixed
        response = get_response(request)
        for name in list(response.cookies):
            morsel = response.cookies.pop(name)
            prefix = HOST if morsel["path"] == "/" else SECURE
            if not name.startswith((HOST, SECURE)):
                morsel.set(prefix + name, morsel.value, morsel.coded_value)
            morsel["secure"] = True
            response.cookies[morsel.key] = morsel
        return response

    return middleware


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


def check_request(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer 405 to a method that no page reads, and 413, 411 or 400 to a body that is not right.

    It is 413 by the announced length, 411 without a length, 400 if the digest does not fit.
    Django would treat a body without a length as empty, and do something that nobody asked for. The
    server of the project reads it before Django does, and announces the length that it has read.

    A proxy that repeats requests may send the body of one visitor with the headers of another, so a
    body must be the one that `Content-Digest` was computed from (RFC 9530).
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if request.method not in PAGE_METHODS and not is_for_programs(request):
            return HttpResponseNotAllowed(PAGE_METHODS)
        length = request.META.get("CONTENT_LENGTH") or ""
        # Cut, because Python refuses to parse a number of thousands of digits.
        largest = largest_body(request.path)
        if length.isdecimal() and int(length[:20]) > largest:
            megabytes = largest // 1024**2
            if is_for_programs(request):
                return plain_problem(BodyTooLarge(data={"megabytes": megabytes}), request)
            return render(request, "413.html", {"megabytes": megabytes}, status=413)
        if "HTTP_TRANSFER_ENCODING" in request.META and not length:
            # No browser omits the length.
            return plain_problem(LengthRequired(), request)
        header = request.headers.get("Content-Digest")
        if header is not None and not is_digest_of(request.body, header):
            # Only programs and the scripts of our pages send a digest.
            return plain_problem(DigestMismatch(), request)
        return get_response(request)

    return middleware


def largest_body(path: str) -> int:
    """Return how many bytes can be sent to a path."""
    takes_photos = path.startswith("/play/") and path.endswith("/photo/")
    return settings.LARGEST_PHOTOS if takes_photos else settings.LARGEST_BODY


def is_digest_of(body: bytes, header: str) -> bool:
    """Return whether the sha-256 in the header, if there is one, is that of the body.

    Other algorithms are ignored; of two values the last one counts (RFC 9651).
    """
    members = (each.partition(";")[0].partition("=") for each in header.split(","))
    values = [value.strip() for name, _, value in members if name.strip().lower() == "sha-256"]
    return not values or values[-1] == f":{b64encode(sha256(body).digest()).decode()}:"


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
                match = request.resolver_match
                # The id of the only game that a request wrote, as phones at tables do.
                at_table = match and match.route.startswith("play/")
                written = match.kwargs["public_id"] if match and at_table else ANY
                cursor.execute("SELECT pg_notify(%s, %s)", [CHANNEL, written])
        return response

    return middleware


class MissingRowMiddleware(MiddlewareMixin):
    """Answer 404 if a row was deleted since the view read it."""

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        if not isinstance(error, ObjectDoesNotExist):
            return None
        match = request.resolver_match
        if request.method in SAFE and match is not None:
            # If what the address names is gone by now, the view itself answers 404 this time. A
            # part of the page that is missing again is a fault, which is logged.
            response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
            return response
        if is_of_rendering(error):
            return None
        raise Http404 from error


PROBLEMS = {Outage.AWAY: Away, Outage.FULL: Full}


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
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
    """Answer 500, or 503 in an outage, without details and without a query."""
    outage, for_programs = outage_of(sys.exception()), is_for_programs(request)
    if outage is None:
        if for_programs:
            return plain_problem(ServerError(), request)
        return defaults.server_error(request)
    # Phones keep unsent entries and retry by themselves.
    problem = PROBLEMS[outage]()
    problem.headers = {"Retry-After": str(outage.value)}
    if for_programs:
        return plain_problem(problem, request)
    page = loader.render_to_string(f"{problem.status}.html")
    return HttpResponse(page, status=problem.status, headers=problem.headers)


def is_for_programs(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")
