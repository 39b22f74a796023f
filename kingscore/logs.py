"""Log lines, without the addresses that let their reader write at a table."""

import logging
import re
from typing import Any

# Any part of an address as long as 128 bits are in base64, so that no new kind of address is
# forgotten. A folder of a traceback with so long a name is blackened too, and does not mind.
SECRET = re.compile(r"(?<=/)[\w-]{22,}(?=[/?#\s'\"]|$)", re.ASCII)


class DiscreetFormatter(logging.Formatter):
    """Formats a record, traceback and all, and blackens what gives access."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write."""
        return SECRET.sub("…", super().format(record))


def logging_of() -> dict[str, Any]:
    """Return what goes into the log: our own news, and what goes wrong elsewhere."""
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "discreet": {
                "()": "kingscore.logs.DiscreetFormatter",
                "format": "%(asctime)s %(levelname)s %(name)s: %(message)s",
                "datefmt": "%Y-%m-%d %H:%M:%S",
            },
        },
        "handlers": {
            "stderr": {"class": "logging.StreamHandler", "formatter": "discreet"},
            "mail": {"class": "logging.StreamHandler"},
        },
        "root": {"handlers": ["stderr"], "level": "WARNING"},
        "loggers": {
            "tournaments": {"level": "INFO"},
            # Codes and links are what a mail is for: they must be readable.
            "kingscore.mail": {"handlers": ["mail"], "level": "INFO", "propagate": False},
            # These bring handlers of their own, which would write the addresses of tables.
            "django": {"handlers": [], "level": "WARNING", "propagate": True},
            "django.server": {"handlers": [], "level": "INFO", "propagate": True},
            "gunicorn.error": {"handlers": [], "level": "WARNING", "propagate": True},
        },
    }
