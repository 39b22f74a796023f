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
from tournaments.api.paging import PAGES, PartSerializer
from tournaments.api.rounds.serializers import NewRulingSerializer, RulingSerializer
from tournaments.api.rounds.views import OfRound
from tournaments.models import Entrant, Ruling, Tournament
from tournaments.permissions import directed_tournament, seen_tournament
from tournaments.queries.tournaments.state import load_state
from tournaments.services.base.refusals import Fault, Refused
from tournaments.services.rounds.pairing import number_of
from tournaments.services.rounds.rounds import (
    Moved,
    accept_changes,
    changes_since_closing,
    fingerprint,
)
from tournaments.services.rounds.rulings import RulingDecision, rule, withdraw_ruling

SHOWN_WITH = ("entrant__player", "entrant__partner", "round")


class UnknownEntrant(Fault, code="unknown-entrant", where="entrant"):
    sentence = _("There is no entrant with this number.")


class MoreChanged(Refused, code="more-changed"):
    sentence = _("More has changed meanwhile: look at all of it.")


class RulingFilter(filters.FilterSet):  # type: ignore[misc]
    """Which rulings are listed."""

    entrant = filters.NumberFilter(field_name="entrant__number")
    round = filters.NumberFilter(field_name="round__number")
    withdrawn = filters.BooleanFilter(field_name="withdrawn_at", lookup_expr="isnull", exclude=True)


class Rulings(OfRound):
    queryset = Ruling.objects.none()
    filterset_class = RulingFilter
    ordering_fields = ("at",)

    @extend_schema(responses=RulingSerializer(many=True))
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All rulings of a tournament, the newest first."""
        row = seen_tournament(self.visitor, slug, tournament)
        rows = Ruling.objects.filter(round__event=row.event)
        return self.pages_of(RulingSerializer, rows.select_related(*SHOWN_WITH))


class RoundRulings(OfRound):
    @extend_schema(request=NewRulingSerializer, responses={201: RulingSerializer})
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Rule on an entrant's round; anything but a penalty replaces the earlier ruling."""
        self.direct(slug, tournament, number)
        said = self.said(NewRulingSerializer)
        decision = RulingDecision(said["kind"], said["points"], said["reason"])
        entrant = self._entrant(said["entrant"])
        ruling = rule(self.round_.pk, entrant.pk, decision, self.actor, at=timezone.now())
        where = reverse("api:ruling", args=[slug, tournament, ruling.pk])
        return self.shown(RulingSerializer, ruling, 201, Location=where)

    def _entrant(self, number: int) -> Entrant:
        entrant: Entrant | None = self.row.entrants.filter(number=number).first()
        if entrant is None:
            raise UnknownEntrant
        return entrant


class OneRuling(OfRound):
    @extend_schema(responses=RulingSerializer)
    def get(self, request: Request, slug: str, tournament: str, pk: int) -> Response:
        """A ruling."""
        row = seen_tournament(self.visitor, slug, tournament)
        return self.shown(RulingSerializer, _ruling(row, pk))


class WithdrawRuling(OfRound):
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


class RankAndPointsSerializer(serializers.Serializer[Any]):
    """A rank and its points."""

    rank = serializers.IntegerField(min_value=1)
    points = PointsField()


class ChangedPlaceSerializer(serializers.Serializer[Any]):
    """An entrant whose place after a closed round has changed since it was closed."""

    round = serializers.IntegerField()
    entrant = serializers.IntegerField()
    before = RankAndPointsSerializer()
    after = RankAndPointsSerializer()


class CorrectionsSerializer(PartSerializer):
    """The changes by corrections since rounds were closed; `seen` identifies this list."""

    seen = serializers.CharField()
    results = ChangedPlaceSerializer(many=True)


class CorrectionsSeenSerializer(Strict):
    """Which list of corrections was looked at."""

    seen = serializers.CharField(max_length=64)


class Corrections(OfRound):
    @extend_schema(parameters=PAGES, responses=CorrectionsSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """The changes that corrections made to closed standings, until marked as seen."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.shown(CorrectionsSerializer, _corrections(row))


class AcceptCorrections(OfRound):
    @extend_schema(request=CorrectionsSeenSerializer, responses=CorrectionsSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Keep the standings of closed rounds as they are now; refused when more has changed."""
        row = directed_tournament(self.visitor, slug, tournament)
        seen = self.said(CorrectionsSeenSerializer)["seen"]
        if not accept_changes(row.pk, seen, self.actor, at=timezone.now()):
            raise MoreChanged
        return self.shown(CorrectionsSerializer, _corrections(row))


def _corrections(row: Tournament) -> dict[str, Any]:
    changes = changes_since_closing(load_state(row))
    return {"seen": fingerprint(changes), "results": _details(changes)}


def _details(changes: Sequence[Moved]) -> list[dict[str, Any]]:
    return [
        {
            "round": each.round,
            "entrant": number_of(each.entrant),
            "before": dict(zip(("rank", "points"), each.before, strict=True)),
            "after": dict(zip(("rank", "points"), each.after, strict=True)),
        }
        for each in changes
    ]
