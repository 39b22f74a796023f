"""Webhooks and their deliveries: of a club for its owners, of the server for its staff."""

from collections.abc import Mapping
from typing import Any

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django_filters import rest_framework as filters
from rest_framework.decorators import action
from rest_framework.request import Request
from rest_framework.response import Response

from tournaments.api.views import APIViewSet, ListMixin, ModelViewSet, RetrieveMixin
from tournaments.api.webhooks import serializers
from tournaments.models import Club, Delivery, EventType, Scope, Webhook
from tournaments.models.fields import named
from tournaments.permissions import check_staff, owned_club
from tournaments.services.webhooks import calling


class WebhookMixin:
    """The club in the address, for its owners; None for the server, for its staff."""

    scope: Scope | None = Scope.MANAGE
    # The address of a receiver may be a secret of its own.
    read_scope: Scope | None = Scope.MANAGE
    club: Club | None = None

    def get_permission(self: Any) -> Any:
        return owned_club if "slug" in self.kwargs else check_staff

    def resolve_parents(self: Any) -> None:
        names = [self.kwargs["slug"]] if "slug" in self.kwargs else []
        self.club = self.get_permission()(self.http_request, *names)


class WebhookViewSet(WebhookMixin, ModelViewSet):
    descriptions = {
        "list": "List the webhooks of the club, for its owners, or of the server, for its staff.",
        "create": "Add a webhook. Earlier events cause no calls.",
        "retrieve": "Return a webhook.",
        "partial_update": "Change the address or the events of a webhook, pause it, or resume it.",
        "destroy": "Delete the webhook and its deliveries.",
    }
    queryset = Webhook.objects.all()
    lookup_field = "public_id"
    filterset_fields = ("paused",)
    ordering_fields = ("created_at",)
    ordering = ("created_at",)
    serializer_class = serializers.WebhookSerializer
    serializer_classes = {
        "create": serializers.WebhookWithSecretSerializer,
        "test": serializers.DeliverySerializer,
    }
    request_serializer_classes = {
        "create": serializers.NewWebhookSerializer,
        "partial_update": serializers.WebhookChangeSerializer,
        "replay": serializers.ReplaySerializer,
    }

    def get_queryset(self) -> QuerySet[Webhook]:
        return Webhook.objects.filter(club=self.club).select_related("club")

    def lock(self) -> None:
        rows = Webhook.objects.select_for_update().filter(club=self.club)
        get_object_or_404(named(rows, self.kwargs["public_id"]))

    def perform_create(self, data: Mapping[str, Any]) -> Webhook:
        return calling.create_webhook(
            self.club, data["url"], data["events"], self.actor, at=timezone.now()
        )

    def perform_update(self, row: Webhook, data: Mapping[str, Any]) -> None:
        now = timezone.now()
        if "url" in data or "events" in data:
            url, events = data.get("url", row.url), data.get("events", row.events)
            calling.change_webhook(row.pk, url, events, self.actor, at=now)
        if "paused" in data:
            calling.put_pause(row.pk, self.actor, at=now, paused=data["paused"])

    def perform_destroy(self, row: Webhook) -> None:
        calling.remove_webhook(row.pk, self.actor, at=timezone.now())

    @action(detail=True, serializer_class=serializers.WebhookSecretSerializer)
    def secret(self, request: Request, **kwargs: Any) -> Response:
        """Return the secret that signs the calls."""
        return self.respond(self.get_object())

    @secret.mapping.post
    def renew_secret(self, request: Request, **kwargs: Any) -> Response:
        """Replace the secret; for a day the calls are signed with the old one, too."""
        row = self.get_object()
        return self.respond(calling.renew_secret(row.pk, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True)
    def replay(self, request: Request, **kwargs: Any) -> Response:
        """Send the events since a moment again, also those during a pause.

        Calls of the last 30 days keep their `webhook-id`.
        """
        row, since = self.get_object(), self.get_validated()["since"]
        return self.respond(calling.replay(row.pk, since, self.actor, at=timezone.now()))

    @action(methods=["post"], detail=True, success_status=201)
    def test(self, request: Request, **kwargs: Any) -> Response:
        """Send a test call."""
        made = calling.send_test(self.get_object().pk, self.actor, at=timezone.now())
        place = f"{request.path.removesuffix('test/')}deliveries/{made.public_id}/"
        return self.respond(made, Location=place)


class DeliveryFilter(filters.FilterSet):  # type: ignore[misc]
    """Selects deliveries by `type`, or by its old name `happening`."""

    type = filters.ChoiceFilter(choices=serializers.KNOWN_TYPES)
    happening = filters.ChoiceFilter(field_name="type", choices=EventType.choices)

    class Meta:
        model = Delivery
        fields = ("state", "type")


class DeliveryViewSet(WebhookMixin, ListMixin, RetrieveMixin, APIViewSet):
    descriptions = {
        "list": "List the calls of the last 30 days, latest first.",
        "retrieve": "Return a call and its outcome.",
    }
    queryset = Delivery.objects.all()
    lookup_field = "public_id"
    lookup_url_kwarg = "delivery"
    filterset_class = DeliveryFilter
    ordering_fields = ("at", "next_at")
    ordering = ("-pk",)
    serializer_class = serializers.DeliverySerializer

    def get_queryset(self) -> QuerySet[Delivery]:
        rows = named(Webhook.objects.filter(club=self.club), self.kwargs["public_id"])
        return Delivery.objects.filter(webhook=get_object_or_404(rows))

    @action(methods=["post"], detail=True)
    def again(self, request: Request, **kwargs: Any) -> Response:
        """Repeat a call, under the same `webhook-id`."""
        return self.respond(calling.send_again(self.get_object().pk, at=timezone.now()))
