"""The evening of an open table: its games, and the tally of those that are finished."""

from dataclasses import dataclass
from typing import Any

from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import evening_of_key, token_of
from tournaments.api.fields import Moment, PointsField, UncachedSerializer
from tournaments.api.views import BaseAPIView
from tournaments.engine.play.outcomes import settle_evening, tally
from tournaments.models import OpenTable
from tournaments.queries.evenings import finished_games
from tournaments.queries.sheets import Sheet, load_sheets


@dataclass(frozen=True)
class SeenEvening:
    """An open table with the sheets of its games, in order."""

    table: OpenTable
    sheets: list[Sheet]


class PlayedGameSerializer(serializers.Serializer[Sheet]):
    """A game of an evening; totals and ranks are per side, and `follow` is its key."""

    number = serializers.IntegerField(source="row.number")
    id = serializers.CharField(source="row.public_id")
    follow = serializers.SerializerMethodField()
    ruleset = serializers.CharField(source="row.ruleset")
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    resting = serializers.ListField(child=serializers.CharField(), source="row.resting")
    played_at = Moment(source="row.played_at")
    finished = serializers.BooleanField(source="game.finished")
    totals = serializers.ListField(child=PointsField(), source="game.totals")
    ranks = serializers.ListField(child=serializers.IntegerField(), source="outcome.ranks")

    def get_follow(self, sheet: Sheet) -> str:
        return token_of(sheet.row, "follow")


class PlayerTallySerializer(UncachedSerializer):
    """A player's finished games: `places` says how often each place was taken, the first first."""

    name = serializers.CharField()
    games = serializers.IntegerField()
    won = serializers.IntegerField()
    points = PointsField()
    average = PointsField()
    places = serializers.SerializerMethodField()

    def get_places(self, standing: Any) -> list[int]:
        return list(standing.places())


class PaymentSerializer(UncachedSerializer):
    """Money from one player to another."""

    payer = serializers.CharField()
    payee = serializers.CharField()
    amount = PointsField()


class EveningSerializer(serializers.Serializer[SeenEvening]):
    """The evening of an open table.

    The tally is in the order of games won, then points. `payments` settle all games with a stake;
    null where there is none.
    """

    id = serializers.CharField(source="table.public_id")
    created_at = Moment(source="table.created_at")
    games = PlayedGameSerializer(many=True, source="sheets")
    tally = serializers.SerializerMethodField()
    payments = serializers.SerializerMethodField()

    @extend_schema_field(PlayerTallySerializer(many=True))
    def get_tally(self, seen: SeenEvening) -> Any:
        standings = tally(finished_games(seen.sheets))
        return PlayerTallySerializer(standings, many=True).data

    @extend_schema_field(PaymentSerializer(many=True, allow_null=True))
    def get_payments(self, seen: SeenEvening) -> Any:
        settled = settle_evening(finished_games(seen.sheets))
        if settled is None:
            return None
        names, payments = settled
        rows = [
            {"payer": names[each.payer], "payee": names[each.payee], "amount": each.amount}
            for each in payments
        ]
        return PaymentSerializer(rows, many=True).data


class EveningView(BaseAPIView):
    serializer_class = EveningSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """The evening of an open table, for whoever has its key `evening.{id}.{secret}`.

        `id` and `secret` come from the address at which it is followed.
        """
        table = get_object_or_404(evening_of_key(request, public_id))
        games = table.games.order_by("number")
        return self.respond(SeenEvening(table, load_sheets(games)))
