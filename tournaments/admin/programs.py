"""Integrations: tokens, stored answers, webhooks and their calls, the feed."""

from django.contrib import admin
from django.db import models
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import ChangeFeed, Delivery, IdempotencyRecord, PersonalToken, Webhook

# The library would let staff write applications, and see what gives access.
admin.site.unregister((AccessToken, Application, Grant, IDToken, RefreshToken))


@admin.register(PersonalToken)
class PersonalTokenAdmin(ReadingAdmin):
    """Tokens with their owners, scopes and last use; never the tokens themselves."""

    fields = ("name", "user", "scopes", "created", "expiry", "last_used_at")
    list_display = ("name", "user", "scopes", "created", "expiry", "last_used_at")
    ordering = ("-created",)
    search_fields = ("name", "public_id", "user__username", "user__email")


@admin.register(IdempotencyRecord)
class IdempotencyRecordAdmin(ReadingAdmin):
    """Stored answers for repeated requests; the answers are encrypted."""

    fields = ("status", "at")
    list_display = ("id", "status", "at")


@admin.register(Webhook)
class WebhookAdmin(ReadingAdmin):
    """Webhooks of clubs; only the club sees the secret that signs the calls."""

    # Nobody enters a URL here.
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    list_display = ("public_id", "club", "url", "events", "paused", "created_at")
    list_filter = ("paused",)
    search_fields = ("public_id", "url", "club__slug", "club__name")


@admin.register(Delivery)
class DeliveryAdmin(ReadingAdmin):
    """Deliveries of webhooks: whether they are accepted, and why not."""

    list_display = (
        *("public_id", "webhook", "type", "state", "tries", "tried_at", "answer_status"),
        "answer_text",
    )
    list_filter = ("state", "type")
    search_fields = ("public_id", "webhook__public_id", "webhook__club__slug")


@admin.register(ChangeFeed)
class ChangeFeedAdmin(ReadingAdmin):
    list_display = ("id", "last")
