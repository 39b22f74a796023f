"""Log lines for people and programs: what happened, never to whom, nor the address of a table.

What a line may say is chosen here, by a few lines of our own: libraries for lines as JSON write
whatever a record and its exception hold, and that is what has to be kept out.
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
    # forgotten. A folder of a traceback with so long a name is blackened too, and does not mind.
    re.compile(r"(?<=/)[\w-]{22,}(?=[/?#\s'\"]|$)", re.ASCII),
    # Tokens of programs, with the word before them or without.
    re.compile(r"\bks_\w+|(?<=Bearer )\S+|(?<=Token )\S{20,}", re.ASCII),
    # Who signs in at a database or a broker.
    re.compile(r"(?<=://)[^/\s@]+(?=@)"),
    # Mail addresses.
    re.compile(rf"[^\s@<>()\"',;:=/{BLACK}]+@[\w-]+(\.[\w-]+)+"),
)

# PostgreSQL tells the row there: names, addresses and all.
ROW = re.compile(r"\s*(DETAIL|CONTEXT|HINT|LINE \d+):.*", re.DOTALL)

ADDRESS = re.compile(
    r"/\S*|\b\d{1,3}(\.\d{1,3}){3}\b|\b[0-9a-f]*:[0-9a-f]*:[0-9a-f:]*", re.IGNORECASE
)

WITHOUT_VALUES = {
    # Of Django, of each database, and of the broker: all call them so.
    *("OperationalError", "InterfaceError", "ProgrammingError", "IntegrityError", "RedisError"),
    *("OSError", "ImportError", "AttributeError", "NameError", "TypeError"),
    *("ImproperlyConfigured", "DisallowedHost"),
}
"""What these say is of columns, files, hosts and names in the code. Of all others only the kind is
told: "invalid literal: 'Ayşe'" is about somebody."""

CAUSED = "The above exception was the direct cause of the following exception:"
MEANWHILE = "During handling of the above exception, another exception occurred:"

CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
"""With one of these, what somebody sent could look like another line of the log."""

FIELDS = ("route", "method", "status", "ms", "task", "sql", "kind")
"""What lines about requests, tasks, statements and refusals say apart from their words."""


def said(record: logging.LogRecord) -> str:
    """Return the words of a record without secrets, addresses and what a row holds."""
    if isinstance(record.args, tuple):
        record.args = tuple(harmless(arg, record) for arg in record.args)
    words = record.getMessage()
    fault = record.exc_info[1] if record.exc_info else None
    if fault is not None:
        # Celery repeats what the exception says.
        for form in (repr(fault), str(fault)):
            words = words.replace(form, told(fault)) if form else words
    return blackened(
        ADDRESS.sub(BLACK, words) if record.name.startswith(("gunicorn", "uvicorn")) else words
    )


def harmless(arg: object, record: logging.LogRecord) -> object:
    """Return what stands for an argument of a record: a path may name people, a fault tell rows."""
    request = getattr(record, "request", None)
    if request is not None and arg == request.path:
        return route_of(request)
    return told(arg) if isinstance(arg, BaseException) else arg


def blackened(text: str) -> str:
    """Return a text without what gives access or leads to a person."""
    for secret in SECRETS:
        text = secret.sub(BLACK, text)
    return text


def told(fault: BaseException) -> str:
    """Return what an exception says as far as it is about the program."""
    kind = type(fault)
    where = "" if kind.__module__ == "builtins" else f"{kind.__module__}."
    name = where + kind.__qualname__
    speaks = any(base.__name__ in WITHOUT_VALUES for base in kind.__mro__)
    words = ROW.sub("", str(fault)) if speaks else ""
    return f"{name}: {words}" if words else name


def traced(fault: BaseException, seen: frozenset[int] = frozenset()) -> Iterator[str]:
    """Give the traceback of an exception as Python writes it, with `told` for its words."""
    before = fault.__cause__ or (None if fault.__suppress_context__ else fault.__context__)
    if before is not None and id(before) not in seen:
        yield from traced(before, seen | {id(fault)})
        yield f"\n{CAUSED if fault.__cause__ else MEANWHILE}\n\n"
    yield "Traceback (most recent call last):\n"
    yield from traceback.format_tb(fault.__traceback__)
    yield told(fault) + "\n"


class DiscreetFormatter(logging.Formatter):
    """Writes a line for people, and a traceback below it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write."""
        work = CURRENT.get()
        mark = f" [{work.id}]" if work else ""
        time = self.formatTime(record, "%Y-%m-%d %H:%M:%S%z")
        words = CONTROLS.sub(lambda found: ascii(found[0])[1:-1], said(record))
        line = f"{time} {record.levelname} {record.name}: {words}{mark}"
        return "\n".join(filter(None, (line, trace_of(record))))


class JsonFormatter(logging.Formatter):
    """Writes an object on a line of its own, for programs that gather logs."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write."""
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
    """Writes a mail as it is: codes and links are what it is for."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write."""
        return json.dumps({"logger": record.name, "message": record.getMessage()})


def trace_of(record: logging.LogRecord) -> str | None:
    """Return the traceback of a record that has one, unless it is about what a visitor sent."""
    about_visitor = record.name.startswith("django.security")
    fault = record.exc_info[1] if record.exc_info and not about_visitor else None
    return blackened("".join(traced(fault))).rstrip() if fault else None


def logging_of(form: str) -> dict[str, Any]:
    """Return what goes into the log: our own news, and what goes wrong elsewhere.

    As `json` there is a line for each request, too; in a terminal nobody could read the rest.
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
    """Return what each part of the program, and of the libraries, may say."""
    return {
        "tournaments": {"level": "INFO"},
        "kingscore.observing.requests": {"level": "INFO" if as_json else "WARNING"},
        "kingscore.observing.refusals": {"level": "INFO"},
        # Codes and links are what a mail is for: they must be readable.
        "kingscore.mail": {"handlers": ["mail"], "level": "INFO", "propagate": False},
        # These bring handlers of their own, which would write the addresses of tables.
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        # Each page that is not there: the lines of requests tell it, and how often.
        "django.request": {"handlers": [], "level": "ERROR", "propagate": True},
        # A line for each request while developing, with its whole address.
        "django.server": {"handlers": [], "level": "ERROR", "propagate": True},
        "gunicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
        # Below that it says of each request that it did not understand it.
        "uvicorn.error": {"handlers": [], "level": "ERROR", "propagate": True},
    }
