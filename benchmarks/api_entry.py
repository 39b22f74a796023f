"""How long adding an entry by the API takes, beside the page and beside views that do nothing.

    python benchmarks/api_entry.py [--requests 200]

One program with an open connection asks in turn, all served in one run by the same processes: an
entry by the API without and with an `Idempotency-Key`, the same deal as the page's form, an insert
of one row by a bare Django view and by a bare view of Django REST Framework; then a game as it
stands, and once more with its entity tag (304). With KINGSCORE_DATABASE_URL also on PostgreSQL (in
a database of its own there).
"""

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from http.client import HTTPConnection
from itertools import count
from pathlib import Path
from statistics import median, quantiles

import django

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
# For tests/factories.py; the servers have settings, folders and databases of their own.
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
django.setup()

from benchmarks.writing import CREATE_TABLE, deals, lines  # noqa: E402 - the path comes first
from tests.factories import NAMES, WHOLE_GAME  # noqa: E402
from tests.phones import Phone, new_key  # noqa: E402
from tests.servers import Server, serve  # noqa: E402

WARM_UP = 30
GOOD = frozenset({200, 201, 304})

Request = Callable[[], object]


class Program:
    """A program with one open connection and the key of one game after another."""

    def __init__(self, server: Server) -> None:
        self.connection = HTTPConnection(server.host, server.port)
        self.token, self.game = "", ""

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> tuple[str, bytes]:
        """The entity tag and the content of an answer, which must be a good one."""
        head = {name.replace("_", "-"): value for name, value in headers.items()}
        if self.token:
            head["Authorization"] = f"Bearer {self.token}"
        if body is not None:
            head["Content-Type"] = "application/json"
        self.connection.request(method, path, json.dumps(body) if body else None, head)
        answer = self.connection.getresponse()
        content = answer.read()
        if answer.status not in GOOD:
            raise RuntimeError(f"{path} answered {answer.status}: {content[:300]!r}")
        return answer.headers.get("ETag", ""), content

    def start(self) -> None:
        """Open a table, and take its key."""
        self.token = ""
        head = {"ruleset": "turkish-king", "players": list(NAMES)}
        _tag, content = self.ask("POST", "/api/v1/games/", head)
        started = json.loads(content)
        self.token, self.game = started["keys"]["write"], f"/api/v1/games/{started['id']}/"


def entries(program: Program, *, keyed: bool) -> Iterator[Request]:
    """Writing one deal after another; a new game is started, untimed, after each."""
    while True:
        program.start()
        for body in WHOLE_GAME:
            key = {"Idempotency_Key": new_key()} if keyed else {}
            yield partial(program.ask, "POST", f"{program.game}entries/", {"entry": body}, **key)


def rows(program: Program) -> Iterator[Request]:
    """Inserting one bare row after another through Django REST Framework."""
    for number in count():
        yield partial(program.ask, "POST", "/bare/api/", {"text": f"{number} no-tricks 2 5 3 3"})


def readings(program: Program, *, known: bool) -> Iterator[Request]:
    """Reading a game of twenty deals, as somebody who knows it already or who does not."""
    program.start()
    for body in WHOLE_GAME:
        program.ask("POST", f"{program.game}entries/", {"entry": body})
    tag, _content = program.ask("GET", program.game)
    while True:
        head = {"If_None_Match": tag} if known else {}
        yield partial(program.ask, "GET", program.game, **head)


def kinds_of(server: Server) -> dict[str, Iterator[Request]]:
    """What is measured, by its name; the first four are compared with the last two."""
    phone = Phone(server.host, server.port)
    return {
        "entry by the API": entries(Program(server), keyed=False),
        "the same with an Idempotency-Key": entries(Program(server), keyed=True),
        "the same by the page": deals(phone),
        "game of 20 deals, 200": readings(Program(server), known=False),
        "the same, 304": readings(Program(server), known=True),
        "bare row by Django REST Framework": rows(Program(server)),
        "bare row by Django": lines(phone),
    }


def time_one(request: Request) -> float:
    """Milliseconds until the answer is there."""
    start = time.perf_counter()
    request()
    return 1000 * (time.perf_counter() - start)


def measure(where: str, database_url: str | None, requests: int) -> None:
    with (
        tempfile.TemporaryDirectory(prefix="kingscore-api-") as folder,
        serve(folder, database_url, "benchmarks.bare.settings") as server,
    ):
        server.run_python(CREATE_TABLE)
        kinds = kinds_of(server)
        taken: dict[str, list[float]] = {name: [] for name in kinds}
        for number in range(WARM_UP + requests):
            for name, kind in kinds.items():
                request = next(kind)
                milliseconds = time_one(request)
                if number >= WARM_UP:
                    taken[name].append(milliseconds)
        say(where, taken)


def say(where: str, taken: dict[str, list[float]]) -> None:
    """Print the medians, each beside the barest view."""
    *_others, barest = taken.values()
    print(f"{where}, {len(barest)} requests of each, in turn:")
    for name, times in taken.items():
        print(
            f"  {name:34} median {median(times):6.1f} ms   95th percentile"
            f" {quantiles(times, n=20)[-1]:6.1f} ms   {median(times) / median(barest):5.1f} times"
        )


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    words.add_argument("--requests", type=int, default=200)
    chosen = words.parse_args()
    measure("SQLite", None, chosen.requests)
    if url := os.environ.get("KINGSCORE_DATABASE_URL"):
        measure("PostgreSQL", url, chosen.requests)


if __name__ == "__main__":
    main()
