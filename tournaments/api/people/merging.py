"""Addresses at which two players are made one, and parted again."""

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.people.finding import PlayerResource, present_player
from tournaments.api.people.serializers import (
    MergePreviewSerializer,
    OnePlayerSerializer,
    OtherPlayerSerializer,
)
from tournaments.services.people.merging import merge_players, undo_merge, why_not_one


class MergePlayer(PlayerResource):
    @extend_schema(
        responses=MergePreviewSerializer, parameters=[OpenApiParameter("other", str, required=True)]
    )
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """Preview the merge of the player `other` into this one."""
        kept = self.directed_player(slug, public_id)
        gone = present_player(kept.club, request.query_params.get("other", ""))
        details = {
            "kept": kept,
            "gone": gone,
            "games": gone.seats.count(),
            "why_not": why_not_one(kept, gone),
        }
        return self.shown(MergePreviewSerializer, details)

    @extend_schema(request=OtherPlayerSerializer, responses=OnePlayerSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Give games, tournaments and account of `other` to this player, who keeps the name."""
        kept = self.directed_player(slug, public_id)
        gone = present_player(kept.club, self.said(OtherPlayerSerializer)["other"])
        merge_players(kept.pk, gone.pk, self.actor, at=timezone.now())
        return self.shown(OnePlayerSerializer, present_player(kept.club, public_id))


class PartPlayer(PlayerResource):
    @extend_schema(request=None, responses=OnePlayerSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str, pk: int) -> Response:
        """Undo a merge. Games played since stay. Idempotent."""
        kept = self.directed_player(slug, public_id)
        row = get_object_or_404(kept.merges, pk=pk)
        undo_merge(row.pk, self.actor, at=timezone.now())
        return self.shown(OnePlayerSerializer, present_player(kept.club, public_id))
