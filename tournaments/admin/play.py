"""Events, tables and sheets, read-only: only their services change results."""

from django.contrib import admin
from django.contrib.admin import EmptyFieldListFilter
from django.db import models
from django.http import HttpRequest

from tournaments.admin.reading import ReadingAdmin, RowsInside
from tournaments.models import Confirmation, Event, Game, Match, Revision, Round, Seat, Table


@admin.register(Event)
class EventAdmin(ReadingAdmin):
    list_display = ("name", "club", "held_on", "season", "ruleset", "published", "public_id")
    list_filter = ("published",)
    search_fields = ("name", "public_id", "club__slug", "club__name")


@admin.register(Round)
class RoundAdmin(ReadingAdmin):
    list_display = ("event", "number", "event__club", "opened_at", "closed_at")
    list_filter = (("closed_at", EmptyFieldListFilter),)
    search_fields = ("event__name", "event__public_id", "event__club__slug")


@admin.register(Table)
class TableAdmin(ReadingAdmin):
    """Tables of rounds; only directors see their addresses."""

    list_display = (
        *("public_id", "number", "round", "round__event", "round__event__club", "generation"),
        "wrong_codes",
    )
    search_fields = ("public_id", "round__event__public_id", "round__event__club__slug")


@admin.register(Match)
class MatchAdmin(ReadingAdmin):
    list_display = ("id", "length", "number", "created_at")


class SeatsInside(RowsInside):
    model = Seat
    fields = ("number", "player")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Seat]:
        return Seat.objects.select_related("player")


class ConfirmationsInside(RowsInside):
    model = Confirmation
    fields = ("revision", "seat", "user", "own", "at")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Confirmation]:
        return Confirmation.objects.select_related("user").order_by("pk")


class WritesInside(RowsInside):
    """All revisions, as stored."""

    model = Revision
    fields = ("revision", "kind", "position", "body", "author", "reason", "at")


@admin.register(Game)
class GameAdmin(ReadingAdmin):
    list_display = (
        *("public_id", "ruleset", "names", "played_at", "revision", "table"),
        "table__round__event__club",
    )
    list_filter = (("table", EmptyFieldListFilter),)
    search_fields = ("public_id__exact",)
    search_help_text = "The name of the game in its address, before the secret"
    inlines = (SeatsInside, ConfirmationsInside, WritesInside)

    @admin.display
    def names(self, row: Game) -> str:
        return ", ".join(row.players)
