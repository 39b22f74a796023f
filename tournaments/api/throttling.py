"""How often may be asked: for each token, each table, and else each address."""

import time
from typing import Any

from django.core.cache import caches
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request
from rest_framework.throttling import SimpleRateThrottle

from tournaments.api.access import AddressToken
from tournaments.models import PersonalToken
from tournaments.permissions import network_of


class ReadThrottle(SimpleRateThrottle):
    """The limit of reading."""

    scope = "read"
    # Counted by one process alone; the time of day may be set back.
    timer = time.monotonic

    @property
    def cache(self) -> Any:  # type: ignore[override]
        return caches["throttles"]

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        return self.counted_as(request, view) if request.method in SAFE_METHODS else None

    def counted_as(self, request: Request, view: Any) -> str:
        """Under what the requests of whoever asks are counted.

        A key counts by itself only at what it may open: made up, it would let in without an end
        wherever nobody looks at it.
        """
        asker = request.auth
        if isinstance(asker, PersonalToken):
            who = asker.public_id
        elif isinstance(asker, AddressToken) and asker.public_id in view.kwargs.values():
            # By its origin, so that wrong tries use up only the sender's own limit.
            who = f"{asker.public_id[:16]} {network_of(request._request)}"  # noqa: SLF001
        else:
            who = network_of(request._request)  # noqa: SLF001
        return f"{self.scope} {who}".replace(" ", ":")


class WriteThrottle(ReadThrottle):
    """The limit of writing."""

    scope = "write"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        return None if request.method in SAFE_METHODS else self.counted_as(request, view)


class FailureThrottle(ReadThrottle):
    """The limit of requests with an invalid token; those with a valid one still pass."""

    scope = "failure"

    def get_cache_key(self, request: Request, view: Any) -> str | None:
        return self.counted_as(request, view)
