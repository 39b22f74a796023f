"""Addresses of entrants, of their links, and of substitutes."""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

from allauth.core.ratelimit import consume
from django.db import transaction
from django.db.models import Case, F, QuerySet, When
from django.db.models.functions import Substr
from django.http import Http404
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from django_filters import rest_framework as filters
from rest_framework.decorators import action
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api import views
from tournaments.api.access import AddressToken
from tournaments.api.entrants import serializers
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Entrant, Substitute, Tournament
from tournaments.models.people import fold_name
from tournaments.queries import overview
from tournaments.queries.state import can_register, settings_of
from tournaments.services.entrants import registration
from tournaments.services.entrants.substituting import Place, put_substitute, take_out_substitute
from tournaments.services.rounds.running import (
    divide_by_rating,
    move_entrants,
    value_missed_rounds,
)

LABELS = ("team", "represents", "preferred_table")


class EntrantFilter(filters.FilterSet):  # type: ignore[misc]
    withdrawn = filters.BooleanFilter(method="by_withdrawn", label="Whether they have withdrawn.")
    house = filters.BooleanFilter(label="Whether they are house players.")
    checked_in = filters.NumberFilter(
        lookup_expr="gte", label="They have checked in for this round or a later one."
    )
    q = filters.CharFilter(
        method="by_words", label="Their number, or words of a name, a team or a club."
    )

    def by_withdrawn(self, rows: QuerySet[Entrant], _name: str, value: bool) -> QuerySet[Entrant]:
        return rows.filter(withdrawn_at__isnull=not value)

    def by_words(self, rows: QuerySet[Entrant], _name: str, value: str) -> QuerySet[Entrant]:
        """Those who are found by words, as they are on the page."""
        view = self.request.parser_context["view"]
        everybody = overview.list_entrants(view.tournament, directs=view.directs)
        found = overview.found_in(everybody.lines, value[:LONGEST_NAME], directs=view.directs)
        return rows.filter(pk__in=[line.entrant.pk for line in found])


class EntrantMixin(views.TournamentMixin):
    """The tournament in the address, and what the reader is in its club."""

    @cached_property
    def member(self: Any) -> bool:
        return self.directs or self.role is not None

    def listed(self: Any, rows: Iterable[Entrant]) -> overview.EntrantList:
        """Return entrants as the visitor may see them (2 queries)."""
        found = overview.lines_of(rows, self.tournament, directs=self.directs)
        return overview.with_ratings(found, self.tournament, self.http_request.user)

    def get_entrant(self: Any) -> Entrant:
        rows = self.tournament.entrants.select_related("player", "partner")
        entrant: Entrant = get_object_or_404(rows, number=self.kwargs["number"])
        entrant.tournament = self.tournament
        return entrant

    def line_of(self: Any, entrant: Entrant) -> overview.EntrantLine:
        """Return an entrant with substitutes and, for directors, the seats they left."""
        rows = Substitute.objects.filter(entrant=entrant).order_by("round_number", "pk")
        row: Any = entrant
        row.visible_substitutes = rows.select_related("player", "instead_of")
        row.visible_seats_left = overview.seats_left(entrant) if self.directs else ()
        line: overview.EntrantLine = self.listed([entrant]).lines[0]
        return line

    def get_locked(self: Any) -> overview.EntrantLine:
        entrant = registration.lock_entrant(self.get_entrant().pk)
        self.tournament = entrant.tournament
        line: overview.EntrantLine = self.line_of(entrant)
        self.check_precondition(line)
        return line

    def get_serializer_context(self: Any) -> dict[str, Any]:
        known = {name: getattr(self, name, None) for name in ("directs", "member")}
        return {**super().get_serializer_context(), **known}  # type: ignore[misc]


class EntrantViewSet(EntrantMixin, views.RetrieveMixin, views.DestroyMixin, views.APIViewSet):
    descriptions = {
        "retrieve": "Return an entrant, with their substitutes.",
        "destroy": "Delete an entrant who was never seated.",
    }
    queryset = Entrant.objects.none()
    lookup_field = "number"
    lookup_value_converter = "int"
    filterset_class = EntrantFilter
    ordering_fields = ("number", "name")
    ordering = ("number",)
    serializer_class = serializers.EntrantDetailSerializer
    serializer_classes = {
        "list": serializers.EntrantSerializer,
        "create": serializers.EntrantsSerializer,
        "divide": serializers.EntrantsSerializer,
    }
    request_serializer_classes = {
        "create": serializers.NewEntrantsSerializer,
        "partial_update": serializers.ChangedEntrantSerializer,
        "check_in": serializers.CheckInSerializer,
    }

    def get_queryset(self) -> QuerySet[Entrant]:
        # The order by name tells nothing that the name shown does not.
        name: Any = F("player__name_key")
        if not self.directs:
            initial = Substr("player__name_key", 1, 1)
            name = Case(When(player__initials=True, then=initial), default=name)
        rows = self.tournament.entrants.select_related("player", "partner")
        return rows.annotate(name=name)

    def list(self, request: Request, **kwargs: Any) -> Response:
        """List the entrants of a tournament, in order of numbers."""
        page = self.paginate_queryset(self.filter_queryset(self.get_queryset())) or []
        lines = self.get_serializer(self.listed(page).lines, many=True)
        return self.get_paginated_response(lines.data)

    def create(self, request: Request, **kwargs: Any) -> Response:
        """Register entrants: all of them, or none. New names become players of the club.

        While the tournament runs they play from the next round that is not seated.
        """
        entries = [registration.Entry(**each) for each in self.get_validated()["entrants"]]
        added = registration.register_entrants(
            self.tournament.pk, entries, self.actor, at=timezone.now()
        )
        self.tournament.refresh_from_db()
        place = f"{request.path}{added[0].number}/" if len(added) == 1 else request.path
        return self.respond({"results": self.listed(added).lines}, Location=place)

    @action(methods=["post"], detail=False)
    def divide(self, request: Request, **kwargs: Any) -> Response:
        """Divide all who play into the sections by rating, in sizes of whole tables.

        The best play in the first section; those without a rating come last.
        """
        divide_by_rating(self.tournament.pk, request.user, self.actor, at=timezone.now())
        self.tournament.refresh_from_db()
        rows = self.tournament.entrants.select_related("player", "partner").order_by("number")
        return self.respond({"results": self.listed(rows).lines})

    def get_object(self) -> overview.EntrantLine:
        return self.line_of(self.get_entrant())

    def partial_update(self, request: Request, **kwargs: Any) -> Response:
        """Change an entrant: team, club, preferred table, section, house, missed rounds, paid.

        In another section they keep their points, and play from the next round that is not
        published.
        """
        with transaction.atomic():
            row, by, at = self.get_locked().entrant, self.actor, timezone.now()
            data = self.get_validated(partial=True)
            labels = {name: data.get(name, getattr(row, name)) for name in LABELS}
            registration.change_entrant(row.pk, **labels, by=by, at=at)
            if "house" in data:
                registration.mark_house(row.pk, by, at=at, house=data["house"])
            if "section" in data:
                move_entrants(self.tournament.pk, [row.number], data["section"], by, at=at)
            if "missed" in data:
                value_missed_rounds(row.pk, data["missed"], by, at=at)
            if "paid" in data:
                registration.mark_paid(
                    self.tournament.pk, [row.number], by, at=at, paid=data["paid"]
                )
        return self.respond_changed()

    def respond_changed(self) -> Response:
        self.tournament.refresh_from_db()
        return self.respond(self.get_object())

    def perform_destroy(self, line: overview.EntrantLine) -> None:
        registration.remove_entrant(line.entrant.pk, self.actor, at=timezone.now())

    @action(methods=["post"], detail=True)
    def withdraw(self, request: Request, **kwargs: Any) -> Response:
        """Withdraw an entrant. The results of earlier rounds stay."""
        registration.withdraw_entrant(self.get_entrant().pk, self.actor, at=timezone.now())
        return self.respond_changed()

    @action(methods=["post"], detail=True, url_path="return")
    def take_back(self, request: Request, **kwargs: Any) -> Response:
        """Let a withdrawn entrant play again, from the next round that is not seated."""
        registration.return_entrant(self.get_entrant().pk, self.actor, at=timezone.now())
        return self.respond_changed()

    @action(methods=["post"], detail=True, url_path="let-in")
    def let_in(self, request: Request, **kwargs: Any) -> Response:
        """Let in an entrant from the waiting list, even beyond the capacity."""
        registration.let_in(self.get_entrant().pk, self.actor, at=timezone.now())
        return self.respond_changed()

    @action(methods=["post"], detail=True, url_path="check-in")
    def check_in(self, request: Request, **kwargs: Any) -> Response:
        """Record whether an entrant is here."""
        entrant, data = self.get_entrant(), self.get_validated()
        here, number = data["here"], data.get("round")
        registration.check_in(entrant.pk, self.actor, at=timezone.now(), here=here, number=number)
        return self.respond_changed()


class SubstituteView(EntrantMixin, views.BaseAPIView):
    serializer_class = serializers.EntrantDetailSerializer
    request_serializer_classes = {"put": serializers.NewSubstituteSerializer}

    def put(self, request: Request, **kwargs: Any) -> Response:
        """Let somebody, by name, play a round in place of the entrant's player."""
        place = self.get_place()
        with transaction.atomic():
            self.get_locked()
            name = self.get_validated()["name"]
            put_substitute(place, name, self.actor, at=timezone.now())
        self.tournament.refresh_from_db()
        return self.respond(self.line_of(self.get_entrant()))

    def delete(self, request: Request, **kwargs: Any) -> Response:
        """Remove a substitute: the player plays the round again."""
        place = self.get_place()
        with transaction.atomic():
            self.get_locked()
            take_out_substitute(place, self.actor, at=timezone.now())
        return Response(status=204)

    def get_place(self) -> Place:
        """The place in the address: a round that there is or will be, and one of its players."""
        entrant, number = self.get_entrant(), self.kwargs["place"]
        last = max(settings_of(self.tournament).rounds, self.tournament.event.rounds.count())
        keys = [each.pk for each in entrant.players if each.public_id == self.kwargs["player"]]
        if not keys or not 1 <= number <= last:
            raise Http404
        return Place(entrant.pk, number, keys[0])


def tournament_at_link(request: Request, kind: str, public_id: str) -> Tournament:
    """The tournament that the key of a link opens; 404 without it."""
    key = request.auth
    matches = isinstance(key, AddressToken) and (key.kind, key.public_id) == (kind, public_id)
    secret = key.secret if matches and isinstance(key, AddressToken) else ""
    rows = Tournament.objects.found_at(kind, public_id, secret)
    return get_object_or_404(rows.select_related("event__club"))


class LinkView(views.BaseAPIView):
    """The tournament in the address."""

    scope = None
    permission = read_permission = staticmethod(tournament_at_link)
    kind: str
    tournament: Tournament

    def resolve_parents(self) -> None:
        find = self.get_permission()
        self.tournament = find(self.request, self.kind, self.kwargs["public_id"])

    def respond_entrant(self, entrant: Entrant, **headers: Any) -> Response:
        entrant.tournament = self.tournament
        return self.respond(overview.line_of(entrant, directs=False), **headers)


class RegistrationView(LinkView):
    kind = "register"
    serializer_classes = {
        "get": serializers.RegistrationLinkSerializer,
        "post": serializers.LinkedEntrantSerializer,
    }
    request_serializer_class = serializers.OwnEntrySerializer
    success_status = 201

    def get(self, request: Request, public_id: str) -> Response:
        """Return the tournament to register for, and whether registration is open."""
        row = self.tournament
        is_open = can_register(row, timezone.now())
        return self.respond(
            {"row": row, "open": is_open, "pairs": registration.is_for_pairs(row), "round": 1}
        )

    def post(self, request: Request, public_id: str) -> Response:
        """Register oneself. An existing entrant gets their own entry."""
        entry = registration.Entry(**self.get_validated())
        if not consume(self.http_request, action="register_entrant"):
            raise Throttled
        entrant = registration.register_by_link(
            self.tournament.pk, entry, self.actor, at=timezone.now()
        )
        where = [self.tournament.event.club.slug, self.tournament.slug, entrant.number]
        return self.respond_entrant(entrant, Location=reverse("api:entrant-detail", args=where))


class CheckInView(LinkView):
    kind = "check-in"
    serializer_classes = {
        "get": serializers.CheckInLinkSerializer,
        "post": serializers.LinkedEntrantSerializer,
    }
    request_serializer_class = serializers.OwnCheckInSerializer

    def get(self, request: Request, public_id: str) -> Response:
        """List everybody who can check in, by name, and for which round."""
        return self.respond(self.get_object())

    def post(self, request: Request, public_id: str) -> Response:
        """Check oneself in."""
        number = self.get_validated()["entrant"]
        lines = self.get_object()["entrants"]
        found = next((each for each in lines if each.entrant.number == number), None)
        if found is None:
            raise Entrant.DoesNotExist
        return self.respond_entrant(
            registration.check_in(found.entrant.pk, self.actor, at=timezone.now())
        )

    def get_object(self) -> dict[str, Any]:
        everybody = overview.list_entrants(self.tournament, directs=False)
        lines = [line for line in everybody.lines if line.can_check_in]
        # As it is shown: the order tells nothing that the name does not.
        lines.sort(key=lambda line: fold_name(line.name))
        once = settings_of(self.tournament).check_in != "round"
        return {
            "row": self.tournament,
            "open": everybody.checking_in,
            "pairs": registration.is_for_pairs(self.tournament),
            "round": 1 if once else everybody.asked_for,
            "entrants": lines,
        }
