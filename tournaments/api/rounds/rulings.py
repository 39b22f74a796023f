"""Addresses of rulings, and of what corrections have changed in rounds that are closed."""

from collections.abc import Sequence
from typing import Any

from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import PointsField, Strict
from tournaments.api.idempotency import idempotent
from tournaments.api.problems import Answer, Refused, fault, invalid
from tournaments.api.rounds.serializers import NewRulingSerializer, RulingSerializer
from tournaments.api.rounds.views import OfRound
from tournaments.api.tournaments.refusals import number_of
from tournaments.models import Entrant, Ruling, Tournament
from tournaments.queries.tournaments import load_course
from tournaments.services.tournaments.rounds import (
    Moved,
    accept_changes,
    changes_since_closing,
    fingerprint,
)
from tournaments.services.tournaments.rulings import Decision, rule, withdraw_ruling
from tournaments.visitors import directed_tournament

SHOWN_WITH = ("entrant__player", "entrant__partner", "round")


class RulingFilter(filters.FilterSet):  # type: ignore[misc]
    """Which rulings are listed."""

    entrant = filters.NumberFilter(field_name="entrant__number")
    round = filters.NumberFilter(field_name="round__number")
    withdrawn = filters.BooleanFilter(field_name="withdrawn_at", lookup_expr="isnull", exclude=True)


class Rulings(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rulings/`."""

    queryset = Ruling.objects.none()
    filterset_class = RulingFilter
    ordering_fields = ("at",)

    @extend_schema(responses=RulingSerializer(many=True))
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All rulings of a tournament, the newest first, for its directors."""
        row = directed_tournament(self.visitor, slug, tournament)
        rows = Ruling.objects.filter(round__event=row.event)
        return self.pages_of(RulingSerializer, rows.select_related(*SHOWN_WITH))


class RoundRulings(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rounds/{number}/rulings/`."""

    @extend_schema(request=NewRulingSerializer, responses={201: RulingSerializer})
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Decide about an entrant's round; what is no penalty replaces what was decided before."""
        self.direct(slug, tournament, number)
        said = self.said(NewRulingSerializer)
        decision = Decision(said["kind"], said["points"], said["reason"])
        entrant = self._entrant(said["entrant"])
        ruling = rule(self.place.pk, entrant.pk, decision, self.actor, at=timezone.now())
        where = reverse("api:ruling", args=[slug, tournament, ruling.pk])
        return self.shown(RulingSerializer, ruling, 201, Location=where)

    def _entrant(self, number: int) -> Entrant:
        entrant: Entrant | None = self.row.entrants.filter(number=number).first()
        if entrant is None:
            told = fault("unknown-entrant", "entrant", _("There is no entrant with this number."))
            raise Refused(invalid([told]))
        return entrant


class OneRuling(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rulings/{id}/`."""

    @extend_schema(responses=RulingSerializer)
    def get(self, request: Request, slug: str, tournament: str, pk: int) -> Response:
        """A ruling, for directors."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.shown(RulingSerializer, _ruling(row, pk))


class WithdrawRuling(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/rulings/{id}/withdraw/`."""

    @extend_schema(request=None, responses=RulingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, pk: int) -> Response:
        """Take a ruling back; it stays in the list."""
        row = directed_tournament(self.visitor, slug, tournament)
        withdraw_ruling(_ruling(row, pk).pk, self.actor, at=timezone.now())
        return self.shown(RulingSerializer, _ruling(row, pk))


def _ruling(row: Tournament, pk: int) -> Ruling:
    rows = Ruling.objects.filter(round__event=row.event).select_related(*SHOWN_WITH)
    return get_object_or_404(rows, pk=pk)


class StandSerializer(serializers.Serializer[Any]):
    """A rank and its points."""

    rank = serializers.IntegerField(min_value=1)
    points = PointsField()


class MovedSerializer(serializers.Serializer[Any]):
    """An entrant who stands otherwise after a closed round than when it was closed."""

    round = serializers.IntegerField()
    entrant = serializers.IntegerField()
    before = StandSerializer()
    after = StandSerializer()


class CorrectionsSerializer(serializers.Serializer[Any]):
    """What corrections have changed since rounds were closed; `seen` names just this list."""

    seen = serializers.CharField()
    results = MovedSerializer(many=True)


class SeenSerializer(Strict):
    """Which list of corrections was looked at."""

    seen = serializers.CharField(max_length=64)


class Corrections(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/corrections/`."""

    @extend_schema(responses=CorrectionsSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """What corrections in closed rounds have changed in their standings, until it is seen."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.shown(CorrectionsSerializer, _corrections(row))


class AcceptCorrections(OfRound):
    """`/clubs/{slug}/tournaments/{tournament}/corrections/accept/`."""

    @extend_schema(request=SeenSerializer, responses=CorrectionsSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Keep the standings of closed rounds as they are now; refused when more has changed."""
        row = directed_tournament(self.visitor, slug, tournament)
        seen = self.said(SeenSerializer)["seen"]
        if not accept_changes(row.pk, seen, self.actor, at=timezone.now()):
            title = _("More has changed meanwhile: look at all of it.")
            raise Refused(Answer(409, "more-changed", title))
        return self.shown(CorrectionsSerializer, _corrections(row))


def _corrections(row: Tournament) -> dict[str, Any]:
    changes = changes_since_closing(load_course(row))
    return {"seen": fingerprint(changes), "results": _told(changes)}


def _told(changes: Sequence[Moved]) -> list[dict[str, Any]]:
    return [
        {
            "round": each.round,
            "entrant": number_of(each.entrant),
            "before": dict(zip(("rank", "points"), each.before, strict=True)),
            "after": dict(zip(("rank", "points"), each.after, strict=True)),
        }
        for each in changes
    ]
