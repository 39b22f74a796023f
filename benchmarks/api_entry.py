"""An entry added by the API, beside the page and beside views that do nothing.

One program with an open connection asks in turn, all served in one run by the same processes: an
entry by the API without and with an `Idempotency-Key`, the same deal as the page's form, an insert
of one row by a bare Django view and by a bare view of Django REST Framework; then a game as it
stands, and once more with its entity tag (304).
"""

import json
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from http.client import HTTPConnection
from itertools import count

from benchmarks.figures import Figure, answered
from benchmarks.writing import bare_server, deals, lines
from tests.deals import NAMES, WHOLE_GAME
from tests.phones import Phone, new_key
from tests.servers import Server

DATABASES = ("SQLite", "PostgreSQL")
SIZES = {
    "tiny": {"requests": 3},
    "usual": {"requests": 150},
    "full": {"requests": 1000},
}
WARM_UP = 30
BAREST = "a bare row by Django"
GOOD = frozenset({200, 201, 304})

Request = Callable[[], object]


class Program:
    """A program with one open connection and the key of one game after another."""

    def __init__(self, server: Server) -> None:
        self.connection = HTTPConnection(server.host, server.port)
        self.token, self.game = "", ""

    def close(self) -> None:
        self.connection.close()

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


def kinds_of(server: Server, ends: ExitStack) -> dict[str, Iterator[Request]]:
    """The measured calls by name; the last two are the controls."""
    phone = Phone(server.host, server.port)
    ends.callback(phone.hang_up)

    def program() -> Program:
        return ends.enter_context(closing(Program(server)))

    return {
        "an entry by the API": entries(program(), keyed=False),
        "the same with an Idempotency-Key": entries(program(), keyed=True),
        "the same by the page": deals(phone),
        "a game of 20 deals read by the API": readings(program(), known=False),
        "the same, unchanged (304)": readings(program(), known=True),
        "a bare row by Django REST Framework": rows(program()),
        BAREST: lines(phone),
    }


def time_one(request: Request) -> float:
    """Milliseconds until the answer is there."""
    start = time.perf_counter()
    request()
    return 1000 * (time.perf_counter() - start)


def measure(requests: int) -> Iterator[Figure]:
    with bare_server() as server:
        yield from figures(server, requests)


def figures(server: Server, requests: int) -> Iterator[Figure]:
    """Measure a running server."""
    with ExitStack() as ends:
        taken = ask_in_turn(kinds_of(server, ends), requests)
    for name, times in taken.items():
        if name != BAREST:
            yield answered(name, times, BAREST, taken[BAREST])


def ask_in_turn(kinds: dict[str, Iterator[Request]], requests: int) -> dict[str, list[float]]:
    """Milliseconds of so many requests of each kind."""
    taken: dict[str, list[float]] = {name: [] for name in kinds}
    for number in range(min(requests, WARM_UP) + requests):
        for name, kind in kinds.items():
            milliseconds = time_one(next(kind))
            if number >= min(requests, WARM_UP):
                taken[name].append(milliseconds)
    return taken
