"""Addresses at which players confirm the result of a club's game."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import readable_game
from tournaments.api.fields import Strict
from tournaments.api.games.writing import GONE, game_to_write, revision_of, writer
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Event, Game, Scope
from tournaments.services.games.playing import (
    Agreement,
    NotSeated,
    agreement_of,
    confirm_own_result,
    confirm_result,
    own_seat,
)


class ConfirmationSerializer(Strict):
    """The seat, from 0, for which the phone of the table confirms; left out: one's own."""

    seat = serializers.IntegerField(required=False, min_value=0, max_value=3)


class ConfirmationsSerializer(serializers.Serializer[Agreement]):
    """The seats that have confirmed the current result, and how many must."""

    revision = serializers.SerializerMethodField()
    confirmed = serializers.ListField(child=serializers.IntegerField())
    missing = serializers.ListField(child=serializers.IntegerField())
    needed = serializers.IntegerField()
    enough = serializers.BooleanField()

    def get_revision(self, _agreement: Agreement) -> int:
        revision: int = self.context["game"].revision
        return revision


class GameConfirmations(Resource):
    scope = Scope.SCORE
    refusals = GONE
    if_match = {"POST": True}

    @extend_schema(responses=ConfirmationsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The confirmations of the current result of a club's game."""
        games = readable_game(request, public_id).filter(table__isnull=False)
        return self._agreement(get_object_or_404(games))

    @extend_schema(request=ConfirmationSerializer, responses={201: ConfirmationsSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Confirm the result: for a seat with the key of the table, or as one of its players.

        `If-Match` says which revision was looked at.
        """
        seat = self.said(ConfirmationSerializer).get("seat")
        now = timezone.now()
        if seat is None:
            row = _own_game(self, public_id)
            revision = revision_of(request, row, must_match=True)
            sheet = confirm_own_result(row.pk, revision, self.actor, at=now)
        else:
            row = game_to_write(request, public_id)
            revision = revision_of(request, row, must_match=True)
            sheet = confirm_result(row.pk, seat, revision, writer(self, row), at=now)
        return self._agreement(sheet.row, 201)

    def _agreement(self, row: Game, status: int = 200) -> Response:
        event = Event.objects.get(rounds__tables=row.table_id)
        agreement = agreement_of(row, event.confirmations, row.confirmations.all())
        context = {**self.get_serializer_context(), "game": row}
        data = ConfirmationsSerializer(agreement, context=context).data
        return Response(data, status)


def _own_game(view: Resource, public_id: str) -> Game:
    """The game at which whoever asks has sat, whether or not they may look at its evening."""
    games = Game.objects.named(public_id).filter(table__isnull=False)
    row = games.first()
    if row is None or own_seat(row, view.actor) is None:
        raise NotSeated
    return row
