"""Events of a club: evenings, their rounds and tables; and the seasons they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import views
from tournaments.api.access import has_scope
from tournaments.api.events import serializers
from tournaments.api.fields import LARGEST_KEY
from tournaments.models import Club, Event, Game, Player, Round, Scope, Season, Table
from tournaments.permissions import directed_evening, directed_event, directs_club, seen_event
from tournaments.queries.standings import current_sheets, seasons_of
from tournaments.services.base.writes import Fault, Invalid
from tournaments.services.events import events
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.seating import Who
from tournaments.services.games.tables import Laying, add_table, remove_table, replace_address
from tournaments.services.people.players import lock_people
from tournaments.services.tournaments.lifecycle import lock_tournament, put_in_season


class SeasonViewSet(views.ClubMixin, views.ModelViewSet):
    descriptions = {
        "list": "List the seasons of a club, latest first.",
        "create": "Create a season. Seasons may overlap.",
        "retrieve": "Return a season of a club.",
        "partial_update": "Change the name, dates or league of a season. Its evenings stay.",
        "destroy": "Delete a season that no evening belongs to.",
    }
    tag = "clubs"
    queryset = Season.objects.all()
    lookup_value_converter = "int"
    ordering_fields = ("starts_on", "ends_on", "name")
    ordering = ("-starts_on",)
    serializer_class = serializers.SeasonSerializer
    request_serializer_class = serializers.SeasonDatesSerializer

    def get_queryset(self) -> QuerySet[Season]:
        return seasons_of(self.club, self.http_request.user)

    def lock(self) -> None:
        get_object_or_404(self.club.seasons.select_for_update(), pk=self.kwargs["pk"])

    def perform_create(self, data: Mapping[str, Any]) -> Season:
        season = events.create_season(
            self.club, events.SeasonDates(**data), self.actor, at=timezone.now()
        )
        return self.get_queryset().get(pk=season.pk)

    def perform_update(self, season: Season, data: Mapping[str, Any]) -> None:
        dates = events.SeasonDates(**{**asdict(events.dates_of(season)), **data})
        events.change_season(season.pk, dates, self.actor, at=timezone.now())

    def perform_destroy(self, season: Season) -> None:
        events.remove_season(season.pk, self.actor, at=timezone.now())


class SeasonEventViewSet(views.ClubMixin, views.APIViewSet):
    tag = "clubs"
    lookup_field = "public_id"
    lookup_url_kwarg = "event"
    lookup_value_converter = "slug"
    # `If-Match` names the tag of the evening, which says its season.
    serializer_classes = {"retrieve": serializers.EventSerializer}

    def update(self, request: Request, **kwargs: Any) -> Response:
        """Put an evening or a tournament into a season, even a finished one."""
        return self._move(self.kwargs["pk"])

    def destroy(self, request: Request, **kwargs: Any) -> Response:
        """Take an evening or a tournament out of a season."""
        return self._move(None)

    def _move(self, into: int | None) -> Response:
        with transaction.atomic():
            season = get_object_or_404(self.club.seasons.select_for_update(), pk=self.kwargs["pk"])
            rows = self.club.events.select_related("tournament")
            event = get_object_or_404(rows, public_id=self.kwargs["event"])
            if hasattr(event, "tournament"):
                event = lock_tournament(event.tournament.pk).event
            else:
                event = Event.objects.select_for_update().get(pk=event.pk)
            self.check_precondition(event)
            if into is not None or event.season_id == season.pk:
                put_in_season(event.pk, into, self.actor, at=timezone.now())
        return self.respond()


class EventFilter(filters.FilterSet):  # type: ignore[misc]
    season = filters.NumberFilter(
        "season", label="The id of a season.", min_value=1, max_value=LARGEST_KEY, decimal_places=0
    )
    held_from = filters.DateFilter("held_on", "gte", label="On this day or later.")
    held_until = filters.DateFilter("held_on", "lte", label="On this day or before.")
    is_tournament = filters.BooleanFilter(
        "tournament", "isnull", exclude=True, label="Whether it is a tournament."
    )
    published = filters.BooleanFilter("published", label="Whether everybody may see it.")
    ruleset = filters.CharFilter("ruleset", label="The id of a ruleset.")


class NoSuchSeason(Fault, code="no-such-season", where="season"):
    sentence = _("The club has no such season.")


class EventViewSet(views.ClubMixin, views.ModelViewSet):
    descriptions = {
        "list": "List the evenings and tournaments of a club, latest first.",
        "create": "Create an evening, with its first round open.",
        "retrieve": "Return an evening, or that of a tournament.",
        "partial_update": "Change an evening. Existing tables stay as they are.",
        "destroy": "Delete an evening without tables.",
    }
    action_permissions = {
        "retrieve": seen_event,
        "partial_update": directed_evening,
        "destroy": directed_evening,
    }
    queryset = Event.objects.none()
    lookup_field = "public_id"
    lookup_value_converter = "slug"
    filterset_class = EventFilter
    ordering_fields = ("held_on", "created_at", "name")
    ordering = ("-held_on", "-pk")
    serializer_class = serializers.EventSerializer
    request_serializer_class = serializers.EventPlanSerializer
    event: Event

    def resolve_parents(self) -> None:
        if self.detail:
            self.event = self.get_permission()(self.http_request, **self.kwargs)
        else:
            super().resolve_parents()

    def get_queryset(self) -> QuerySet[Event]:
        return self.club.events.listed_for(self.http_request.user).select_related("tournament")

    def get_object(self) -> Event:
        return self.event

    def lock(self) -> None:
        rows = Event.objects.select_for_update(of=("self",))
        self.event = get_object_or_404(rows, pk=self.event.pk)

    def perform_create(self, data: Mapping[str, Any]) -> Event:
        data = _with_season(self.club, data)
        if "season" not in data:
            data = {**data, "season": events.season_on(self.club, data["held_on"])}
        usual = {name: getattr(self.club, name) for name in ("table_codes", "confirmations")}
        plan = events.EventPlan(**{**usual, **data})
        return events.create_event(self.club, plan, self.actor, at=timezone.now())

    def partial_update(self, request: Request, **kwargs: Any) -> Response:
        self.check_precondition(self.event)
        data = _with_season(self.event.club, self.get_validated(partial=True))
        with transaction.atomic():
            # Seasons are locked before evenings, as whoever removes one does.
            events.lock_season(replace(events.plan_of(self.event), **data))
            plan = replace(events.plan_of(self.get_locked()), **data)
            event = events.change_event(self.event.pk, plan, self.actor, at=timezone.now())
        return self.respond(event)

    def perform_destroy(self, event: Event) -> None:
        events.remove_event(event.pk, self.actor, at=timezone.now())


def _with_season(club: Club, data: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return the plan with the row of its season; NoSuchSeason if the club has no such one."""
    if data.get("season") is None:
        return data
    season = Season.objects.filter(club=club, pk=data["season"]).first()
    if season is None:
        raise NoSuchSeason
    return {**data, "season": season}


def seen_evening(request: HttpRequest, slug: str, public_id: str) -> Event:
    """An evening for whoever may see it; 404 for others, and for a tournament."""
    event = seen_event(request, slug, public_id)
    if hasattr(event, "tournament"):
        raise Http404
    return event


class EventMixin:
    """The evening in the address."""

    permission: Any = staticmethod(directed_evening)
    read_permission: Any = staticmethod(seen_evening)
    event: Event

    def resolve_parents(self: Any) -> None:
        slug, public_id = self.kwargs["slug"], self.kwargs["public_id"]
        self.event = self.get_permission()(self.http_request, slug, public_id)


class EveningRoundViewSet(
    EventMixin, views.ListMixin, views.CreateMixin, views.RetrieveMixin, views.APIViewSet
):
    descriptions = {
        "list": "List the rounds of an evening. Those of a tournament are below the tournament.",
        "create": "Open the next round. Earlier ones stay: a slow table can play on.",
        "retrieve": "Return a round of an evening.",
    }
    queryset = Round.objects.none()
    lookup_field = "number"
    lookup_value_converter = "int"
    ordering_fields = ("number",)
    ordering = ("number",)
    serializer_class = serializers.EveningRoundSerializer

    def get_queryset(self) -> QuerySet[Round]:
        return self.event.rounds.annotate(table_count=Count("tables"))

    def create(self, request: Request, **kwargs: Any) -> Response:
        opened = events.open_round(self.event.pk, self.actor, at=timezone.now())
        row = self.get_queryset().get(pk=opened.pk)
        return self.respond(row, Location=f"{request.path}{row.number}/")

    @action(methods=["post"], detail=True)
    def close(self, request: Request, **kwargs: Any) -> Response:
        """Close a round. From then on only directors can write its sheets."""
        events.close_round(self.get_object().pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())

    @action(methods=["post"], detail=True)
    def reopen(self, request: Request, **kwargs: Any) -> Response:
        """Open a closed round again: its tables can be written with the keys they had."""
        events.reopen_round(self.get_object().pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())


class NoSuchPlayer(Fault, code="no-such-player"):
    sentence = _("The club has no such player.")


class EveningTableViewSet(EventMixin, views.DestroyMixin, views.APIViewSet):
    descriptions = {
        "destroy": "Delete a table with its games. The audit keeps their entries.",
    }
    action_permissions = {"retrieve": seen_event, "replace": directed_event}
    queryset = Table.objects.none()
    lookup_field = "public_id"
    lookup_url_kwarg = "table"
    lookup_value_converter = "slug"
    ordering_fields = ("number",)
    ordering = ("number",)
    serializer_class = serializers.EveningTableSerializer
    request_serializer_classes = {"create": serializers.NewTableSerializer}

    def get_queryset(self) -> QuerySet[Table]:
        rows = Table.objects.filter(round__event=self.event, round__number=self.kwargs["number"])
        return rows.select_related("round")

    def details(self, *tables: Table, directs: bool) -> list[dict[str, Any]]:
        """Return tables with their current games (5 queries)."""
        opens = has_scope(self.request, Scope.SCORE)
        games = Game.objects.filter(table__in=tables).prefetch_related("seats__player")
        sheets = current_sheets(games)
        return [
            serializers.table_details(t, sheets[t.pk], self.event, directs=directs, opens=opens)
            for t in tables
        ]

    def list(self, request: Request, **kwargs: Any) -> Response:
        """List the tables of a round with their current games. Directors also get all keys."""
        get_object_or_404(self.event.rounds, number=self.kwargs["number"])
        directs = directs_club(self.http_request, self.event.club)
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset()))
        lines = self.get_serializer(self.details(*(page or ()), directs=directs), many=True)
        return self.get_paginated_response(lines.data)

    def create(self, request: Request, **kwargs: Any) -> Response:
        """Create a table in an open round, with its game started. New names become players."""
        rounds = self.event.rounds.select_related("event__club")
        round_ = get_object_or_404(rounds, number=self.kwargs["number"])
        laying = _laying(round_, self.get_validated())
        table = add_table(round_.pk, laying, self.actor, at=timezone.now())
        (line,) = self.details(table, directs=True)
        return self.respond(line, Location=f"{request.path}{table.public_id}/")

    def retrieve(self, request: Request, **kwargs: Any) -> Response:
        """Return a table of a round. Directors also get all keys, at a tournament, too."""
        directs = directs_club(self.http_request, self.event.club)
        if hasattr(self.event, "tournament") and not directs:
            raise Http404
        (line,) = self.details(super().get_object(), directs=directs)
        return self.respond(line)

    def get_object(self) -> dict[str, Any]:
        (line,) = self.details(super().get_object(), directs=True)
        return line

    def lock(self) -> None:
        round_ = events.lock_round(super().get_object().round_id)
        lock_people(self.event.club_id)
        events.lock_tables_of(round_)

    def perform_destroy(self, line: Mapping[str, Any]) -> None:
        remove_table(line["table"].pk, self.actor, at=timezone.now())

    @action(methods=["post"], detail=True)
    def replace(self, request: Request, **kwargs: Any) -> Response:
        """Replace the key of a table, its code and the key that writes.

        The old ones no longer work. Use it for a lost phone, and when access is closed; also at a
        tournament.
        """
        replace_address(super().get_object().pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())


def _laying(round_: Round, data: Mapping[str, Any]) -> Laying:
    event = round_.event
    ruleset = data.get("ruleset", event.ruleset)
    offered = event.options if ruleset == event.ruleset else {}
    who = _who(event.club, data["players"])
    names = [each if isinstance(each, str) else each.name for each in who]
    stays = {name: data[name] for name in ("first_declarer", "title", "place")}
    head = GameSetup(ruleset, names, options=data.get("options", offered), **stays)
    match = data.get("match")
    return Laying(head, who, (match["length"], match["number"]) if match else None)


def _who(club: Club, sitters: Sequence[dict[str, str]]) -> list[Who]:
    ids = [sitter["player"] for sitter in sitters if "player" in sitter]
    found = Player.objects.present().filter(club=club, public_id__in=ids)
    known = {player.public_id: player for player in found}
    lacking = [
        NoSuchPlayer(where=f"players.{seat}.player")
        for seat, sitter in enumerate(sitters)
        if "player" in sitter and sitter["player"] not in known
    ]
    if lacking:
        raise Invalid(faults=lacking)
    return [known[s["player"]] if "player" in s else s["name"] for s in sitters]
