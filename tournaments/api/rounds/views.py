"""Addresses of the rounds of a tournament: seated, opened, closed, and their clock."""

from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.rounds.serializers import AddTimeSerializer, RoundSerializer
from tournaments.api.tournaments.serializers import RoundLineSerializer
from tournaments.api.views import Resource
from tournaments.models import Round, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.queries.steps import progress_of
from tournaments.services.tournaments.clocks import Added, add_time, pause_clock, start_clock
from tournaments.services.tournaments.drawing import lock_drawn, unseat_round
from tournaments.services.tournaments.rounds import close_round, open_round, reopen_round
from tournaments.visitors import directed_tournament_round, role_in, seen_tournament


class RoundsSerializer(serializers.Serializer[Any]):
    """The rounds of a tournament in order; proposals are for directors."""

    results = RoundLineSerializer(many=True)


class OfRound(Resource):
    """What all addresses of a round share: the tournament, the round, and who asks."""

    row: Tournament
    place: Round
    directs = False
    more: dict[str, Any]

    def get_serializer_context(self) -> dict[str, Any]:
        """With what was found out about what is shown."""
        return {**super().get_serializer_context(), **getattr(self, "more", {})}

    def see(self, slug: str, tournament: str, number: int | None = None) -> None:
        """Find a tournament and a round of it for whoever may see them; proposals are hidden."""
        self.row = seen_tournament(self.visitor, slug, tournament)
        self.directs = role_in(self.visitor, self.row.event.club) in DIRECTING
        if number is not None:
            self.place = get_object_or_404(Round, event=self.row.event, number=number)
            if self.place.published_at is None and not self.directs:
                raise Http404

    def direct(self, slug: str, tournament: str, number: int) -> None:
        """Find a round for one of the directors."""
        found = directed_tournament_round(self.visitor, slug, tournament, number)
        self.row, self.place = found
        self.place.event = self.row.event
        self.directs = True

    def round_shown(self, place: Round, status: int = 200) -> Response:
        """A round as it stands."""
        self.look_at(place)
        return self.shown(RoundSerializer, place, status)

    def look_at(self, place: Round) -> None:
        """Find out what is told of a round."""
        progress = None if place.published_at is None else progress_of(place)
        self.more = {"progress": progress, "now": timezone.now()}


class Rounds(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/`."""

    @extend_schema("clubs_tournaments_rounds_list", responses=RoundsSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All rounds, in order; those that are only seated are for directors."""
        self.see(slug, tournament)
        rounds = self.row.event.rounds.order_by("number")
        told = [each for each in rounds if self.directs or each.published_at]
        return self.shown(RoundsSerializer, {"results": told})


class OneRound(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/`."""

    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """A round, how far its tables are, and its clock."""
        self.see(slug, tournament, number)
        return self.round_shown(self.place)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Throw a seating away that is not published, and those of later rounds."""
        self.direct(slug, tournament, number)
        with transaction.atomic():
            _tournament, place = lock_drawn(self.place.pk)
            self.look_at(place)
            self.check_unchanged(RoundSerializer, place)
            unseat_round(place.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Open(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/open/`."""

    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the tables of a published round be written."""
        self.direct(slug, tournament, number)
        return self.round_shown(open_round(self.place.pk, self.actor, at=timezone.now()))


class Close(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/close/`."""

    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Close a round whose tables are finished, confirmed and summed right.

        The problem names every table that is not.
        """
        self.direct(slug, tournament, number)
        return self.round_shown(close_round(self.place.pk, self.actor, at=timezone.now()))


class Reopen(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/reopen/`."""

    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the tables of the last round be written once more; proposals after it go."""
        self.direct(slug, tournament, number)
        return self.round_shown(reopen_round(self.place.pk, self.actor, at=timezone.now()))


class StartClock(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/clock/start/`."""

    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the clock of an open round run on."""
        self.direct(slug, tournament, number)
        return self.round_shown(start_clock(self.place.pk, self.actor, at=timezone.now()))


class PauseClock(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/clock/pause/`."""

    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Stop the clock of an open round."""
        self.direct(slug, tournament, number)
        return self.round_shown(pause_clock(self.place.pk, self.actor, at=timezone.now()))


class AddTime(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/clock/add/`."""

    @extend_schema(request=AddTimeSerializer, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Give all tables of an open round more time; without a clock it gets one."""
        self.direct(slug, tournament, number)
        said = self.said(AddTimeSerializer)
        added = Added(said["seconds"], said.get("seen", self.place.clock_seconds or 0))
        return self.round_shown(add_time(self.place.pk, added, self.actor, at=timezone.now()))
