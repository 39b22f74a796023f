"""Limits of computations during a request: their size, and how many run at a time.

A request without a personal token is anonymous. A key does not count: anybody can make one up.
"""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.problems import Json
from tournaments.models.people import ScopedToken
from tournaments.services.base.writes import Fault, Invalid, place_to_compute

Lists = Mapping[str, int]
"""How long the lists of a document may be."""


class TooLong(Fault, code="too-long"):
    sentence = _("This is too long to be computed here.")


class TooLongForStrangers(TooLong):
    sentence = _("Without a token this is too long to be computed here.")


class TooMuchForStrangers(Fault, code="too-large"):
    sentence = _("Without a token this takes too much work to be computed here.")


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

STRANGERS_PAIRING = 12_000
"""The work of a field (`engine.work`): most of 100 entrants take 4,050, the hardest of 28 11,100"""

DOCUMENT = Most(
    {"entrants": 200, "rounds": 20, "games": 2_000},
    {"entrants": 1_000, "rounds": 100, "games": 100_000},
    is_slow=True,
)
"""A document that is verified; `games` are those of a history of ratings."""


def most_of_document(_document: Any) -> Most:
    return DOCUMENT


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
        Invalid: with each list that is too long.
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
    document, is_known = request.data, kind_of(request) == "accounts"
    large = _faults(document, most.strangers, TooLongForStrangers)
    faults = _faults(document, most.accounts, TooLong) or ([] if is_known else large)
    if faults:
        raise Invalid(faults=faults)
    if not (large or most.is_slow):
        return nullcontext()
    return one_of(kind_of(request))


def kind_of(request: Request) -> str:
    """Return the kind of place for a request: that of accounts only with a personal token."""
    return "accounts" if isinstance(request.auth, ScopedToken) else "strangers"


def _faults(document: Any, most: Lists, kind: type[TooLong]) -> list[TooLong]:
    lists = document if isinstance(document, dict) else {}
    return [
        kind(data={"most": limit, "got": len(lists[name])}, where=name)
        for name, limit in most.items()
        if isinstance(lists.get(name), list) and len(lists[name]) > limit
    ]


@contextmanager
def one_of(kind: str) -> Iterator[None]:
    """Take one of the places of a kind.

    Raises:
        Throttled: all are taken.
    """
    with place_to_compute(kind) as is_free:
        if not is_free:
            raise Throttled(wait=AGAIN_AFTER)
        yield
