"""Addresses of the tables of a round: laid, shown, given a new key, taken away."""

from collections.abc import Iterable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import has_scope
from tournaments.api.events.rounds import directed_round, seen_evening
from tournaments.api.events.serializers import (
    EveningTable,
    EveningTableSerializer,
    NewTableSerializer,
)
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Club, Event, Game, Player, Round, Scope, Table
from tournaments.permissions import directed_evening, directed_event, directs_club, seen_event
from tournaments.queries.events import current_sheets
from tournaments.services.base.writes import Fault, Invalid
from tournaments.services.events.events import lock_round, lock_tables_of
from tournaments.services.games.playing import GameSetup
from tournaments.services.games.seating import Who
from tournaments.services.games.tables import Laying, add_table, remove_table, replace_address
from tournaments.services.people.players import lock_people


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
