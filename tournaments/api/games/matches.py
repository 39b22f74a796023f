"""Addresses of the match of a game: how it stands, and its next game."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments import words
from tournaments.api.access import readable_game, token_of
from tournaments.api.fields import PointsField
from tournaments.api.games.refusals import tag_of
from tournaments.api.games.serializers import GameSerializer, StartedGameSerializer
from tournaments.api.games.writing import GONE, game_to_write, key_of, writer
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Game, Match, Scope
from tournaments.queries import load_sheet
from tournaments.services.play.matches import MatchSoFar, load_match, start_next_game


class LaterGameSerializer(serializers.Serializer[Game]):
    """The game after another one, with the key to follow it."""

    id = serializers.CharField(source="public_id")
    follow = serializers.SerializerMethodField()

    def get_follow(self, row: Game) -> str:
        return token_of(row, "follow")


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
        return following and LaterGameSerializer(following).data


class MatchOfGame(Resource):
    """`/games/{id}/match/`."""

    @extend_schema(responses=MatchSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The match of a game as it stands."""
        games = readable_game(request, public_id).filter(match__isnull=False)
        row = get_object_or_404(games.select_related("match"))
        assert row.match is not None
        context = {**self.get_serializer_context(), "game": row}
        return Response(MatchSerializer(load_match(row.match), context=context).data)


class NextGame(Resource):
    """`/games/{id}/next-game/`."""

    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=None, responses={201: StartedGameSerializer, 200: GameSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Open the next game of a match; what is carried into it is written down.

        201 with its keys; 200 without, where it had been opened already.
        """
        row = game_to_write(request, public_id)
        key, reason, now = key_of(request), words.option_name("laps"), timezone.now()
        game, opened = start_next_game(row.pk, at=now, key=key, reason=reason, by=writer(self, row))
        shape, status = (StartedGameSerializer, 201) if opened else (GameSerializer, 200)
        place = request.path.replace(f"{public_id}/next-game", game.public_id)
        tag = tag_of(game)
        return self.shown(shape, load_sheet(game), status, Location=place, ETag=tag)
