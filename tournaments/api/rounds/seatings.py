"""Addresses of the seating of a round, and of its line-ups."""

from typing import Any

from django.db import transaction
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.rounds import serializers
from tournaments.api.rounds.views import RoundMixin
from tournaments.api.views import APIViewSet, RetrieveMixin
from tournaments.models import Round
from tournaments.permissions import directed_tournament
from tournaments.queries.state import load_state
from tournaments.queries.tables import line_ups_of
from tournaments.services.rounds import changes, seating
from tournaments.services.rounds.proposals import LineUp, key_of, number_of, put_line_up
from tournaments.services.tournaments.lifecycle import WrongState, lock_tournament


class SeatNextViewSet(RoundMixin, APIViewSet):
    lookup_field = None
    serializer_class = serializers.SeatingSerializer

    def create(self, request: Request, slug: str, tournament: str) -> Response:
        """Seat the next round as a proposal. If one is seated already, return that one."""
        made = seating.seat_next_round(self.tournament.pk, self.actor, at=timezone.now())
        self.tournament.refresh_from_db()
        state = load_state(self.tournament)
        where = reverse("api:seating", args=[slug, tournament, made.number])
        details = serializers.seating_details(state, state.seating_of(made), directs=True)
        return self.respond(details, Location=where)


class SeatingViewSet(RoundMixin, RetrieveMixin, APIViewSet):
    deprecated = dict.fromkeys(("preview_swap", "swap"), "Use `…/seating/exchange/`.")
    descriptions = {
        "retrieve": "Return the seats; of a proposal (for directors) also quality and reasons.",
    }
    action_permissions = {"preview_swap": directed_tournament, "preview_late": directed_tournament}
    lookup_field = None
    serializer_class = serializers.SeatingSerializer
    serializer_classes = {
        "preview_swap": serializers.SwapPreviewSerializer,
        "preview_late": serializers.LatePreviewSerializer,
        "late": serializers.LateSeatingSerializer,
    }
    request_serializer_classes = {
        "update": serializers.NewSeatingSerializer,
        "swap": serializers.SwapSerializer,
        "exchange": serializers.ExchangeSerializer,
        "again": serializers.SeatAgainSerializer,
        "take": serializers.TakeAlternativeSerializer,
        "publish": serializers.PublishSerializer,
        "take_back": serializers.TakeBackSerializer,
        "late": serializers.LateSerializer,
    }

    def get_object(self) -> dict[str, Any]:
        state = load_state(self.tournament)
        seated = state.seating_of(self.round)
        return serializers.seating_details(state, seated, directs=self.directs)

    def lock(self) -> None:
        self.tournament, self.round = seating.lock_drawn(self.round.pk)

    def respond_changed(self, _round: Round | None = None, **more: Any) -> Response:
        """The seating as it is now, after a service has changed it."""
        self.tournament.refresh_from_db()
        return self.respond({**self.get_object(), **more})

    def update(self, request: Request, **kwargs: Any) -> Response:
        """Replace a proposal by a director's own."""
        with transaction.atomic():
            self.get_locked()
            data = self.get_validated()
            tables = [[key_of(number) for number in table] for table in data["tables"]]
            byes = [key_of(number) for number in data["byes"]]
            # Tables count from 1 here, and from 0 within.
            locked = sorted({number - 1 for number in data["locked"] if number <= len(tables)})
            draft = seating.SeatingDraft(tables, byes, locked)
            seating.put_seating(self.round.pk, draft, self.actor, at=timezone.now())
        return self.respond_changed()

    # Of a seating that stands already, also where it is only read.
    @extend_schema(parameters=[serializers.SwappedSerializer])
    @action(detail=True, url_path="swap", refusals=("409",))
    def preview_swap(self, request: Request, **kwargs: Any) -> Response:
        """Preview the swap of two entrants of a proposal."""
        data = self.get_query(serializers.SwappedSerializer)
        if self.round.published_at is not None:
            raise WrongState(self.round.state)
        keys = key_of(data["one"]), key_of(data["other"])
        swapped = changes.swap_of(load_state(self.tournament), self.round, *keys)
        details = {"changes": swapped.changes, "quality": swapped.seating.quality}
        return self.respond(data | details)

    @extend_schema(parameters=[])
    @preview_swap.mapping.post
    def swap(self, request: Request, **kwargs: Any) -> Response:
        """Swap two entrants, in the seating as it was seen."""
        data, by = self.get_validated(), self.actor
        keys, seen = (key_of(data["one"]), key_of(data["other"])), data["revision"]
        changes.swap_seats(self.round.pk, *keys, by, seen=seen, at=timezone.now())
        return self.respond_changed()

    @action(methods=["post"], detail=True)
    def exchange(self, request: Request, **kwargs: Any) -> Response:
        """Exchange chairs in a round, whether it is proposed, published, begun, played or closed.

        Cards and addresses of the tables stay valid; results and ratings are computed again.
        """
        data, by = self.get_validated(), self.actor
        keys = [key_of(each) for each in data["entrants"]]
        exchange = changes.Exchange(keys, data["entries"] == "people")
        seen = data["revision"]
        changes.exchange_seats(self.round.pk, exchange, by, seen=seen, at=timezone.now())
        return self.respond_changed()

    @action(methods=["post"], detail=True)
    def again(self, request: Request, **kwargs: Any) -> Response:
        """Seat everybody who is here once more, but for the locked tables.

        Entrants to take in count as here from now on.
        """
        data, by = self.get_validated(), self.actor
        locked, more = (
            [n - 1 for n in data["locked"]],
            [key_of(n) for n in data["take_in"]],
        )
        seating.seat_again(self.round.pk, locked, by, at=timezone.now(), taking_in=more)
        return self.respond_changed()

    @action(methods=["post"], detail=True)
    def take(self, request: Request, **kwargs: Any) -> Response:
        """Seat the proposal as another of its alternatives."""
        data, by = self.get_validated(), self.actor
        seating.take_alternative(self.round.pk, data["number"], data["seed"], by, at=timezone.now())
        return self.respond_changed()

    @action(methods=["post"], detail=True)
    def publish(self, request: Request, **kwargs: Any) -> Response:
        """Publish a seating: lay the tables, and let everybody see who sits where.

        Refused if it does not match who is here, unless `all_the_same` is set; and if results or
        settings have changed since it was drawn, unless `accept_outdated` names the change. A final
        is seated again instead.
        """
        data, by = self.get_validated(), self.actor
        seating.publish_round(self.round.pk, by, at=timezone.now(), **data)
        return self.respond_changed()

    @action(methods=["post"], detail=True, url_path="take-back")
    def take_back(self, request: Request, **kwargs: Any) -> Response:
        """Make a published round a proposal again. The cards of its tables stay valid.

        Refused if something is written, unless exactly so many `entries` are to be deleted.
        """
        data, by = self.get_validated(), self.actor
        seating.take_back_round(self.round.pk, by, at=timezone.now(), **data)
        return self.respond_changed()

    @action(detail=True, url_path="late")
    def preview_late(self, request: Request, **kwargs: Any) -> Response:
        """List entrants that can be added to a published round, and that can be removed."""
        if self.round.state not in ("published", "open"):
            raise WrongState(self.round.state)
        state = load_state(self.tournament)
        seated = state.seating_of(self.round)
        here = [*(key for table in seated.tables for key in table.entrants), *seated.byes]
        details = {
            "arriving": [each.number for each in changes.who_can_come(state, seated)],
            "leaving": sorted(number_of(key) for key in here),
        }
        return self.respond(details)

    @preview_late.mapping.post
    def late(self, request: Request, **kwargs: Any) -> Response:
        """Seat those who came late, and remove those who left. Few tables change."""
        data = self.get_validated()
        pks = dict(self.tournament.entrants.values_list("number", "pk"))
        # One that there is not is nobody's key, and refused as such.
        who = {name: [pks.get(each, 0) for each in data[name]] for name in data}
        numbers = [t.number for t in load_state(self.tournament).seating_of(self.round).tables]
        done = changes.change_late(self.round.pk, self.actor, at=timezone.now(), **who)
        last = numbers[-1] if numbers else 0
        numbers += range(last + 1, last + 1 + len(done.tables) - len(numbers))
        return self.respond_changed(changed=sorted(numbers[place] for place in done.changed))


class LineUpViewSet(RoundMixin, RetrieveMixin, APIViewSet):
    descriptions = {
        "retrieve": "Return who plays for each team; for directors until the round is published.",
    }
    lookup_field = None
    serializer_class = serializers.LineUpsSerializer
    request_serializer_classes = {
        "partial_update": serializers.NamedLineUpsSerializer,
        "replace": serializers.ReplaceSerializer,
    }

    def find_round(self) -> None:
        """Line-ups are named before the round is seated."""
        if not self.directs:
            rounds = self.tournament.event.rounds.filter(published_at__isnull=False)
            get_object_or_404(rounds, number=self.kwargs["number"])

    def get_object(self) -> dict[str, Any]:
        state, number = load_state(self.tournament), self.kwargs["number"]
        if not 1 <= number <= state.settings.rounds:
            raise Http404
        teams = line_ups_of(state, number)
        return {"round": number, "size": state.settings.line_up, "teams": teams}

    def lock(self) -> None:
        self.tournament = lock_tournament(self.tournament.pk)

    def partial_update(self, request: Request, **kwargs: Any) -> Response:
        """Name line-ups of a round that is not published yet: all of them, or none."""
        with transaction.atomic():
            self.get_locked()
            for each in self.get_validated()["teams"]:
                players = [key_of(entrant) for entrant in each["players"]]
                line_up = LineUp(self.kwargs["number"], each["team"], players)
                put_line_up(self.tournament.pk, line_up, self.actor, at=timezone.now())
        self.tournament.refresh_from_db()
        return self.respond(self.get_object())

    @action(methods=["post"], detail=True)
    def replace(self, request: Request, **kwargs: Any) -> Response:
        """Let a reserve take a player's chair in a published round, before the table begins."""
        rounds = self.tournament.event.rounds
        round_ = get_object_or_404(rounds, number=self.kwargs["number"])
        data = self.get_validated()
        player, reserve = key_of(data["player"]), key_of(data["reserve"])
        changes.replace_player(round_.pk, player, reserve, self.actor, at=timezone.now())
        self.tournament.refresh_from_db()
        return self.respond(self.get_object())
