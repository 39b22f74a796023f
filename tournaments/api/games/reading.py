"""Addresses at which a game is read: its record, its result, its log, and the next entry's form."""

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import readable_game
from tournaments.api.games.form import EntryFormSerializer
from tournaments.api.games.serializers import GameRevisionSerializer
from tournaments.api.games.writing import game_to_write, tag_of
from tournaments.api.schema import component
from tournaments.api.views import Resource
from tournaments.engine.documents.games import Reading, write_result
from tournaments.models import Revision
from tournaments.queries.games.sheets import Sheet, load_sheet


class GameDocument(Resource):
    @extend_schema(responses={200: component("GameRecord")})
    def get(self, request: Request, public_id: str) -> Response:
        """The game as a `kingscore-game/1` document."""
        return Response(_sheet(request, public_id).record)


class Result(Resource):
    @extend_schema(responses={200: component("ResultRecord")})
    def get(self, request: Request, public_id: str) -> Response:
        """The game as a `kingscore-result/1` document."""
        return Response(write_result(Reading(_sheet(request, public_id).game)))


class GameForm(Resource):
    @extend_schema(responses=EntryFormSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The possible next entries: the rules, the player on turn, and the contracts left."""
        sheet = _sheet(request, public_id)
        return self.shown(EntryFormSerializer, sheet, ETag=tag_of(sheet.row))


class Log(Resource):
    queryset = Revision.objects.none()
    filterset_fields = ["kind", "position"]
    ordering_fields = ["revision"]
    ordering = ["revision"]

    @extend_schema(responses=GameRevisionSerializer(many=True))
    def get(self, request: Request, public_id: str) -> Response:
        """Every write of the sheet, also of what was taken off it, for whoever may write it."""
        row = game_to_write(request, public_id)
        return self.pages_of(GameRevisionSerializer, row.revisions.all())


def _sheet(request: Request, public_id: str) -> Sheet:
    return load_sheet(get_object_or_404(readable_game(request, public_id)))
