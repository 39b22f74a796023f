"""Addresses of events, and their rounds and tables."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import has_scope
from tournaments.api.events.serializers import (
    EveningRoundSerializer,
    EveningTable,
    EveningTableSerializer,
    EventPlanSerializer,
    EventSerializer,
    NewTableSerializer,
)
from tournaments.api.fields import LARGEST_KEY
from tournaments.api.views import Resource, idempotent
from tournaments.models import Club, Event, Game, Player, Round, Scope, Season, Table
from tournaments.permissions import (
    directed_club,
    directed_evening,
    directed_event,
    directs_club,
    seen_club,
    seen_event,
)
from tournaments.queries.standings import current_sheets
from tournaments.services.base.writes import Fault, Invalid
from tournaments.services.events.events import (
    EventPlan,
    change_event,
    close_round,
    create_event,
    lock_round,
    lock_season,
    lock_tables_of,
    open_round,
    plan_of,
    remove_event,
    reopen_round,
    season_on,
)
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.seating import Who
from tournaments.services.games.tables import Laying, add_table, remove_table, replace_address
from tournaments.services.people.players import lock_people


class EventFilter(filters.FilterSet):  # type: ignore[misc]
    """Evenings of a season, in a stretch of days, tournaments or none, published or not."""

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

    class Meta:
        model = Event
        fields: list[str] = []


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
        plan = EventPlan(
            **{"table_codes": club.table_codes, "confirmations": club.confirmations, **said}
        )
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


class EveningRounds(Resource):
    queryset = Round.objects.none()
    ordering_fields = ("number",)
    ordering = ("number",)

    @extend_schema(responses=EveningRoundSerializer(many=True))
    def get(self, _request: Request, slug: str, public_id: str) -> Response:
        """The rounds of an evening; those of a tournament are below the tournament."""
        event = seen_evening(self.visitor, slug, public_id)
        return self.pages_of(EveningRoundSerializer, rounds_of(event))

    @extend_schema(request=None, responses={201: EveningRoundSerializer})
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Open the next round; the ones before stay as they are, for a slow table plays on."""
        event = directed_evening(self.visitor, slug, public_id)
        opened = open_round(event.pk, self.actor, at=timezone.now())
        place = f"{request.path}{opened.number}/"
        return _shown(self, event, opened.number, 201, Location=place)


class OneEveningRound(Resource):
    @extend_schema(responses=EveningRoundSerializer)
    def get(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """A round of an evening."""
        return _shown(self, seen_evening(self.visitor, slug, public_id), number)


class CloseEveningRound(Resource):
    @extend_schema(request=None, responses=EveningRoundSerializer)
    @idempotent
    def post(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """Close a round: from now on only directors write its sheets."""
        round_ = directed_round(self.visitor, slug, public_id, number)
        close_round(round_.pk, self.actor, at=timezone.now())
        return _shown(self, round_.event, number)


class ReopenEveningRound(Resource):
    @extend_schema(request=None, responses=EveningRoundSerializer)
    @idempotent
    def post(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """Let the tables of a round be written once more, by the keys they had."""
        round_ = directed_round(self.visitor, slug, public_id, number)
        reopen_round(round_.pk, self.actor, at=timezone.now())
        return _shown(self, round_.event, number)


def seen_evening(visitor: HttpRequest, slug: str, public_id: str) -> Event:
    """An evening for whoever may see it; 404 for others, and for a tournament."""
    event = seen_event(visitor, slug, public_id)
    if hasattr(event, "tournament"):
        raise Http404
    return event


def directed_round(visitor: HttpRequest, slug: str, public_id: str, number: int) -> Round:
    """A round of an evening, for one of its directors; 404 for all others."""
    event = directed_evening(visitor, slug, public_id)
    return get_object_or_404(event.rounds.select_related("event__club"), number=number)


def rounds_of(event: Event) -> QuerySet[Round]:
    return event.rounds.annotate(table_count=Count("tables"))


def _shown(
    view: Resource, event: Event, number: int, status: int = 200, **headers: str
) -> Response:
    row = get_object_or_404(rounds_of(event), number=number)
    return view.shown(EveningRoundSerializer, row, status, **headers)


class NoSuchPlayer(Fault, code="no-such-player"):
    sentence = _("The club has no such player.")


class EveningTables(Resource):
    queryset = Table.objects.none()
    ordering_fields = ("number",)
    ordering = ("number",)

    @extend_schema(responses=EveningTableSerializer(many=True))
    def get(self, _request: Request, slug: str, public_id: str, number: int) -> Response:
        """The tables of a round with their current games; directors also get all keys."""
        event = seen_evening(self.visitor, slug, public_id)
        round_ = get_object_or_404(event.rounds, number=number)
        directs = directs_club(self.visitor, event.club)
        page = self.paginate_queryset(self.filter_queryset(round_.tables.select_related("round")))
        lines = details(self, event, page or (), directs=directs)
        context = self.get_serializer_context()
        shown = EveningTableSerializer(lines, many=True, context=context).data
        return self.get_paginated_response(shown)

    @extend_schema(request=NewTableSerializer, responses={201: EveningTableSerializer})
    @idempotent
    def post(self, request: Request, slug: str, public_id: str, number: int) -> Response:
        """Lay a table in an open round, with its game started; names nobody has are added."""
        round_ = directed_round(self.visitor, slug, public_id, number)
        laying = _laying(round_, self.said(NewTableSerializer))
        table = add_table(round_.pk, laying, self.actor, at=timezone.now())
        where = f"{request.path}{table.public_id}/"
        return shown(self, round_.event, table, 201, Location=where)


class OneEveningTable(Resource):
    @extend_schema(responses=EveningTableSerializer)
    def get(
        self, _request: Request, slug: str, public_id: str, number: int, table: str
    ) -> Response:
        """A table of a round; to directors with all keys, also at a tournament."""
        event = seen_event(self.visitor, slug, public_id)
        directs = directs_club(self.visitor, event.club)
        if hasattr(event, "tournament") and not directs:
            raise Http404
        row = get_object_or_404(_tables(event, number), public_id=table)
        return shown(self, event, row, directs=directs)

    @extend_schema(request=None, responses={204: None})
    def delete(
        self, _request: Request, slug: str, public_id: str, number: int, table: str
    ) -> Response:
        """Delete a table with its games; the audit keeps their entries."""
        event = directed_evening(self.visitor, slug, public_id)
        row = get_object_or_404(_tables(event, number), public_id=table)
        with transaction.atomic():
            round_ = lock_round(row.round_id)
            lock_people(event.club_id)
            lock_tables_of(round_)
            row = get_object_or_404(_tables(event, number), pk=row.pk)
            self.check_unchanged(EveningTableSerializer, *details(self, event, [row], directs=True))
            remove_table(row.pk, self.actor, at=timezone.now())
        return Response(status=204)


class ReplaceAddress(Resource):
    @extend_schema(request=None, responses=EveningTableSerializer)
    @idempotent
    def post(
        self, _request: Request, slug: str, public_id: str, number: int, table: str
    ) -> Response:
        """Make the key of a table, its code and the key that writes worthless, and get new ones.

        For a phone that was lost, and for access that is closed; also at a tournament.
        """
        event = directed_event(self.visitor, slug, public_id)
        row = get_object_or_404(_tables(event, number), public_id=table)
        replace_address(row.pk, self.actor, at=timezone.now())
        return shown(self, event, _tables(event, number).get(pk=row.pk))


def details(
    view: Resource, event: Event, tables: Iterable[Table], *, directs: bool
) -> list[EveningTable]:
    """Tables with their current games (5 queries)."""
    tables = list(tables)
    opens = directs and has_scope(view.request, Scope.SCORE)
    games = Game.objects.filter(table__in=tables).prefetch_related("seats__player")
    sheets = current_sheets(games)
    return [EveningTable(table, sheets[table.pk], event, directs, opens) for table in tables]


def shown(
    view: Resource,
    event: Event,
    table: Table,
    status: int = 200,
    *,
    directs: bool = True,
    **headers: str,
) -> Response:
    (line,) = details(view, event, [table], directs=directs)
    return view.shown(EveningTableSerializer, line, status, **headers)


def _tables(event: Event, number: int) -> QuerySet[Table]:
    rows = Table.objects.filter(round__event=event, round__number=number)
    return rows.select_related("round")


def _laying(round_: Round, said: dict[str, Any]) -> Laying:
    """The table that was asked for.

    Raises:
        Invalid: the club has no such player.
    """
    event = round_.event
    ruleset = said.get("ruleset", event.ruleset)
    offered = event.options if ruleset == event.ruleset else {}
    who = _who(event.club, said["players"])
    names = [each if isinstance(each, str) else each.name for each in who]
    stays = {name: said[name] for name in ("first_declarer", "title", "place")}
    head = GameSetup(ruleset, names, options=said.get("options", offered), **stays)
    match = said.get("match")
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
