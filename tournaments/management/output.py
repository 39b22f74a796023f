"""The output of commands that write one document."""

import sys
from pathlib import Path

from django.core.management.base import BaseCommand

CANNOT_BE_WRITTEN = 2


def write_document(command: BaseCommand, text: str, path: str | None) -> None:
    """Write text into a file, or to standard output without one; exit with 2 if it fails."""
    if path is None:
        # UTF-8 with its own line ends, whatever the terminal uses.
        out = getattr(command.stdout, "buffer", None)
        command.stdout.write(text, ending="") if out is None else out.write(text.encode())
        return
    try:
        Path(path).write_bytes(text.encode())
    except OSError as error:
        command.stderr.write(f"{path}: {error.strerror}")
        sys.exit(CANNOT_BE_WRITTEN)
