"""The words that start what runs: the same for `up` and for a server with programs of its own."""

import os
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from django.conf import settings


def web_words(bind: str) -> list[str]:
    """Return the command of the web server, which listens at host:port or at fd://number."""
    application = settings.ASGI_APPLICATION.rpartition(".")
    return [
        *("gunicorn", f"{application[0]}:{application[2]}", "--bind", bind),
        *("--worker-class", settings.WEB_WORKER, "--workers", str(settings.WEB_PROCESSES)),
        *("--graceful-timeout", "10", "--log-level", "warning"),
        # Longer than followers wait between two questions, so that they need not connect anew.
        *("--keep-alive", "15"),
        # No access log, which is gunicorn's default: the addresses of tables are secrets.
        "--no-control-socket",
    ]


def worker_words(*, beat: bool) -> list[str]:
    """Return the command of a worker, which runs one task after another; with the clock or not."""
    return [
        *("celery", "--app", project(), "--quiet", "worker", "--pool", "solo"),
        # What is to be done they learn from the database, and nothing from each other.
        *("--without-gossip", "--without-mingle", "--without-heartbeat"),
        *(["--beat"] if beat else []),
    ]


def beat_words() -> list[str]:
    """Return the command of the clock alone, which says to any worker when to look."""
    return ["celery", "--app", project(), "--quiet", "beat"]


def project() -> str:
    """Return the package in which Celery finds the project."""
    return settings.WSGI_APPLICATION.partition(".")[0]


def keep_private(folder: Path | None = None) -> None:
    """Make all that this process and its children write readable by their user alone.

    So becomes what is in the folder already, but for what belongs to somebody else.
    """
    os.umask(0o077)
    for place, _, names in os.walk(folder) if folder else ():
        for path in (Path(place), *(Path(place, name) for name in names)):
            # Links lead elsewhere; what vanishes meanwhile was a message to a worker.
            with suppress(FileNotFoundError, PermissionError):
                mode = path.lstat().st_mode
                if mode & 0o077 and not stat.S_ISLNK(mode):
                    path.chmod(stat.S_IMODE(mode) & 0o700)


def note_failed_starts(times: int) -> None:
    """Note how often in a row the worker did not stay up; 0 where it does.

    In a file: a worker may fail because there is no database. Without room for it nothing is noted.
    """
    path = settings.WORKER_FAILURES
    with suppress(OSError):
        if times:
            path.write_text(str(times))
        else:
            path.unlink(missing_ok=True)


def become(words: list[str]) -> NoReturn:
    """Turn this process into a program, so that signals of whoever started it reach that one."""
    keep_private()
    os.chdir(settings.BASE_DIR)
    os.execv(sys.executable, [sys.executable, "-m", *words])  # noqa: S606 - no shell wanted
