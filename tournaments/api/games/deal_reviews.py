"""Addresses at which the deals of a tournament's game are confirmed or disputed."""

from typing import Any

from django.shortcuts import get_object_or_404
from django.utils import timezone
from drf_spectacular.utils import extend_schema, extend_schema_field
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.access import readable_game
from tournaments.api.fields import Moment, Strict
from tournaments.api.games.serializers import EntryField
from tournaments.api.games.writing import GONE, game_to_write, told_of, writer
from tournaments.api.idempotency import idempotent
from tournaments.api.paging import PAGES, PartSerializer
from tournaments.api.schema import component
from tournaments.api.views import Resource
from tournaments.engine.documents.entries import parse_entry
from tournaments.models import DealReview, Game, Scope
from tournaments.queries.games.sheets import ReviewedDeal, load_reviews, load_sheet
from tournaments.services.rounds.rulings import SeenDeal, confirm_deal, dispute_deal

STATES = ("unconfirmed", *DealReview.Kind.values)


class ReviewSerializer(serializers.Serializer[ReviewedDeal]):
    """A deal that players confirm, as it stands since a `revision`.

    `confirmers` are the seats that may confirm it, the next declarer first. `seat` and `at` are
    those of its last review; `other` is the deal as whoever disputes it says.
    """

    position = serializers.IntegerField()
    revision = serializers.IntegerField()
    state = serializers.ChoiceField(STATES)
    confirmers = serializers.ListField(child=serializers.IntegerField())
    seat = serializers.IntegerField(source="last.seat", default=None, allow_null=True)
    at = Moment(source="last.at", default=None, allow_null=True)
    other = serializers.SerializerMethodField()

    @extend_schema_field({"oneOf": [component("Entry"), {"type": "null"}]})
    def get_other(self, deal: ReviewedDeal) -> Any:
        return deal.dispute and deal.dispute.body


class ReviewsSerializer(PartSerializer):
    """The deals of a game that players confirm; none where the tournament does not ask."""

    minutes = serializers.IntegerField(
        allow_null=True,
        help_text="For so long a confirmed deal may be corrected without a director.",
    )
    results = ReviewSerializer(many=True)


class NewReviewSerializer(Strict):
    """The seat, from 0, that speaks of a deal, and the `revision` of the deal that it saw."""

    seat = serializers.IntegerField(min_value=0, max_value=3)
    revision = serializers.IntegerField(min_value=1)


class NewDisputeSerializer(NewReviewSerializer):
    """A dispute, with the deal as it should be."""

    entry = EntryField()


class Reviews(Resource):
    refusals = GONE

    @extend_schema(parameters=PAGES, responses=ReviewsSerializer)
    def get(self, request: Request, public_id: str) -> Response:
        """The deals of a game that players confirm, each with what was said of it."""
        return _shown(self, get_object_or_404(readable_game(request, public_id)))


class ConfirmDeal(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=NewReviewSerializer, responses={201: ReviewsSerializer})
    @idempotent
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Confirm a deal for an opponent of its declarer; one of them is enough."""
        row = game_to_write(request, public_id)
        said = self.said(NewReviewSerializer)
        confirm_deal(row.pk, _seen(self, row, position, said), said["seat"])
        return _shown(self, row, 201)


class DisputeDeal(Resource):
    scope = Scope.SCORE
    refusals = GONE

    @extend_schema(request=NewDisputeSerializer, responses={201: ReviewsSerializer})
    @idempotent
    def post(self, request: Request, public_id: str, position: int) -> Response:
        """Keep another version of a deal beside the written one, and call a director."""
        row = game_to_write(request, public_id)
        said = self.said(NewDisputeSerializer)
        with told_of(row.players, "entry"):
            entry = parse_entry(said["entry"])
            dispute_deal(row.pk, _seen(self, row, position, said), said["seat"], entry)
        return _shown(self, row, 201)


def _seen(view: Resource, row: Game, position: int, said: dict[str, Any]) -> SeenDeal:
    return SeenDeal(position, said["revision"], writer(view, row), timezone.now())


def _shown(view: Resource, row: Game, status: int = 200) -> Response:
    row.refresh_from_db()
    reviews = load_reviews(load_sheet(row))
    deals = list(reviews.deals.values()) if reviews else []
    said = {"minutes": reviews and reviews.minutes, "results": deals}
    return view.shown(ReviewsSerializer, said, status)
