"""Addresses of games: look for them, start one, read it, change its head, delete it."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.cache import get_conditional_response
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import games_opened, readable_game
from tournaments.api.choosing import expand, expanding
from tournaments.api.games.filters import GameFilter
from tournaments.api.games.serializers import (
    GameLineSerializer,
    GameSerializer,
    GameSetupSerializer,
    NewGameSerializer,
    StartedGameSerializer,
)
from tournaments.api.games.starting import start
from tournaments.api.games.writing import (
    GONE,
    game_to_write,
    revision_of,
    tag_of,
    told_of,
    write_context,
    written,
)
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Event, Game, Scope
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.games.playing import GameSetup, change_head, delete_game
from tournaments.services.games.writing import StaleRevision


class Games(Resource):
    scope = None
    queryset = Game.objects.none()
    filterset_class = GameFilter
    ordering_fields = ["played_at", "ruleset"]
    ordering = ["-played_at"]
    chosen = GameLineSerializer

    @extend_schema(parameters=[expand(GameLineSerializer)], responses=GameLineSerializer(many=True))
    def get(self, request: Request) -> Response:
        """The games of clubs that the token may see, and the one its key opens."""
        listed = Event.objects.listed_for(request.user)
        games = Game.objects.filter(table__round__event__in=listed)
        games = games.results_visible_to(request.user) | games_opened(request)
        where = ("table__round__event__club", "table__round__event__tournament")
        return self.pages_of(GameLineSerializer, games.select_related("match", *where))

    @extend_schema(request=NewGameSerializer, responses={201: StartedGameSerializer})
    @idempotent
    def post(self, request: Request) -> Response:
        """Start a game at an open table; its keys give access to write and to follow it.

        A whole record is taken over with all its entries, at most 200, or not at all.
        """
        row = start(self.said(NewGameSerializer), request.user, at=timezone.now())
        place = f"{request.path}{row.public_id}/"
        tag = tag_of(row)
        return self.shown(StartedGameSerializer, load_sheet(row), 201, Location=place, ETag=tag)


class OneGame(Resource):
    scope = Scope.SCORE
    refusals = GONE
    chosen = GameSerializer

    @extend_schema(parameters=[expand(GameSerializer)], responses=GameSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The current game; its entity tag is the revision, but of an expanded one."""
        row = get_object_or_404(readable_game(request, public_id).select_related("match", "table"))
        if expanding(request):
            return self.shown(GameSerializer, load_sheet(row))
        unchanged: Any = get_conditional_response(self.visitor, etag=tag_of(row))
        if unchanged is not None:
            unchanged["ETag"] = tag_of(row)
            return unchanged  # type: ignore[no-any-return]
        return self.shown(GameSerializer, load_sheet(row), ETag=tag_of(row))

    @extend_schema(request=GameSetupSerializer, responses=GameSerializer)
    def patch(self, request: Request, public_id: str) -> Response:
        """Correct names, seats, first declarer, options, title or place; the game is scored anew.

        At a club's table the names say which of its players sit where.
        """
        row = game_to_write(request, public_id)
        said = self.said(GameSetupSerializer)
        stays = ("players", "first_declarer", "options", "title", "place")
        head = GameSetup(row.ruleset, **{name: getattr(row, name) for name in stays})
        changed = replace(head, **said)
        with told_of(changed.players):
            sheet = change_head(row.pk, changed, write_context(self, row, ""))
        return written(self, sheet)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, public_id: str) -> Response:
        """Delete a game at an open table with all that was written; it cannot be undone.

        A club's game is removed by its directors, with the table.
        """
        row = game_to_write(request, public_id)
        with transaction.atomic():
            locked = get_object_or_404(Game.objects.select_for_update(), pk=row.pk, table=None)
            if revision_of(request, locked) != locked.revision:
                raise StaleRevision(load_sheet(locked))
            delete_game(locked.pk)
        return Response(status=204)
