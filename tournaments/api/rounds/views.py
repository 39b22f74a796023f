"""Addresses of rounds: seated, opened, closed, their clock, tables, rulings, and the wall."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import has_scope
from tournaments.api.fields import Moment, PointsField, Strict
from tournaments.api.filtering import PartSerializer
from tournaments.api.games.serializers import ClockSerializer, GameKeysSerializer, clock_details
from tournaments.api.rounds.serializers import (
    AddTimeSerializer,
    ExpectedResultsSerializer,
    NewRulingSerializer,
    RoundSerializer,
    RulingSerializer,
)
from tournaments.api.tournaments.serializers import RoundLineSerializer
from tournaments.api.views import (
    APIViewSet,
    BaseAPIView,
    DestroyMixin,
    ListMixin,
    RetrieveMixin,
    TournamentMixin,
)
from tournaments.models import Game, Round, Ruling, Scope, Table
from tournaments.models.clubs import DIRECTING
from tournaments.permissions import directed_tournament, role_in
from tournaments.queries.ratings import outlooks
from tournaments.queries.state import TournamentState, load_state
from tournaments.queries.tables import (
    TROUBLES,
    Watched,
    displayed_round,
    seated,
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
        return None if seen.progress is None or self.context["hidden"] else seen.progress["deals"]

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


class SettlingSerializer(Strict):
    """The version of a disputed deal that counts; `revision` is that of the deal as written."""

    position = serializers.IntegerField(min_value=0)
    revision = serializers.IntegerField(min_value=1)
    counts = serializers.ChoiceField(("written", "disputed"))


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


class RoundMixin(TournamentMixin):
    """The tournament in the address and perhaps a round of it; proposals are for directors."""

    round: Round
    directs = True

    def resolve_parents(self: Any) -> None:
        super().resolve_parents()
        if self.get_permission() is not directed_tournament:
            self.directs = role_in(self.http_request, self.tournament.event.club) in DIRECTING
        if "number" in self.kwargs:
            self.find_round()

    def find_round(self: Any) -> None:
        event = self.tournament.event
        self.round = get_object_or_404(Round, event=event, number=self.kwargs["number"])
        self.round.event = event
        if self.round.published_at is None and not self.directs:
            raise Http404


class RoundViewSet(RoundMixin, RetrieveMixin, DestroyMixin, APIViewSet):
    descriptions = {
        "retrieve": "A round, the progress of its tables, and its clock.",
        "destroy": "Throw a seating away that is not published, and those of later rounds.",
    }
    deprecated = {"outlook": "The page of the round shows these figures."}
    queryset = Round.objects.all()
    lookup_field = "number"
    lookup_value_converter = "int"
    serializer_class = RoundSerializer
    serializer_classes = {"list": RoundsSerializer}

    def list(self, request: Request, **kwargs: Any) -> Response:
        """All rounds, in order; those that are only seated are for directors."""
        rows = self.tournament.event.rounds.order_by("number")
        return self.respond({"results": [r for r in rows if self.directs or r.published_at]})

    def get_object(self) -> Round:
        return self.round

    def lock(self) -> None:
        _tournament, self.round = lock_drawn(self.round.pk)

    def perform_destroy(self, row: Round) -> None:
        unseat_round(row.pk, self.actor, at=timezone.now())

    @action(methods=["post"], detail=True)
    def open(self, request: Request, **kwargs: Any) -> Response:
        """Let the tables of a published round be written."""
        return self.respond(open_round(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True)
    def close(self, request: Request, **kwargs: Any) -> Response:
        """Close a round whose tables are finished, confirmed and summed right.

        The problem names every table that is not.
        """
        return self.respond(close_round(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True)
    def reopen(self, request: Request, **kwargs: Any) -> Response:
        """Let the tables of the last round be written once more; proposals after it go."""
        return self.respond(reopen_round(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, url_path="clock/start")
    def start_clock(self, request: Request, **kwargs: Any) -> Response:
        """Let the clock of an open round run on."""
        return self.respond(start_clock(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, url_path="clock/pause")
    def pause_clock(self, request: Request, **kwargs: Any) -> Response:
        """Stop the clock of an open round."""
        return self.respond(pause_clock(self.round.pk, self.actor, at=timezone.now()))

    @action(
        methods=["post"],
        detail=True,
        url_path="clock/add",
        request_serializer_class=AddTimeSerializer,
    )
    def add_time(self, request: Request, **kwargs: Any) -> Response:
        """Give all tables of an open round more time; without a clock it gets one."""
        data = self.get_validated()
        added = Added(data["seconds"], data.get("seen", self.round.clock_seconds or 0))
        return self.respond(add_time(self.round.pk, added, self.actor, at=timezone.now()))

    @action(detail=True, serializer_class=ExpectedResultsSerializer)
    def outlook(self, request: Request, **kwargs: Any) -> Response:
        """The expected results of a round in play, for readers who may see the ratings."""
        state = load_state(self.tournament)
        if self.round.closed_at is not None:
            return self.respond({"results": []})
        expected = outlooks(state, state.seating_of(self.round), request.user, timezone.now())
        details = [
            {"entrant": number_of(key), "rating": o.rating, "new": o.new, "expected": o.place}
            for key, o in expected.items()
        ]
        return self.respond({"results": details})


class TableViewSet(RoundMixin, APIViewSet):
    lookup_field = "number"
    lookup_url_kwarg = "table"
    lookup_value_converter = "int"
    serializer_class = WatchedTableSerializer
    serializer_classes = {"list": WatchedTablesSerializer}
    request_serializer_classes = {"add_time": AddTimeSerializer, "settle": SettlingSerializer}
    sitting: Mapping[int, list[int]] = {}
    hidden = False

    def get_serializer_context(self) -> dict[str, Any]:
        known = {"sitting": self.sitting, "directs": self.directs, "hidden": self.hidden}
        return {**super().get_serializer_context(), **known, "now": timezone.now()}

    def watched(self) -> list[Watched]:
        """Return the current tables of the round (up to 5 queries)."""
        sitting: dict[int, list[int]] = {}
        rows = self.round.sittings.filter(table__isnull=False).order_by("side")
        for table, number in rows.values_list("table", "entrant__number"):
            sitting.setdefault(table, []).append(number)
        self.sitting = sitting
        hiding = Round.objects.hiding_results().filter(pk=self.round.pk)
        self.hidden = not self.directs and hiding.exists()
        self.round.event = self.tournament.event
        tables = watch_tables(self.tournament, self.round, timezone.now())
        return tables if self.directs else sorted(tables, key=lambda each: each.table.number)

    def list(self, request: Request, **kwargs: Any) -> Response:
        """All tables of a round; its directors read those first where something is wrong."""
        return self.respond({"results": self.watched()})

    def retrieve(self, request: Request, **kwargs: Any) -> Response:
        """A table by its number."""
        self.round.refresh_from_db()
        number = self.kwargs["table"]
        table = next((each for each in self.watched() if each.table.number == number), None)
        if table is None:
            raise Http404
        return self.respond(table)

    def get_object(self) -> Table:
        return get_object_or_404(self.round.tables, number=self.kwargs["table"])

    @action(methods=["post"], detail=True, url_path="add-time")
    def add_time(self, request: Request, **kwargs: Any) -> Response:
        """Give one table more time than the others, or take some of it back."""
        table, data = self.get_object(), self.get_validated()
        added = Added(data["seconds"], data.get("seen", table.extra_seconds))
        add_table_time(table.pk, added, self.actor, at=timezone.now())
        return self.retrieve(request)

    @action(methods=["post"], detail=True)
    def finish(self, request: Request, **kwargs: Any) -> Response:
        """End the game of a table whose time is over, as the settings say."""
        reason = _("the time was over")
        finish_for_time(self.get_object().pk, reason, self.actor, at=timezone.now())
        return self.retrieve(request)

    @action(methods=["post"], detail=True)
    def settle(self, request: Request, **kwargs: Any) -> Response:
        """Let one version of a disputed deal count."""
        table, data = self.get_object(), self.get_validated()
        game = get_object_or_404(Game, table=table)
        seen = SeenDeal(data["position"], data["revision"], self.actor, timezone.now())
        settle_deal(game.pk, seen, disputed_counts=data["counts"] == "disputed")
        return self.retrieve(request)

    @action(methods=["post"], detail=True)
    def answer(self, request: Request, **kwargs: Any) -> Response:
        """Say that somebody has gone to a table that called."""
        answer_call(self.get_object().pk, self.actor, at=timezone.now())
        return self.retrieve(request)


class UnknownEntrant(Fault, code="unknown-entrant", where="entrant"):
    sentence = gettext_lazy("There is no entrant with this number.")


class MoreChanged(Refused, code="more-changed"):
    sentence = gettext_lazy("More has changed meanwhile: look at all of it.")


class RulingFilter(filters.FilterSet):  # type: ignore[misc]
    """Which rulings are listed."""

    entrant = filters.NumberFilter(field_name="entrant__number")
    round = filters.NumberFilter(field_name="round__number")
    withdrawn = filters.BooleanFilter(field_name="withdrawn_at", lookup_expr="isnull", exclude=True)


class RulingViewSet(RoundMixin, ListMixin, RetrieveMixin, APIViewSet):
    descriptions = {
        "list": "All rulings of a tournament, the newest first.",
        "retrieve": "A ruling.",
    }
    queryset = Ruling.objects.none()
    lookup_value_converter = "int"
    filterset_class = RulingFilter
    ordering_fields = ("at",)
    serializer_class = RulingSerializer

    def get_queryset(self) -> QuerySet[Ruling]:
        rows = Ruling.objects.filter(round__event=self.tournament.event)
        return rows.select_related("entrant__player", "entrant__partner", "round")

    @action(methods=["post"], detail=True)
    def withdraw(self, request: Request, **kwargs: Any) -> Response:
        """Take a ruling back; it stays in the list."""
        withdraw_ruling(self.get_object().pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())


class RoundRulingViewSet(RoundMixin, APIViewSet):
    lookup_field = None
    serializer_class = RulingSerializer
    request_serializer_class = NewRulingSerializer

    def create(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Rule on an entrant's round; anything but a penalty replaces the earlier ruling."""
        data = self.get_validated()
        entrant = self.tournament.entrants.filter(number=data["entrant"]).first()
        if entrant is None:
            raise UnknownEntrant
        decision = RulingDecision(data["kind"], data["points"], data["reason"])
        row = rule(self.round.pk, entrant.pk, decision, self.actor, at=timezone.now())
        where = reverse("api:ruling-detail", args=[slug, tournament, row.pk])
        return self.respond(row, Location=where)


class CorrectionViewSet(RoundMixin, RetrieveMixin, APIViewSet):
    descriptions = {
        "retrieve": "The changes that corrections made to closed standings, until marked as seen."
    }
    lookup_field = None
    read_permission = staticmethod(directed_tournament)
    serializer_class = CorrectionsSerializer

    def get_object(self) -> dict[str, Any]:
        changes = changes_since_closing(load_state(self.tournament))
        return {"seen": fingerprint(changes), "results": _corrections(changes)}

    @action(
        methods=["post"],
        detail=True,
        request_serializer_class=CorrectionsSeenSerializer,
    )
    def accept(self, request: Request, **kwargs: Any) -> Response:
        """Keep the standings of closed rounds as they are now; refused when more has changed."""
        seen, by = self.get_validated()["seen"], self.actor
        if not accept_changes(self.tournament.pk, seen, by, at=timezone.now()):
            raise MoreChanged
        return self.respond(self.get_object())


def _corrections(changes: Sequence[Moved]) -> list[dict[str, Any]]:
    names = ("rank", "points")
    return [
        {
            "round": each.round,
            "entrant": number_of(each.entrant),
            "before": dict(zip(names, each.before, strict=True)),
            "after": dict(zip(names, each.after, strict=True)),
        }
        for each in changes
    ]


class WallView(RoundMixin, BaseAPIView):
    serializer_class = WallDisplaySerializer

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the seats, the leaders and the tables still playing."""
        state = load_state(self.tournament)
        return self.respond(_wall(state, displayed_round(state)))


def _wall(state: TournamentState, round_: Round | None) -> dict[str, Any]:
    going = round_ is not None and round_.closed_at is None
    return {
        "name": state.tournament.event.name,
        "round": round_,
        "clock": None if round_ is None else clock_details(round_, timezone.now()),
        "tables": [
            {"number": each["number"], "names": each["names"], "section": each["section"]}
            for each in (seated(state, round_) if round_ is not None and going else ())
        ],
        "standings": top_places(state),
        "going": still_playing(round_) if round_ is not None and round_.is_open else [],
    }
