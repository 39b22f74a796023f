"""A game scored and a round seated, from their records."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.records.limits import check_game, check_pairing
from tournaments.api.schema import component
from tournaments.api.views import Resource
from tournaments.engine.pairing_records import seat_document
from tournaments.engine.records import read_game, write_result

JSON = "application/json"


class Score(Resource):
    """`/score/`."""

    scope = None

    @extend_schema(
        request={JSON: component("GameRecord")}, responses={200: component("ResultRecord")}
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Check and score a game without storing it.

        A game that cannot be is answered, too: `valid` is false and `problems` say why. It may
        have 1,000 entries.
        """
        check_game(request.data)
        return Response(write_result(read_game(request.data)))


class Pair(Resource):
    """`/pair/`."""

    scope = None

    @extend_schema(
        request={JSON: component("PairingRecord")}, responses={200: component("SeatingRecord")}
    )
    @idempotent
    def post(self, request: Request) -> Response:
        """Seat the next round of a field without storing it.

        A field that cannot be seated is answered, too: `problems` say why. It may have 1,000
        entrants, or 500 at tables of two; 100 rounds; and 500 each of `avoid` and `fixed`.
        """
        check_pairing(request.data)
        return Response(seat_document(request.data))
