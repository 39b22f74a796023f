"""Addresses of the match of a game: its score, and its next game."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import game_of_key, has_scope, readable_game, token_of
from tournaments.api.fields import PointsField, UncachedSerializer
from tournaments.api.games.serializers import GameSerializer, StartedGameSerializer
from tournaments.api.games.writing import GONE, game_to_write, key_of, tag_of, writer
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Game, Match, Scope
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.games.tables import MatchSoFar, load_match, start_next_game
from tournaments.texts import labels


class LaterGameSerializer(UncachedSerializer):
    """The game after another one.

    The key to `follow` it is shown to holders of a key of a game of the match, and to directors
    whose token may score; else it is null.
    """

    id = serializers.CharField(source="public_id")
    follow = serializers.SerializerMethodField()

    def get_follow(self, row: Game) -> str | None:
        return token_of(row, "follow") if self.context["tells_keys"] else None


class MatchSerializer(serializers.Serializer[MatchSoFar]):
    """A match: games won and points carried into the next game, per side.

    `winners` are the sides that have won it, empty while it goes on; `next` is the game after
    this one.
    """

    length = serializers.ChoiceField(Match.Length.choices, source="row.length")
    number = serializers.IntegerField(source="row.number")
    games = serializers.SerializerMethodField()
    won = serializers.ListField(child=serializers.IntegerField(), source="score.won")
    carry = serializers.ListField(child=PointsField(), source="score.carry")
    over = serializers.BooleanField(source="score.over")
    winners = serializers.ListField(child=serializers.IntegerField(), source="score.winners")
    next = serializers.SerializerMethodField()

    def get_games(self, match: MatchSoFar) -> list[str]:
        return [sheet.row.public_id for sheet in match.sheets]

    @extend_schema_field(LaterGameSerializer(allow_null=True))
    def get_next(self, match: MatchSoFar) -> Any:
        following = match.after(self.context["game"])
        return following and LaterGameSerializer(following, context=self.context).data


class MatchOfGame(Resource):
    @extend_schema(responses=MatchSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The current state of the match of a game."""
        games = readable_game(request, public_id).filter(match__isnull=False)
        row = get_object_or_404(games.select_related("match"))
        assert row.match is not None
        tells = _tells_keys(request, row)
        context = {**self.get_serializer_context(), "game": row, "tells_keys": tells}
        return Response(MatchSerializer(load_match(row.match), context=context).data)


def _tells_keys(request: Request, row: Game) -> bool:
    """Return whether a reader of a game also gets the keys of its match.

    Whoever only sees the game, as that of a published evening, gets none that lasts longer.
    """
    if game_of_key(request).filter(match=row.match_id).exists():
        return True
    directed = Game.objects.directed_by(request.user).filter(pk=row.pk)
    return has_scope(request, Scope.SCORE) and directed.exists()


class NextOfMatch(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=None, responses={201: StartedGameSerializer, 200: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Open the next game of a match; points carried over become its first entry.

        201 with its keys; 200 without, where it had been opened already.
        """
        row = game_to_write(request, public_id)
        key, reason, now = key_of(request), labels.option_name("laps"), timezone.now()
        game, opened = start_next_game(row.pk, at=now, key=key, reason=reason, by=writer(self, row))
        shape, status = (StartedGameSerializer, 201) if opened else (GameSerializer, 200)
        place = request.path.replace(f"{public_id}/next-game", game.public_id)
        tag = tag_of(game)
        return self.shown(shape, load_sheet(game), status, Location=place, ETag=tag)
