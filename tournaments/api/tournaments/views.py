"""Addresses of tournaments: listed, made, changed, led from state to state, removed."""

import secrets
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import F
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.fields import LARGEST_KEY
from tournaments.api.idempotency import idempotent
from tournaments.api.problems import Refused, fault, invalid, placed
from tournaments.api.tournaments import refusals  # noqa: F401 - known to all from here on
from tournaments.api.tournaments.serializers import (
    ChangedTournamentSerializer,
    LinksSerializer,
    MovedSerializer,
    NewTournamentSerializer,
    TournamentLineSerializer,
    TournamentSerializer,
)
from tournaments.api.views import Resource
from tournaments.engine.tournament_settings import (
    PRESETS,
    TournamentSettings,
    read_settings,
    write_settings,
)
from tournaments.models import Club, Scope, Season, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.queries.steps import how_far
from tournaments.queries.tournaments import settings_of
from tournaments.services.clubs.events import EventPlan, plan_of
from tournaments.services.tournaments.leading import (
    TournamentPlan,
    change_tournament,
    create_tournament,
    lock_tournament,
    move_tournament,
    remove_tournament,
    replace_links,
)
from tournaments.visitors import (
    directed_club,
    directed_tournament,
    role_in,
    seen_club,
    seen_tournament,
)

MOST_SEEDS = 2**31
OF_THE_CLUB = ("table_codes", "confirmations")
SAID = ("name", "held_on", "ruleset", "options", "published", "table_codes", "confirmations")


class TournamentFilter(filters.FilterSet):  # type: ignore[misc]
    """Which tournaments of a club are listed."""

    state = filters.ChoiceFilter(choices=Tournament.State.choices)
    season = filters.NumberFilter(field_name="event__season", min_value=1, max_value=LARGEST_KEY)
    published = filters.BooleanFilter(field_name="event__published")
    held_on = filters.DateFilter(field_name="event__held_on")
    held_from = filters.DateFilter("event__held_on", "gte", label="On this day or later.")
    held_until = filters.DateFilter("event__held_on", "lte", label="On this day or before.")


class OfTournament(Resource):
    """What all addresses of a tournament share: whether a director asks, and how far it is."""

    def get_serializer_context(self) -> dict[str, Any]:
        """With what was found out about the tournament that is shown."""
        return {**super().get_serializer_context(), **getattr(self, "more", {})}

    def directs(self, row: Tournament) -> bool:
        """Whether whoever asks directs the club of a tournament (1 query with an account)."""
        return role_in(self.visitor, row.event.club) in DIRECTING

    def look_at(self, row: Tournament, *, directs: bool) -> None:
        """Find out what is told of a tournament beyond its row."""
        self.more = {"far": how_far(row), "directs": directs}

    def tournament_shown(self, row: Tournament, status: int = 200, **headers: str) -> Response:
        """A tournament as a director sees it, after something was done."""
        self.look_at(row, directs=True)
        return self.shown(TournamentSerializer, row, status, **headers)


class Tournaments(OfTournament):
    """`/clubs/{slug}/tournaments/`."""

    queryset = Tournament.objects.none()
    filterset_class = TournamentFilter
    ordering_fields = ("held_on", "name")
    ordering = ("-held_on",)

    @extend_schema(responses=TournamentLineSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The tournaments of a club that one may see, the latest first; drafts for directors."""
        club = seen_club(self.visitor, slug)
        rows = Tournament.objects.seen_by(request.user).filter(event__club=club)
        rows = rows.annotate(held_on=F("event__held_on"), name=F("event__name"))
        return self.pages_of(TournamentLineSerializer, rows.select_related("event"))

    @extend_schema(request=NewTournamentSerializer, responses={201: TournamentSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Make a tournament, which is a draft."""
        club = directed_club(self.visitor, slug)
        said = self.said(NewTournamentSerializer)
        begun: dict[str, Any] = {name: getattr(club, name) for name in OF_THE_CLUB}
        told = begun | {name: said[name] for name in SAID if name in said}
        event = EventPlan(**told, season=_season(club, said["season"]))
        settings = _settings(said, TournamentSettings())
        seed = said.get("seed", secrets.randbelow(MOST_SEEDS))
        plan = TournamentPlan(event, settings, seed)
        row = create_tournament(club, plan, self.actor, at=timezone.now())
        return self.tournament_shown(row, 201, Location=f"{request.path}{row.slug}/")


class OneTournament(OfTournament):
    """`/clubs/{slug}/tournaments/{tournament}/`."""

    @extend_schema(responses=TournamentSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """Where a tournament stands; directors are also told what comes next."""
        row = seen_tournament(self.visitor, slug, tournament)
        self.look_at(row, directs=self.directs(row))
        return self.shown(TournamentSerializer, row)

    @extend_schema(request=ChangedTournamentSerializer, responses=TournamentSerializer)
    def patch(self, request: Request, slug: str, tournament: str) -> Response:
        """Change what was said of a tournament; what is played stays once it runs."""
        row = directed_tournament(self.visitor, slug, tournament)
        said = self.said(ChangedTournamentSerializer, partial=True)
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

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, tournament: str) -> Response:
        """Take a tournament away in which no round was seated."""
        row = directed_tournament(self.visitor, slug, tournament)
        with transaction.atomic():
            row = lock_tournament(row.pk)
            self.look_at(row, directs=True)
            self.check_unchanged(TournamentSerializer, row)
            remove_tournament(row.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Move(OfTournament):
    """`/clubs/{slug}/tournaments/{tournament}/move/`."""

    @extend_schema(request=MovedSerializer, responses=TournamentSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Lead a tournament one step on or back; it may be there already."""
        row = directed_tournament(self.visitor, slug, tournament)
        state = self.said(MovedSerializer)["state"]
        row = move_tournament(row.pk, state, self.actor, at=timezone.now())
        return self.tournament_shown(row)


class Links(OfTournament):
    """`/clubs/{slug}/tournaments/{tournament}/links/`."""

    reading_scope = Scope.DIRECT

    @extend_schema(responses=LinksSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """The links by which players register and check in, for directors to hand out."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.shown(LinksSerializer, row)


class ReplaceLinks(OfTournament):
    """`/clubs/{slug}/tournaments/{tournament}/links/replace/`."""

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
        # By themselves first: what is no object is said to be none.
        read_settings(new)
        return read_settings(write_settings(base) | new)


def _season(club: Club, pk: int | None) -> Season | None:
    """A season of the club, locked so that nobody removes it meanwhile.

    Raises:
        Refused: it is not one of the club's.
    """
    if pk is None:
        return None
    season = Season.objects.filter(club=club, pk=pk).first()
    if season is None:
        told = fault("unknown-season", "season", _("The club has no such season."))
        raise Refused(invalid([told]))
    return season


def _season_said(row: Tournament, said: Any) -> Season | None:
    """The season a tournament is to be in; seasons are locked before tournaments."""
    season = _season(row.event.club, said["season"]) if "season" in said else row.event.season
    if season is not None:
        Season.objects.select_for_update().filter(pk=season.pk).first()
    return season
