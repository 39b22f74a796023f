"""How long writing down a deal takes through HTTP, beside a bare view that inserts one row.

    python benchmarks/writing.py [--requests 300] [--phones 8]

Both are served in the same run by the same processes with the same settings, and asked in turn.
First by one phone with an open connection, then by several at once, each at its own table. With
KINGSCORE_DATABASE_URL also on PostgreSQL (in a database of its own there).
"""

import argparse
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from statistics import median, quantiles

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# For tests/factories.py; the servers have settings, folders and databases of their own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from tests.factories import WHOLE_GAME  # noqa: E402 - the path comes first
from tests.phones import Answer, Phone, deal_fields, new_key  # noqa: E402
from tests.servers import Server, serve  # noqa: E402

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

    threads = [threading.Thread(target=one) for _ in range(phones)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if failed:
        raise failed[0]
    return taken


def say(title: str, deal: list[float], bare: list[float]) -> None:
    """Print one comparison."""
    print(title)
    for name, times in (("deal", deal), ("bare", bare)):
        print(
            f"  {name}  median {median(times):6.1f} ms   "
            f"95th percentile {quantiles(times, n=20)[-1]:6.1f} ms   ({len(times)} requests)"
        )
    ratio = median(deal) / median(bare)
    print(f"  a deal takes {ratio:.1f} times as long as a bare row")


def measure(where: str, database_url: str | None, requests: int, phones: int) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-writing-") as folder,
        serve(folder, database_url, "benchmarks.bare.settings") as server,
    ):
        server.run_python(CREATE_TABLE)
        phone = Phone(server.host, server.port)
        take_times(phone, WARM_UP)
        say(f"{where}, one phone:", *take_times(phone, requests))
        each = max(1, requests // phones)
        at_once = [take_times_at_once(server, phones, each, kind) for kind in ("deal", "bare")]
        say(f"{where}, {phones} phones at {phones} tables:", *at_once)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--requests", type=int, default=300)
    words.add_argument("--phones", type=int, default=8)
    chosen = words.parse_args()
    measure("SQLite", None, chosen.requests, chosen.phones)
    if url := os.environ.get("KINGSCORE_DATABASE_URL"):
        measure("PostgreSQL", url, chosen.requests, chosen.phones)


if __name__ == "__main__":
    main()
