"""Classify faults from outside: the database is down or busy, or a disk is full.

If the connection was lost at the very end, the request may have been done nevertheless. Requests
with an idempotency key can be repeated as they are; others have to be checked first.
"""

import errno
import sqlite3
from collections.abc import Iterator
from enum import Enum

from django.db import DatabaseError, InterfaceError


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
    """Yield an error and its causes."""
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
