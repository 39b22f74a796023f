"""The players a visitor may touch, how they are listed, and in which order."""

import json
from base64 import urlsafe_b64encode
from typing import Any

from cryptography.fernet import Fernet, InvalidToken
from django.shortcuts import get_object_or_404
from django.utils.crypto import salted_hmac
from django_filters import rest_framework as filters
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor
from rest_framework.utils.urls import replace_query_param

from tournaments.api.filtering import Ordering
from tournaments.api.paging import CursorPages
from tournaments.api.views import Resource
from tournaments.models import Club, Player, fields
from tournaments.models.people import PlayerQuerySet
from tournaments.permissions import directed_club, directs_club, members_club


class PlayerResource(Resource):
    """An address of players: it knows whether the visitor directs the club."""

    directs = False

    def club_of(self, slug: str) -> Club:
        club = members_club(self.visitor, slug)
        self.directs = directs_club(self.visitor, club)
        return club

    def player_of(self, slug: str, public_id: str) -> Player:
        """A player, for the members of the club; 404 for one merged or removed."""
        return present_player(self.club_of(slug), public_id)

    def directed_player(self, slug: str, public_id: str) -> Player:
        """A player, for those who direct the club."""
        self.directs = True
        return present_player(directed_club(self.visitor, slug), public_id)

    def called(self, club: Club, asked: str) -> PlayerQuerySet:
        """The players of today who are called what is asked for, as the visitor may know them."""
        present = Player.objects.present().filter(club=club)
        return present.matching(asked) if self.directs else present.matching_shown(asked)

    def get_serializer_context(self) -> dict[str, object]:
        """Whether the visitor directs the club, too."""
        return {**super().get_serializer_context(), "directs": self.directs}


def present_player(club: Club, public_id: str) -> Player:
    """The player of a club with this id; 404 for one merged or removed."""
    rows = fields.named(Player.objects.present().filter(club=club), public_id)
    row = get_object_or_404(rows.select_related("account"))
    row.club = club
    return row


class PlayerFilter(filters.FilterSet):  # type: ignore[misc]
    """Which players."""

    initials = filters.BooleanFilter()


class ByName(Ordering):
    """Orders players by name as the pages do: without case, with one i, ç after c."""

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the search by the columns it uses."""
        ordering = super().get_ordering(request, queryset, view)
        return [each.replace("name", "name_key") for each in ordering or ()] or None


class SealedPages(CursorPages):
    """Pages whose cursors tell nothing: the name where a page ends may be a hidden one."""

    def encode_cursor(self, cursor: Cursor) -> str:
        details = json.dumps([cursor.offset, cursor.reverse, cursor.position])
        sealed = _seal().encrypt(details.encode()).decode()
        return replace_query_param(self.base_url or "", self.cursor_query_param, sealed)

    def decode_cursor(self, request: Any) -> Cursor | None:
        """Return the position at which a page begins.

        Raises:
            NotFound: this is no cursor of ours.
        """
        sealed = request.query_params.get(self.cursor_query_param)
        if sealed is None:
            return None
        try:
            return Cursor(*json.loads(_seal().decrypt(sealed.encode())))
        except InvalidToken as error:
            raise NotFound(self.invalid_cursor_message) from error


def _seal() -> Fernet:
    key = salted_hmac("kingscore.cursors", "seal", algorithm="sha256").digest()
    return Fernet(urlsafe_b64encode(key))
