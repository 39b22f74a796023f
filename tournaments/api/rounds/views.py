"""Addresses of the rounds of a tournament: seated, opened, closed, and their clock."""

from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.paging import PAGES, PartSerializer
from tournaments.api.rounds.serializers import AddTimeSerializer, RoundSerializer
from tournaments.api.tournaments.serializers import RoundLineSerializer
from tournaments.api.views import Resource
from tournaments.models import Round, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import directed_tournament_round, role_in, seen_tournament
from tournaments.queries.tournaments.steps import progress_of
from tournaments.services.rounds.clocks import Added, add_time, pause_clock, start_clock
from tournaments.services.rounds.rounds import close_round, open_round, reopen_round
from tournaments.services.rounds.seating import lock_drawn, unseat_round


class RoundsSerializer(PartSerializer):
    """The rounds of a tournament in order; proposals are for directors."""

    results = RoundLineSerializer(many=True)


class OfRound(Resource):
    """Base of the addresses of a round: the tournament, the round, and the reader."""

    row: Tournament
    round_: Round
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
            self.round_ = get_object_or_404(Round, event=self.row.event, number=number)
            if self.round_.published_at is None and not self.directs:
                raise Http404

    def direct(self, slug: str, tournament: str, number: int) -> None:
        """Find a round for one of the directors."""
        found = directed_tournament_round(self.visitor, slug, tournament, number)
        self.row, self.round_ = found
        self.round_.event = self.row.event
        self.directs = True

    def round_shown(self, round_: Round, status: int = 200) -> Response:
        self.look_at(round_)
        return self.shown(RoundSerializer, round_, status)

    def look_at(self, round_: Round) -> None:
        progress = None if round_.published_at is None else progress_of(round_)
        self.more = {"progress": progress, "now": timezone.now()}


class Rounds(OfRound):
    @extend_schema("clubs_tournaments_rounds_list", parameters=PAGES, responses=RoundsSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All rounds, in order; those that are only seated are for directors."""
        self.see(slug, tournament)
        rounds = self.row.event.rounds.order_by("number")
        details = [each for each in rounds if self.directs or each.published_at]
        return self.shown(RoundsSerializer, {"results": details})


class OneRound(OfRound):
    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """A round, the progress of its tables, and its clock."""
        self.see(slug, tournament, number)
        return self.round_shown(self.round_)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Throw a seating away that is not published, and those of later rounds."""
        self.direct(slug, tournament, number)
        with transaction.atomic():
            _tournament, round_ = lock_drawn(self.round_.pk)
            self.look_at(round_)
            self.check_unchanged(RoundSerializer, round_)
            unseat_round(round_.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Open(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the tables of a published round be written."""
        self.direct(slug, tournament, number)
        return self.round_shown(open_round(self.round_.pk, self.actor, at=timezone.now()))


class Close(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Close a round whose tables are finished, confirmed and summed right.

        The problem names every table that is not.
        """
        self.direct(slug, tournament, number)
        return self.round_shown(close_round(self.round_.pk, self.actor, at=timezone.now()))


class Reopen(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the tables of the last round be written once more; proposals after it go."""
        self.direct(slug, tournament, number)
        return self.round_shown(reopen_round(self.round_.pk, self.actor, at=timezone.now()))


class StartClock(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the clock of an open round run on."""
        self.direct(slug, tournament, number)
        return self.round_shown(start_clock(self.round_.pk, self.actor, at=timezone.now()))


class PauseClock(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Stop the clock of an open round."""
        self.direct(slug, tournament, number)
        return self.round_shown(pause_clock(self.round_.pk, self.actor, at=timezone.now()))


class AddTime(OfRound):
    @extend_schema(request=AddTimeSerializer, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Give all tables of an open round more time; without a clock it gets one."""
        self.direct(slug, tournament, number)
        said = self.said(AddTimeSerializer)
        added = Added(said["seconds"], said.get("seen", self.round_.clock_seconds or 0))
        return self.round_shown(add_time(self.round_.pk, added, self.actor, at=timezone.now()))
