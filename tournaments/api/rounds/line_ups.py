"""Addresses of line-ups: who of each team plays in a round."""

from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LineField, Strict
from tournaments.api.idempotency import idempotent
from tournaments.api.rounds.serializers import EntrantNumbersField
from tournaments.api.views import Resource
from tournaments.engine.rules.entries import SMALL
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.engine.standings.tournament_settings import LARGEST_LINE_UP
from tournaments.models import Round, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import directed_tournament, role_in, seen_tournament
from tournaments.presenters.rounds.line_ups import TeamLineUp, line_ups_of
from tournaments.queries.tournaments.state import load_state
from tournaments.services.rounds.late_changes import Replacement, replace_player
from tournaments.services.rounds.line_ups import LineUp, put_line_up
from tournaments.services.rounds.pairing import key_of
from tournaments.services.tournaments.lifecycle import lock_tournament
from tournaments.texts.labels import ABSENCES


class AbsentPlayerSerializer(serializers.Serializer[Any]):
    """A player of a line-up who is not here for the round, and why."""

    entrant = serializers.IntegerField(source="entrant.number")
    reason = serializers.ChoiceField(choices=list(ABSENCES), source="absence")


class TeamLineUpSerializer(serializers.Serializer[Any]):
    """Who of a team plays in a round.

    It is `named` for this round, or as in the round before. `missing` seats stay empty; `absent`
    are players of the line-up who are not here.
    """

    team = serializers.CharField()
    named = serializers.BooleanField()
    players = EntrantNumbersField()
    reserves = EntrantNumbersField()
    missing = serializers.IntegerField()
    absent = serializers.SerializerMethodField()

    @extend_schema_field(AbsentPlayerSerializer(many=True))
    def get_absent(self, row: TeamLineUp) -> Any:
        absent = [each for each in row.members if each.plays and each.absence]
        return AbsentPlayerSerializer(absent, many=True).data


class LineUpsSerializer(serializers.Serializer[Any]):
    """The line-ups of a round, with `size` players of each team; none if everybody plays."""

    round = serializers.IntegerField()
    size = serializers.IntegerField()
    teams = TeamLineUpSerializer(many=True)


class NamedLineUpSerializer(Strict):
    """Who of a team is to play; the others are reserves."""

    team = LineField(max_length=LONGEST_NAME)
    players = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=SMALL), max_length=LARGEST_LINE_UP
    )


class NamedLineUpsSerializer(Strict):
    """The line-ups to change; other teams keep theirs."""

    teams = NamedLineUpSerializer(many=True)


class ReplaceSerializer(Strict):
    """A player of a published round, and the reserve of the same team who takes the chair."""

    player = serializers.IntegerField(min_value=1, max_value=SMALL)
    reserve = serializers.IntegerField(min_value=1, max_value=SMALL)


class OfLineUps(Resource):
    """Base of the addresses of line-ups."""

    def line_ups(self, row: Tournament, number: int) -> dict[str, Any]:
        """The line-ups of a round of the tournament, which may not be seated yet."""
        state = load_state(row)
        if not 1 <= number <= state.settings.rounds:
            raise Http404
        return {
            "round": number,
            "size": state.settings.line_up,
            "teams": line_ups_of(state, number),
        }


class LineUps(OfLineUps):
    @extend_schema(responses=LineUpsSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Who of each team plays; until the round is published, for directors."""
        row = seen_tournament(self.visitor, slug, tournament)
        if role_in(self.visitor, row.event.club) not in DIRECTING:
            published = Round.objects.filter(event=row.event, published_at__isnull=False)
            get_object_or_404(published, number=number)
        return self.shown(LineUpsSerializer, self.line_ups(row, number))

    @extend_schema(request=NamedLineUpsSerializer, responses=LineUpsSerializer)
    def patch(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Name line-ups of a round that is not published yet, all of them or none."""
        row = directed_tournament(self.visitor, slug, tournament)
        said = self.said(NamedLineUpsSerializer)["teams"]
        with transaction.atomic():
            row = lock_tournament(row.pk)
            self.check_unchanged(LineUpsSerializer, self.line_ups(row, number))
            for each in said:
                players = [key_of(entrant) for entrant in each["players"]]
                named = LineUp(number, each["team"], players)
                put_line_up(row.pk, named, self.actor, at=timezone.now())
        row.refresh_from_db()
        return self.shown(LineUpsSerializer, self.line_ups(row, number))


class Replace(OfLineUps):
    @extend_schema(request=ReplaceSerializer, responses=LineUpsSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let a reserve take a player's chair in a published round, before the table begins."""
        row = directed_tournament(self.visitor, slug, tournament)
        round_ = get_object_or_404(Round, event=row.event, number=number)
        said = self.said(ReplaceSerializer)
        replacement = Replacement(key_of(said["player"]), key_of(said["reserve"]))
        replace_player(round_.pk, replacement, self.actor, at=timezone.now())
        row.refresh_from_db()
        return self.shown(LineUpsSerializer, self.line_ups(row, number))
