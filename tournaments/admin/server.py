"""What the server does and keeps: documents it builds, ratings, and house rules."""

from django.contrib import admin

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import (
    Check,
    Difference,
    HouseRuleset,
    Letter,
    PlayerRating,
    RatingDue,
    Report,
)


@admin.register(HouseRuleset)
class HouseRulesetAdmin(ReadingAdmin):
    """House rules, to look at: their own pages check what is saved."""

    list_display = ("slug", "name", "club", "revision", "author", "changed_at")
    list_filter = (("club", admin.EmptyFieldListFilter),)
    list_select_related = ("club", "author")
    search_fields = ("slug", "name", "club__slug")


@admin.register(Report)
class ReportAdmin(ReadingAdmin):
    """Documents asked for: whether the worker keeps up, and why one failed."""

    list_display = (
        "id",
        "kind",
        "game",
        "language",
        "state",
        "attempts",
        "asked_at",
        "touched_at",
        "error",
    )
    list_filter = ("state", "kind")
    list_select_related = ("game",)
    search_fields = ("game__public_id__exact",)
    # Files are given out by their own pages only.
    exclude = ("file",)


@admin.register(PlayerRating)
class PlayerRatingAdmin(ReadingAdmin):
    """Ratings, as they were computed from the games."""

    list_display = ("person", "player", "pool", "mean", "variance", "games", "last_at")
    list_select_related = ("player", "pool")
    search_fields = ("person__exact",)
    search_help_text = "p and the key of a player, or a and the key of an account"


@admin.register(RatingDue)
class RatingDueAdmin(ReadingAdmin):
    """What waits to be computed: whether the worker keeps up."""

    list_display = ("id", "club", "since")
    list_select_related = ("club",)
    search_fields = ("club__slug",)


@admin.register(Check)
class CheckAdmin(ReadingAdmin):
    """The nightly checks of what is stored: whether they come to an end, and find anything."""

    list_display = ("night", "state", "cache", "games", "rows", "found", "finished_at", "error")
    list_filter = ("state",)


@admin.register(Difference)
class DifferenceAdmin(ReadingAdmin):
    """What was stored and is not what it is computed from."""

    list_display = ("id", "cache", "subject", "club", "first_at", "told_at", "resolved_at")
    list_filter = ("cache", ("resolved_at", admin.EmptyFieldListFilter))
    list_select_related = ("club",)
    search_fields = ("subject__exact", "club__slug")


@admin.register(Letter)
class LetterAdmin(ReadingAdmin):
    """Mails that the program has written: whether the mail server takes them."""

    list_display = ("id", "user", "about", "written_at", "tries", "tried_at", "sent_at")
    list_filter = (("sent_at", admin.EmptyFieldListFilter),)
    list_select_related = ("user",)
    search_fields = ("about__exact",)
