"""Log formats for people and programs, without personal data and without addresses of tables.

The fields of a line are chosen here, in a few lines of our own: libraries for JSON logs write
everything that a record and its exception hold, and that is what has to be kept out.
"""

import json
import logging
import re
import traceback
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

from kingscore.observing.work import CURRENT, route_of

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

FIELDS = ("route", "method", "status", "ms", "task", "sql", "kind")
"""Further fields of lines about requests, tasks, statements, refusals and sign-ins."""


def said(record: logging.LogRecord) -> str:
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
        words = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], said(record))
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
            "message": said(record),
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
        "loggers": loggers_of(as_json=as_json),
    }


def loggers_of(*, as_json: bool) -> dict[str, Any]:
    """Return the level and handlers of each logger of the program and the libraries."""
    return {
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
    }
