"""A client with retries that write once, cached ETags, and exceptions for refused requests."""

import random
import time
import uuid
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

import httpx

from .client import AuthenticatedClient

NOT_DONE, UNANSWERED = {429, 503}, {502, 504}
LONGEST_WAIT = 30.0
MOST_REMEMBERED = 200


class Refusal(Exception):
    """The server refused a request.

    `code` names the reason, `problems` the fields at fault, and `request_id` finds it in the log.
    """

    def __init__(self, response: httpx.Response) -> None:
        try:
            self.problem: dict[str, Any] = response.json()
        except ValueError:
            self.problem = {}
        self.status = response.status_code
        self.code: str = self.problem.get("code", "")
        self.problems: list[dict[str, Any]] = self.problem.get("problems", [])
        self.request_id: str = response.headers.get("X-Request-ID", "")
        super().__init__(f"{self.status} {self.code or response.reason_phrase}")


class NoAccess(Refusal):
    """401, 403 or 404: the token is none, or does not open this."""


class Changed(Refusal):
    """409 or 412: somebody else changed it meanwhile; read it again."""


class Invalid(Refusal):
    """422: `problems` says what cannot be right."""


KINDS: dict[int, type[Refusal]] = {
    **dict.fromkeys((401, 403, 404), NoAccess),
    **dict.fromkeys((409, 412), Changed),
    422: Invalid,
}


def connect(server: str, token: str, *, tries: int = 6, **httpx_args: Any) -> AuthenticatedClient:
    """Return a client for the functions in `kingscore_client.api`.

    It raises a `Refusal` for each answer from 400 on, and `httpx.TransportError` without an answer.
    """
    inner = httpx_args.pop("transport", None) or httpx.HTTPTransport()
    httpx_args["transport"] = _Transport(inner, tries)
    return AuthenticatedClient(server, token, httpx_args=httpx_args)


class _Transport(httpx.BaseTransport):
    """Sends a request until there is an answer, where it can be done only once."""

    def __init__(
        self, inner: httpx.BaseTransport, tries: int, sleep: Callable[[float], None] = time.sleep
    ) -> None:
        self._inner, self._tries, self._sleep = inner, tries, sleep
        self._remembered: OrderedDict[str, httpx.Response] = OrderedDict()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.method == "POST":
            request.headers.setdefault("Idempotency-Key", uuid.uuid4().hex)
        known = self._remembered.get(str(request.url)) if request.method == "GET" else None
        if known is not None:
            request.headers.setdefault("If-None-Match", known.headers["ETag"])
        response = self._send(request)
        if response.status_code == 304 and known is not None:
            return known
        if response.status_code >= 400:
            raise KINDS.get(response.status_code, Refusal)(response)
        if request.method == "GET" and "ETag" in response.headers:
            self._remembered[str(request.url)] = response
            self._remembered.move_to_end(str(request.url))
            if len(self._remembered) > MOST_REMEMBERED:
                self._remembered.popitem(last=False)
        return response

    def _send(self, request: httpx.Request) -> httpx.Response:
        # A change whose answer got lost may have been made, and would be refused the second time.
        repeatable = request.method in {"GET", "HEAD", "POST"}
        for number in range(self._tries - 1):
            wait = min(LONGEST_WAIT, 0.25 * 2**number) * random.uniform(0.5, 1)  # noqa: S311
            try:
                response = self._inner.handle_request(request)
                response.read()
            except httpx.TransportError:
                if not repeatable:
                    raise
            else:
                lost = NOT_DONE | UNANSWERED if repeatable else NOT_DONE
                if response.status_code not in lost:
                    return response
                after = response.headers.get("Retry-After", "")
                wait = min(LONGEST_WAIT, float(after)) if after.isdecimal() else wait
            self._sleep(wait)
        response = self._inner.handle_request(request)
        response.read()
        return response

    def close(self) -> None:
        self._inner.close()
