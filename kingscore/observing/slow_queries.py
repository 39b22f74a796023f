"""Log slow SQL statements with placeholders, never with their values."""

import logging
from collections.abc import Callable
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper

from kingscore.observing.work import CURRENT

logger = logging.getLogger(__name__)

LONGEST = 2000
"""Logged length of a statement, which may have thousands of placeholders."""


def watch_connection(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Watch a connection, on the signal that Django sends whenever it is opened."""
    if settings.SLOW_QUERY_MS and watch_statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(watch_statement)


def watch_statement(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    began = perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        ms = (perf_counter() - began) * 1000
        if ms >= settings.SLOW_QUERY_MS:
            tell_slow(sql, round(ms))


def tell_slow(sql: str, ms: int) -> None:
    """Log a statement with the request or task that ran it."""
    work = CURRENT.get()
    where = work.name if work else "none"
    words = " ".join(str(sql).split())[:LONGEST]
    kind = "task" if work and isinstance(work.of, str) else "route"
    logger.warning(
        "%s ms for a statement of %s: %s",
        *(ms, where, words),
        extra={"ms": ms, "sql": words, kind: where},
    )
