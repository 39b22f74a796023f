"""What programs have: keys, answers kept for them, webhooks and their calls, the feed."""

from django.contrib import admin
from django.db import models

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import ChangeFeed, Delivery, KeptAnswer, PersonalToken, Webhook


@admin.register(PersonalToken)
class PersonalTokenAdmin(ReadingAdmin):
    """Who has keys for programs, for what, and when they were used; not what they are."""

    fields = ("name", "user", "scopes", "created", "expiry", "last_used_at")
    list_display = ("name", "user", "scopes", "created", "expiry", "last_used_at")
    list_select_related = ("user",)
    ordering = ("-created",)
    search_fields = ("name", "public_id", "user__username", "user__email")


@admin.register(KeptAnswer)
class KeptAnswerAdmin(ReadingAdmin):
    """What is answered again to a request that is sent twice; the answers are sealed."""

    fields = ("status", "at")
    list_display = ("id", "status", "at")


@admin.register(Webhook)
class WebhookAdmin(ReadingAdmin):
    """What clubs have called when something happens; what the calls are signed with is theirs."""

    # Nobody types one here.
    formfield_overrides = {models.URLField: {"assume_scheme": "https"}}
    list_display = ("public_id", "club", "url", "happenings", "paused", "created_at")
    list_filter = ("paused",)
    list_select_related = ("club",)
    search_fields = ("public_id", "url", "club__slug", "club__name")


@admin.register(Delivery)
class DeliveryAdmin(ReadingAdmin):
    """Calls of webhooks: whether they are taken, and why not."""

    list_display = (
        *("public_id", "webhook", "happening", "state", "tries", "tried_at"),
        *("answer_status", "answer_text"),
    )
    list_filter = ("state", "happening")
    list_select_related = ("webhook",)
    search_fields = ("public_id", "webhook__public_id", "webhook__club__slug")


@admin.register(ChangeFeed)
class ChangeFeedAdmin(ReadingAdmin):
    """How far the feed of changes has come."""

    list_display = ("id", "last")
