"""Addresses of house rules, those of the server and those of a club."""

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.problems import placed, read_at
from tournaments.api.rulesets.serializers import (
    HouseDocumentSerializer,
    HouseRulesLineSerializer,
    HouseRulesSerializer,
)
from tournaments.api.views import Resource, check_etag
from tournaments.engine.documents.ruleset_records import read_ruleset
from tournaments.models import Club, HouseRuleset
from tournaments.permissions import check_staff, directed_club
from tournaments.services.rulesets import change_rules, create_rules, remove_rules


def tag_of(row: HouseRuleset) -> str:
    return f'"{row.revision}"'


class Kept(Resource):
    """House rules of a club, for its directors; those of the server for its staff."""

    @property
    def club(self) -> Club | None:
        """The club in the address, None for the server; 404 for all others."""
        if "club" in self.kwargs:
            return directed_club(self.visitor, self.kwargs["club"])
        check_staff(self.visitor)
        return None

    @property
    def rows(self) -> QuerySet[HouseRuleset]:
        return HouseRuleset.objects.filter(club=self.club)


class HouseRules(Kept):
    """`/house-rules/` and `/clubs/{club}/house-rules/`."""

    # For the filters, also when nobody asks.
    queryset = HouseRuleset.objects.none()
    filterset_fields = ("name",)
    ordering_fields = ("slug", "name", "changed_at")
    ordering = ("slug",)

    @extend_schema(responses=HouseRulesLineSerializer(many=True))
    def get(self, _request: Request, **_of: str) -> Response:
        """The house rules of the server, for its staff, or of a club, for its directors."""
        return self.pages_of(HouseRulesLineSerializer, self.rows)

    @extend_schema(request=HouseDocumentSerializer, responses={201: HouseRulesSerializer})
    @idempotent
    def post(self, request: Request, **_of: str) -> Response:
        """Keep new house rules, under an id made of their name.

        To copy others, send what `/rulesets/{id}/ruleset/` gives, with a name.
        """
        club, document = (
            self.club,
            self.said(HouseDocumentSerializer, also=read_at("document", read_ruleset))["document"],
        )
        with placed("document"):
            row = create_rules(document, self.actor, at=timezone.now(), club=club)
        place = f"{request.path}{row.slug}/"
        return self.shown(HouseRulesSerializer, row, 201, Location=place, ETag=tag_of(row))


class OneHouseRules(Kept):
    """`/house-rules/{id}/` and `/clubs/{club}/house-rules/{id}/`."""

    @extend_schema(responses=HouseRulesSerializer)
    def get(self, _request: Request, slug: str, **_of: str) -> Response:
        """House rules with their document."""
        row = get_object_or_404(self.rows, slug=slug)
        return self.shown(HouseRulesSerializer, row, ETag=tag_of(row))

    @extend_schema(request=HouseDocumentSerializer, responses=HouseRulesSerializer)
    def patch(self, request: Request, slug: str, **_of: str) -> Response:
        """Put another document in the place of house rules; games that have begun keep theirs.

        With `If-Match` only if nobody else has changed them since that revision.
        """
        rows = self.rows
        document = self.said(HouseDocumentSerializer, also=read_at("document", read_ruleset))[
            "document"
        ]
        at = timezone.now()
        with transaction.atomic(), placed("document"):
            row = self._locked(rows, slug)
            check_etag(request, tag_of(row))
            row = change_rules(row.pk, document, row.revision, self.actor, at=at)
        return self.shown(HouseRulesSerializer, row, ETag=tag_of(row))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, **_of: str) -> Response:
        """Take house rules away; games that play them go on."""
        rows = self.rows
        with transaction.atomic():
            row = self._locked(rows, slug)
            check_etag(request, tag_of(row))
            remove_rules(row.pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, rows: QuerySet[HouseRuleset], slug: str) -> HouseRuleset:
        locked: HouseRuleset = get_object_or_404(rows.select_for_update(of=("self",)), slug=slug)
        return locked
