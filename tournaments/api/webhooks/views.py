"""Addresses of webhooks, with a token that may manage.

Those of a club are for its owners, those of the server, without a club, for its staff.
"""

from django.db import transaction
from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.views import Resource, idempotent
from tournaments.api.webhooks.serializers import (
    KNOWN_TYPES,
    DeliverySerializer,
    NewWebhookSecretSerializer,
    NewWebhookSerializer,
    WebhookChangeSerializer,
    WebhookSecretSerializer,
    WebhookSerializer,
)
from tournaments.models import Club, Delivery, EventType, Scope, Webhook, fields
from tournaments.permissions import check_staff, owned_club
from tournaments.services.webhooks import calling


class WebhookResource(Resource):
    """Base of the addresses of webhooks."""

    scope = Scope.MANAGE
    # The address of a receiver may be a secret of its own.
    read_scope = Scope.MANAGE

    @property
    def club(self) -> Club | None:
        """The club in the address, None for the server; 404 for all others."""
        if "slug" in self.kwargs:
            return owned_club(self.visitor, self.kwargs["slug"])
        check_staff(self.visitor)
        return None

    @property
    def rows(self) -> QuerySet[Webhook]:
        return Webhook.objects.filter(club=self.club).select_related("club")

    def one(self, public_id: str) -> Webhook:
        return get_object_or_404(fields.named(self.rows, public_id))


class Webhooks(WebhookResource):
    queryset = Webhook.objects.all()
    filterset_fields = ("paused",)
    ordering_fields = ("created_at",)
    ordering = ("created_at",)

    @extend_schema(responses=WebhookSerializer(many=True))
    def get(self, _request: Request, **_of: str) -> Response:
        """The webhooks of the club, for its owners, or of the server, for its staff."""
        return self.pages_of(WebhookSerializer, self.rows)

    @extend_schema(request=NewWebhookSerializer, responses={201: NewWebhookSecretSerializer})
    @idempotent
    def post(self, request: Request, **_of: str) -> Response:
        """Add a webhook. Earlier events cause no calls."""
        club = self.club
        said = self.said(NewWebhookSerializer)
        plan = calling.WebhookPlan(said["url"], said["events"])
        made = calling.create_webhook(club, plan, self.actor, at=timezone.now())
        place = f"{request.path}{made.public_id}/"
        return self.shown(NewWebhookSecretSerializer, made, 201, Location=place)


class OneWebhook(WebhookResource):
    @extend_schema(responses=WebhookSerializer)
    def get(self, request: Request, public_id: str, **_of: str) -> Response:
        """One webhook."""
        return self.shown(WebhookSerializer, self.one(public_id))

    @extend_schema(request=WebhookChangeSerializer, responses=WebhookSerializer)
    def patch(self, request: Request, public_id: str, **_of: str) -> Response:
        """Change the address or the events of a webhook, pause it, or resume it."""
        found = self.one(public_id)
        said = self.said(WebhookChangeSerializer)
        now = timezone.now()
        with transaction.atomic():
            row = Webhook.objects.select_for_update().get(pk=found.pk)
            self.check_unchanged(WebhookSerializer, row)
            if "url" in said or "events" in said:
                url, events = said.get("url", row.url), said.get("events", row.events)
                plan = calling.WebhookPlan(url, events)
                row = calling.change_webhook(row.pk, plan, self.actor, at=now)
            if "paused" in said:
                row = calling.put_pause(row.pk, self.actor, at=now, paused=said["paused"])
        return self.shown(WebhookSerializer, row)

    @extend_schema(request=None, responses={204: None})
    def delete(self, request: Request, public_id: str, **_of: str) -> Response:
        """Delete the webhook and its deliveries."""
        found = self.one(public_id)
        with transaction.atomic():
            row = get_object_or_404(Webhook.objects.select_for_update(), pk=found.pk)
            self.check_unchanged(WebhookSerializer, row)
            calling.remove_webhook(row.pk, self.actor, at=timezone.now())
        return Response(status=204)


class WebhookSecret(WebhookResource):
    @extend_schema(responses=WebhookSecretSerializer)
    def get(self, request: Request, public_id: str, **_of: str) -> Response:
        """The secret that signs its calls."""
        return self.shown(WebhookSecretSerializer, self.one(public_id))

    @extend_schema(request=None, responses=WebhookSecretSerializer)
    @idempotent
    def post(self, request: Request, public_id: str, **_of: str) -> Response:
        """Replace the secret; the old one is invalid at once."""
        row = self.one(public_id)
        row = calling.renew_secret(row.pk, self.actor, at=timezone.now())
        return self.shown(WebhookSecretSerializer, row)


class Test(WebhookResource):
    @extend_schema(request=None, responses={201: DeliverySerializer})
    @idempotent
    def post(self, request: Request, public_id: str, **_of: str) -> Response:
        """Send a test call."""
        row = self.one(public_id)
        made = calling.send_test(row.pk, self.actor, at=timezone.now())
        place = f"{request.path.removesuffix('test/')}deliveries/{made.public_id}/"
        return self.shown(DeliverySerializer, made, 201, Location=place)


class DeliveryResource(WebhookResource):
    """Base of the addresses of deliveries."""

    def delivery(self, public_id: str, delivery: str) -> Delivery:
        rows = self.one(public_id).deliveries.all()
        return get_object_or_404(fields.named(rows, delivery))


class DeliveryFilter(filters.FilterSet):  # type: ignore[misc]
    """Selects deliveries by `type`, or by its old name `happening`."""

    type = filters.ChoiceFilter(choices=KNOWN_TYPES)
    happening = filters.ChoiceFilter(field_name="type", choices=EventType.choices)

    class Meta:
        model = Delivery
        fields = ("state", "type")


class Deliveries(DeliveryResource):
    queryset = Delivery.objects.all()
    filterset_class = DeliveryFilter
    ordering_fields = ("at", "next_at")
    ordering = ("-pk",)

    @extend_schema(responses=DeliverySerializer(many=True))
    def get(self, request: Request, public_id: str, **_of: str) -> Response:
        """The calls of the last 30 days, the latest first."""
        rows = Delivery.objects.filter(webhook=self.one(public_id))
        return self.pages_of(DeliverySerializer, rows)


class OneDelivery(DeliveryResource):
    @extend_schema(responses=DeliverySerializer)
    def get(self, request: Request, public_id: str, delivery: str, **_of: str) -> Response:
        """One call and its outcome."""
        return self.shown(DeliverySerializer, self.delivery(public_id, delivery))


class SendAgain(DeliveryResource):
    @extend_schema(request=None, responses=DeliverySerializer)
    @idempotent
    def post(self, request: Request, public_id: str, delivery: str, **_of: str) -> Response:
        """Make a call once more, under the same `webhook-id`."""
        found = self.delivery(public_id, delivery)
        return self.shown(DeliverySerializer, calling.send_again(found.pk, at=timezone.now()))
