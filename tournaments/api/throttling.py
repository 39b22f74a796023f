"""How often may be asked: for each token, each table, and else each address."""

from collections.abc import Collection

from django.conf import settings
from django.core.cache import caches
from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.exceptions import AuthenticationFailed, Throttled
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from tournaments.api.access import AddressToken, BearerAuthentication
from tournaments.api.problems import plain_answer
from tournaments.models.people import ScopedToken
from tournaments.permissions import network_of

WINDOW = 60
"""The limits are for so many seconds."""

POLICY, LEFT = "RateLimit-Policy", "RateLimit"
"""The headers of a limit (draft-ietf-httpapi-ratelimit-headers-10)."""


def count(request: Request, places: Collection[object]) -> None:
    """Count a request at an address with these values in its path; its answer tells the limit.

    Raises:
        AuthenticationFailed: the token is invalid, which has a limit of its own.
        Throttled: there were too many.
    """
    try:
        kind, who = _kind_of(request), _asker(request, places)
    except AuthenticationFailed:
        _count(request, "failure", network_of(request._request))  # noqa: SLF001
        raise
    _count(request, kind, who)


def tell_limit(request: HttpRequest, answer: HttpResponseBase) -> HttpResponseBase:
    """Add the headers of the limit to an answer.

    What reached no view, such as a request at an unknown address, is counted only now: the answer
    becomes 429 if there were too many.
    """
    if not hasattr(request, "counted"):
        try:
            count(Request(request, authenticators=[BearerAuthentication()]), ())
        except AuthenticationFailed:
            pass
        except Throttled as error:
            answer = plain_answer(error, request)
    told: dict[str, str] = getattr(request, "counted", {})
    for name, value in told.items():
        answer[name] = value
    return answer


def _kind_of(request: Request) -> str:
    return "read" if request.method in SAFE_METHODS else "write"


def _asker(request: Request, places: Collection[object]) -> str:
    """Under what the requests of whoever asks are counted.

    A key counts by itself only at what it may open: made up, it would let in without an end
    wherever nobody looks at it.
    """
    asker, network = request.auth, network_of(request._request)  # noqa: SLF001
    if isinstance(asker, ScopedToken):
        return asker.public_id
    if isinstance(asker, AddressToken) and asker.public_id in places:
        # By its origin, so that wrong tries use up only the sender's own limit.
        return f"{asker.public_id[:16]}:{network}"
    return network


def _count(request: Request, kind: str, who: str) -> None:
    most: int | None = settings.API_LIMITS.get(kind)
    if most is None:
        return
    number, seconds = caches["throttles"].count(f"{kind}:{who}", WINDOW)  # type: ignore[attr-defined]
    told = {
        POLICY: f'"{kind}";q={most};w={WINDOW}',
        LEFT: f'"{kind}";r={max(most - number, 0)};t={seconds}',
    }
    request._request.counted = told  # type: ignore[attr-defined] # noqa: SLF001
    if number > most:
        raise Throttled(wait=seconds)
