"""Webhooks and their deliveries as the API reads and writes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import Moment, Secret, Strict
from tournaments.models import Delivery, Happening, Webhook
from tournaments.services.webhooks.keeping import TEST, shown_secret

LONGEST_URL = Webhook._meta.get_field("url").max_length  # noqa: SLF001

TOLD = [*Happening.choices, (TEST, "Test")]
"""What a delivery can be about."""


class NewWebhookSerializer(Strict):
    """Where to call, and when."""

    url = serializers.CharField(max_length=LONGEST_URL)
    happenings = serializers.ListField(
        child=serializers.ChoiceField(choices=Happening.choices), min_length=1, max_length=20
    )


class WebhookChangeSerializer(Strict):
    """What is to be otherwise; what is left out stays."""

    url = serializers.CharField(max_length=LONGEST_URL, required=False)
    happenings = serializers.ListField(
        child=serializers.ChoiceField(choices=Happening.choices),
        min_length=1,
        max_length=20,
        required=False,
    )
    paused = serializers.BooleanField(required=False)


class WebhookSerializer(serializers.Serializer[Any]):
    """An address that is called when something happens in the club."""

    id = serializers.CharField(source="public_id")
    url = serializers.CharField()
    happenings = serializers.ListField(child=serializers.ChoiceField(choices=Happening.choices))
    paused = serializers.BooleanField(help_text="Nobody is called until it goes on.")
    created_at = Moment()


class SecretSerializer(Secret):
    """By what the calls are signed, as libraries for Standard Webhooks take it."""

    secret = serializers.SerializerMethodField()

    def get_secret(self, row: Webhook) -> str:
        return shown_secret(row)


class NewWebhookShownSerializer(Secret, WebhookSerializer):
    """A webhook that was just made, with its secret."""

    secret = serializers.SerializerMethodField()

    def get_secret(self, row: Webhook) -> str:
        return shown_secret(row)


class HappenedSerializer(serializers.Serializer[Any]):
    """To what it happened: no names and no points, these are read where `resources` says."""

    number = serializers.IntegerField(required=False, help_text="Its place in the feed of changes.")
    club = serializers.CharField()
    event = serializers.CharField(required=False, allow_null=True)
    tournament = serializers.CharField(required=False, allow_null=True)
    round = serializers.IntegerField(required=False, allow_null=True)
    game = serializers.CharField(required=False, allow_null=True)
    result = serializers.ChoiceField(
        choices=["entered", "corrected"], required=False, allow_null=True
    )
    resources = serializers.ListField(child=serializers.CharField(), required=False)


class BodySerializer(serializers.Serializer[Any]):
    """What is sent to whoever is called; a test has nothing but the club in its data."""

    type = serializers.ChoiceField(choices=TOLD)
    timestamp = Moment()
    data = HappenedSerializer()  # type: ignore[assignment]


@extend_schema_field(BodySerializer)
class BodyField(serializers.JSONField):
    """The body as it is sent."""


class DeliverySerializer(serializers.Serializer[Any]):
    """A call, and what became of it."""

    id = serializers.CharField(source="public_id", help_text="Its `webhook-id`.")
    happening = serializers.ChoiceField(choices=TOLD)
    body = BodyField()
    state = serializers.ChoiceField(choices=Delivery.State.choices)
    tries = serializers.IntegerField()
    tried_at = Moment(allow_null=True)
    next_at = serializers.SerializerMethodField(help_text="When it is made (again); else null.")
    answer_status = serializers.IntegerField(help_text="The last answer; 0 where none came.")
    answer_text = serializers.CharField(
        source="why_no_answer",
        help_text="Why no answer came; empty where one did: its text is not shown.",
    )
    at = Moment()

    @extend_schema_field(Moment(allow_null=True))
    def get_next_at(self, row: Delivery) -> str | None:
        waits = row.state == Delivery.State.WAITING
        return Moment().to_representation(row.next_at) if waits else None
