"""Addresses for the links of a tournament: to register, and to say that one is here.

A link is a key: `register.ID.SECRET` or `check-in.ID.SECRET`, sent as a token.
"""

from typing import Any

from allauth.core.ratelimit import consume
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import Throttled
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import AddressToken
from tournaments.api.entrants.serializers import (
    CheckInLinkSerializer,
    LinkedEntrantSerializer,
    OwnCheckInSerializer,
    OwnEntrySerializer,
    RegistrationLinkSerializer,
)
from tournaments.api.idempotency import idempotent
from tournaments.api.views import Resource
from tournaments.models import Entrant, Tournament
from tournaments.models.people import fold_name
from tournaments.presenters.entrants import line_of, list_entrants
from tournaments.queries.tournaments.state import settings_of
from tournaments.services.entrants.registration import (
    Entry,
    check_in,
    is_for_pairs,
    register_by_link,
)


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
