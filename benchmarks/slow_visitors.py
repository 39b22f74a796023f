"""Requests pages while many slow visitors keep the server waiting, and without them.

Visitors connect and send nothing, half a request, or read nothing of an answer; one who is sent
away comes back at once. A page that is not there after ten seconds counts as not answered.
"""

import os
import tempfile
import time
from collections.abc import Iterator
from http.client import HTTPConnection, HTTPException
from statistics import median

from benchmarks.figures import Figure, late
from tests.servers import Server, prepared, serve
from tests.slow_visitors import KINDS, crowd

DATABASES = ("SQLite",)
SIZES = {
    "tiny": {"visitors": 20, "seconds": 1},
    "usual": {"visitors": 500, "seconds": 60},
    "full": {"visitors": 5000, "seconds": 60},
}
PATIENCE = 10
PAGE = "/rules/"
EVERY = 0.1
WARM_UP = 2
"""Seconds."""


def measure(visitors: int, seconds: int) -> Iterator[Figure]:
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-slow-") as folder,
        serve(folder, os.environ.get("KINGSCORE_DATABASE_URL"), ready=prepared()) as server,
    ):
        yield from figures(server, visitors, seconds)


def figures(server: Server, visitors: int, seconds: int) -> Iterator[Figure]:
    """Measure a running server."""
    take_times(server, WARM_UP)
    alone, _ = take_times(server, max(1, seconds // 6))
    for kind, sent in KINDS.items():
        with crowd((server.host, server.port), visitors, sent):
            times, missing = take_times(server, seconds)
        yield Figure(
            f"a page beside {visitors} × {kind}", median(times or [1000 * PATIENCE]), "ms",
            "alone", median(alone), f"{len(times)} answered, {missing} not; {late(times)}",
        )  # fmt: skip


def take_times(server: Server, seconds: int) -> tuple[list[float], int]:
    """Return the milliseconds of each page answered in time, and the number unanswered."""
    end, times, missing = time.monotonic() + seconds, list[float](), 0
    while (began := time.monotonic()) < end:
        if ask(server):
            times.append(1000 * (time.monotonic() - began))
        else:
            missing += 1
        time.sleep(EVERY)
    return times, missing


def ask(server: Server) -> bool:
    """Request a page on a new connection; return whether it came."""
    visitor = HTTPConnection(server.host, server.port, timeout=PATIENCE)
    try:
        visitor.request("GET", PAGE)
        answer = visitor.getresponse()
        return bool(answer.read()) and answer.status == 200
    except (OSError, HTTPException):
        return False
    finally:
        visitor.close()
