"""What the program logs, and in which form: without personal data and without addresses of tables.

The fields of a line are chosen here, in a few lines of our own: libraries for JSON logs write
everything that a record and its exception hold, and that is what has to be kept out.

Each logger has the name that `docs/observing.md` gives, so that it keeps a level of its own.
"""

import json
import logging
import re
import traceback
import uuid
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import UTC, datetime
from time import perf_counter
from typing import Any

from django.conf import settings
from django.db.backends.base.base import BaseDatabaseWrapper
from django.http import HttpRequest, HttpResponseBase
from django.utils.functional import SimpleLazyObject

refusals = logging.getLogger("kingscore.observing.refusals")
sign_ins = logging.getLogger("kingscore.observing.sign_ins")
slow_queries = logging.getLogger("kingscore.observing.slow_queries")

# As proxies make them. Nothing longer, and nothing that could begin a log line of its own.
ID = re.compile(r"[\w-]{8,64}", re.ASCII)

HEADER = "X-Request-ID"


@dataclass(frozen=True, slots=True)
class Work:
    """A request, or a task by its name, and its id."""

    id: str
    of: HttpRequest | str

    @property
    def name(self) -> str:
        return self.of if isinstance(self.of, str) else route_of(self.of)


CURRENT: ContextVar[Work | None] = ContextVar("CURRENT", default=None)


def id_from(sent: str | None) -> str:
    """Return the id that was sent if it is valid, else a new one."""
    return sent if sent and ID.fullmatch(sent) else uuid.uuid4().hex


def route_of(request: HttpRequest) -> str:
    """Return the name of the view of a request, never its address."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name
    # Answered before a view was looked up, or there is none.
    static = request.path_info.startswith(f"/{settings.STATIC_URL.lstrip('/')}")
    return "static" if static else "none"


STATUSES = {401: "token", 403: "permission", 429: "limit"}


def note_refusal(kind: str) -> None:
    """Log a failed sign-in, a refused permission or an exceeded limit.

    A line gives the kind, and by the id of the request the time and the route. It never names a
    person or an address; nor do those of successful sign-ins.
    """
    refusals.info("Refused: %s", kind, extra={"kind": kind})


def note_limit(request: HttpRequest, action: str) -> None:
    note_refusal(f"limit {action}")
    request.limit_is_noted = True  # type: ignore[attr-defined]


def note_answer(request: HttpRequest, response: HttpResponseBase) -> None:
    """Log an answer that refuses something."""
    kind = STATUSES.get(response.status_code)
    if response.status_code == 404 and request.resolver_match:
        user = getattr(request, "user", None)
        if isinstance(user, SimpleLazyObject):
            # The one that the view has looked up, if any: no query is made for a log.
            user = getattr(request, "_cached_user", None)
        if user is not None and user.is_authenticated:
            # A missing permission is answered 404.
            kind = "permission"
    if kind == "limit" and hasattr(request, "limit_is_noted"):
        return
    if kind:
        note_refusal(kind)


WAYS = {"mfa": "passkey", "password_reset": "password reset"}
"""Log names of the methods that allauth records; others keep their names."""


def note_success(what: str, method: str) -> None:
    """Log a successful sign-in, reauthentication or second factor."""
    kind = f"{what} by {WAYS.get(method, method)}"
    sign_ins.info("Accepted: %s", kind, extra={"kind": kind})


LONGEST = 2000
"""Logged length of a statement, which may have thousands of placeholders."""


def watch_connection(connection: BaseDatabaseWrapper, **_: Any) -> None:
    """Watch a connection, on the signal that Django sends whenever it is opened."""
    if settings.SLOW_QUERY_MS and watch_statement not in connection.execute_wrappers:
        connection.execute_wrappers.append(watch_statement)


def watch_statement(
    execute: Callable[..., Any], sql: str, params: Any, many: bool, context: dict[str, Any]
) -> Any:
    """Log a slow statement with its placeholders, and with the request or task that ran it."""
    began = perf_counter()
    try:
        return execute(sql, params, many, context)
    finally:
        ms = (perf_counter() - began) * 1000
        if ms >= settings.SLOW_QUERY_MS:
            work = CURRENT.get()
            where = work.name if work else "none"
            words = " ".join(str(sql).split())[:LONGEST]
            kind = "task" if work and isinstance(work.of, str) else "route"
            slow_queries.warning(
                "%s ms for a statement of %s: %s",
                *(round(ms), where, words),
                extra={"ms": round(ms), "sql": words, kind: where},
            )


BLACK = "…"

SECRETS = (
    # Any part of an address as long as 128 bits are in base64, so that no new kind of address is
    # forgotten. A folder of a traceback with so long a name is redacted too, which does no harm.
    re.compile(r"(?<=/)[\w-]{22,}(?=[/?#\s'\"]|$)", re.ASCII),
    # Tokens of programs, with or without the word before them.
    re.compile(r"\bks_\w+|(?<=Bearer )\S+|(?<=Token )\S{20,}", re.ASCII),
    # Credentials for a database or a broker.
    re.compile(r"(?<=://)[^/\s@]+(?=@)"),
    # E-mail addresses.
    re.compile(rf"[^\s@<>()\"',;:=/{BLACK}]+@[\w-]+(\.[\w-]+)+"),
)

# PostgreSQL puts the row there: names, addresses and all.
ROW = re.compile(r"\s*(DETAIL|CONTEXT|HINT|LINE \d+):.*", re.DOTALL)

ADDRESS = re.compile(
    r"/\S*|\b\d{1,3}(\.\d{1,3}){3}\b|\b[0-9a-f]*:[0-9a-f]*:[0-9a-f:]*", re.IGNORECASE
)

WITHOUT_VALUES = {
    # Loggers of Django, of each database, and of the broker.
    *("OperationalError", "InterfaceError", "ProgrammingError", "IntegrityError", "RedisError"),
    *("OSError", "ImportError", "AttributeError", "NameError", "TypeError"),
    *("ImproperlyConfigured", "DisallowedHost"),
}
"""Messages of these contain columns, files, hosts and names in the code. Of all others only the
class is logged: "invalid literal: 'Ayşe'" is personal data."""

CAUSED = "The above exception was the direct cause of the following exception:"
MEANWHILE = "During handling of the above exception, another exception occurred:"

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""With one of these characters, user input could look like another line of the log."""

FIELDS = ("route", "method", "status", "ms", "codes", "task", "sql", "kind")
"""Further fields of lines about requests, tasks, statements, refusals and sign-ins."""


def harmless_message(record: logging.LogRecord) -> str:
    """Return the message of a record without secrets, addresses and contents of rows."""
    if isinstance(record.args, tuple):
        record.args = tuple(harmless(arg, record) for arg in record.args)
    words = record.getMessage()
    fault = record.exc_info[1] if record.exc_info else None
    if fault is not None:
        # Celery repeats what the exception says.
        for form in (repr(fault), str(fault)):
            words = words.replace(form, message_of(fault)) if form else words
    return blackened(
        ADDRESS.sub(BLACK, words) if record.name.startswith(("gunicorn", "uvicorn")) else words
    )


def harmless(arg: object, record: logging.LogRecord) -> object:
    """Return a safe form of an argument: paths may hold names, exceptions values of rows."""
    request = getattr(record, "request", None)
    if request is not None and arg == request.path:
        return route_of(request)
    return message_of(arg) if isinstance(arg, BaseException) else arg


def blackened(text: str) -> str:
    """Return a text without secrets and personal data."""
    for secret in SECRETS:
        text = secret.sub(BLACK, text)
    return text


def message_of(fault: BaseException) -> str:
    """Return the message of an exception without personal data."""
    kind = type(fault)
    where = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    name = where + kind.__qualname__
    speaks = any(base.__name__ in WITHOUT_VALUES for base in kind.__mro__)
    words = ROW.sub("", str(fault)) if speaks else ""
    return f"{name}: {words}" if words else name


def traced(fault: BaseException, seen: frozenset[int] = frozenset()) -> Iterator[str]:
    """Yield the traceback of an exception as Python writes it, its message by `message_of`."""
    before = fault.__cause__ or (None if fault.__suppress_context__ else fault.__context__)
    if before is not None and id(before) not in seen:
        yield from traced(before, seen | {id(fault)})
        yield f"\n{CAUSED if fault.__cause__ else MEANWHILE}\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(fault.__traceback__)
    yield message_of(fault) + "\n"


class DiscreetFormatter(logging.Formatter):
    """Formats a line for people, with a traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        work = CURRENT.get()
        mark = f" [{work.id}]" if work else ""
        time = self.formatTime(record, "%Y-%m-%d %H:%M:%S%z")
        words = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], harmless_message(record))
        line = f"{time} {record.levelname} {record.name}: {words}{mark}"
        return "\n".join(filter(None, (line, trace_of(record))))


class JsonFormatter(logging.Formatter):
    """Formats one JSON object a line, for programs that collect logs."""

    def format(self, record: logging.LogRecord) -> str:
        work = CURRENT.get()
        line = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": harmless_message(record),
            "request_id": work and work.id,
            **{name: getattr(record, name, None) for name in FIELDS},
            "traceback": trace_of(record),
        }
        return json.dumps({k: v for k, v in line.items() if v is not None}, ensure_ascii=False)


class MailFormatter(JsonFormatter):
    """Formats an e-mail unredacted: readers need its codes and links."""

    def format(self, record: logging.LogRecord) -> str:
        return json.dumps({"logger": record.name, "message": record.getMessage()})


def trace_of(record: logging.LogRecord) -> str | None:
    """Return the traceback of a record, unless it is about something that a visitor sent."""
    about_visitor = record.name.startswith("django.security")
    fault = record.exc_info[1] if record.exc_info and not about_visitor else None
    return blackened("".join(traced(fault))).rstrip() if fault else None


def logging_of(form: str) -> dict[str, Any]:
    """Return the logging configuration: our own messages, and faults of libraries.

    With `json`, each request is logged too; in a terminal that would hide the rest.
    """
    as_json = form == "json"
    line, mail = ("JsonFormatter", "MailFormatter") if as_json else ("DiscreetFormatter", None)
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "line": {"()": f"kingscore.observing.logs.{line}"},
            "mail": {"()": f"kingscore.observing.logs.{mail}" if mail else "logging.Formatter"},
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "line"},
            "mail": {"class": "logging.StreamHandler", "formatter": "mail"},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "tournaments": {"level": "INFO"},
            "kingscore.observing.requests": {"level": "INFO" if as_json else "WARNING"},
            "kingscore.observing.refusals": {"level": "INFO"},
            "kingscore.observing.sign_ins": {"level": "INFO"},
            # E-mails contain codes and links, which must be readable.
            "kingscore.mail": {"handlers": ["mail"], "level": "INFO", "propagate": False},
            # These bring handlers of their own, which would log the addresses of tables.
            "django": {"handlers": [], "level": "WARNING", "propagate": True},
            # Each missing page: the request log has them, with their number.
            "django.request": {"handlers": [], "level": "ERROR", "propagate": True},
            # A line for each request during development, with its whole address.
            "django.server": {"handlers": [], "level": "ERROR", "propagate": True},
            "gunicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
            # Below that it logs each request that it did not understand.
            "uvicorn.error": {"handlers": [], "level": "ERROR", "propagate": True},
        },
    }
