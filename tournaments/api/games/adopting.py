"""The address at which an open table is taken into a club's evening."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LineField, Strict
from tournaments.api.games.serializers import GameSerializer
from tournaments.api.games.writing import written
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.engine.rules.rulesets import LONGEST_NAME, Code, InvalidEntry, Problem
from tournaments.models import Event, Game, Round, Scope, Visitor
from tournaments.models.games import GameQuerySet
from tournaments.queries.games.sheets import load_sheet
from tournaments.services.games.tables import adopt_game


class AdoptionSerializer(Strict):
    """Into which round the game is taken, with its `write` key, and who sits there.

    `players` are names in seat order, as the sheet has them where they are left out; whom the
    club does not have is added.
    """

    key = serializers.CharField(max_length=200)
    event = serializers.CharField(max_length=16)
    round = serializers.IntegerField(min_value=1, max_value=32_767)
    players = serializers.ListField(
        child=LineField(max_length=LONGEST_NAME), max_length=4, required=False
    )


class Adopt(Resource):
    scope = Scope.DIRECT

    @extend_schema(request=AdoptionSerializer, responses=GameSerializer)
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Take an open table, with all games of its match, into an open round of an evening.

        For a director who also has the key that writes it.
        """
        user, said = self.account, self.said(AdoptionSerializer)
        row = get_object_or_404(_at(public_id, said["key"], user))
        # Of tournaments it is drawn who sits where.
        events = Event.objects.directed_by(user).filter(tournament=None)
        round_ = get_object_or_404(
            Round, event__in=events.filter(public_id=said["event"]), number=said["round"]
        )
        who = said.get("players") or row.players
        if len(who) != len(row.players):
            wrong = Problem(
                Code.WRONG_PLAYERS, "players", {"expected": len(row.players), "got": len(who)}
            )
            raise InvalidEntry([wrong])
        adopt_game(row.pk, round_.pk, who, self.actor, at=timezone.now())
        return written(self, load_sheet(Game.objects.get(pk=row.pk)))


def _at(public_id: str, key: str, user: Visitor) -> GameQuerySet:
    kind, _dot, rest = key.partition(".")
    named, _dot, secret = rest.partition(".")
    if (kind, named) != ("write", public_id):
        return Game.objects.none()
    return Game.objects.writable_at(public_id, secret, user).filter(table=None)
