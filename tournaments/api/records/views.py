"""A game scored, a round seated and a document verified, from their records."""

from allauth.core.ratelimit import consume
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.exceptions import NotFound, Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.problems import Json
from tournaments.api.records.limits import (
    STRANGERS_PAIRING,
    TooMuchForStrangers,
    computed,
    kind_of,
    most_of_document,
    most_of_game,
    most_of_pairing,
)
from tournaments.api.schema import component
from tournaments.api.views import Resource
from tournaments.engine.documents.games import digits_of, read_game, write_result
from tournaments.engine.documents.pairings import seat_document
from tournaments.engine.documents.results import write_verification
from tournaments.engine.documents.verify import MOST_WORK, STRANGERS_WORK, verify
from tournaments.engine.work import TooMuchWork, limited_work
from tournaments.permissions import account_of
from tournaments.queries.digests import StoredCode, find_code
from tournaments.services.base.writes import Invalid

JSON = "application/json"


class ScoreGame(Resource):
    scope = None

    @extend_schema(
        request={JSON: component("GameRecord")}, responses={200: component("ResultRecord")}
    )
    @computed(most_of_game)
    def post(self, request: Request) -> Json:
        """Check and score a game without storing it.

        A game that cannot be is answered, too: `valid` is false and `problems` say why. It may
        have 200 entries, and with a token 1,000.
        """
        return write_result(read_game(request.data))


class Pair(Resource):
    scope = None

    @extend_schema(
        request={JSON: component("PairingRecord")}, responses={200: component("SeatingRecord")}
    )
    @computed(most_of_pairing)
    def post(self, request: Request) -> Json:
        """Seat the next round of a field without storing it.

        A field that cannot be seated is answered, too: `problems` say why. It may have 200
        entrants, or 100 at tables of two; 20 rounds; 200 of `avoid` and 100 of `fixed`. With a
        token it may have 1,000 entrants, or 500 at tables of two; 100 rounds; and 500 each of
        `avoid` and `fixed`. More is 422 at its list, and without a token also a field that takes
        more than about half a second (`too-large`). Few are seated at a time: 429 says when to ask
        again.
        """
        if kind_of(request) == "accounts":
            return seat_document(request.data)
        try:
            with limited_work(STRANGERS_PAIRING):
                return seat_document(request.data)
        except TooMuchWork as much:
            raise Invalid(faults=[TooMuchForStrangers()]) from much


class Verify(Resource):
    scope = None

    @extend_schema(
        request={JSON: OpenApiTypes.OBJECT}, responses={200: component("VerificationRecord")}
    )
    @computed(most_of_document)
    def post(self, request: Request) -> Json:
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
        is_known = kind_of(request) == "accounts"
        return write_verification(verify(request.data, MOST_WORK if is_known else STRANGERS_WORK))


class PrintedCodeSerializer(serializers.Serializer[StoredCode]):
    """A printed code: what is stored with it, and its event if it may be seen."""

    kind = serializers.ChoiceField(choices=["game", "round", "tournament"])
    event = serializers.SerializerMethodField()

    def get_event(self, found: StoredCode) -> str | None:
        """Return the id of the event; null if there is none that you may see."""
        return None if found.event is None else found.event.public_id


class PrintedCode(Resource):
    @extend_schema(responses={200: PrintedCodeSerializer})
    def get(self, _request: Request, code: str) -> Response:
        """Whether a printed code is that of a game, round or tournament as it is stored now.

        404 if not: it has changed since it was printed, or the code is mistyped.
        """
        if not consume(self.visitor, action="verify_code"):
            raise Throttled
        found = find_code(digits_of(code) or "-", account_of(self.visitor))
        if found is None:
            raise NotFound
        return Response(PrintedCodeSerializer(found).data)
