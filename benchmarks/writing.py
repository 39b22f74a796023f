"""A deal written down through HTTP, beside a bare view that inserts one row.

Both are served in the same run by the same processes with the same settings, and asked in turn.
First by one phone with an open connection, then by several at once, each at its own table.
"""

import os
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from statistics import median

from benchmarks.evening.tally import percentile
from benchmarks.figures import Figure, answered
from tests.deals import WHOLE_GAME
from tests.phones import Answer, Phone, deal_fields, new_key
from tests.servers import Server, prepared, serve

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"requests": 3, "phones": 2},
    "usual": {"requests": 300, "phones": 8},
    "full": {"requests": 3000, "phones": 8},
}
WARM_UP = 40

CREATE_TABLE = """
from benchmarks.bare.models import Line
from django.db import connection
with connection.schema_editor() as editor:
    editor.create_model(Line)
"""


Request = Callable[[], Answer]


def deals(phone: Phone) -> Iterator[Request]:
    """Writing one deal after another; a new table is opened, untimed, after each game."""
    while True:
        phone.open_table()
        for revision, body in enumerate(WHOLE_GAME):
            yield partial(phone.send_deal, deal_fields(body, revision, new_key()))


def lines(phone: Phone) -> Iterator[Request]:
    """Inserting one bare row after another, sent as a form like the deals."""
    while True:
        yield partial(phone.post, "/bare/", {"text": f"{new_key()} no-tricks 2 5 3 3"})


def time_one(request: Request) -> float:
    """Milliseconds until the answer is there, which must be a good one."""
    start = time.perf_counter()
    answer = request()
    taken = 1000 * (time.perf_counter() - start)
    if answer.status != 200:
        raise RuntimeError(f"answered {answer.status}: {answer.text[:300]}")
    return taken


def take_times(phone: Phone, requests: int) -> tuple[list[float], list[float]]:
    """Milliseconds of so many deals and so many bare rows, asked in turn."""
    kinds = deals(phone), lines(phone)
    taken: tuple[list[float], list[float]] = [], []
    for _ in range(requests):
        for kind, times in zip(kinds, taken, strict=True):
            times.append(time_one(next(kind)))
    return taken


def take_times_at_once(server: Server, phones: int, requests: int, kind: str) -> list[float]:
    """Milliseconds of deals, or of bare rows, by several phones that never wait."""
    start = threading.Barrier(phones)
    taken: list[float] = []
    failed: list[Exception] = []

    def one() -> None:
        phone = Phone(server.host, server.port)
        phone.open_table()
        each = deals(phone) if kind == "deal" else lines(phone)
        try:
            start.wait()
            taken.extend(time_one(next(each)) for _ in range(requests))
        except Exception as error:  # noqa: BLE001 - told by the main thread
            failed.append(error)
            start.abort()
        finally:
            phone.hang_up()

    threads = [threading.Thread(target=one) for _ in range(phones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return taken


@contextmanager
def bare_server() -> Iterator[Server]:
    """The project with bare views beside its own, on data of its own."""
    url = os.environ.get("KINGSCORE_DATABASE_URL")
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-bare-") as folder,
        serve(folder, url, "benchmarks.bare.settings", ready=prepared()) as server,
    ):
        server.run_python(CREATE_TABLE)
        yield server


def measure(requests: int, phones: int) -> Iterator[Figure]:
    with bare_server() as server:
        yield from figures(server, requests, phones)


def figures(server: Server, requests: int, phones: int) -> Iterator[Figure]:
    """Measure a running server."""
    phone = Phone(server.host, server.port)
    with ExitStack() as ends:
        ends.callback(phone.hang_up)
        take_times(phone, min(requests, WARM_UP))
        yield figure("a deal by the page, one phone", *take_times(phone, requests))
    each = max(1, requests // phones)
    at_once = [take_times_at_once(server, phones, each, kind) for kind in ("deal", "bare")]
    where = f"a deal by the page, {phones} phones at {phones} tables that never wait"
    yield figure(where, *at_once)
    usual = median(at_once[0])
    for name, share in {"95 %": 0.95, "99 %": 0.99}.items():
        slow = percentile(at_once[0], share)
        yield Figure(f"{where}: {name}", slow, "ms", "the median", usual)


def figure(what: str, deal: list[float], bare: list[float]) -> Figure:
    return answered(what, deal, "a bare view that inserts one row", bare)
