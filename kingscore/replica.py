"""Read public pages from a standby of PostgreSQL, and everything else from the primary.

No visitor sees less than before. A position counts the bytes of the primary's log: answers to
writes carry it in a cookie and events of streams in their data, and both come back with the next
request. The replica answers once it has replayed the log that far.
"""

import logging
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from contextvars import ContextVar
from math import inf
from time import monotonic
from typing import Any

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed, ObjectDoesNotExist
from django.db import DEFAULT_DB_ALIAS, Error, connection, connections
from django.db.models import Model
from django.http import Http404, HttpRequest, HttpResponseBase

from kingscore.middleware import SAFE
from kingscore.observing.metrics import PUBLIC_READS

logger = logging.getLogger(__name__)

PUBLIC = frozenset({
    *("follow", "evening", "evening_games"),
    *("club", "club_games", "club_game", "club_records", "player", "events", "event", "league"),
    *("tournament", "running", "live_board", "wall", "standings", "why_place", "entrants"),
    *("server_ratings", "server_calibration", "club_ratings", "club_calibration"),
    *("club_calendar", "event_calendar", "club_results", "embed", "embed_json", "embed_csv"),
})  # fmt: skip
"""Routes that write nothing for visitors without a session. The API is not among them: it counts
its visitors in the primary, and programs keep no cookies."""

REPLICA = "replica"
COOKIE, NEWS = "position", "Kingscore-News"
COOKIE_SECONDS = 300
"""Longer than a replica may be behind, and than PostgreSQL notices that its primary is gone."""
LOOK_SECONDS, DOWN_SECONDS = 1.0, 10.0

LOOK = """
SELECT pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint,
    EXISTS (SELECT FROM pg_stat_wal_receiver) AND (
        pg_last_wal_receive_lsn() <= pg_last_wal_replay_lsn()
        OR now() - pg_last_xact_replay_timestamp() < interval '30 seconds'
    )
"""

ALIAS: ContextVar[str | None] = ContextVar("alias", default=None)
"""The database of the request if its page is public."""


class Router:
    """Reads of public pages go to the replica, but for those in a transaction."""

    def db_for_read(self, model: type[Model], **_hints: object) -> str:
        if model._meta.app_label != "tournaments" or connection.in_atomic_block:  # noqa: SLF001 - as Django documents it
            return DEFAULT_DB_ALIAS
        return ALIAS.get() or DEFAULT_DB_ALIAS

    def db_for_write(self, _model: type[Model], **_hints: object) -> str:
        return DEFAULT_DB_ALIAS

    def allow_relation(self, _one: Model, _other: Model, **_hints: object) -> bool:
        return True

    def allow_migrate(self, db: str, _app_label: str, **_hints: object) -> bool:
        return db == DEFAULT_DB_ALIAS


class Replica:
    """The state of the replica, as this process knows it."""

    def __init__(self) -> None:
        self.position, self.is_current = 0, True
        self.looked = self.down_until = -inf
        self.doubted = inf

    def has(self, position: int) -> bool:
        """Return whether the replica can be read and has come as far as a position."""
        now = monotonic()
        if now < self.down_until:
            return False
        if now - self.looked > LOOK_SECONDS or (self.is_current and position > self.position):
            self.looked = now
            self.look()
        return self.is_current and position <= self.position

    def look(self) -> None:
        try:
            with connections[REPLICA].cursor() as cursor:
                cursor.execute(LOOK)
                position, is_current = cursor.fetchone()
        except Error as fault:
            self.fail(fault)
        else:
            self.note(position or 0, is_current=bool(is_current))

    def note(self, position: int, *, is_current: bool) -> None:
        """Note a position; half a record that arrived makes no replica old."""
        self.position, now = position, monotonic()
        self.doubted = inf if is_current else min(self.doubted, now)
        if is_current:
            self.is_current = True
        elif self.is_current and now - self.doubted > LOOK_SECONDS:
            self.is_current = False
            logger.warning("The replica is behind or not connected, reading from the primary")

    def fail(self, fault: Error) -> None:
        """Leave the replica alone for a while."""
        self.is_current, self.down_until = False, monotonic() + DOWN_SECONDS
        logger.warning("The replica failed, reading from the primary: %s", type(fault).__name__)


class ReplicaMiddleware:
    """Choose the database of each request; the innermost, since it runs the view a second time."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        if not settings.REPLICA_URL:
            raise MiddlewareNotUsed
        self.get_response, self.replica = get_response, Replica()

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        token = ALIAS.set(None)
        try:
            response = self.get_response(request)
            alias = ALIAS.get()
        finally:
            ALIAS.reset(token)
        if alias:
            PUBLIC_READS.labels("replica" if alias == REPLICA else "primary").inc()
        # Cached for everybody, an answer carries no cookie.
        shared = "public" in response.get("Cache-Control", "")
        if (request.method not in SAFE or alias == DEFAULT_DB_ALIAS) and not shared:
            # Without the database there is nothing newer to see.
            with suppress(Error):
                response.set_cookie(
                    *(COOKIE, str(primary_position()), COOKIE_SECONDS),
                    secure=settings.HTTPS,
                    httponly=True,
                    samesite="Lax",
                )
        return response

    def process_view(
        self, request: HttpRequest, _view: object, _args: Sequence[Any], _more: Mapping[str, Any]
    ) -> None:
        match = request.resolver_match
        is_visitor = settings.SESSION_COOKIE_NAME not in request.COOKIES
        if match and match.url_name in PUBLIC and is_visitor and request.method in SAFE:
            position = position_of(request)
            seen = position is not None and self.replica.has(position)
            ALIAS.set(REPLICA if seen else DEFAULT_DB_ALIAS)

    def process_exception(self, request: HttpRequest, error: Exception) -> HttpResponseBase | None:
        """Ask the primary if the replica fails, or does not have a row yet."""
        match = request.resolver_match
        is_missing = isinstance(error, (Http404, ObjectDoesNotExist))
        if ALIAS.get() != REPLICA or match is None or not (is_missing or isinstance(error, Error)):
            return None
        if isinstance(error, Error):
            self.replica.fail(error)
        ALIAS.set(DEFAULT_DB_ALIAS)
        response: HttpResponseBase = match.func(request, *match.args, **match.kwargs)
        return response


def position_of(request: HttpRequest) -> int | None:
    """Return how far the visitor has seen the log; None if that is unknown."""
    # After the position of an event may come a version.
    said = [request.COOKIES.get(COOKIE, "0"), request.headers.get(NEWS, "0").partition(" ")[0]]
    if not all(each.isdecimal() and len(each) < 20 for each in said):
        return None
    return max(map(int, said))


def primary_position() -> int:
    """Return the position of the primary, after all that was committed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')::bigint")
        return int(cursor.fetchone()[0])
