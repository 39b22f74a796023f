"""Addresses of the seasons of a club."""

from dataclasses import asdict

from django.db import transaction
from django.db.models import Count, Q, QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.clubs.serializers import SeasonDatesSerializer, SeasonSerializer
from tournaments.api.views import Resource, idempotent
from tournaments.models import Club, Event, Season
from tournaments.permissions import directed_club, seen_club
from tournaments.services.events.events import (
    SeasonDates,
    change_season,
    create_season,
    dates_of,
    remove_season,
)
from tournaments.services.tournaments.lifecycle import put_in_season


class SeasonResource(Resource):
    """Shared by both addresses."""

    def rows(self, club: Club) -> QuerySet[Season]:
        """The seasons, each with how many of its events the visitor may see."""
        seen = Event.objects.listed_for(self.visitor.user).values("pk")
        number = Count("events", filter=Q(events__in=seen))
        return club.seasons.annotate(events_seen=number)


class Seasons(SeasonResource):
    queryset = Season.objects.all()
    ordering_fields = ("starts_on", "ends_on", "name")
    ordering = ("-starts_on",)

    @extend_schema(responses=SeasonSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The seasons of a club, the latest first."""
        return self.pages_of(SeasonSerializer, self.rows(seen_club(self.visitor, slug)))

    @extend_schema(request=SeasonDatesSerializer, responses={201: SeasonSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Give a club a season more; seasons may overlap."""
        club = directed_club(self.visitor, slug)
        dates = SeasonDates(**self.said(SeasonDatesSerializer))
        made = create_season(club, dates, self.actor, at=timezone.now())
        place = f"{request.path}{made.pk}/"
        return self.shown(SeasonSerializer, self.rows(club).get(pk=made.pk), 201, Location=place)


class OneSeason(SeasonResource):
    @extend_schema(responses=SeasonSerializer)
    def get(self, request: Request, slug: str, pk: int) -> Response:
        """A season of a club."""
        rows = self.rows(seen_club(self.visitor, slug))
        return self.shown(SeasonSerializer, get_object_or_404(rows, pk=pk))

    @extend_schema(request=SeasonDatesSerializer, responses=SeasonSerializer)
    def patch(self, request: Request, slug: str, pk: int) -> Response:
        """Give a season another name, other dates or another league; its evenings stay with it."""
        club = directed_club(self.visitor, slug)
        with transaction.atomic():
            row = self._locked(club, pk)
            said = self.said(SeasonDatesSerializer, partial=True)
            dates = SeasonDates(**{**asdict(dates_of(row)), **said})
            change_season(row.pk, dates, self.actor, at=timezone.now())
        return self.shown(SeasonSerializer, self.rows(club).get(pk=row.pk))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, pk: int) -> Response:
        """Take a season away that no evening belongs to."""
        club = directed_club(self.visitor, slug)
        with transaction.atomic():
            row = self._locked(club, pk)
            remove_season(row.pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, club: Club, pk: int) -> Season:
        """The season, unless it has changed since it was read."""
        get_object_or_404(club.seasons.select_for_update(), pk=pk)
        row = self.rows(club).get(pk=pk)
        self.check_unchanged(SeasonSerializer, row)
        self.season = row
        return row

    def get_serializer_context(self) -> dict[str, object]:
        """The season that is changed, too, for what is not said of it."""
        return {**super().get_serializer_context(), "season": getattr(self, "season", None)}


class EventOfSeason(SeasonResource):
    @extend_schema(request=None, responses={204: None})
    def put(self, request: Request, slug: str, pk: int, event: str) -> Response:
        """Put an evening or a tournament into a season, a finished one too."""
        return self._move(slug, pk, event, pk)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, pk: int, event: str) -> Response:
        """Take an evening or a tournament out of a season."""
        return self._move(slug, pk, event, None)

    def _move(self, slug: str, pk: int, event: str, into: int | None) -> Response:
        club = directed_club(self.visitor, slug)
        season = get_object_or_404(club.seasons, pk=pk)
        row = get_object_or_404(club.events, public_id=event)
        if into is not None or row.season_id == season.pk:
            put_in_season(row.pk, into, self.actor, at=timezone.now())
        return Response(status=204)
