"""Log lines, without the addresses that let their reader write at a table."""

import logging
import re

# Any part of an address as long as 128 bits are in base64, so that no new kind of address is
# forgotten. A folder of a traceback with so long a name is blackened too, and does not mind.
SECRET = re.compile(r"(?<=/)[\w-]{22,}(?=[/?#\s'\"]|$)", re.ASCII)


class DiscreetFormatter(logging.Formatter):
    """Formats a record, traceback and all, and blackens what gives access."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line to write."""
        return SECRET.sub("…", super().format(record))
