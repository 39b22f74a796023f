"""Addresses of tournaments as portable documents: written, and taken over from another server."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import TRUTHS
from tournaments.api.idempotency import idempotent
from tournaments.api.problems import fault
from tournaments.api.schema import component
from tournaments.api.tournaments.serializers import TournamentSerializer
from tournaments.api.tournaments.views import OfTournament
from tournaments.models import Scope
from tournaments.permissions import directed_tournament, owned_club
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.tournaments.lifecycle import lock_tournament
from tournaments.services.tournaments.record_import import Into, import_tournament


class TournamentDocument(OfTournament):
    reading_scope = Scope.DIRECT

    @extend_schema(responses={200: component("TournamentRecord")})
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All of a tournament, with whole names, as a portable document."""
        row = directed_tournament(self.visitor, slug, tournament)
        with transaction.atomic():
            # Nobody leads it on meanwhile.
            return Response(tournament_document(lock_tournament(row.pk)))


class TournamentImport(OfTournament):
    scope = Scope.MANAGE

    @extend_schema(
        request={"application/json": component("TournamentRecord")},
        responses={201: TournamentSerializer},
        parameters=[
            OpenApiParameter(
                "elsewhere", OpenApiTypes.BOOL, description="Take another slug if it is taken."
            ),
        ],
    )
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Take a tournament of another server over from its document, for owners.

        Its players become those of the club who have their names, and its sheets are rated as if
        they had been played here. A slug that is taken is refused, unless `elsewhere` is true.
        """
        club = owned_club(self.visitor, slug)
        elsewhere = request.query_params.get("elsewhere", "false")
        if elsewhere not in TRUTHS:
            raise fault("wrong-type", "elsewhere", _("Must be a valid boolean."))
        into = Into(club, elsewhere=elsewhere == "true")
        row = import_tournament(request.data, self.actor, at=timezone.now(), into=into)
        place = f"/api/v1/clubs/{club.slug}/tournaments/{row.slug}/"
        return self.tournament_shown(row, 201, Location=place)
