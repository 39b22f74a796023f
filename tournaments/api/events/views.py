"""Addresses of the evenings of a club."""

from dataclasses import replace
from typing import Any

from django.db import transaction
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.events.filters import EventFilter
from tournaments.api.events.serializers import EventPlanSerializer, EventSerializer
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Club, Event, Season
from tournaments.permissions import directed_club, directed_evening, seen_club, seen_event
from tournaments.services.base.writes import Fault
from tournaments.services.events.events import (
    EventPlan,
    change_event,
    create_event,
    lock_season,
    plan_of,
    remove_event,
    season_on,
)


class NoSuchSeason(Fault, code="no-such-season", where="season"):
    sentence = _("The club has no such season.")


class Events(Resource):
    queryset = Event.objects.none()
    filterset_class = EventFilter
    ordering_fields = ("held_on", "created_at", "name")
    ordering = ("-held_on", "-pk")

    @extend_schema(responses=EventSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The evenings and tournaments of a club, the last first."""
        club = seen_club(self.visitor, slug)
        rows = Event.objects.listed_for(request.user).filter(club=club)
        return self.pages_of(EventSerializer, rows.select_related("tournament"))

    @extend_schema(request=EventPlanSerializer, responses={201: EventSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Make an evening, with its first round open."""
        club = directed_club(self.visitor, slug)
        said = _with_season(club, self.said(EventPlanSerializer))
        said.setdefault("season", season_on(club, said["held_on"]))
        plan = EventPlan(**{**_as_club(club), **said})
        row = create_event(club, plan, self.actor, at=timezone.now())
        place = f"{request.path}{row.public_id}/"
        return self.shown(EventSerializer, row, 201, Location=place)


class OneEvent(Resource):
    @extend_schema(responses=EventSerializer)
    def get(self, _request: Request, slug: str, public_id: str) -> Response:
        """An evening, or that of a tournament."""
        return self.shown(EventSerializer, seen_event(self.visitor, slug, public_id))

    @extend_schema(request=EventPlanSerializer, responses=EventSerializer)
    def patch(self, _request: Request, slug: str, public_id: str) -> Response:
        """Change an evening; existing tables stay as they are."""
        row = directed_evening(self.visitor, slug, public_id)
        said = _with_season(row.club, self.said(EventPlanSerializer, partial=True))
        with transaction.atomic():
            # Seasons are locked before evenings, as whoever removes one does.
            lock_season(replace(plan_of(row), **said))
            row = self._locked(row)
            plan = replace(plan_of(row), **said)
            row = change_event(row.pk, plan, self.actor, at=timezone.now())
        return self.shown(EventSerializer, row)

    @extend_schema(request=None, responses={204: None})
    def delete(self, _request: Request, slug: str, public_id: str) -> Response:
        """Take an evening away at which no table was laid."""
        row = directed_evening(self.visitor, slug, public_id)
        with transaction.atomic():
            remove_event(self._locked(row).pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, row: Event) -> Event:
        """The evening, unless it has changed since it was read."""
        locked = get_object_or_404(Event.objects.select_for_update(of=("self",)), pk=row.pk)
        self.check_unchanged(EventSerializer, locked)
        return locked


def _as_club(club: Club) -> dict[str, Any]:
    """Return the club's defaults for an evening."""
    return {"table_codes": club.table_codes, "confirmations": club.confirmations}


def _with_season(club: Club, said: dict[str, Any]) -> dict[str, Any]:
    """Return the plan, with the row of its season.

    Raises:
        NoSuchSeason: the club has no such season.
    """
    if said.get("season") is None:
        return said
    season = Season.objects.filter(club=club, pk=said["season"]).first()
    if season is None:
        raise NoSuchSeason
    return said | {"season": season}
