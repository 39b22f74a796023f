"""Addresses of the tables of a round: progress, and for its directors time and calls."""

from typing import Any

from django.http import Http404
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext as _
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import has_scope
from tournaments.api.fields import Moment, PointsField, Strict
from tournaments.api.games.clocks import ClockSerializer, clock_details
from tournaments.api.games.serializers import GameKeysSerializer
from tournaments.api.idempotency import idempotent
from tournaments.api.paging import PAGES, PartSerializer
from tournaments.api.rounds.serializers import AddTimeSerializer
from tournaments.api.rounds.views import OfRound
from tournaments.models import Game, Round, Scope, Table
from tournaments.presenters.rounds.tables import TROUBLES, Watched, watch_tables
from tournaments.services.rounds.calls import answer_call
from tournaments.services.rounds.clocks import Added, add_table_time
from tournaments.services.rounds.deal_reviews import SeenDeal, settle_deal
from tournaments.services.rounds.overtime import finish_for_time


class TableTroubleSerializer(serializers.Serializer[Any]):
    """A possible problem at a table: its seconds, and the seats that did not confirm or dispute."""

    code = serializers.ChoiceField(choices=TROUBLES)
    seconds = serializers.IntegerField()
    seats = serializers.ListField(child=serializers.IntegerField())


class WatchedTableSerializer(serializers.Serializer[Any]):
    """A table of a round; `players` are in order of seats, from 0.

    `deals` and `totals` (per side) are those of its game so far; `deals` is null once it is
    `finished`; `clock` if no time is kept. Only directors are told of calls and troubles, and who
    wrote last; the `keys` of its game are shown to their tokens that may score. In a round whose
    results are hidden, others read neither `deals` nor `totals`.
    """

    number = serializers.IntegerField(source="table.number")
    id = serializers.CharField(source="table.public_id")
    game = serializers.CharField(source="row.public_id")
    entrants = serializers.SerializerMethodField()
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    revision = serializers.IntegerField(source="row.revision")
    finished = serializers.SerializerMethodField()
    deals = serializers.SerializerMethodField()
    totals = serializers.SerializerMethodField()
    confirmed = serializers.ListField(
        child=serializers.IntegerField(), source="agreement.confirmed"
    )
    confirmations_needed = serializers.IntegerField(source="agreement.needed")
    last_at = Moment(allow_null=True)
    last_by = serializers.SerializerMethodField()
    clock = serializers.SerializerMethodField()
    extra_seconds = serializers.IntegerField(source="table.extra_seconds")
    called_at = serializers.SerializerMethodField()
    troubles = serializers.SerializerMethodField()
    keys = serializers.SerializerMethodField()

    @extend_schema_field({"type": "array", "items": {"type": "integer"}})
    def get_entrants(self, seen: Watched) -> list[int]:
        return list(self.context["sitting"].get(seen.table.pk, ()))

    def get_finished(self, seen: Watched) -> bool:
        return seen.progress is None

    def get_deals(self, seen: Watched) -> int | None:
        return None if seen.progress is None or self.context["hidden"] else seen.progress.deals

    @extend_schema_field(serializers.ListField(child=PointsField()))
    def get_totals(self, seen: Watched) -> Any:
        shown = () if self.context["hidden"] else seen.totals
        return serializers.ListField(child=PointsField()).to_representation(list(shown))

    def get_last_by(self, seen: Watched) -> str:
        return seen.last_by if self.context["directs"] else ""

    @extend_schema_field(Moment(allow_null=True))
    def get_called_at(self, seen: Watched) -> Any:
        called = seen.table.called_at if self.context["directs"] else None
        return None if called is None else Moment().to_representation(called)

    @extend_schema_field(TableTroubleSerializer(many=True))
    def get_troubles(self, seen: Watched) -> Any:
        return TableTroubleSerializer(
            seen.troubles if self.context["directs"] else (), many=True
        ).data

    @extend_schema_field(ClockSerializer(allow_null=True))
    def get_clock(self, seen: Watched) -> Any:
        details = clock_details(seen.table.round, self.context["now"], seen.table.extra_seconds)
        return None if details is None else ClockSerializer(details).data

    @extend_schema_field(GameKeysSerializer(allow_null=True))
    def get_keys(self, seen: Watched) -> Any:
        if not self.context["directs"] or not has_scope(self.context["request"], Scope.SCORE):
            return None
        return GameKeysSerializer(seen.row, context=self.context).data


class WatchedTablesSerializer(PartSerializer):
    """The tables of a round."""

    results = WatchedTableSerializer(many=True)


class OfTable(OfRound):
    """Base of the addresses of a table."""

    def watched(self) -> list[Watched]:
        """Return the current tables of the round (up to 5 queries)."""
        sitting: dict[int, list[int]] = {}
        rows = self.round_.sittings.filter(table__isnull=False).order_by("side")
        for table, number in rows.values_list("table", "entrant__number"):
            sitting.setdefault(table, []).append(number)
        now = timezone.now()
        hiding = Round.objects.hiding_results().filter(pk=self.round_.pk)
        hidden = not self.directs and hiding.exists()
        self.more = {"sitting": sitting, "now": now, "directs": self.directs, "hidden": hidden}
        self.round_.event = self.row.event
        tables = watch_tables(self.row, self.round_, now)
        return tables if self.directs else sorted(tables, key=lambda each: each.table.number)

    def find(self, where: dict[str, Any]) -> Table:
        """The table with a number, for a director; 404 where there is none."""
        self.direct(where["slug"], where["tournament"], where["number"])
        table: Table | None = self.round_.tables.filter(number=where["table"]).first()
        if table is None:
            raise Http404
        return table

    def table_shown(self, number: int) -> Response:
        self.round_.refresh_from_db()
        found = [each for each in self.watched() if each.table.number == number]
        if not found:
            raise Http404
        return self.shown(WatchedTableSerializer, found[0])


class Tables(OfTable):
    @extend_schema(
        "clubs_tournaments_rounds_tables_list", parameters=PAGES, responses=WatchedTablesSerializer
    )
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """All tables of a round; its directors read those first where something is wrong."""
        self.see(slug, tournament, number)
        return self.shown(WatchedTablesSerializer, {"results": self.watched()})


class RoundTable(OfTable):
    @extend_schema(responses=WatchedTableSerializer)
    def get(self, request: Request, **where: Any) -> Response:
        """A table by its number."""
        self.see(where["slug"], where["tournament"], where["number"])
        return self.table_shown(where["table"])


class AddTableTime(OfTable):
    @extend_schema(request=AddTimeSerializer, responses=WatchedTableSerializer)
    @idempotent
    def post(self, request: Request, **where: Any) -> Response:
        """Give one table more time than the others, or take some of it back."""
        table = self.find(where)
        said = self.said(AddTimeSerializer)
        added = Added(said["seconds"], said.get("seen", table.extra_seconds))
        add_table_time(table.pk, added, self.actor, at=timezone.now())
        return self.table_shown(table.number)


class FinishTable(OfTable):
    @extend_schema(request=None, responses=WatchedTableSerializer)
    @idempotent
    def post(self, request: Request, **where: Any) -> Response:
        """End the game of a table whose time is over, as the settings say."""
        table = self.find(where)
        finish_for_time(table.pk, _("the time was over"), self.actor, at=timezone.now())
        return self.table_shown(table.number)


class SettlingSerializer(Strict):
    """The version of a disputed deal that counts; `revision` is that of the deal as written."""

    position = serializers.IntegerField(min_value=0)
    revision = serializers.IntegerField(min_value=1)
    counts = serializers.ChoiceField(("written", "disputed"))


class SettleDeal(OfTable):
    @extend_schema(request=SettlingSerializer, responses=WatchedTableSerializer)
    @idempotent
    def post(self, request: Request, **where: Any) -> Response:
        """Let one version of a disputed deal count."""
        table = self.find(where)
        said = self.said(SettlingSerializer)
        game = get_object_or_404(Game, table=table)
        seen = SeenDeal(said["position"], said["revision"], self.actor, timezone.now())
        settle_deal(game.pk, seen, disputed_counts=said["counts"] == "disputed")
        return self.table_shown(table.number)


class AnswerCall(OfTable):
    @extend_schema(request=None, responses=WatchedTableSerializer)
    @idempotent
    def post(self, request: Request, **where: Any) -> Response:
        """Say that somebody has gone to a table that called."""
        table = self.find(where)
        answer_call(table.pk, self.actor, at=timezone.now())
        return self.table_shown(table.number)
