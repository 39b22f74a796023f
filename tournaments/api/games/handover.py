"""Addresses of the keys of a game: shown to the scorer, and taken over."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import takeable_game
from tournaments.api.games.serializers import GameKeysSerializer
from tournaments.api.games.writing import game_to_write, key_of, writer
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Scope
from tournaments.services.games.playing import hand_over


class Keys(Resource):
    scope = reading_scope = Scope.SCORE

    @extend_schema(responses=GameKeysSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The keys of a game, for whoever may write it; a token needs the scope `score`."""
        return self.shown(GameKeysSerializer, game_to_write(request, public_id))


class TakeScoring(Resource):
    scope = Scope.SCORE

    @extend_schema(request=None, responses=GameKeysSerializer)
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Take over the scoring with its key; earlier writers can then only follow."""
        row = get_object_or_404(takeable_game(request, public_id).select_related("table"))
        now = timezone.now()
        taken = hand_over(row.pk, row.write_generation, key_of(request), writer(self, row), at=now)
        return self.shown(GameKeysSerializer, taken)
