"""The current request or task of this thread, and the id that all its log lines share."""

import re
import uuid
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

# As proxies make them. Nothing longer, and nothing that could begin a log line of its own.
ID = re.compile(r"[\w-]{8,64}", re.ASCII)

HEADER = "X-Request-ID"


@dataclass(frozen=True, slots=True)
class Work:
    """A request, or a task by its name, and its id."""

    id: str
    of: HttpRequest | str

    @property
    def name(self) -> str:
        return self.of if isinstance(self.of, str) else route_of(self.of)


CURRENT: ContextVar[Work | None] = ContextVar("CURRENT", default=None)


def id_from(said: str | None) -> str:
    """Return the id that was sent if it is valid, else a new one."""
    return said if said and ID.fullmatch(said) else uuid.uuid4().hex


def route_of(request: HttpRequest) -> str:
    """Return the name of the view of a request, never its address."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name
    # Answered before a view was looked up, or there is none.
    static = request.path_info.startswith(f"/{settings.STATIC_URL.lstrip('/')}")
    return "static" if static else "none"
