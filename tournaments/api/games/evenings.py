"""The evening of an open table: its games, and the tally of those that are finished."""

from typing import Any

from django.shortcuts import get_object_or_404
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import evening_of_key
from tournaments.api.fields import Moment, PointsField
from tournaments.api.games.serializers import KeyField
from tournaments.api.views import BaseAPIView
from tournaments.engine.play.outcomes import settle_evening, tally
from tournaments.queries.evenings import finished_games
from tournaments.queries.sheets import Sheet, load_sheets


class PlayedGameSerializer(serializers.Serializer[Sheet]):
    """A game of an evening; totals and ranks are per side, and `follow` is its key."""

    number = serializers.IntegerField(source="row.number")
    id = serializers.CharField(source="row.public_id")
    follow = KeyField("follow", "row")
    ruleset = serializers.CharField(source="row.ruleset")
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    resting = serializers.ListField(child=serializers.CharField(), source="row.resting")
    played_at = Moment(source="row.played_at")
    finished = serializers.BooleanField(source="game.finished")
    totals = serializers.ListField(child=PointsField(), source="game.totals")
    ranks = serializers.ListField(child=serializers.IntegerField(), source="outcome.ranks")


class PlayerTallySerializer(serializers.Serializer[Any]):
    """A player's finished games: `places` says how often each place was taken, the first first."""

    name = serializers.CharField()
    games = serializers.IntegerField()
    won = serializers.IntegerField()
    points = PointsField()
    average = PointsField()
    places = serializers.ListField(child=serializers.IntegerField())


class PaymentSerializer(serializers.Serializer[Any]):
    """Money from one player to another."""

    payer = serializers.CharField()
    payee = serializers.CharField()
    amount = PointsField()


class EveningSerializer(serializers.Serializer[Any]):
    """The evening of an open table.

    The tally is in the order of games won, then points. `payments` settle all games with a stake;
    null where there is none.
    """

    id = serializers.CharField(source="table.public_id")
    created_at = Moment(source="table.created_at")
    games = PlayedGameSerializer(many=True, source="sheets")
    tally = PlayerTallySerializer(many=True)
    payments = PaymentSerializer(many=True, allow_null=True)


class EveningView(BaseAPIView):
    read_permission = staticmethod(evening_of_key)
    serializer_class = EveningSerializer

    def resolve_parents(self) -> None:
        self.tables = self.get_permission()(self.request, **self.kwargs)

    def get(self, request: Request, public_id: str) -> Response:
        """The evening of an open table, for whoever has its key `evening.{id}.{secret}`.

        `id` and `secret` come from the address at which it is followed.
        """
        table = get_object_or_404(self.tables)
        sheets = load_sheets(table.games.order_by("number"))
        finished = finished_games(sheets)
        settled, payments = settle_evening(finished), None
        if settled is not None:
            names, due = settled
            payments = [
                {"payer": names[each.payer], "payee": names[each.payee], "amount": each.amount}
                for each in due
            ]
        evening = {"table": table, "sheets": sheets, "payments": payments}
        return self.respond({**evening, "tally": tally(finished)})
