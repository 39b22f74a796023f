"""Webhooks and their deliveries as the API reads and writes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import MomentField, StrictSerializer, UncachedSerializer
from tournaments.models import Delivery, EventType, Webhook
from tournaments.services.webhooks.calling import TEST, secret_text

KNOWN_TYPES = [*EventType.choices, (TEST, "Test")]
"""The events of deliveries."""


def _events(**options: Any) -> serializers.ListField:
    return serializers.ListField(
        child=serializers.ChoiceField(choices=EventType.choices), **options
    )


class EventsSerializer(StrictSerializer):
    """Reads `events`, or `happenings` from older clients."""

    events = _events(
        min_length=1, max_length=20, required=False, help_text="The events that cause a call."
    )
    happenings = _events(
        min_length=1, max_length=20, required=False, help_text="The old name of `events`."
    )

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        given = [attrs.pop(name) for name in ("events", "happenings") if name in attrs]
        if len(given) == 2 and set(given[0]) != set(given[1]):
            both = serializers.ErrorDetail("`happenings` differs from `events`.", "invalid")
            raise serializers.ValidationError({"happenings": [both]})
        return {**attrs, "events": given[0]} if given else attrs


class NewWebhookSerializer(EventsSerializer):
    """A webhook to add."""

    url = serializers.CharField(max_length=Webhook.url.field.max_length)

    def validate(self, attrs: dict[str, Any]) -> dict[str, Any]:
        read = super().validate(attrs)
        if "events" not in read:
            missing = serializers.ErrorDetail("This field is required.", "required")
            raise serializers.ValidationError({"events": [missing]})
        return read


class WebhookChangeSerializer(EventsSerializer):
    """The fields to change; others stay."""

    url = serializers.CharField(max_length=Webhook.url.field.max_length, required=False)
    paused = serializers.BooleanField(required=False)


class ReplaySerializer(StrictSerializer):
    """From when on events are sent again; at most 30 days ago."""

    since = serializers.DateTimeField()


class WebhookSerializer(serializers.Serializer[Any]):
    """An address that is called when something happens in the club, or in any club."""

    id = serializers.CharField(source="public_id")
    url = serializers.CharField()
    events = _events(help_text="The events that cause a call.")
    happenings = _events(source="events", help_text="The old name of `events`.")
    paused = serializers.BooleanField(help_text="No calls are made until it is resumed.")
    created_at = MomentField()


class WebhookSecretSerializer(UncachedSerializer):
    """The secret that signs the calls, in the form that Standard Webhooks libraries expect."""

    secret = serializers.SerializerMethodField()

    def get_secret(self, row: Webhook) -> str:
        return secret_text(row)


class WebhookWithSecretSerializer(WebhookSerializer, WebhookSecretSerializer):
    """A webhook that was just made, with its secret."""


class WebhookEventSerializer(serializers.Serializer[Any]):
    """The subject of an event: ids, but no names or points; read those from `resources`."""

    number = serializers.IntegerField(required=False, help_text="Its place in the feed of changes.")
    club = serializers.CharField(help_text="Empty in a test of a webhook of the server.")
    event = serializers.CharField(required=False, allow_null=True)
    tournament = serializers.CharField(required=False, allow_null=True)
    round = serializers.IntegerField(required=False, allow_null=True)
    game = serializers.CharField(required=False, allow_null=True)
    result = serializers.ChoiceField(
        choices=["entered", "corrected"], required=False, allow_null=True
    )
    player = serializers.CharField(
        required=False, allow_null=True, help_text="Empty for a player who was merged into another."
    )
    entrants = serializers.ListField(
        child=serializers.IntegerField(), required=False, help_text="Numbers in the tournament."
    )
    resources = serializers.ListField(child=serializers.CharField(), required=False)


class WebhookCallSerializer(serializers.Serializer[Any]):
    """The body of a call; a test names only the club, ratings also `resources`."""

    type = serializers.ChoiceField(choices=KNOWN_TYPES)
    timestamp = MomentField()
    data = WebhookEventSerializer()  # type: ignore[assignment]


@extend_schema_field(WebhookCallSerializer)
class BodyField(serializers.JSONField):
    """The body as it is sent."""


class DeliverySerializer(serializers.Serializer[Any]):
    """A call and its outcome."""

    id = serializers.CharField(source="public_id", help_text="Its `webhook-id`.")
    type = serializers.ChoiceField(choices=KNOWN_TYPES, help_text="The event, as in the body.")
    happening = serializers.ChoiceField(
        choices=KNOWN_TYPES, source="type", help_text="The old name of `type`."
    )
    body = BodyField()
    state = serializers.ChoiceField(choices=Delivery.State.choices)
    tries = serializers.IntegerField()
    tried_at = MomentField(allow_null=True)
    next_at = serializers.SerializerMethodField(
        help_text="The time of the next try; null if there is none."
    )
    answer_status = serializers.IntegerField(help_text="The last answer; 0 where none came.")
    answer_text = serializers.CharField(
        source="why_no_answer",
        help_text="Why no answer came; empty if one did. Its text is not shown.",
    )
    at = MomentField()

    @extend_schema_field(MomentField(allow_null=True))
    def get_next_at(self, row: Delivery) -> str | None:
        waits = row.state == Delivery.State.WAITING
        return MomentField().to_representation(row.next_at) if waits else None
