"""Addresses of webhooks: for owners of the club, with a token that may manage."""

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.idempotency import idempotent
from tournaments.api.problems import REFUSALS, Answer, fault, invalid, refuses
from tournaments.api.views import Resource
from tournaments.api.webhooks.serializers import (
    DeliverySerializer,
    NewWebhookSerializer,
    NewWebhookShownSerializer,
    SecretSerializer,
    WebhookChangeSerializer,
    WebhookSerializer,
)
from tournaments.models import Delivery, Scope, Webhook, addresses
from tournaments.services.webhooks import keeping
from tournaments.services.webhooks.calling import BadAddress
from tournaments.visitors import owned_club

refuses(keeping.TooManyWebhooks, "too-many", _("The club has as many webhooks as it may."))


def _bad_address(error: BadAddress) -> Answer:
    text = _("This address may not be called.")
    return invalid([fault("bad-address", "url", text, {"why": error.why})])


REFUSALS[BadAddress] = _bad_address


class WebhookResource(Resource):
    """What the addresses of webhooks share."""

    scope = Scope.MANAGE
    # The address of a receiver may be a secret of its own.
    reading_scope = Scope.MANAGE

    def of_club(self, slug: str) -> QuerySet[Webhook]:
        """The webhooks of a club, for its owners."""
        club = owned_club(self.visitor, slug)
        return Webhook.objects.filter(club=club).select_related("club")

    def one(self, slug: str, public_id: str) -> Webhook:
        """One of them."""
        return get_object_or_404(addresses.named(self.of_club(slug), public_id))


class Webhooks(WebhookResource):
    """`/clubs/{slug}/webhooks/`."""

    queryset = Webhook.objects.all()
    filterset_fields = ("paused",)
    ordering_fields = ("created_at",)
    ordering = ("created_at",)

    @extend_schema(responses=WebhookSerializer(many=True))
    def get(self, request: Request, slug: str) -> Response:
        """The webhooks of the club."""
        return self.pages_of(WebhookSerializer, self.of_club(slug))

    @extend_schema(request=NewWebhookSerializer, responses={201: NewWebhookShownSerializer})
    @idempotent
    def post(self, request: Request, slug: str) -> Response:
        """Have an address called from now on; what has happened before is not told."""
        club = owned_club(self.visitor, slug)
        plan = keeping.WebhookPlan(**self.said(NewWebhookSerializer))
        made = keeping.create_webhook(club, plan, self.actor, at=timezone.now())
        place = f"{request.path}{made.public_id}/"
        return self.shown(NewWebhookShownSerializer, made, 201, Location=place)


class OneWebhook(WebhookResource):
    """`/clubs/{slug}/webhooks/{id}/`."""

    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """One webhook."""
        return self.shown(WebhookSerializer, self.one(slug, public_id))

    @extend_schema(request=WebhookChangeSerializer, responses=WebhookSerializer)
    def patch(self, request: Request, slug: str, public_id: str) -> Response:
        """Call another address, about something else, no more for a while, or again."""
        found = self.one(slug, public_id)
        said = self.said(WebhookChangeSerializer)
        now = timezone.now()
        with transaction.atomic():
            row = Webhook.objects.select_for_update().get(pk=found.pk)
            self.check_unchanged(WebhookSerializer, row)
            if "url" in said or "happenings" in said:
                url, happenings = said.get("url", row.url), said.get("happenings", row.happenings)
                plan = keeping.WebhookPlan(url, happenings)
                row = keeping.change_webhook(row.pk, plan, self.actor, at=now)
            if "paused" in said:
                row = keeping.put_pause(row.pk, self.actor, at=now, paused=said["paused"])
        return self.shown(WebhookSerializer, row)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, slug: str, public_id: str) -> Response:
        """Call no more, and forget the calls."""
        found = self.one(slug, public_id)
        with transaction.atomic():
            row = get_object_or_404(Webhook.objects.select_for_update(), pk=found.pk)
            self.check_unchanged(WebhookSerializer, row)
            keeping.remove_webhook(row.pk, self.actor, at=timezone.now())
        return Response(status=204)


class Secret(WebhookResource):
    """`/clubs/{slug}/webhooks/{id}/secret/`."""

    @extend_schema(responses=SecretSerializer)
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The secret by which its calls are signed."""
        return self.shown(SecretSerializer, self.one(slug, public_id))

    @extend_schema(request=None, responses=SecretSerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Sign by a new secret from now on; the old one is worthless."""
        row = self.one(slug, public_id)
        row = keeping.renew_secret(row.pk, self.actor, at=timezone.now())
        return self.shown(SecretSerializer, row)


class Test(WebhookResource):
    """`/clubs/{slug}/webhooks/{id}/test/`."""

    @extend_schema(request=None, responses={201: DeliverySerializer})
    @idempotent
    def post(self, request: Request, slug: str, public_id: str) -> Response:
        """Have a call made that is about nothing, to see whether it arrives."""
        row = self.one(slug, public_id)
        made = keeping.send_test(row.pk, self.actor, at=timezone.now())
        place = f"{request.path.removesuffix('test/')}deliveries/{made.public_id}/"
        return self.shown(DeliverySerializer, made, 201, Location=place)


class DeliveryResource(WebhookResource):
    """What the addresses of deliveries share."""

    def delivery(self, slug: str, public_id: str, delivery: str) -> Delivery:
        """One of the calls of a webhook."""
        rows = self.one(slug, public_id).deliveries.all()
        return get_object_or_404(addresses.named(rows, delivery))


class Deliveries(DeliveryResource):
    """`/clubs/{slug}/webhooks/{id}/deliveries/`."""

    queryset = Delivery.objects.all()
    filterset_fields = ("state", "happening")
    ordering_fields = ("at", "next_at")
    ordering = ("-pk",)

    @extend_schema(responses=DeliverySerializer(many=True))
    def get(self, request: Request, slug: str, public_id: str) -> Response:
        """The calls of the last 30 days, the latest first."""
        rows = Delivery.objects.filter(webhook=self.one(slug, public_id))
        return self.pages_of(DeliverySerializer, rows)


class OneDelivery(DeliveryResource):
    """`/clubs/{slug}/webhooks/{id}/deliveries/{delivery}/`."""

    @extend_schema(responses=DeliverySerializer)
    def get(self, request: Request, slug: str, public_id: str, delivery: str) -> Response:
        """One call, and what became of it."""
        return self.shown(DeliverySerializer, self.delivery(slug, public_id, delivery))


class SendAgain(DeliveryResource):
    """`/clubs/{slug}/webhooks/{id}/deliveries/{delivery}/again/`."""

    @extend_schema(request=None, responses=DeliverySerializer)
    @idempotent
    def post(self, request: Request, slug: str, public_id: str, delivery: str) -> Response:
        """Make a call once more, under the same `webhook-id`."""
        found = self.delivery(slug, public_id, delivery)
        return self.shown(DeliverySerializer, keeping.send_again(found.pk, at=timezone.now()))
