"""The server's data: documents, ratings, house rules, checks and e-mails."""

from django.contrib import admin

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import (
    Check,
    Difference,
    Email,
    HouseRuleset,
    PlayerRating,
    RatingDue,
    Report,
)


@admin.register(HouseRuleset)
class HouseRulesetAdmin(ReadingAdmin):
    """House rules, read-only: their own pages validate changes."""

    list_display = ("slug", "name", "club", "revision", "author", "changed_at")
    list_filter = (("club", admin.EmptyFieldListFilter),)
    search_fields = ("slug", "name", "club__slug")


@admin.register(Report)
class ReportAdmin(ReadingAdmin):
    """Requested documents: whether the worker keeps up, and why one failed."""

    list_display = (
        *("id", "kind", "game", "language", "state", "attempts", "asked_at", "touched_at"),
        "error",
    )
    list_filter = ("state", "kind")
    search_fields = ("game__public_id__exact",)
    # Only their own pages serve the files.
    exclude = ("file",)


@admin.register(PlayerRating)
class PlayerRatingAdmin(ReadingAdmin):
    list_display = ("person", "player", "pool", "mean", "variance", "games", "last_at")
    search_fields = ("person__exact",)
    search_help_text = "p and the key of a player, or a and the key of an account"


@admin.register(RatingDue)
class RatingDueAdmin(ReadingAdmin):
    """Pending rating computations: whether the worker keeps up."""

    list_display = ("id", "club", "since")
    search_fields = ("club__slug",)


@admin.register(Check)
class CheckAdmin(ReadingAdmin):
    """The nightly checks of stored values: whether they finish, and find anything."""

    list_display = ("night", "games", "rows", "found", "started_at", "finished_at", "error")


@admin.register(Difference)
class DifferenceAdmin(ReadingAdmin):
    """Stored values that differ from the computed ones."""

    list_display = ("id", "cache", "subject", "club", "first_at", "told_at", "resolved_at")
    list_filter = ("cache", ("resolved_at", admin.EmptyFieldListFilter))
    search_fields = ("subject__exact", "club__slug")


@admin.register(Email)
class EmailAdmin(ReadingAdmin):
    """E-mails of the program: whether the mail server accepts them."""

    list_display = ("id", "user", "about", "written_at", "tries", "tried_at", "sent_at")
    list_filter = (("sent_at", admin.EmptyFieldListFilter),)
    search_fields = ("about__exact",)
