"""Outages, and liveness and readiness probes for containers and load balancers.

Probes use plain HTTP and any host name, so the answer comes before the redirect to HTTPS, the
check of host names and all else. Libraries for it answer in a view, behind all that, and wait as
long as a database hangs.
"""

import errno
import logging
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait
from contextlib import closing, suppress
from enum import Enum
from time import monotonic

from django.conf import settings
from django.core.exceptions import DisallowedHost, ImproperlyConfigured
from django.core.signing import BadSignature, TimestampSigner
from django.db import DatabaseError, InterfaceError, connection
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils import timezone

from kingscore.celery import app
from kingscore.observing.metrics import tell_metrics
from tournaments.permissions import address_of
from tournaments.queries.site import missing_columns, missing_migrations

logger = logging.getLogger(__name__)

PATIENCE = 3
"""Seconds to wait for all parts together."""

KEPT_SECONDS = 1.0
"""Maximum age of an answer in seconds: strangers may ask as often as they like."""


class Outage(Enum):
    """An outage; the value is the number of seconds after which to retry."""

    AWAY = 10
    FULL = 60


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
    found: set[Outage | None] = set()
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        found.add(_outage(error))
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)
    # A full disk also causes broken connections, and is the reason to report.
    return next((outage for outage in (Outage.FULL, Outage.AWAY) if outage in found), None)


def _outage(error: BaseException) -> Outage | None:
    if isinstance(error, OSError):
        return Outage.FULL if error.errno in FULL_ERRORS else None
    if isinstance(error, sqlite3.Error):
        # The upper bytes hold the extended code.
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if code == sqlite3.SQLITE_FULL:
            return Outage.FULL
        return Outage.AWAY if code in AWAY_CODES else None
    # Errors of psycopg carry a code; Django's own have one of these as their cause.
    if isinstance(error, DatabaseError) or not hasattr(error, "sqlstate"):
        return Outage.AWAY if isinstance(error, InterfaceError) else None
    state: str | None = error.sqlstate
    if state == FULL_STATE:
        return Outage.FULL
    if state is None:
        # No answer from the server: no connection, a broken one, or none free in time.
        is_away = any(kind.__name__ == "OperationalError" for kind in type(error).__mro__)
    else:
        is_away = state in AWAY_STATES or state[:2] in AWAY_CLASSES
    return Outage.AWAY if is_away else None


class NotReady(Exception):
    """The reason why a part is not ready, without secrets."""


class Look:
    """Checks one part in a thread of its own: one that hangs blocks this thread alone."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self.ask = ask
        self.lock = threading.Lock()
        self.answer: Future[str] | None = None
        self.asked_at = 0.0

    def begin(self) -> Future[str]:
        """Start a check, unless one ran a moment ago or still runs."""
        with self.lock:
            is_old = monotonic() - self.asked_at >= KEPT_SECONDS
            if self.answer is None or (is_old and self.answer.done()):
                self.answer, self.asked_at = Future(), monotonic()
                threading.Thread(target=self.run, args=(self.answer,), daemon=True).start()
            return self.answer

    def run(self, answer: Future[str]) -> None:
        """Return ok or the fault; of an exception only the class, since its text may be secret."""
        try:
            # The thread has a connection of its own.
            with closing(connection):
                self.ask()
        except NotReady as missing:
            answer.set_result(str(missing))
        except Exception as fault:  # noqa: BLE001 - whatever it is, the part is not ready
            answer.set_result(type(fault).__name__)
        else:
            answer.set_result("ok")


LOOKS: dict[str, Look] = {}
"""The parts that are checked, by the names in the answer."""


def look(name: str) -> Callable[[Callable[[], None]], Callable[[], None]]:
    """Add a function to the parts: it raises if its part is not ready."""

    def add(ask: Callable[[], None]) -> Callable[[], None]:
        LOOKS[name] = Look(ask)
        return ask

    return add


@look("database")
def ask_database() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")


@look("writing")
def ask_for_writing() -> None:
    """Commit a row: only a write detects a full disk or a standby.

    The row is one that the cache discards, in a table that signing in needs.
    """
    table = connection.ops.quote_name(str(settings.CACHES["default"]["LOCATION"]))
    now = connection.ops.adapt_datetimefield_value(timezone.now().replace(microsecond=0))
    try:
        with connection.cursor() as cursor:
            cursor.execute(
                f"INSERT INTO {table} (cache_key, value, expires) VALUES ('ready', %s, %s)"  # noqa: S608
                " ON CONFLICT (cache_key) DO UPDATE"
                " SET value = EXCLUDED.value, expires = EXCLUDED.expires",
                [str(monotonic()), now],
            )
    except DatabaseError as fault:
        if outage_of(fault) is Outage.FULL:
            raise NotReady("no room on the disk") from fault
        raise


@look("migrations")
def ask_migrations() -> None:
    if missing := missing_migrations():
        raise NotReady(f"{len(missing)} not applied")


@look("tables")
def ask_tables() -> None:
    """Compare the columns of the models with those of the database."""
    if missing := missing_columns():
        table, column = min(missing)
        raise NotReady(f"{len(missing)} columns missing, {column} of {table} among them")


@look("broker")
def ask_broker() -> None:
    """Connect to the broker. Redis is pinged; a missing folder of messages is created."""
    with app.connection_for_write() as broker:
        broker.default_channel  # noqa: B018 - connects


DOCTOR = "Kingscore-Doctor"
"""The header by which `manage.py doctor` proves that it knows the secret."""


def alive(request: HttpRequest) -> HttpResponse:
    """Answer that the process is alive, without checking anything else.

    Tell the doctor what came through the proxy.
    """
    try:
        TimestampSigner(salt=DOCTOR).unsign(request.headers.get(DOCTOR, ""), max_age=60)
    except BadSignature:
        pass
    else:
        seen = {"version": settings.VERSION, "https": request.is_secure()}
        seen["forwarded"] = "X-Forwarded-For" in request.headers
        for name, read in (("host", HttpRequest.get_host), ("address", address_of)):
            # The host is none of ours, or there are fewer addresses than proxies.
            with suppress(DisallowedHost, ImproperlyConfigured):
                seen[name] = read(request)
        return JsonResponse(seen, headers={"Cache-Control": "no-store"})
    return HttpResponse(
        "ok\n",
        content_type="text/plain; charset=utf-8",
        headers={"Cache-Control": "no-store"},
    )


def ready(request: HttpRequest) -> HttpResponse:
    """Answer with the state of each part, with 503 if one is not ready.

    `?parts=database,migrations` asks for these alone.
    """
    names = request.GET.get("parts", ",".join(LOOKS)).split(",")
    if not set(names) <= set(LOOKS):
        return JsonResponse({"parts": list(LOOKS)}, status=400)
    answers = {name: LOOKS[name].begin() for name in names}
    wait(answers.values(), timeout=PATIENCE)
    late = f"no answer in {PATIENCE} seconds"
    parts = {name: answer.result() if answer.done() else late for name, answer in answers.items()}
    is_ready = set(parts.values()) == {"ok"}
    if not is_ready:
        logger.warning("Not ready: %s", parts)
    return JsonResponse(
        {"ready": is_ready, **parts},
        status=200 if is_ready else 503,
        headers={"Cache-Control": "no-store"},
    )


PROTECTION = {
    "X-Content-Type-Options": "nosniff",
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
}
"""Headers that the middleware that is not run would send."""

PROBES = {"/healthz": alive, "/readyz": ready, "/metrics": tell_metrics}
