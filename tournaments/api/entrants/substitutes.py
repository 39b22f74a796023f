"""Addresses of substitutes: who plays a round in whose place."""

from collections.abc import Mapping
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.entrants.serializers import NewSubstituteSerializer, OneEntrantSerializer
from tournaments.api.entrants.views import OfEntrants
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.entrants.substituting import Place, put_substitute, take_out_substitute


class OneSubstitute(OfEntrants):
    @extend_schema(request=NewSubstituteSerializer, responses=OneEntrantSerializer)
    def put(self, request: Request, **where: Any) -> Response:
        """Let somebody, by name, play a round in the place of the entrant's player."""
        seat = self._place(where)
        name = self.said(NewSubstituteSerializer)["name"]
        put_substitute(seat, name, self.actor, at=timezone.now())
        return self.entrant_shown(where["number"])

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, **where: Any) -> Response:
        """Let a player have their own place in a round back."""
        seat = self._place(where)
        take_out_substitute(seat, self.actor, at=timezone.now())
        return Response(status=204)

    def _place(self, where: Mapping[str, Any]) -> Place:
        """The place that is meant: a round that there is or will be, and one of its players."""
        self.direct(where["slug"], where["tournament"])
        entrant, place = self.numbered(where["number"]), where["place"]
        last = max(settings_of(self.row).rounds, self.row.event.rounds.count())
        found = [each.pk for each in entrant.players if each.public_id == where["player"]]
        if not found or not 1 <= place <= last:
            raise Http404
        return Place(entrant.pk, place, found[0])
