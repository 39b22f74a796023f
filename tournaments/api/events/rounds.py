"""Addresses of the rounds of an evening."""

from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.events.serializers import EveningRoundSerializer
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Event, Round
from tournaments.permissions import directed_evening, seen_event
from tournaments.services.events.events import close_round, open_round, reopen_round


class EveningRounds(Resource):
    queryset = Round.objects.none()
    ordering_fields = ("number",)
    ordering = ("number",)

    @extend_schema(responses=EveningRoundSerializer(many=True))
    def get(self, _request: Request, slug: str, public_id: str) -> Response:
        """The rounds of an evening; those of a tournament are below the tournament."""
        event = seen_evening(self.visitor, slug, public_id)
        return self.pages_of(EveningRoundSerializer, rounds_of(event))

    @extend_schema(request=None, responses={201: EveningRoundSerializer})
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Open the next round; the ones before stay as they are, for a slow table plays on."""
        event = directed_evening(self.visitor, slug, public_id)
        opened = open_round(event.pk, self.actor, at=timezone.now())
        place = f"{request.path}{opened.number}/"
        return _shown(self, event, opened.number, 201, Location=place)


class OneEveningRound(Resource):
    @extend_schema(responses=EveningRoundSerializer)
    def get(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """A round of an evening."""
        return _shown(self, seen_evening(self.visitor, slug, public_id), number)


class CloseEveningRound(Resource):
    @extend_schema(request=None, responses=EveningRoundSerializer)
    @idempotent
    def post(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """Close a round: from now on only directors write its sheets."""
        round_ = directed_round(self.visitor, slug, public_id, number)
        close_round(round_.pk, self.actor, at=timezone.now())
        return _shown(self, round_.event, number)


class ReopenEveningRound(Resource):
    @extend_schema(request=None, responses=EveningRoundSerializer)
    @idempotent
    def post(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """Let the tables of a round be written once more, by the keys they had."""
        round_ = directed_round(self.visitor, slug, public_id, number)
        reopen_round(round_.pk, self.actor, at=timezone.now())
        return _shown(self, round_.event, number)


def seen_evening(visitor: HttpRequest, slug: str, public_id: str) -> Event:
    """An evening for whoever may see it; 404 for others, and for a tournament."""
    event = seen_event(visitor, slug, public_id)
    if hasattr(event, "tournament"):
        raise Http404
    return event


def directed_round(visitor: HttpRequest, slug: str, public_id: str, number: int) -> Round:
    """A round of an evening, for one of its directors; 404 for all others."""
    event = directed_evening(visitor, slug, public_id)
    return get_object_or_404(event.rounds.select_related("event__club"), number=number)


def rounds_of(event: Event) -> QuerySet[Round]:
    return event.rounds.annotate(table_count=Count("tables"))


def _shown(
    view: Resource, event: Event, number: int, status: int = 200, **headers: str
) -> Response:
    row = get_object_or_404(rounds_of(event), number=number)
    return view.shown(EveningRoundSerializer, row, status, **headers)
