"""What this thread is at: a request or a task, and the id that all it says in the log shares."""

import re
import uuid
from contextvars import ContextVar
from dataclasses import dataclass

from django.conf import settings
from django.http import HttpRequest

# As proxies make them. Nothing longer, and nothing that could begin a line of its own.
ID = re.compile(r"[\w-]{8,64}", re.ASCII)

HEADER = "X-Request-ID"


@dataclass(frozen=True, slots=True)
class Work:
    """A request, or a task by its name, and the id it was given."""

    id: str
    of: HttpRequest | str

    @property
    def name(self) -> str:
        """The route of the request, which is the same for every table, or the name of the task."""
        return self.of if isinstance(self.of, str) else route_of(self.of)


CURRENT: ContextVar[Work | None] = ContextVar("CURRENT", default=None)


def id_from(said: str | None) -> str:
    """Return the id that came along where it is one, else a new one."""
    return said if said and ID.fullmatch(said) else uuid.uuid4().hex


def route_of(request: HttpRequest) -> str:
    """Return the name of the view that a request goes to, never its address."""
    if request.resolver_match is not None:
        return request.resolver_match.view_name
    # Answered before any view was looked for, or nothing is there.
    static = request.path_info.startswith(f"/{settings.STATIC_URL.lstrip('/')}")
    return "static" if static else "none"
