"""Limits of computations during a request: their size, and how many run at a time.

A request without a personal token is anonymous. A key does not count: anybody can make one up.
"""

import fcntl
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import IO, Any

from django.conf import settings
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.problems import BodyTooLarge, Json
from tournaments.models import PersonalToken
from tournaments.services.base.refusals import Fault, Invalid

Lists = Mapping[str, int]
"""How long the lists of a document may be."""


class TooLong(Fault, code="too-long"):
    sentence = _("This is too long to be computed here.")


class TooLongForStrangers(TooLong):
    sentence = _("Without a token this is too long to be computed here.")


AT_ONCE = {"strangers": 1, "accounts": 2}
"""How many are computed at a time on one machine: each takes a processor for itself."""

AGAIN_AFTER = 1
"""Seconds after which it is worth asking again."""


@dataclass(frozen=True)
class Most:
    """How much may be sent; `is_slow` says that even a small one takes longer than a page."""

    strangers: Lists
    accounts: Lists
    is_slow: bool


# A whole game has some sixty entries. Each is held against all before it.
GAME = Most({"entries": 200}, {"entries": 1_000}, is_slow=False)

# `avoid` are pairs to be kept apart, `fixed` groups to be seated together. Twice as many entrants
# at tables of two take four times as long.
PAIRING = {
    2: Most(
        {"entrants": 100, "rounds": 20, "avoid": 200, "fixed": 100},
        {"entrants": 500, "rounds": 100, "avoid": 500, "fixed": 500},
        is_slow=True,
    ),
    4: Most(
        {"entrants": 200, "rounds": 20, "avoid": 200, "fixed": 100},
        {"entrants": 1_000, "rounds": 100, "avoid": 500, "fixed": 500},
        is_slow=True,
    ),
}


def most_of_game(_document: Any) -> Most:
    return GAME


def most_of_pairing(document: Any) -> Most:
    """Return how much a field may have, by the size of its tables."""
    size = document.get("table_size", 4) if isinstance(document, dict) else 4
    # Another size is a fault, which the engine finds at once.
    return PAIRING[2 if size == 2 else 4]


Compute = Callable[[Any, Request], Json]
Post = Callable[[Any, Request], Response]


def computed(most_of: Callable[[Any], Most]) -> Callable[[Compute], Post]:
    """Answer with the document that a view's `post` computes, within the limits.

    Raises:
        Invalid, BodyTooLarge: 422 at each list that is too long for anybody, 413 for strangers.
        Throttled: as many are computed as may be at a time.
    """

    def decorate(compute: Compute) -> Post:
        @wraps(compute)
        def answered(view: Any, request: Request) -> Response:
            with _place(request, most_of(request.data)):
                document = compute(view, request)
            # Only now: in the transaction of a key nobody else could write meanwhile.
            return _kept(view, request, document)

        return answered

    return decorate


@idempotent
def _kept(_view: Any, _request: Request, document: Json) -> Response:
    return Response(document)


def _place(request: Request, most: Most) -> Any:
    """Wait for a free place to compute; quick computations need none."""
    document, is_known = request.data, isinstance(request.auth, PersonalToken)
    if faults := _faults(document, most.accounts, TooLong):
        raise Invalid(faults=faults)
    faults = _faults(document, most.strangers, TooLongForStrangers)
    if faults and not is_known:
        raise BodyTooLarge(faults=faults)
    if not (faults or most.is_slow):
        return nullcontext()
    return one_of("accounts" if is_known else "strangers")


def _faults(document: Any, most: Lists, kind: type[TooLong]) -> list[TooLong]:
    lists = document if isinstance(document, dict) else {}
    return [
        kind(data={"most": limit, "got": len(lists[name])}, where=name)
        for name, limit in most.items()
        if isinstance(lists.get(name), list) and len(lists[name]) > limit
    ]


@contextmanager
def one_of(kind: str) -> Iterator[None]:
    """Take one of the places of a kind, which all processes of a machine share.

    A place is a lock on a file: the system frees it when a process is killed, and taking one
    writes nothing. Nobody waits for one, for each who did would hold a thread of the web server.

    Raises:
        Throttled: all are taken.
    """
    folder = settings.COMPUTING_PLACES
    folder.mkdir(exist_ok=True)
    for number in range(AT_ONCE[kind]):
        with closing((folder / f"{kind}-{number}").open("w")) as file:
            if _is_locked(file):
                yield
                return
    raise Throttled(wait=AGAIN_AFTER)


def _is_locked(file: IO[str]) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
