"""Addresses of house rules, those of the server and those of a club."""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.problems import REFUSALS, Answer, placed
from tournaments.api.rules.serializers import (
    HouseDocumentSerializer,
    HouseRulesLineSerializer,
    HouseRulesSerializer,
)
from tournaments.api.views import Resource, check_etag
from tournaments.models import Club, HouseRuleset
from tournaments.services.clubs.house_rules import (
    StaleRules,
    change_rules,
    create_rules,
    remove_rules,
)
from tournaments.visitors import account_of, directed_club


def _stale(error: StaleRules) -> Answer:
    title = _("It has changed since you read it.")
    return Answer(412, "changed-meanwhile", title, headers={"ETag": tag_of(error.row)})


REFUSALS[StaleRules] = _stale


def tag_of(row: HouseRuleset) -> str:
    """The entity tag of house rules: their revision."""
    return f'"{row.revision}"'


@dataclass(frozen=True)
class Keeper:
    """The club whose house rules are kept, or the server, which has none."""

    club: Club | None

    @property
    def rows(self) -> QuerySet[HouseRuleset]:
        """The rules of this keeper."""
        return HouseRuleset.objects.filter(club=self.club)


class Kept(Resource):
    """House rules of a keeper, for its directors; those of the server for its staff."""

    # Also for the list's filters, when nobody asks.
    queryset = HouseRuleset.objects.none()

    @property
    def keeper(self) -> Keeper:
        """Whose rules are asked for; 404 for all others."""
        if "club" in self.kwargs:
            return Keeper(directed_club(self.visitor, self.kwargs["club"]))
        user = account_of(self.visitor)
        if user is None or not (user.is_active and user.is_staff):
            raise Http404
        return Keeper(None)


class HouseRules(Kept):
    """`/house-rules/` and `/clubs/{club}/house-rules/`."""

    filterset_fields = ("name",)
    ordering_fields = ("slug", "name", "changed_at")
    ordering = ("slug",)

    @extend_schema(responses=HouseRulesLineSerializer(many=True))
    def get(self, _request: Request, **_of: str) -> Response:
        """The house rules of the server, for its staff, or of a club, for its directors."""
        return self.pages_of(HouseRulesLineSerializer, self.keeper.rows)

    @extend_schema(request=HouseDocumentSerializer, responses={201: HouseRulesSerializer})
    @idempotent
    def post(self, request: Request, **_of: str) -> Response:
        """Keep new house rules, under an id made of their name.

        To copy others, send what `/rulesets/{id}/ruleset/` gives, with a name.
        """
        keeper, document = self.keeper, self.said(HouseDocumentSerializer)["document"]
        with placed("document"):
            row = create_rules(document, self.actor, at=timezone.now(), club=keeper.club)
        place = f"{request.path}{row.slug}/"
        return self.shown(HouseRulesSerializer, row, 201, Location=place, ETag=tag_of(row))


class OneHouseRules(Kept):
    """`/house-rules/{id}/` and `/clubs/{club}/house-rules/{id}/`."""

    @extend_schema(responses=HouseRulesSerializer)
    def get(self, _request: Request, slug: str, **_of: str) -> Response:
        """House rules with their document."""
        row = get_object_or_404(self.keeper.rows, slug=slug)
        return self.shown(HouseRulesSerializer, row, ETag=tag_of(row))

    @extend_schema(request=HouseDocumentSerializer, responses=HouseRulesSerializer)
    def patch(self, request: Request, slug: str, **_of: str) -> Response:
        """Put another document in the place of house rules; games that have begun keep theirs.

        With `If-Match` only if nobody else has changed them since that revision.
        """
        rows = self.keeper.rows
        document = self.said(HouseDocumentSerializer)["document"]
        at = timezone.now()
        with transaction.atomic(), placed("document"):
            row = self._locked(rows, slug)
            check_etag(request, tag_of(row))
            row = change_rules(row.pk, document, row.revision, self.actor, at=at)
        return self.shown(HouseRulesSerializer, row, ETag=tag_of(row))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, **_of: str) -> Response:
        """Take house rules away; games that play them go on."""
        rows = self.keeper.rows
        with transaction.atomic():
            row = self._locked(rows, slug)
            check_etag(request, tag_of(row))
            remove_rules(row.pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, rows: QuerySet[HouseRuleset], slug: str) -> HouseRuleset:
        locked: HouseRuleset = get_object_or_404(rows.select_for_update(of=("self",)), slug=slug)
        return locked
