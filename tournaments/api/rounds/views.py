"""Addresses of rounds: seated, opened, closed, their clock, tables, rulings, and the wall."""

from collections.abc import Sequence
from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import has_scope
from tournaments.api.fields import Moment, PointsField, Strict
from tournaments.api.filtering import PAGES, PartSerializer
from tournaments.api.games.serializers import ClockSerializer, GameKeysSerializer, clock_details
from tournaments.api.rounds.serializers import (
    AddTimeSerializer,
    NewRulingSerializer,
    RoundSerializer,
    RulingSerializer,
)
from tournaments.api.tournaments.serializers import RoundLineSerializer
from tournaments.api.views import Resource, idempotent
from tournaments.models import Entrant, Game, Round, Ruling, Scope, Table, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import (
    directed_tournament,
    directed_tournament_round,
    role_in,
    seen_tournament,
)
from tournaments.queries.state import TournamentState, load_state
from tournaments.queries.steps import progress_of
from tournaments.queries.tables import (
    TROUBLES,
    Watched,
    seated,
    shown_round,
    still_playing,
    top_places,
    watch_tables,
)
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.rounds.proposals import number_of
from tournaments.services.rounds.rulings import (
    RulingDecision,
    SeenDeal,
    answer_call,
    rule,
    settle_deal,
    withdraw_ruling,
)
from tournaments.services.rounds.running import (
    Added,
    Moved,
    accept_changes,
    add_table_time,
    add_time,
    changes_since_closing,
    close_round,
    fingerprint,
    finish_for_time,
    open_round,
    pause_clock,
    reopen_round,
    start_clock,
)
from tournaments.services.rounds.seating import lock_drawn, unseat_round


class RoundsSerializer(PartSerializer):
    """The rounds of a tournament in order; proposals are for directors."""

    results = RoundLineSerializer(many=True)


class OfRound(Resource):
    """Base of the addresses of a round: the tournament, the round, and the reader."""

    row: Tournament
    round_: Round
    directs = False
    more: dict[str, Any]

    def get_serializer_context(self) -> dict[str, Any]:
        """With what was found out about what is shown."""
        return {**super().get_serializer_context(), **getattr(self, "more", {})}

    def see(self, slug: str, tournament: str, number: int | None = None) -> None:
        """Find a tournament and a round of it for whoever may see them; proposals are hidden."""
        self.row = seen_tournament(self.visitor, slug, tournament)
        self.directs = role_in(self.visitor, self.row.event.club) in DIRECTING
        if number is not None:
            self.round_ = get_object_or_404(Round, event=self.row.event, number=number)
            if self.round_.published_at is None and not self.directs:
                raise Http404

    def direct(self, slug: str, tournament: str, number: int) -> None:
        """Find a round for one of the directors."""
        found = directed_tournament_round(self.visitor, slug, tournament, number)
        self.row, self.round_ = found
        self.round_.event = self.row.event
        self.directs = True

    def round_shown(self, round_: Round, status: int = 200) -> Response:
        self.look_at(round_)
        return self.shown(RoundSerializer, round_, status)

    def look_at(self, round_: Round) -> None:
        progress = None if round_.published_at is None else progress_of(round_)
        self.more = {"progress": progress, "now": timezone.now()}


class Rounds(OfRound):
    @extend_schema("clubs_tournaments_rounds_list", parameters=PAGES, responses=RoundsSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All rounds, in order; those that are only seated are for directors."""
        self.see(slug, tournament)
        rounds = self.row.event.rounds.order_by("number")
        details = [each for each in rounds if self.directs or each.published_at]
        return self.shown(RoundsSerializer, {"results": details})


class OneRound(OfRound):
    @extend_schema(responses=RoundSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """A round, the progress of its tables, and its clock."""
        self.see(slug, tournament, number)
        return self.round_shown(self.round_)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Throw a seating away that is not published, and those of later rounds."""
        self.direct(slug, tournament, number)
        with transaction.atomic():
            _tournament, round_ = lock_drawn(self.round_.pk)
            self.look_at(round_)
            self.check_unchanged(RoundSerializer, round_)
            unseat_round(round_.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Open(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the tables of a published round be written."""
        self.direct(slug, tournament, number)
        return self.round_shown(open_round(self.round_.pk, self.actor, at=timezone.now()))


class Close(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Close a round whose tables are finished, confirmed and summed right.

        The problem names every table that is not.
        """
        self.direct(slug, tournament, number)
        return self.round_shown(close_round(self.round_.pk, self.actor, at=timezone.now()))


class Reopen(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the tables of the last round be written once more; proposals after it go."""
        self.direct(slug, tournament, number)
        return self.round_shown(reopen_round(self.round_.pk, self.actor, at=timezone.now()))


class StartClock(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let the clock of an open round run on."""
        self.direct(slug, tournament, number)
        return self.round_shown(start_clock(self.round_.pk, self.actor, at=timezone.now()))


class PauseClock(OfRound):
    @extend_schema(request=None, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Stop the clock of an open round."""
        self.direct(slug, tournament, number)
        return self.round_shown(pause_clock(self.round_.pk, self.actor, at=timezone.now()))


class AddTime(OfRound):
    @extend_schema(request=AddTimeSerializer, responses=RoundSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Give all tables of an open round more time; without a clock it gets one."""
        self.direct(slug, tournament, number)
        said = self.said(AddTimeSerializer)
        added = Added(said["seconds"], said.get("seen", self.round_.clock_seconds or 0))
        return self.round_shown(add_time(self.round_.pk, added, self.actor, at=timezone.now()))


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


SHOWN_WITH = ("entrant__player", "entrant__partner", "round")


class UnknownEntrant(Fault, code="unknown-entrant", where="entrant"):
    sentence = gettext_lazy("There is no entrant with this number.")


class MoreChanged(Refused, code="more-changed"):
    sentence = gettext_lazy("More has changed meanwhile: look at all of it.")


class RulingFilter(filters.FilterSet):  # type: ignore[misc]
    """Which rulings are listed."""

    entrant = filters.NumberFilter(field_name="entrant__number")
    round = filters.NumberFilter(field_name="round__number")
    withdrawn = filters.BooleanFilter(field_name="withdrawn_at", lookup_expr="isnull", exclude=True)


class Rulings(OfRound):
    queryset = Ruling.objects.none()
    filterset_class = RulingFilter
    ordering_fields = ("at",)

    @extend_schema(responses=RulingSerializer(many=True))
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """All rulings of a tournament, the newest first."""
        row = seen_tournament(self.visitor, slug, tournament)
        rows = Ruling.objects.filter(round__event=row.event)
        return self.pages_of(RulingSerializer, rows.select_related(*SHOWN_WITH))


class RoundRulings(OfRound):
    @extend_schema(request=NewRulingSerializer, responses={201: RulingSerializer})
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Rule on an entrant's round; anything but a penalty replaces the earlier ruling."""
        self.direct(slug, tournament, number)
        said = self.said(NewRulingSerializer)
        decision = RulingDecision(said["kind"], said["points"], said["reason"])
        entrant = self._entrant(said["entrant"])
        ruling = rule(self.round_.pk, entrant.pk, decision, self.actor, at=timezone.now())
        where = reverse("api:ruling", args=[slug, tournament, ruling.pk])
        return self.shown(RulingSerializer, ruling, 201, Location=where)

    def _entrant(self, number: int) -> Entrant:
        entrant: Entrant | None = self.row.entrants.filter(number=number).first()
        if entrant is None:
            raise UnknownEntrant
        return entrant


class OneRuling(OfRound):
    @extend_schema(responses=RulingSerializer)
    def get(self, request: Request, slug: str, tournament: str, pk: int) -> Response:
        """A ruling."""
        row = seen_tournament(self.visitor, slug, tournament)
        return self.shown(RulingSerializer, _ruling(row, pk))


class WithdrawRuling(OfRound):
    @extend_schema(request=None, responses=RulingSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, pk: int) -> Response:
        """Take a ruling back; it stays in the list."""
        row = directed_tournament(self.visitor, slug, tournament)
        withdraw_ruling(_ruling(row, pk).pk, self.actor, at=timezone.now())
        return self.shown(RulingSerializer, _ruling(row, pk))


def _ruling(row: Tournament, pk: int) -> Ruling:
    rows = Ruling.objects.filter(round__event=row.event).select_related(*SHOWN_WITH)
    return get_object_or_404(rows, pk=pk)


class RankAndPointsSerializer(serializers.Serializer[Any]):
    """A rank and its points."""

    rank = serializers.IntegerField(min_value=1)
    points = PointsField()


class ChangedPlaceSerializer(serializers.Serializer[Any]):
    """An entrant whose place after a closed round has changed since it was closed."""

    round = serializers.IntegerField()
    entrant = serializers.IntegerField()
    before = RankAndPointsSerializer()
    after = RankAndPointsSerializer()


class CorrectionsSerializer(PartSerializer):
    """The changes by corrections since rounds were closed; `seen` identifies this list."""

    seen = serializers.CharField()
    results = ChangedPlaceSerializer(many=True)


class CorrectionsSeenSerializer(Strict):
    """Which list of corrections was looked at."""

    seen = serializers.CharField(max_length=64)


class Corrections(OfRound):
    @extend_schema(parameters=PAGES, responses=CorrectionsSerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """The changes that corrections made to closed standings, until marked as seen."""
        row = directed_tournament(self.visitor, slug, tournament)
        return self.shown(CorrectionsSerializer, _corrections(row))


class AcceptCorrections(OfRound):
    @extend_schema(request=CorrectionsSeenSerializer, responses=CorrectionsSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Keep the standings of closed rounds as they are now; refused when more has changed."""
        row = directed_tournament(self.visitor, slug, tournament)
        seen = self.said(CorrectionsSeenSerializer)["seen"]
        if not accept_changes(row.pk, seen, self.actor, at=timezone.now()):
            raise MoreChanged
        return self.shown(CorrectionsSerializer, _corrections(row))


def _corrections(row: Tournament) -> dict[str, Any]:
    changes = changes_since_closing(load_state(row))
    return {"seen": fingerprint(changes), "results": _details(changes)}


def _details(changes: Sequence[Moved]) -> list[dict[str, Any]]:
    return [
        {
            "round": each.round,
            "entrant": number_of(each.entrant),
            "before": dict(zip(("rank", "points"), each.before, strict=True)),
            "after": dict(zip(("rank", "points"), each.after, strict=True)),
        }
        for each in changes
    ]


class WallTableSerializer(serializers.Serializer[Any]):
    """A table and who sits there; without a number it is of those who sit out."""

    number = serializers.IntegerField(allow_null=True)
    names = serializers.ListField(child=serializers.CharField())
    section = serializers.CharField()


class WallPlaceSerializer(serializers.Serializer[Any]):
    """Somebody in front; `stage` of the finals is empty where they play none.

    Who is `through` plays it next. The leaders of each `section` come together.
    """

    rank = serializers.IntegerField(min_value=1)
    name = serializers.CharField()
    points = PointsField()
    stage = serializers.CharField()
    through = serializers.BooleanField()
    section = serializers.CharField()


class WallDisplaySerializer(serializers.Serializer[Any]):
    """The wall display: the published round in play, or the last one.

    `tables` is empty once it is over; `standings` are those after the last closed round that all
    may see; `going` are the tables of an open round that still play.
    """

    name = serializers.CharField()
    round = RoundLineSerializer(allow_null=True)
    clock = ClockSerializer(allow_null=True)
    tables = WallTableSerializer(many=True)
    standings = WallPlaceSerializer(many=True)
    going = serializers.ListField(child=serializers.IntegerField())


class Wall(OfRound):
    @extend_schema(responses=WallDisplaySerializer)
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """Return the seats, the leaders and the tables still playing."""
        self.see(slug, tournament)
        state = load_state(self.row)
        return self.shown(WallDisplaySerializer, _wall(state, shown_round(state)))


def _wall(state: TournamentState, round_: Round | None) -> dict[str, Any]:
    going = round_ is not None and round_.closed_at is None
    return {
        "name": state.tournament.event.name,
        "round": round_,
        "clock": None if round_ is None else clock_details(round_, timezone.now()),
        "tables": [
            {"number": each.number, "names": each.names, "section": each.section}
            for each in (seated(state, round_) if round_ is not None and going else ())
        ],
        "standings": top_places(state),
        "going": still_playing(round_) if round_ is not None and round_.is_open else [],
    }
