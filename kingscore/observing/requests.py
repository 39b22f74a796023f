"""Log and count each request by its route: addresses of tables are secrets."""

import logging
from collections.abc import Callable
from time import perf_counter

from django.http import HttpRequest, HttpResponseBase

from kingscore.observing.health import PROBES, PROTECTION
from kingscore.observing.logs import CURRENT, HEADER, Work, id_from, note_answer, route_of
from kingscore.observing.metrics import REQUEST_SECONDS, REQUESTS

logger = logging.getLogger(__name__)

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})


def watch_requests(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Give each request an id, send it with the answer, and log and count the answer.

    Probes (`/healthz`, `/readyz` and `/metrics`) are answered before any other middleware runs.
    """

    def middleware(request: HttpRequest) -> HttpResponseBase:
        if probe := PROBES.get(request.path_info):
            answer = probe(request)
            for name, value in PROTECTION.items():
                answer[name] = value
            return answer
        began = perf_counter()
        work = Work(id_from(request.headers.get(HEADER)), request)
        token = CURRENT.set(work)
        try:
            response = get_response(request)
            response[HEADER] = work.id
            seconds = perf_counter() - began
            # Clients can send any word as a method.
            method = request.method if request.method in METHODS else "other"
            route, status, ms = route_of(request), response.status_code, round(seconds * 1000, 1)
            REQUESTS.labels(route, method, status).inc()
            REQUEST_SECONDS.labels(route, method).observe(seconds)
            logger.info(
                "%s %s: %d after %s ms",
                *(method, route, status, ms),
                extra={"route": route, "method": method, "status": status, "ms": ms},
            )
            note_answer(request, response)
        finally:
            CURRENT.reset(token)
        return response

    return middleware
