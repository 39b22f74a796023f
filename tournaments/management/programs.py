"""Command lines of the programs, shared by `up` and servers with their own process manager."""

import os
import socket
import stat
import sys
from contextlib import suppress
from pathlib import Path
from typing import NoReturn

from django.conf import settings

from tournaments.origin import lan_address


def web_words(bind: str, processes: int | None = None) -> list[str]:
    """Return the command of the web server, which listens at host:port or at fd://number.

    `processes` are those of the settings if it is None.
    """
    application = settings.ASGI_APPLICATION.rpartition(".")
    processes = processes or settings.WEB_PROCESSES
    return [
        *("gunicorn", f"{application[0]}:{application[2]}", "--bind", bind),
        *("--worker-class", settings.WEB_WORKER),
        *("--workers", str(processes)),
        *("--graceful-timeout", "10", "--log-level", "warning"),
        # Longer than the poll interval of followers, so that they keep their connections.
        *("--keep-alive", "15"),
        # Imported once, before several are forked: they start sooner and share its memory.
        *(["--preload"] if processes > 1 else []),
        # No access log (the default of gunicorn): the addresses of tables are secrets.
        "--no-control-socket",
    ]


def worker_words(*, beat: bool) -> list[str]:
    """Return the command of a worker, which runs one task at a time; with or without the clock."""
    return [f"{project()}.worker", *(["--clock"] if beat else [])]


def beat_words() -> list[str]:
    """Return the command of the clock alone, which wakes any worker."""
    return ["celery", "--app", project(), "--quiet", "beat"]


def project() -> str:
    """Return the package in which Celery finds the project."""
    return settings.WSGI_APPLICATION.partition(".")[0]


def keep_private(folder: Path | None = None) -> None:
    """Make all files that this process and its children write readable by their user alone.

    Apply the same to existing files in the folder, except those of other users.
    """
    os.umask(0o077)
    for place, _, names in os.walk(folder) if folder else ():
        for path in (Path(place), *(Path(place, name) for name in names)):
            # Links lead elsewhere; a file that disappears meanwhile was a message to a worker.
            with suppress(FileNotFoundError, PermissionError):
                mode = path.lstat().st_mode
                if mode & 0o077 and not stat.S_ISLNK(mode):
                    path.chmod(stat.S_IMODE(mode) & 0o700)


def become(words: list[str]) -> NoReturn:
    """Replace this process by a program, so that signals reach the program."""
    keep_private()
    os.chdir(settings.BASE_DIR)
    os.execv(sys.executable, [sys.executable, "-m", *words])  # noqa: S606 - no shell wanted


def open_listener(host: str, port: int) -> socket.socket:
    """Listen for connections; end with a message if that is impossible.

    The web server inherits the socket: while it restarts, connections wait in the queue instead of
    being refused.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=256)
    except OSError as error:
        sys.exit(
            f"Cannot listen on {host}, port {port}: {error.strerror}."
            " Is Kingscore running already? Another port: --port 8001"
        )


def addresses(host: str, port: int) -> list[str]:
    """Return the URLs of the site, that for this machine first."""
    if host not in {"0.0.0.0", "::", ""}:  # noqa: S104 - compared, not listened on
        name = f"[{host}]" if ":" in host else host
        return [f"http://{name}:{port}/"]
    lan = lan_address()
    return [f"http://{name}:{port}/" for name in ("localhost", lan) if name]
