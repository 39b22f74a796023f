"""Addresses of tournaments, and of their records."""

import secrets
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import F, QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LARGEST_KEY, TRUTHS
from tournaments.api.filtering import UnknownSeason
from tournaments.api.problems import fault, placed, read_at
from tournaments.api.schema import component
from tournaments.api.tournaments import serializers
from tournaments.api.views import (
    APIViewSet,
    ClubMixin,
    DestroyMixin,
    ListMixin,
    RetrieveMixin,
    TournamentMixin,
)
from tournaments.engine.documents.shapes import EVENT_FIELDS
from tournaments.engine.standings.tournament_settings import (
    PRESETS,
    TournamentSettings,
    read_settings,
    write_settings,
)
from tournaments.models import Club, Scope, Season, Tournament
from tournaments.permissions import directed_club, directed_tournament, owned_club, seen_club
from tournaments.queries.state import settings_of
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.entrants.substituting import CopyPlan, copy_tournament
from tournaments.services.events.events import EventPlan, plan_of
from tournaments.services.tournaments import lifecycle
from tournaments.services.tournaments.record_import import Into, import_tournament

MOST_SEEDS = 2**31
OF_CLUB = ("table_codes", "confirmations")
PLANNED = (*EVENT_FIELDS, "ruleset", "options")


NAME = OpenApiParameter("name", str, description="Its name: an owner deletes its rounds, too.")
ELSEWHERE = OpenApiParameter("elsewhere", bool, description="Take another slug if it is taken.")


class TournamentFilter(filters.FilterSet):  # type: ignore[misc]
    state = filters.ChoiceFilter(choices=Tournament.State.choices)
    season = filters.NumberFilter(field_name="event__season", min_value=1, max_value=LARGEST_KEY)
    published = filters.BooleanFilter(field_name="event__published")
    held_on = filters.DateFilter(field_name="event__held_on")
    held_from = filters.DateFilter("event__held_on", "gte", label="On this day or later.")
    held_until = filters.DateFilter("event__held_on", "lte", label="On this day or before.")


class TournamentViewSet(TournamentMixin, ListMixin, RetrieveMixin, DestroyMixin, APIViewSet):
    descriptions = {
        "list": "List the tournaments of a club, latest first; drafts for directors.",
        "retrieve": "Return the state of a tournament. Directors also see the next step.",
    }
    action_scopes = {"links": Scope.DIRECT, "record": Scope.DIRECT}
    action_permissions = {
        "list": seen_club,
        "create": directed_club,
        "links": directed_tournament,
        "record": directed_tournament,
    }
    queryset = Tournament.objects.none()
    lookup_field = "slug"
    lookup_url_kwarg = "tournament"
    lookup_value_converter = "slug"
    filterset_class = TournamentFilter
    ordering_fields = ("held_on", "name")
    ordering = ("-held_on",)
    serializer_class = serializers.TournamentSerializer
    serializer_classes = {
        "list": serializers.TournamentLineSerializer,
        "links": serializers.LinksSerializer,
        "replace_links": serializers.LinksSerializer,
    }
    request_serializer_classes = {
        "create": serializers.NewTournamentSerializer,
        "partial_update": serializers.ChangedTournamentSerializer,
        "move": serializers.NewStateSerializer,
        "copy": serializers.CopySerializer,
    }
    club: Club

    def resolve_parents(self) -> None:
        if self.detail:
            super().resolve_parents()
        else:
            self.club = self.get_permission()(self.http_request, self.kwargs["slug"])

    def get_queryset(self) -> QuerySet[Tournament]:
        listed = self.club.events.listed_for(self.http_request.user)
        rows = Tournament.objects.filter(event__in=listed)
        rows = rows.annotate(held_on=F("event__held_on"), name=F("event__name"))
        return rows.select_related("event")

    def get_object(self) -> Tournament:
        return serializers.with_details(self.tournament, directs=self.directs)

    def lock(self) -> None:
        self.tournament = lifecycle.lock_tournament(self.tournament.pk)

    def respond_changed(self, tournament: Tournament) -> Response:
        return self.respond(serializers.with_details(tournament))

    def create(self, request: Request, slug: str) -> Response:
        """Create a tournament, as a draft."""
        data = self.get_validated(also=read_at("settings", read_settings))
        usual: dict[str, Any] = {name: getattr(self.club, name) for name in OF_CLUB}
        details = usual | {name: data[name] for name in PLANNED if name in data}
        event = EventPlan(**details, season=_season(self.club, data["season"]))
        settings = _settings(data, TournamentSettings())
        seed = data.get("seed", secrets.randbelow(MOST_SEEDS))
        plan = lifecycle.TournamentPlan(event, settings, seed)
        row = lifecycle.create_tournament(self.club, plan, self.actor, at=timezone.now())
        return self.respond(serializers.with_details(row), Location=f"{request.path}{row.slug}/")

    def partial_update(self, request: Request, **kwargs: Any) -> Response:
        """Change a tournament. Its game cannot change once it runs."""
        self.check_precondition(self.get_object())
        data = self.get_validated(also=read_at("settings", read_settings), partial=True)
        with transaction.atomic():
            event = self.tournament.event
            has_season = "season" in data
            season = _season(event.club, data["season"]) if has_season else event.season
            if season is not None:
                # Seasons are locked before tournaments.
                Season.objects.select_for_update().filter(pk=season.pk).first()
            row = self.get_locked()
            new = {name: data[name] for name in PLANNED if name in data}
            plan = replace(plan_of(row.event), season=season, **new)
            whole = lifecycle.TournamentPlan(plan, _settings(data, settings_of(row)), row.seed)
            row = lifecycle.change_tournament(row.pk, whole, self.actor, at=timezone.now())
        return self.respond_changed(row)

    @extend_schema(parameters=[NAME])
    def destroy(self, request: Request, **kwargs: Any) -> Response:
        """Delete a tournament in which no round was seated; with `name` any, for owners."""
        if "name" in request.query_params:
            owned_club(self.http_request, self.kwargs["slug"])
        return super().destroy(request)

    def perform_destroy(self, tournament: Tournament) -> None:
        name = self.request.query_params.get("name")
        if name is None:
            lifecycle.remove_tournament(tournament.pk, self.actor, at=timezone.now())
        else:
            lifecycle.delete_tournament(tournament.pk, name, self.actor, at=timezone.now())

    @action(methods=["post"], detail=True)
    def move(self, request: Request, **kwargs: Any) -> Response:
        """Move a tournament one step forward or back. It may be there already."""
        pk, state = self.tournament.pk, self.get_validated()["state"]
        row = lifecycle.move_tournament(pk, state, self.actor, at=timezone.now())
        return self.respond_changed(row)

    @action(methods=["post"], detail=True, success_status=201)
    def copy(self, request: Request, slug: str, **kwargs: Any) -> Response:
        """Create a draft with the settings of a tournament and, by default, with its entrants.

        With `links`, the links to register and to check in lead to the copy, which gets the `id`.
        """
        plan = CopyPlan(**self.get_validated(), seed=secrets.randbelow(MOST_SEEDS))
        copy = copy_tournament(self.tournament.pk, plan, self.actor, at=timezone.now())
        place = f"/api/v1/clubs/{slug}/tournaments/{copy.slug}/"
        return self.respond(serializers.with_details(copy), Location=place)

    @action(methods=["post"], detail=True)
    def cancel(self, request: Request, **kwargs: Any) -> Response:
        """Hide a tournament from all but directors, and its games from ratings and statistics."""
        row = lifecycle.cancel_tournament(self.tournament.pk, self.actor, at=timezone.now())
        return self.respond_changed(row)

    @action(methods=["post"], detail=True)
    def restore(self, request: Request, **kwargs: Any) -> Response:
        """Restore a cancelled tournament."""
        row = lifecycle.restore_tournament(self.tournament.pk, self.actor, at=timezone.now())
        return self.respond_changed(row)

    @action(detail=True)
    def links(self, request: Request, **kwargs: Any) -> Response:
        """Return the links by which players register and check in, for directors to hand out."""
        return self.respond(self.tournament)

    @action(methods=["post"], detail=True, url_path="links/replace")
    def replace_links(self, request: Request, **kwargs: Any) -> Response:
        """Replace the links. The old ones no longer work."""
        row = lifecycle.replace_links(self.tournament.pk, self.actor, at=timezone.now())
        return self.respond(row)

    @extend_schema(responses={200: component("TournamentRecord")})
    @action(detail=True)
    def record(self, request: Request, **kwargs: Any) -> Response:
        """Return a whole tournament, with whole names, as a portable document."""
        with transaction.atomic():
            # Nobody leads it on meanwhile.
            return Response(tournament_document(lifecycle.lock_tournament(self.tournament.pk)))


class TournamentRecordViewSet(ClubMixin, APIViewSet):
    scope = Scope.MANAGE
    permission = staticmethod(owned_club)
    lookup_field = None
    serializer_class = serializers.TournamentSerializer

    @extend_schema(
        request={"application/json": component("TournamentRecord")},
        parameters=[ELSEWHERE],
    )
    def create(self, request: Request, slug: str) -> Response:
        """Import a tournament of another server from its document, for owners.

        Its players become the players of the club with the same names. Its sheets are rated as if
        they had been played here. A slug that is taken is refused, unless `elsewhere` is true.
        """
        elsewhere = request.query_params.get("elsewhere", "false")
        if elsewhere not in TRUTHS:
            raise fault("wrong-type", "elsewhere", _("Must be a valid boolean."))
        into = Into(self.club, elsewhere=elsewhere == "true")
        row = import_tournament(request.data, self.actor, at=timezone.now(), into=into)
        place = f"/api/v1/clubs/{slug}/tournaments/{row.slug}/"
        return self.respond(serializers.with_details(row), Location=place)


def _settings(data: Any, before: TournamentSettings) -> TournamentSettings:
    """Return the settings that were sent, upon those of a preset or those before."""
    base = PRESETS[data["preset"]] if "preset" in data else before
    new = data.get("settings", {})
    with placed("settings"):
        # By themselves first, so that a value that is no object is reported.
        read_settings(new)
        return read_settings(write_settings(base) | new)


def _season(club: Club, pk: int | None) -> Season | None:
    """Return a season of the club; UnknownSeason if the club has no such one."""
    if pk is None:
        return None
    season = Season.objects.filter(club=club, pk=pk).first()
    if season is None:
        raise UnknownSeason
    return season
