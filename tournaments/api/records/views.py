"""Addresses of records, and their limits."""

from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any

from allauth.core.ratelimit import consume
from django.utils.translation import gettext_lazy as _
from drf_spectacular.types import OpenApiTypes
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


class TooLong(Fault, code="too-long"):
    sentence = _("This is too long to be computed here.")


class TooLongForStrangers(TooLong):
    sentence = _("Without a token this is too long to be computed here.")


class TooMuchForStrangers(Fault, code="too-large"):
    sentence = _("Without a token this takes too much work to be computed here.")


AGAIN_AFTER = 1
"""Seconds after which it is worth asking again."""


@dataclass(frozen=True)
class Limits:
    """How long lists may be; `is_slow` says that even a small document takes longer than a page."""

    strangers: Mapping[str, int]
    accounts: Mapping[str, int]
    is_slow: bool


# A whole game has some sixty entries. Each is held against all before it.
GAME = Limits({"entries": 200}, {"entries": 1_000}, is_slow=False)

# `avoid` are pairs to be kept apart, `fixed` groups to be seated together. Twice as many entrants
# at tables of two take four times as long.
PAIRING = {
    2: Limits(
        {"entrants": 100, "rounds": 20, "avoid": 200, "fixed": 100},
        {"entrants": 500, "rounds": 100, "avoid": 500, "fixed": 500},
        is_slow=True,
    ),
    4: Limits(
        {"entrants": 200, "rounds": 20, "avoid": 200, "fixed": 100},
        {"entrants": 1_000, "rounds": 100, "avoid": 500, "fixed": 500},
        is_slow=True,
    ),
}

STRANGERS_PAIRING = 12_000
"""The work of a field (`engine.work`): most of 100 entrants take 4,050, the hardest of 28 11,100"""

DOCUMENT = Limits(
    {"entrants": 200, "rounds": 20, "games": 2_000},
    {"entrants": 1_000, "rounds": 100, "games": 100_000},
    is_slow=True,
)
"""A document that is verified; `games` are those of a history of ratings."""


def too_long(document: Any, limits: Mapping[str, int], kind: type[TooLong]) -> list[TooLong]:
    """Return a fault for each list of a document that is longer than its limit."""
    lists = document if isinstance(document, dict) else {}
    return [
        kind(data={"most": limit, "got": len(lists[name])}, where=name)
        for name, limit in limits.items()
        if isinstance(lists.get(name), list) and len(lists[name]) > limit
    ]


def kind_of(request: Request) -> str:
    """Return the kind of place for a request: that of accounts only with a personal token."""
    return "accounts" if isinstance(request.auth, ScopedToken) else "strangers"


class ComputedView(BaseAPIView):
    """Answers with a computed document, within the limits on its lists."""

    scope = None
    permission = staticmethod(anybody)
    is_idempotent = False
    limits = GAME

    def get_limits(self, document: Any) -> Limits:
        return self.limits

    def compute(self, document: Any) -> Json:
        raise NotImplementedError

    def post(self, request: Request) -> Response:
        document, kind = request.data, kind_of(request)
        limits = self.get_limits(document)
        large = too_long(document, limits.strangers, TooLongForStrangers)
        faults = too_long(document, limits.accounts, TooLong)
        if kind == "strangers":
            faults = faults or large
        if faults:
            raise Invalid(faults=faults)
        # What is quick needs no place.
        needs_place = large or limits.is_slow
        with place_to_compute(kind) if needs_place else nullcontext(enter_result=True) as is_free:
            if not is_free:
                raise Throttled(wait=AGAIN_AFTER)
            computed = self.compute(document)
        # Only now: in the transaction of a key nobody else could write meanwhile.
        return run_once((), lambda _request: Response(computed), request)


class ScoreGameView(ComputedView):
    """Check and score a game without storing it.

    An impossible game is answered, too: `valid` is false and `problems` say why. A game may
    have 200 entries, and with a token 1,000.
    """

    request_serializer_class = component("GameRecord")
    serializer_class: Any = component("ResultRecord")

    def compute(self, document: Any) -> Json:
        return write_result(read_game(document))


class PairView(ComputedView):
    """Seat the next round of a field without storing it.

    A field that cannot be seated is answered, too: `problems` say why.

    A field may have 200 entrants (100 at tables of two), 20 rounds, 200 of `avoid` and 100 of
    `fixed`. With a token it may have 1,000 entrants (500 at tables of two), 100 rounds, and 500
    each of `avoid` and `fixed`. More is refused with 422 at its list. Without a token a field
    that takes more than about half a second is refused, too (`too-large`).

    Few fields are seated at a time: 429 says when to try again.
    """

    request_serializer_class = component("PairingRecord")
    serializer_class: Any = component("SeatingRecord")

    def get_limits(self, document: Any) -> Limits:
        size = document.get("table_size", 4) if isinstance(document, dict) else 4
        # Another size is a fault, which the engine finds at once.
        return PAIRING[2 if size == 2 else 4]

    def compute(self, document: Any) -> Json:
        if kind_of(self.request) == "accounts":
            return seat_document(document)
        try:
            with limited_work(STRANGERS_PAIRING):
                return seat_document(document)
        except TooMuchWork as much:
            raise Invalid(faults=[TooMuchForStrangers()]) from much


class VerifyView(ComputedView):
    """Recompute an exported document, and compare each point with what was published.

    The document is a tournament, a history of ratings, or a game. `outcome` is `same`,
    `differs`, or `unknown` where nothing can be recomputed.

    A document may have 200 entrants, 20 rounds and 2,000 rated games; with a token 1,000
    entrants, 100 rounds and 100,000 games. A larger one is refused with `too-large`.

    Without a token about half a second of work is done: the games, and a draw or two. With a
    token, and by `manage.py verify`, a whole evening is recomputed. A point that takes more work
    is `unknown` with the code `too-large`, or `too-many` for draws.

    Few documents are verified at a time: 429 says when to try again.
    """

    request_serializer_class = OpenApiTypes.OBJECT
    serializer_class: Any = component("VerificationRecord")
    limits = DOCUMENT

    def compute(self, document: Any) -> Json:
        is_known = kind_of(self.request) == "accounts"
        return write_verification(verify(document, MOST_WORK if is_known else STRANGERS_WORK))


class PrintedCodeSerializer(serializers.Serializer[StoredCode]):
    """A printed code: what is stored with it, and its event if it may be seen."""

    kind = serializers.ChoiceField(choices=["game", "round", "tournament"])
    event = serializers.CharField(
        source="event.public_id",
        allow_null=True,
        help_text="The id of the event; null if there is none that you may see.",
    )


class PrintedCodeView(BaseAPIView):
    read_permission = staticmethod(anybody)
    serializer_class = PrintedCodeSerializer

    def get(self, _request: Request, code: str) -> Response:
        """Check whether a printed code is that of a game, round or tournament as stored now.

        If not, the answer is 404: it has changed since it was printed, or the code is mistyped.
        """
        if not consume(self.http_request, action="verify_code"):
            raise Throttled
        found = find_code(digits_of(code) or "-", account_of(self.http_request))
        if found is None:
            raise NotFound
        return self.respond(found)
