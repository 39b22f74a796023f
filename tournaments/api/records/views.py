"""Addresses of records, and their limits."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any

from allauth.core.ratelimit import consume
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import anybody
from tournaments.api.idempotency import run_once
from tournaments.api.problems import Json
from tournaments.api.schema import component
from tournaments.api.views import BaseAPIView
from tournaments.engine.documents.games import digits_of, read_game, write_result
from tournaments.engine.documents.pairings import seat_document
from tournaments.engine.documents.results import write_verification
from tournaments.engine.documents.verify import MOST_WORK, STRANGERS_WORK, verify
from tournaments.engine.work import TooMuchWork, limited_work
from tournaments.models.people import ScopedToken
from tournaments.permissions import account_of
from tournaments.queries.known_games import StoredCode, find_code
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


JSON = "application/json"


class ComputedView(BaseAPIView):
    """Answers with a computed document, within the limits on its lists."""

    scope = None
    permission = staticmethod(anybody)
    is_idempotent = False
    limits_of: Any

    def compute(self) -> Json:
        raise NotImplementedError

    def respond_computed(self) -> Response:
        request = self.request
        with _place(request, type(self).limits_of(request.data)):
            document = self.compute()
        # Only now: in the transaction of a key nobody else could write meanwhile.
        return run_once((), lambda _request: Response(document), request)


class ScoreGameView(ComputedView):
    limits_of = most_of_game

    @extend_schema(
        request={JSON: component("GameRecord")}, responses={200: component("ResultRecord")}
    )
    def post(self, request: Request) -> Response:
        """Check and score a game without storing it.

        A game that cannot be is answered, too: `valid` is false and `problems` say why. It may
        have 200 entries, and with a token 1,000.
        """
        return self.respond_computed()

    def compute(self) -> Json:
        return write_result(read_game(self.request.data))


class PairView(ComputedView):
    limits_of = most_of_pairing

    @extend_schema(
        request={JSON: component("PairingRecord")}, responses={200: component("SeatingRecord")}
    )
    def post(self, request: Request) -> Response:
        """Seat the next round of a field without storing it.

        A field that cannot be seated is answered, too: `problems` say why. It may have 200
        entrants, or 100 at tables of two; 20 rounds; 200 of `avoid` and 100 of `fixed`. With a
        token it may have 1,000 entrants, or 500 at tables of two; 100 rounds; and 500 each of
        `avoid` and `fixed`. More is 422 at its list, and without a token also a field that takes
        more than about half a second (`too-large`). Few are seated at a time: 429 says when to ask
        again.
        """
        return self.respond_computed()

    def compute(self) -> Json:
        if kind_of(self.request) == "accounts":
            return seat_document(self.request.data)
        try:
            with limited_work(STRANGERS_PAIRING):
                return seat_document(self.request.data)
        except TooMuchWork as much:
            raise Invalid(faults=[TooMuchForStrangers()]) from much


class VerifyView(ComputedView):
    limits_of = most_of_document

    @extend_schema(
        request={JSON: OpenApiTypes.OBJECT}, responses={200: component("VerificationRecord")}
    )
    def post(self, request: Request) -> Response:
        """Recompute an exported document, and say at each point whether it is as published.

        The document is a tournament, a history of ratings, or a game. `outcome` is `same`,
        `differs`, or `unknown` where nothing can be recomputed. A document may have 200 entrants,
        20 rounds and 2,000 rated games, and with a token 1,000 entrants, 100 rounds and 100,000
        games. What takes too much work beyond that is `unknown` with the code `too-large`, or
        `too-many` for draws; a document that is too large to be read is the problem `too-large`.
        Without a token half a second of work is done: the games, and a draw or two; with one, and
        by `manage.py verify`, all of an evening. Few are verified at a time: 429 says when to ask
        again.
        """
        return self.respond_computed()

    def compute(self) -> Json:
        is_known = kind_of(self.request) == "accounts"
        work = MOST_WORK if is_known else STRANGERS_WORK
        return write_verification(verify(self.request.data, work))


class PrintedCodeSerializer(serializers.Serializer[StoredCode]):
    """A printed code: what is stored with it, and its event if it may be seen."""

    kind = serializers.ChoiceField(choices=["game", "round", "tournament"])
    event = serializers.SerializerMethodField()

    def get_event(self, found: StoredCode) -> str | None:
        """Return the id of the event; null if there is none that you may see."""
        return None if found.event is None else found.event.public_id


class PrintedCodeView(BaseAPIView):
    read_permission = staticmethod(anybody)
    serializer_class = PrintedCodeSerializer

    def get(self, _request: Request, code: str) -> Response:
        """Whether a printed code is that of a game, round or tournament as it is stored now.

        404 if not: it has changed since it was printed, or the code is mistyped.
        """
        if not consume(self.http_request, action="verify_code"):
            raise Throttled
        found = find_code(digits_of(code) or "-", account_of(self.http_request))
        if found is None:
            raise NotFound
        return self.respond(found)
