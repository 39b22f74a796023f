"""Addresses of tournaments, and of their records."""

import secrets
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext as _
from django_filters import rest_framework as filters
from drf_spectacular.types import OpenApiTypes
from drf_spectacular.utils import OpenApiParameter, extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LARGEST_KEY, TRUTHS
from tournaments.api.filtering import UnknownSeason
from tournaments.api.problems import fault, placed, read_at
from tournaments.api.schema import component
from tournaments.api.tournaments.serializers import (
    ChangedTournamentSerializer,
    CopySerializer,
    LinksSerializer,
    NewStateSerializer,
    NewTournamentSerializer,
    TournamentLineSerializer,
    TournamentSerializer,
)
from tournaments.api.views import Resource, idempotent
from tournaments.engine.documents.shapes import EVENT_FIELDS
from tournaments.engine.standings.tournament_settings import (
    PRESETS,
    TournamentSettings,
    read_settings,
    write_settings,
)
from tournaments.models import Club, Event, Player, Scope, Season, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import (
    directed_club,
    directed_tournament,
    owned_club,
    role_in,
    seen_club,
    seen_tournament,
)
from tournaments.queries.state import settings_of
from tournaments.queries.steps import how_far
from tournaments.reports.tournament_document import tournament_document
from tournaments.services.entrants.substituting import CopyPlan, copy_tournament
from tournaments.services.events.events import EventPlan, plan_of
from tournaments.services.tournaments.lifecycle import (
    TournamentPlan,
    cancel_tournament,
    change_tournament,
    create_tournament,
    delete_tournament,
    lock_tournament,
    move_tournament,
    remove_tournament,
    replace_links,
    restore_tournament,
)
from tournaments.services.tournaments.record_import import Into, import_tournament


class PlayerNameSerializer(serializers.Serializer[Any]):
    """A player by name; members of the club get the id, others null.

    The name is empty of whoever was removed.
    """

    id = serializers.SerializerMethodField()
    name = serializers.SerializerMethodField()

    @extend_schema_field({"type": ["string", "null"]})
    def get_id(self, player: Player) -> str | None:
        return player.public_id if self.context.get("member") else None

    def get_name(self, player: Player) -> str:
        whole = self.context.get("directs") and player.name
        return str(whole or player.shown_name)


MOST_SEEDS = 2**31
OF_THE_CLUB = ("table_codes", "confirmations")
SAID = (*EVENT_FIELDS, "ruleset", "options")


class TournamentFilter(filters.FilterSet):  # type: ignore[misc]
    """Which tournaments of a club are listed."""

    state = filters.ChoiceFilter(choices=Tournament.State.choices)
    season = filters.NumberFilter(field_name="event__season", min_value=1, max_value=LARGEST_KEY)
    published = filters.BooleanFilter(field_name="event__published")
    held_on = filters.DateFilter(field_name="event__held_on")
    held_from = filters.DateFilter("event__held_on", "gte", label="On this day or later.")
    held_until = filters.DateFilter("event__held_on", "lte", label="On this day or before.")


class OfTournament(Resource):
    """Base of the addresses of a tournament: the reader's rights, and the tournament's state."""

    def get_serializer_context(self) -> dict[str, Any]:
        """With what was found out about the tournament that is shown."""
        return {**super().get_serializer_context(), **getattr(self, "more", {})}

    def directs(self, row: Tournament) -> bool:
        """Whether whoever asks directs the club of a tournament (1 query with an account)."""
        return role_in(self.visitor, row.event.club) in DIRECTING

    def look_at(self, row: Tournament, *, directs: bool) -> None:
        rounds = list(row.event.rounds.order_by("number"))
        self.more = {"far": how_far(row, rounds), "directs": directs}

    def tournament_shown(self, row: Tournament, status: int = 200, **headers: str) -> Response:
        self.look_at(row, directs=True)
        return self.shown(TournamentSerializer, row, status, **headers)


class Tournaments(OfTournament):
    queryset = Tournament.objects.none()
    filterset_class = TournamentFilter
    ordering_fields = ("held_on", "name")
    ordering = ("-held_on",)

    @extend_schema(responses=TournamentLineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The tournaments of a club that one may see, the latest first; drafts for directors."""
        club = seen_club(self.visitor, slug)
        listed = Event.objects.listed_for(request.user).filter(club=club)
        rows = Tournament.objects.filter(event__in=listed)
        rows = rows.annotate(held_on=F("event__held_on"), name=F("event__name"))
        return self.pages_of(TournamentLineSerializer, rows.select_related("event"))

    @extend_schema(request=NewTournamentSerializer, responses={201: TournamentSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Make a tournament, which is a draft."""
        club = directed_club(self.visitor, slug)
        said = self.said(NewTournamentSerializer, also=read_at("settings", read_settings))
        begun: dict[str, Any] = {name: getattr(club, name) for name in OF_THE_CLUB}
        details = begun | {name: said[name] for name in SAID if name in said}
        event = EventPlan(**details, season=_season(club, said["season"]))
        settings = _settings(said, TournamentSettings())
        seed = said.get("seed", secrets.randbelow(MOST_SEEDS))
        plan = TournamentPlan(event, settings, seed)
        row = create_tournament(club, plan, self.actor, at=timezone.now())
        return self.tournament_shown(row, 201, Location=f"{request.path}{row.slug}/")


class OneTournament(OfTournament):
    @extend_schema(responses=TournamentSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """The state of a tournament; directors also see the next step."""
        row = seen_tournament(self.visitor, slug, tournament)
        self.look_at(row, directs=self.directs(row))
        return self.shown(TournamentSerializer, row)

    @extend_schema(request=ChangedTournamentSerializer, responses=TournamentSerializer)
    def patch(self, request: Request, slug: str, tournament: str) -> Response:
        """Change a tournament; the game stays once it runs."""
        row = directed_tournament(self.visitor, slug, tournament)
        said = self.said(
            ChangedTournamentSerializer, also=read_at("settings", read_settings), partial=True
        )
        with transaction.atomic():
            season = _season_said(row, said)
            row = lock_tournament(row.pk)
            self.look_at(row, directs=True)
            self.check_unchanged(TournamentSerializer, row)
            new = {name: said[name] for name in SAID if name in said}
            plan = replace(plan_of(row.event), season=season, **new)
            whole = TournamentPlan(plan, _settings(said, settings_of(row)), row.seed)
            row = change_tournament(row.pk, whole, self.actor, at=timezone.now())
        return self.tournament_shown(row)

    @extend_schema(
        request=None,
        responses={204: None},
        parameters=[
            OpenApiParameter(
                "name", OpenApiTypes.STR, description="Its name: an owner deletes its rounds, too."
            ),
        ],
    )
    def delete(self, request: Request, slug: str, tournament: str) -> Response:
        """Take a tournament away in which no round was seated; with `name` any, for owners."""
        row = directed_tournament(self.visitor, slug, tournament)
        name = request.query_params.get("name")
        if name is not None:
            owned_club(self.visitor, slug)
        with transaction.atomic():
            row = lock_tournament(row.pk)
            self.look_at(row, directs=True)
            self.check_unchanged(TournamentSerializer, row)
            if name is None:
                remove_tournament(row.pk, self.actor, at=timezone.now())
            else:
                delete_tournament(row.pk, name, self.actor, at=timezone.now())
        return Response(status=204)


class Move(OfTournament):
    @extend_schema(request=NewStateSerializer, responses=TournamentSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Lead a tournament one step on or back; it may be there already."""
        row = directed_tournament(self.visitor, slug, tournament)
        state = self.said(NewStateSerializer)["state"]
        row = move_tournament(row.pk, state, self.actor, at=timezone.now())
        return self.tournament_shown(row)


class Copy(OfTournament):
    @extend_schema(request=CopySerializer, responses={201: TournamentSerializer})
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Make a draft with the settings of a tournament, and with its entrants unless not wished.

        With `links`, the links to register and to check in lead to the copy, which gets the `id`.
        """
        row = directed_tournament(self.visitor, slug, tournament)
        plan = CopyPlan(**self.said(CopySerializer), seed=secrets.randbelow(MOST_SEEDS))
        copy = copy_tournament(row.pk, plan, self.actor, at=timezone.now())
        place = f"/api/v1/clubs/{slug}/tournaments/{copy.slug}/"
        return self.tournament_shown(copy, 201, Location=place)


class Cancel(OfTournament):
    @extend_schema(request=None, responses=TournamentSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Hide a tournament from all but directors, and its games from ratings and statistics."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.tournament_shown(cancel_tournament(row.pk, self.actor, at=timezone.now()))


class Restore(OfTournament):
    @extend_schema(request=None, responses=TournamentSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Take back that a tournament was cancelled."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.tournament_shown(restore_tournament(row.pk, self.actor, at=timezone.now()))


class Links(OfTournament):
    read_scope = Scope.DIRECT

    @extend_schema(responses=LinksSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """The links by which players register and check in, for directors to hand out."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.shown(LinksSerializer, row)


class ReplaceLinks(OfTournament):
    @extend_schema(request=None, responses=LinksSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Make the links worthless; there are new ones."""
        row = directed_tournament(self.visitor, slug, tournament)
        row = replace_links(row.pk, self.actor, at=timezone.now())
        return self.shown(LinksSerializer, row)


def _settings(said: Any, before: TournamentSettings) -> TournamentSettings:
    """The settings that are said, upon those of a preset or those before."""
    base = PRESETS[said["preset"]] if "preset" in said else before
    new = said.get("settings", {})
    with placed("settings"):
        # By themselves first, so that a value that is no object is reported.
        read_settings(new)
        return read_settings(write_settings(base) | new)


def _season(club: Club, pk: int | None) -> Season | None:
    """A season of the club, locked so that nobody removes it meanwhile.

    Raises:
        UnknownSeason: it is not one of the club's.
    """
    if pk is None:
        return None
    season = Season.objects.filter(club=club, pk=pk).first()
    if season is None:
        raise UnknownSeason
    return season


def _season_said(row: Tournament, said: Any) -> Season | None:
    """The season a tournament is to be in; seasons are locked before tournaments."""
    season = _season(row.event.club, said["season"]) if "season" in said else row.event.season
    if season is not None:
        Season.objects.select_for_update().filter(pk=season.pk).first()
    return season


class TournamentDocument(OfTournament):
    read_scope = Scope.DIRECT

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
