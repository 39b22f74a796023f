"""A game scored and a round seated, from their records."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from tournaments.api.problems import Json
from tournaments.api.records.limits import computed, most_of_game, most_of_pairing
from tournaments.api.schema import component
from tournaments.api.views import Resource
from tournaments.engine.documents.pairing_records import seat_document
from tournaments.engine.documents.records import read_game, write_result

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
        `avoid` and `fixed`. More is 413 without a token. Few are seated at a time: 429 says when
        to ask again.
        """
        return seat_document(request.data)
