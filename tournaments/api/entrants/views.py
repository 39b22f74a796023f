"""Addresses of entrants, of their links, and of substitutes."""

from collections.abc import Callable, Iterable, Mapping
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
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import AddressToken
from tournaments.api.entrants.serializers import (
    ChangedEntrantSerializer,
    CheckInLinkSerializer,
    CheckInSerializer,
    EntrantSerializer,
    EntrantsSerializer,
    LinkedEntrantSerializer,
    NewEntrantsSerializer,
    NewSubstituteSerializer,
    OneEntrantSerializer,
    OwnCheckInSerializer,
    OwnEntrySerializer,
    RegistrationLinkSerializer,
)
from tournaments.api.views import Resource, idempotent
from tournaments.engine.rules.rulesets import LONGEST_NAME
from tournaments.models import Entrant, Substitute, Tournament
from tournaments.models.clubs import DIRECTING
from tournaments.models.people import fold_name
from tournaments.permissions import directed_tournament, role_in, seen_tournament
from tournaments.queries.overview import (
    EntrantList,
    found_in,
    line_of,
    lines_of,
    list_entrants,
    seats_left,
    with_ratings,
)
from tournaments.queries.state import settings_of
from tournaments.services.entrants.registration import (
    Entry,
    change_entrant,
    check_in,
    is_for_pairs,
    let_in,
    lock_entrant,
    mark_house,
    mark_paid,
    register_by_link,
    register_entrants,
    remove_entrant,
    return_entrant,
    withdraw_entrant,
)
from tournaments.services.entrants.substituting import Place, put_substitute, take_out_substitute
from tournaments.services.rounds.running import divide_by_rating, move_entrants

Work = Callable[[Entrant], object]

LABELS = ("team", "represents")


class EntrantFilter(filters.FilterSet):  # type: ignore[misc]
    """Which entrants are listed."""

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
        everybody = list_entrants(view.row, directs=view.directs)
        found = found_in(everybody.lines, value[:LONGEST_NAME], directs=view.directs)
        return rows.filter(pk__in=[line.entrant.pk for line in found])


class OfEntrants(Resource):
    """Base of the addresses of entrants: the tournament, and the reader."""

    row: Tournament
    directs = False
    member = False
    more: dict[str, Any]

    def get_serializer_context(self) -> dict[str, Any]:
        """Return the context of the serializer: the reader, and the details of the entrant."""
        who = {"directs": self.directs, "member": self.member}
        return {**super().get_serializer_context(), **who, **getattr(self, "more", {})}

    def see(self, slug: str, tournament: str) -> None:
        """Find a tournament for whoever may see it."""
        self.row = seen_tournament(self.visitor, slug, tournament)
        role = role_in(self.visitor, self.row.event.club)
        self.directs, self.member = role in DIRECTING, role is not None

    def direct(self, slug: str, tournament: str) -> None:
        self.row = directed_tournament(self.visitor, slug, tournament)
        self.directs = self.member = True

    def listed(self, rows: Iterable[Entrant]) -> EntrantList:
        """Entrants as whoever asks may see them (2 queries)."""
        found = lines_of(rows, self.row, directs=self.directs)
        return with_ratings(found, self.row, self.request.user)

    def numbered(self, number: int) -> Entrant:
        """The entrant with a number; 404 where there is none."""
        rows = self.row.entrants.select_related("player", "partner")
        entrant: Entrant = get_object_or_404(rows, number=number)
        entrant.tournament = self.row
        return entrant

    def look_at(self, entrant: Entrant) -> Any:
        rows = Substitute.objects.filter(entrant=entrant).order_by("round_number", "pk")
        self.more = {
            "substitutes": list(rows.select_related("player", "instead_of")),
            "seats_left": list(seats_left(entrant)) if self.directs else [],
        }
        return self.listed([entrant]).lines[0]

    def entrant_shown(self, number: int) -> Response:
        self.row.refresh_from_db()
        return self.shown(OneEntrantSerializer, self.look_at(self.numbered(number)))

    def done(self, slug: str, tournament: str, number: int, work: Work) -> Response:
        """Do something about an entrant as a director, and show them."""
        self.direct(slug, tournament)
        work(self.numbered(number))
        return self.entrant_shown(number)


class Entrants(OfEntrants):
    queryset = Entrant.objects.none()
    filterset_class = EntrantFilter
    ordering_fields = ("number", "name")
    ordering = ("number",)

    @extend_schema(responses=EntrantSerializer(many=True))
    def get(self, request: Request, slug: str, tournament: str) -> Response:
        """Everybody in a tournament, in order of numbers."""
        self.see(slug, tournament)
        rows = self.row.entrants.select_related("player", "partner").annotate(name=self._name())
        page = self.paginate_queryset(self.filter_queryset(rows)) or []
        context = self.get_serializer_context()
        lines = EntrantSerializer(self.listed(page).lines, many=True, context=context)
        return self.get_paginated_response(lines.data)

    def _name(self) -> Any:
        """By what they are ordered: it tells nothing that the name shown does not."""
        whole = F("player__name_key")
        if self.directs:
            return whole
        initial = Substr("player__name_key", 1, 1)
        return Case(When(player__initials=True, then=initial), default=whole)

    @extend_schema(request=NewEntrantsSerializer, responses={201: EntrantsSerializer})
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Register entrants, all or none; new names are added to the players of the club.

        While the tournament runs they play from the next round that is not seated.
        """
        self.direct(slug, tournament)
        entries = [Entry(**each) for each in self.said(NewEntrantsSerializer)["entrants"]]
        added = register_entrants(self.row.pk, entries, self.actor, at=timezone.now())
        self.row.refresh_from_db()
        place = f"{request.path}{added[0].number}/" if len(added) == 1 else request.path
        details = {"results": self.listed(added).lines}
        return self.shown(EntrantsSerializer, details, 201, Location=place)


class DivideEntrants(OfEntrants):
    @extend_schema(request=None, responses=EntrantsSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str) -> Response:
        """Divide all who play into the sections by rating, in sizes of whole tables.

        The best play in the first section; those without a rating come last.
        """
        self.direct(slug, tournament)
        divide_by_rating(self.row.pk, self.request.user, self.actor, at=timezone.now())
        self.row.refresh_from_db()
        rows = self.row.entrants.select_related("player", "partner").order_by("number")
        return self.shown(EntrantsSerializer, {"results": self.listed(rows).lines})


class OneEntrant(OfEntrants):
    @extend_schema(responses=OneEntrantSerializer)
    def get(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """One entrant, with who plays in their place."""
        self.see(slug, tournament)
        return self.shown(OneEntrantSerializer, self.look_at(self.numbered(number)))

    @extend_schema(request=ChangedEntrantSerializer, responses=OneEntrantSerializer)
    def patch(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Change team, club, section, whether they are a house player, and whether they have paid.

        In another section they keep their points, and play from the next round not published.
        """
        self.direct(slug, tournament)
        said = self.said(ChangedEntrantSerializer, partial=True)
        with transaction.atomic():
            row = self._locked(number)
            team, represents = (said.get(name, getattr(row, name)) for name in LABELS)
            at = timezone.now()
            change_entrant(row.pk, team, represents, self.actor, at=at)
            if "house" in said:
                mark_house(row.pk, self.actor, at=at, house=said["house"])
            if "section" in said:
                move_entrants(self.row.pk, [row.number], said["section"], self.actor, at=at)
            if "paid" in said:
                mark_paid(row.pk, self.actor, at=at, paid=said["paid"])
        return self.entrant_shown(number)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Strike an entrant off the list who was never seated."""
        self.direct(slug, tournament)
        with transaction.atomic():
            remove_entrant(self._locked(number).pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, number: int) -> Entrant:
        """An entrant as it is now, and as `If-Match` says it was."""
        row = lock_entrant(self.numbered(number).pk)
        self.row = row.tournament
        self.check_unchanged(OneEntrantSerializer, self.look_at(row))
        return row


class Withdraw(OfEntrants):
    @extend_schema(request=None, responses=OneEntrantSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Withdraw an entrant; the results of earlier rounds stay."""
        return self.done(slug, tournament, number, self._work)

    def _work(self, row: Entrant) -> None:
        withdraw_entrant(row.pk, self.actor, at=timezone.now())


class Return(OfEntrants):
    @extend_schema(request=None, responses=OneEntrantSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let an entrant play again who withdrew, from the next round that is not seated."""
        return self.done(slug, tournament, number, self._work)

    def _work(self, row: Entrant) -> None:
        return_entrant(row.pk, self.actor, at=timezone.now())


class LetIn(OfEntrants):
    @extend_schema(request=None, responses=OneEntrantSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Let in somebody from the waiting list, even beyond the capacity."""
        return self.done(slug, tournament, number, self._work)

    def _work(self, row: Entrant) -> None:
        let_in(row.pk, self.actor, at=timezone.now())


class CheckIn(OfEntrants):
    @extend_schema(request=CheckInSerializer, responses=OneEntrantSerializer)
    @idempotent
    def post(self, request: Request, slug: str, tournament: str, number: int) -> Response:
        """Note that an entrant is here, or that they are not."""
        return self.done(slug, tournament, number, self._work)

    def _work(self, row: Entrant) -> None:
        said = self.said(CheckInSerializer)
        here, place = said["here"], said.get("round")
        check_in(row.pk, self.actor, at=timezone.now(), here=here, number=place)


class AccessLink(Resource):
    """Base of both: the key selects the tournament."""

    scope = None
    kind: str

    def found(self, request: Request, public_id: str) -> Tournament:
        """The tournament whose key this is; 404 without it."""
        key = request.auth
        matches = isinstance(key, AddressToken) and (key.kind, key.public_id) == (
            self.kind,
            public_id,
        )
        secret = key.secret if matches and isinstance(key, AddressToken) else ""
        rows = Tournament.objects.found_at(self.kind, public_id, secret)
        row: Tournament = get_object_or_404(rows.select_related("event__club"))
        return row

    def entrant_shown(self, entrant: Entrant, row: Tournament, status: int = 200) -> Response:
        entrant.tournament = row
        where = [row.event.club.slug, row.slug, entrant.number]
        place = {"Location": reverse("api:entrant", args=where)} if status == 201 else {}
        return self.shown(LinkedEntrantSerializer, line_of(entrant, directs=False), status, **place)


class Registrations(AccessLink):
    kind = "register"

    @extend_schema(responses=RegistrationLinkSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The tournament to register for, and whether registration is open."""
        row = self.found(request, public_id)
        is_open = row.state == Tournament.State.REGISTRATION
        details = {"row": row, "open": is_open, "pairs": is_for_pairs(row), "round": 1}
        return self.shown(RegistrationLinkSerializer, details)

    @extend_schema(request=OwnEntrySerializer, responses={201: LinkedEntrantSerializer})
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Register oneself; an existing entrant gets their own entry."""
        row = self.found(request, public_id)
        entry = Entry(**self.said(OwnEntrySerializer))
        if not consume(self.visitor, action="register_entrant"):
            raise Throttled
        entrant = register_by_link(row.pk, entry, self.actor, at=timezone.now())
        return self.entrant_shown(entrant, row, 201)


class CheckIns(AccessLink):
    kind = "check-in"

    @extend_schema(responses=CheckInLinkSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """Everybody who is asked whether they are here, by name, and for which round."""
        row = self.found(request, public_id)
        return self.shown(CheckInLinkSerializer, self._details(row))

    @extend_schema(request=OwnCheckInSerializer, responses=LinkedEntrantSerializer)
    @idempotent
    def post(self, request: Request, public_id: str) -> Response:
        """Say that one is here."""
        row = self.found(request, public_id)
        number = self.said(OwnCheckInSerializer)["entrant"]
        asked = {line.entrant.number: line.entrant for line in self._details(row)["entrants"]}
        found = asked.get(number)
        if found is None:
            raise Entrant.DoesNotExist
        return self.entrant_shown(check_in(found.pk, self.actor, at=timezone.now()), row)

    def _details(self, row: Tournament) -> dict[str, Any]:
        everybody = list_entrants(row, directs=False)
        lines = [line for line in everybody.lines if line.can_check_in]
        # As it is shown: the order tells nothing that the name does not.
        lines.sort(key=lambda line: fold_name(line.name))
        once = settings_of(row).check_in != "round"
        return {
            "row": row,
            "open": everybody.checking_in,
            "pairs": is_for_pairs(row),
            "round": 1 if once else everybody.asked_for,
            "entrants": lines,
        }


class OneSubstitute(OfEntrants):
    @extend_schema(request=NewSubstituteSerializer, responses=OneEntrantSerializer)
    def put(self, request: Request, **where: Any) -> Response:
        """Let somebody, by name, play a round in the place of the entrant's player."""
        seat = self._place(where)
        name = self.said(NewSubstituteSerializer)["name"]
        put_substitute(seat, name, self.actor, at=timezone.now())
        return self.entrant_shown(where["number"])

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, **where: Any) -> Response:
        """Let a player have their own place in a round back."""
        seat = self._place(where)
        take_out_substitute(seat, self.actor, at=timezone.now())
        return Response(status=204)

    def _place(self, where: Mapping[str, Any]) -> Place:
        """The place that is meant: a round that there is or will be, and one of its players."""
        self.direct(where["slug"], where["tournament"])
        entrant, place = self.numbered(where["number"]), where["place"]
        last = max(settings_of(self.row).rounds, self.row.event.rounds.count())
        found = [each.pk for each in entrant.players if each.public_id == where["player"]]
        if not found or not 1 <= place <= last:
            raise Http404
        return Place(entrant.pk, place, found[0])
