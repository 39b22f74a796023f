"""Addresses of players: listed, added, changed, claimed, removed."""

import json
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import Prefetch, prefetch_related_objects
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.choosing import expand, expanding
from tournaments.api.filtering import Filters
from tournaments.api.idempotency import idempotent
from tournaments.api.people.finding import (
    ByName,
    PlayerFilter,
    PlayerResource,
    SealedPages,
    present_player,
)
from tournaments.api.people.serializers import (
    AddedPlayersSerializer,
    ChangedPlayerSerializer,
    NewPlayersSerializer,
    OnePlayerSerializer,
    PlayerCardSerializer,
    PlayerDataSerializer,
    PlayerSerializer,
)
from tournaments.models import Club, Player, PlayerRating, Scope
from tournaments.permissions import directed_club
from tournaments.services.audit import Actor
from tournaments.services.base.writes import Refused
from tournaments.services.people.changes import (
    export_player,
    remove_player,
    rename_player,
    set_initials,
)
from tournaments.services.people.merging import new_claim, unlink_account
from tournaments.services.people.players import add_players, lock_people

BY_NAME = OpenApiParameter("q", str, description="Words of the name.")


def club_ratings(club: Club) -> Any:
    """The ratings of players in their club, by kind of game (1 query)."""
    rows = PlayerRating.objects.filter(pool__club=club).select_related("pool").order_by("pk")
    return Prefetch("ratings", rows, to_attr="club_ratings")


class HasAccount(Refused, code="has-account"):
    sentence = _("The player has an account already.")


class Players(PlayerResource):
    queryset = Player.objects.all()
    filterset_class = PlayerFilter
    filter_backends = (Filters, ByName)
    also_asked = ("q",)
    pagination_class = SealedPages
    ordering_fields = ("name", "created_at")
    ordering = ("name",)
    chosen = PlayerSerializer

    @extend_schema(
        responses=PlayerSerializer(many=True), parameters=[BY_NAME, expand(PlayerSerializer)]
    )
    def get(self, request: Request, slug: str) -> Response:
        """The players of a club by name, for its members; those merged or removed are not there.

        Whoever asked to be shown by initials is found by no part of the name, but by directors.
        """
        club = self.club_of(slug)
        rows = self.called(club, request.query_params.get("q", ""))
        if expanding(request):
            rows = rows.prefetch_related(club_ratings(club))
        return self.pages_of(PlayerSerializer, rows.select_related("account"))

    @extend_schema(request=NewPlayersSerializer, responses={201: AddedPlayersSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Add players, all or none."""
        club = directed_club(self.visitor, slug)
        self.directs = True
        names = self.said(NewPlayersSerializer)["names"]
        added = add_players(club, names, self.actor, at=timezone.now())
        return self.shown(AddedPlayersSerializer, {"results": added}, 201)


class OnePlayer(PlayerResource):
    chosen = OnePlayerSerializer

    @extend_schema(responses=OnePlayerSerializer, parameters=[expand(OnePlayerSerializer)])
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """A player, for the members of the club; statistics are at `numbers/`."""
        row = self.player_of(slug, public_id)
        if expanding(request):
            prefetch_related_objects([row], club_ratings(row.club))
        return self.shown(OnePlayerSerializer, row)

    @extend_schema(request=ChangedPlayerSerializer, responses=OnePlayerSerializer)
    def patch(self, request: Request, slug: str, public_id: str) -> Response:
        """Give a player another name, or show them by initials; all their sheets follow."""
        club = self.directed_player(slug, public_id).club
        with transaction.atomic():
            row = self._locked(club, public_id)
            said = self.said(ChangedPlayerSerializer, partial=True)
            now = timezone.now()
            if "name" in said:
                rename_player(row.pk, said["name"], self.actor, at=now)
            if "initials" in said:
                set_initials(row.pk, said["initials"], self.actor, at=now)
        return self.shown(OnePlayerSerializer, present_player(club, public_id))

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Take the name of a player out of everything for good; the results stay."""
        club = self.directed_player(slug, public_id).club
        with transaction.atomic():
            row = self._locked(club, public_id)
            remove_player(row.pk, self.actor, at=timezone.now())
        return Response(status=204)

    def _locked(self, club: Club, public_id: str) -> Player:
        """The player, unless they have changed since they were read."""
        lock_people(club.pk)
        row = present_player(club, public_id)
        self.check_unchanged(OnePlayerSerializer, row)
        return row


class Unlink(PlayerResource):
    @extend_schema(request=None, responses=OnePlayerSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Untie a player from the account; twice is no error."""
        row = self.directed_player(slug, public_id)
        unlink_account(row.pk, self.actor, at=timezone.now())
        return self.shown(OnePlayerSerializer, present_player(row.club, public_id))


class PlayerCard(PlayerResource):
    # The card lets its holder claim the player, so a token that only reads gets none.
    reading_scope = Scope.DIRECT

    @extend_schema(responses=PlayerCardSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Link and code with which a person comes to a player who has no account."""
        row = self.directed_player(slug, public_id)
        if row.account_id is not None:
            raise HasAccount
        return self.shown(PlayerCardSerializer, row)


class NewCode(PlayerResource):
    @extend_schema(request=None, responses=PlayerCardSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Make a new link and code; those before are worthless."""
        row = self.directed_player(slug, public_id)
        return self.shown(PlayerCardSerializer, new_claim(row.pk, self.actor, at=timezone.now()))


class PlayerData(PlayerResource):
    @extend_schema(request=None, responses=PlayerDataSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """All that is kept about a player; the audit notes who has asked for it."""
        return exported(self.directed_player(slug, public_id), self.actor, timezone.now())


def exported(row: Player, by: Actor, at: datetime) -> Response:
    with export_player(row.pk, by, at=at) as document:
        details: Any = json.load(document)
    return Response(details)
