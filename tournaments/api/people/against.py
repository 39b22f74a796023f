"""Addresses of a player beside others: whom they have met, and how it went with one."""

from datetime import datetime
from typing import Any

from django.http import Http404
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.filtering import LimitsSerializer
from tournaments.api.paging import PAGES
from tournaments.api.people.finding import PlayerResource, present_player
from tournaments.api.people.limiting import limited
from tournaments.api.people.numbers_serializers import HeadToHeadSerializer, OpponentsSerializer
from tournaments.api.people.views import BY_NAME
from tournaments.engine.ratings.ratings import chance_above
from tournaments.models import Player
from tournaments.presenters.people.players import opponents_of, rating_row
from tournaments.queries.people.players import (
    Meeting,
    compare,
    family_of_both,
    games_of,
    meetings,
    ratings_of,
    seats_beside,
)
from tournaments.queries.ratings.ratings import rating_at, shown

MOST_FOUND = 50
"""As on the page: a search by name finds this many, including players never met."""


class Opponents(PlayerResource):
    @extend_schema(
        "clubs_players_opponents_read",
        responses=OpponentsSerializer,
        parameters=[LimitsSerializer, BY_NAME, *PAGES],
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Everybody a player has met; with `q` whoever of the club is called so."""
        row = self.player_of(slug, public_id)
        details, games = limited(request, row.club, games_of(row, request.user))
        met = meetings(games, seats_beside(row))
        asked = request.query_params.get("q", "").strip()
        if asked:
            found = self.called(row.club, asked).exclude(pk=row.pk).order_by("name_key")
            keys = found.values_list("pk", flat=True)[:MOST_FOUND]
            met = {pk: met.get(pk) or Meeting(pk) for pk in keys}
        opponents = opponents_of(met, len(met))
        return self.shown(OpponentsSerializer, {"limited_to": details, "results": opponents})


class Against(PlayerResource):
    @extend_schema(responses=HeadToHeadSerializer, parameters=[LimitsSerializer])
    def get(self, request: Request, slug: str, public_id: str, other: str) -> Response:
        """Two players of a club beside each other."""
        row = self.player_of(slug, public_id)
        beside = present_player(row.club, other)
        if row.pk == beside.pk:
            raise Http404
        details, games = limited(request, row.club, games_of(row, request.user, beside))
        seats = seats_beside(row, beside)
        both = {
            "limited_to": details,
            "id": row.public_id,
            "name": self._called(row),
            "other": beside.public_id,
            "other_name": self._called(beside),
            "meeting": meetings(games, seats).get(beside.pk) or Meeting(beside.pk),
            "compared": compare(games, seats),
            "chance": _chance(row, beside, details["family"], timezone.now()),
        }
        return self.shown(HeadToHeadSerializer, both)

    def _called(self, player: Player) -> str:
        return player.name if self.directs else player.shown_name


def _chance(row: Player, other: Player, family: str, at: datetime) -> dict[str, Any] | None:
    """Return the expected result between the two; None unless both are rated."""
    own, theirs = ratings_of(row), ratings_of(other)
    kind = family or family_of_both(own, theirs)
    rated = [rating_row(rows, kind) for rows in (own, theirs)]
    now = [rating_at(each, at) for each in rated if each is not None]
    if len(now) < 2:
        return None
    above = round(100 * chance_above([now[0]], [now[1]]))
    return {"above": above, "own": shown(now[0]), "other": shown(now[1])}
