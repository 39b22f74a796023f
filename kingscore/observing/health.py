"""Whether the server is alive and ready, for containers and balancers of load.

They ask by plain HTTP and by whatever name the machine has, so that the answer comes before the
redirect to HTTPS, the names of hosts and all else. Libraries for it answer in a view, behind all
that, and wait as long as a database hangs.
"""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future, wait

from django.db import connection
from django.http import HttpRequest, HttpResponse, HttpResponseBase, JsonResponse

from kingscore.celery import app
from kingscore.observing.metrics import tell_metrics
from tournaments.queries.running import missing_migrations

logger = logging.getLogger(__name__)

PATIENCE = 3
"""For so many seconds all parts together are waited for."""


class NotReady(Exception):
    """What is missing, in words that hold no secret."""


class Look:
    """Looks at one part in a thread of its own: one that hangs holds up this thread alone."""

    def __init__(self, ask: Callable[[], None]) -> None:
        self.ask = ask
        self.lock = threading.Lock()
        self.answer: Future[str] | None = None

    def begin(self) -> Future[str]:
        """Ask, unless the last question is still without an answer: then that one is waited for."""
        with self.lock:
            if self.answer is None or self.answer.done():
                self.answer = Future()
                threading.Thread(target=self.run, args=(self.answer,), daemon=True).start()
            return self.answer

    def run(self, answer: Future[str]) -> None:
        """Say ok, or what is wrong: of a fault only its kind, since its words may hold secrets."""
        try:
            self.ask()
        except NotReady as missing:
            answer.set_result(str(missing))
        except Exception as fault:  # noqa: BLE001 - whatever it is, the part is not ready
            answer.set_result(type(fault).__name__)
        else:
            answer.set_result("ok")


def ask_database() -> None:
    """Have the database answer anything."""
    try:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    finally:
        connection.close()


def ask_migrations() -> None:
    """Compare the migrations of this version with those the database has seen."""
    try:
        missing = missing_migrations()
    finally:
        connection.close()
    if missing:
        raise NotReady(f"{len(missing)} not applied")


def ask_broker() -> None:
    """Connect to the broker: Redis is pinged, and the folder of messages is made if missing."""
    with app.connection_for_write() as broker:
        broker.default_channel  # noqa: B018 - connects


LOOKS = {
    "database": Look(ask_database),
    "migrations": Look(ask_migrations),
    "broker": Look(ask_broker),
}


def look_at_parts() -> dict[str, str]:
    """Return what each part says, after `PATIENCE` seconds at most."""
    answers = {name: look.begin() for name, look in LOOKS.items()}
    wait(answers.values(), timeout=PATIENCE)
    late = f"no answer in {PATIENCE} seconds"
    return {name: answer.result() if answer.done() else late for name, answer in answers.items()}


def answer_probes(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Answer `/healthz`, `/readyz` and `/metrics` before anything else looks at the request."""

    def middleware(request: HttpRequest) -> HttpResponseBase:
        answer = PROBES.get(request.path_info)
        return answer(request) if answer else get_response(request)

    return middleware


def alive(_request: HttpRequest) -> HttpResponse:
    """Say that the process answers, without asking anything else."""
    return HttpResponse("ok\n", content_type="text/plain", headers={"Cache-Control": "no-store"})


def ready(_request: HttpRequest) -> HttpResponse:
    """Say of each part whether it is there, with 503 where one is not."""
    parts = look_at_parts()
    is_ready = set(parts.values()) == {"ok"}
    if not is_ready:
        logger.warning("Not ready: %s", parts)
    return JsonResponse(
        {"ready": is_ready, **parts},
        status=200 if is_ready else 503,
        headers={"Cache-Control": "no-store"},
    )


PROBES = {"/healthz": alive, "/readyz": ready, "/metrics": tell_metrics}
