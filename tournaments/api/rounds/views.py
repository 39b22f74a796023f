"""Rounds in the API: opened and closed, their clock, tables, rulings, and the wall.

Begin at `RoundViewSet`. `seatings.py` has how a round is seated.
"""

from typing import Any

from django.db.models import QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from django_filters import rest_framework as filters
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import views
from tournaments.api.access import has_scope
from tournaments.api.games.serializers import clock_details
from tournaments.api.rounds import serializers
from tournaments.models import Game, Round, Ruling, Scope, Table
from tournaments.permissions import directed_tournament
from tournaments.queries.ratings import outlooks
from tournaments.queries.state import load_state
from tournaments.queries.tables import (
    displayed_round,
    seated,
    still_playing,
    top_places,
    watch_tables,
)
from tournaments.services.base.writes import Fault, Refused
from tournaments.services.rounds import rulings, running
from tournaments.services.rounds.proposals import number_of
from tournaments.services.rounds.seating import lock_drawn, unseat_round


class RoundMixin(views.TournamentMixin):
    """The tournament in the address and perhaps a round of it; proposals are for directors."""

    round: Round

    def resolve_parents(self: Any) -> None:
        super().resolve_parents()
        if "number" in self.kwargs:
            self.find_round()

    def find_round(self: Any) -> None:
        event = self.tournament.event
        self.round = get_object_or_404(Round, event=event, number=self.kwargs["number"])
        self.round.event = event
        if self.round.published_at is None and not self.directs:
            raise Http404


class RoundViewSet(RoundMixin, views.RetrieveMixin, views.DestroyMixin, views.APIViewSet):
    descriptions = {
        "retrieve": "Return a round, the progress of its tables, and its clock.",
        "destroy": "Discard a seating that is not published, and those of later rounds.",
    }
    deprecated = {"outlook": "The page of the round shows these figures."}
    queryset = Round.objects.all()
    lookup_field = "number"
    lookup_value_converter = "int"
    serializer_class = serializers.RoundSerializer
    serializer_classes = {"list": serializers.RoundsSerializer}
    request_serializer_classes = {"add_time": serializers.AddTimeSerializer}

    def list(self, request: Request, **kwargs: Any) -> Response:
        """List all rounds, in order; those that are only seated for directors."""
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
        """Open a published round: its tables can be written."""
        return self.respond(running.open_round(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True)
    def close(self, request: Request, **kwargs: Any) -> Response:
        """Close a round whose tables are finished, confirmed and summed correctly.

        The problem names every table that is not.
        """
        return self.respond(running.close_round(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True)
    def reopen(self, request: Request, **kwargs: Any) -> Response:
        """Open the last round again: its tables can be written. Later proposals are discarded."""
        return self.respond(running.reopen_round(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, url_path="clock/start")
    def start_clock(self, request: Request, **kwargs: Any) -> Response:
        """Start the clock of an open round."""
        return self.respond(running.start_clock(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, url_path="clock/pause")
    def pause_clock(self, request: Request, **kwargs: Any) -> Response:
        """Pause the clock of an open round."""
        return self.respond(running.pause_clock(self.round.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, url_path="clock/add")
    def add_time(self, request: Request, **kwargs: Any) -> Response:
        """Give all tables of an open round more time. A round without a clock gets one."""
        data = self.get_validated()
        added = running.Added(data["seconds"], data.get("seen", self.round.clock_seconds or 0))
        return self.respond(running.add_time(self.round.pk, added, self.actor, at=timezone.now()))

    @action(detail=True, serializer_class=serializers.ExpectedResultsSerializer)
    def outlook(self, request: Request, **kwargs: Any) -> Response:
        """Return the expected results of a round in play, to readers who may see the ratings."""
        state = load_state(self.tournament)
        if self.round.closed_at is not None:
            return self.respond({"results": []})
        expected = outlooks(state, state.seating_of(self.round), request.user, timezone.now())
        details = [
            {"entrant": number_of(key), "rating": o.rating, "new": o.new, "expected": o.place}
            for key, o in expected.items()
        ]
        return self.respond({"results": details})


class TableViewSet(RoundMixin, views.APIViewSet):
    lookup_field = "number"
    lookup_url_kwarg = "table"
    lookup_value_converter = "int"
    serializer_class = serializers.WatchedTableSerializer
    serializer_classes = {"list": serializers.WatchedTablesSerializer}
    request_serializer_classes = {
        "add_time": serializers.AddTimeSerializer,
        "settle": serializers.SettlingSerializer,
    }

    def watched(self) -> list[dict[str, Any]]:
        """Return the current tables of the round as `WatchedTableSerializer` reads them.

        Up to 5 queries.
        """
        sitting: dict[int, list[int]] = {}
        rows = self.round.sittings.filter(table__isnull=False).order_by("side")
        for table, number in rows.values_list("table", "entrant__number"):
            sitting.setdefault(table, []).append(number)
        hiding = Round.objects.hiding_results().filter(pk=self.round.pk)
        directs, now = self.directs, timezone.now()
        hidden, opens = not directs and hiding.exists(), has_scope(self.request, Scope.SCORE)
        self.round.event = self.tournament.event
        tables = watch_tables(self.tournament, self.round, now)
        return [
            {
                "table": each.table,
                "row": each.row,
                "agreement": each.agreement,
                "entrants": sitting.get(each.table.pk, ()),
                "finished": each.progress is None,
                "deals": None if each.progress is None or hidden else each.progress["deals"],
                "totals": () if hidden else each.totals,
                "clock": clock_details(each.table.round, now, each.table.extra_seconds),
                "last_at": each.last_at,
                "last_by": each.last_by if directs else "",
                "called_at": each.table.called_at if directs else None,
                "troubles": each.troubles if directs else (),
                "keys": each.row if directs and opens else None,
            }
            for each in (tables if directs else sorted(tables, key=lambda w: w.table.number))
        ]

    def list(self, request: Request, **kwargs: Any) -> Response:
        """List all tables of a round. Directors read those with problems first."""
        return self.respond({"results": self.watched()})

    def retrieve(self, request: Request, **kwargs: Any) -> Response:
        """Return a table by its number."""
        self.round.refresh_from_db()
        number = self.kwargs["table"]
        table = next((each for each in self.watched() if each["table"].number == number), None)
        if table is None:
            raise Http404
        return self.respond(table)

    def get_object(self) -> Table:
        return get_object_or_404(self.round.tables, number=self.kwargs["table"])

    @action(methods=["post"], detail=True, url_path="add-time")
    def add_time(self, request: Request, **kwargs: Any) -> Response:
        """Give one table more time than the others, or take some of it back."""
        table, data = self.get_object(), self.get_validated()
        added = running.Added(data["seconds"], data.get("seen", table.extra_seconds))
        running.add_table_time(table.pk, added, self.actor, at=timezone.now())
        return self.retrieve(request)

    @action(methods=["post"], detail=True)
    def finish(self, request: Request, **kwargs: Any) -> Response:
        """End the game of a table whose time is over, as the settings say."""
        reason = _("the time was over")
        running.finish_for_time(self.get_object().pk, reason, self.actor, at=timezone.now())
        return self.retrieve(request)

    @action(methods=["post"], detail=True)
    def settle(self, request: Request, **kwargs: Any) -> Response:
        """Decide which version of a disputed deal counts."""
        table, data = self.get_object(), self.get_validated()
        game = get_object_or_404(Game, table=table)
        seen = rulings.SeenDeal(data["position"], data["revision"], self.actor, timezone.now())
        rulings.settle_deal(game.pk, seen, disputed_counts=data["counts"] == "disputed")
        return self.retrieve(request)

    @action(methods=["post"], detail=True)
    def answer(self, request: Request, **kwargs: Any) -> Response:
        """Record that somebody has gone to a table that called."""
        rulings.answer_call(self.get_object().pk, self.actor, at=timezone.now())
        return self.retrieve(request)


class UnknownEntrant(Fault, code="unknown-entrant", where="entrant"):
    sentence = gettext_lazy("There is no entrant with this number.")


class MoreChanged(Refused, code="more-changed"):
    sentence = gettext_lazy("More has changed meanwhile: look at all of it.")


class RulingFilter(filters.FilterSet):  # type: ignore[misc]
    entrant = filters.NumberFilter(field_name="entrant__number")
    round = filters.NumberFilter(field_name="round__number")
    withdrawn = filters.BooleanFilter(field_name="withdrawn_at", lookup_expr="isnull", exclude=True)


class RulingViewSet(RoundMixin, views.ListMixin, views.RetrieveMixin, views.APIViewSet):
    descriptions = {
        "list": "List all rulings of a tournament, newest first.",
        "retrieve": "Return a ruling.",
    }
    queryset = Ruling.objects.none()
    lookup_value_converter = "int"
    filterset_class = RulingFilter
    ordering_fields = ("at",)
    serializer_class = serializers.RulingSerializer

    def get_queryset(self) -> QuerySet[Ruling]:
        rows = Ruling.objects.filter(round__event=self.tournament.event)
        return rows.select_related("entrant__player", "entrant__partner", "round")

    @action(methods=["post"], detail=True)
    def withdraw(self, request: Request, **kwargs: Any) -> Response:
        """Withdraw a ruling. It stays in the list."""
        rulings.withdraw_ruling(self.get_object().pk, self.actor, at=timezone.now())
        return self.respond(self.get_object())


class RoundRulingViewSet(RoundMixin, views.APIViewSet):
    lookup_field = None
    serializer_class = serializers.RulingSerializer
    request_serializer_class = serializers.NewRulingSerializer

    def create(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Rule on an entrant's round. Anything but a penalty replaces the earlier ruling."""
        data = self.get_validated()
        entrant = self.tournament.entrants.filter(number=data["entrant"]).first()
        if entrant is None:
            raise UnknownEntrant
        decision = rulings.RulingDecision(data["kind"], data["points"], data["reason"])
        row = rulings.rule(self.round.pk, entrant.pk, decision, self.actor, at=timezone.now())
        where = reverse("api:ruling-detail", args=[slug, tournament, row.pk])
        return self.respond(row, Location=where)


class CorrectionViewSet(RoundMixin, views.RetrieveMixin, views.APIViewSet):
    descriptions = {
        "retrieve": "Return what corrections changed in closed standings, until accepted.",
    }
    lookup_field = None
    read_permission = staticmethod(directed_tournament)
    serializer_class = serializers.CorrectionsSerializer
    request_serializer_classes = {"accept": serializers.CorrectionsSeenSerializer}

    def get_object(self) -> dict[str, Any]:
        changes = running.changes_since_closing(load_state(self.tournament))
        results = [
            {
                "round": each.round,
                "entrant": number_of(each.entrant),
                "before": dict(zip(("rank", "points"), each.before, strict=True)),
                "after": dict(zip(("rank", "points"), each.after, strict=True)),
            }
            for each in changes
        ]
        return {"seen": running.fingerprint(changes), "results": results}

    @action(methods=["post"], detail=True)
    def accept(self, request: Request, **kwargs: Any) -> Response:
        """Accept the standings of closed rounds as they are now. Refused if more has changed."""
        seen, by = self.get_validated()["seen"], self.actor
        if not running.accept_changes(self.tournament.pk, seen, by, at=timezone.now()):
            raise MoreChanged
        return self.respond(self.get_object())


class WallView(RoundMixin, views.BaseAPIView):
    serializer_class = serializers.WallDisplaySerializer

    def get(self, request: Request, **kwargs: Any) -> Response:
        """Return the seats, the leaders and the tables still playing."""
        state = load_state(self.tournament)
        round_ = displayed_round(state)
        going = round_ is not None and round_.closed_at is None
        tables = seated(state, round_) if round_ is not None and going else ()
        wall = {
            "name": state.tournament.event.name,
            "round": round_,
            "clock": round_ and clock_details(round_, timezone.now()),
            "tables": tables,
            "standings": top_places(state),
            "going": still_playing(round_) if round_ is not None and round_.is_open else [],
        }
        return self.respond(wall)
