"""Tournaments with entrants, seats and rulings, read-only: their services change them."""

from django.contrib import admin
from django.contrib.admin import EmptyFieldListFilter

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import Entrant, Ruling, Sitting, Substitute, Tournament


@admin.register(Tournament)
class TournamentAdmin(ReadingAdmin):
    list_display = ("slug", "event", "club", "state", "revision", "public_id")
    list_filter = ("state",)
    list_select_related = ("event__club",)
    search_fields = ("slug", "public_id", "event__name", "event__club__slug")

    @admin.display
    def club(self, row: Tournament) -> str:
        return row.event.club.name


@admin.register(Entrant)
class EntrantAdmin(ReadingAdmin):
    list_display = (
        "tournament",
        "number",
        "player",
        "partner",
        "team",
        "represents",
        "house",
        "joins_in",
        "checked_in",
        "withdrawn_at",
    )
    list_filter = ("house", ("withdrawn_at", EmptyFieldListFilter))
    list_select_related = ("tournament", "player", "partner")
    search_fields = ("tournament__slug__exact", "team")
    search_help_text = "The whole slug of a tournament, or a part of the name of a team"


@admin.register(Sitting)
class SittingAdmin(ReadingAdmin):
    """The seating of published rounds."""

    list_display = ("entrant", "tournament", "round", "table", "side")
    list_filter = (("table", EmptyFieldListFilter),)
    list_select_related = ("entrant__tournament", "round", "table")
    search_fields = ("entrant__tournament__slug__exact",)
    search_help_text = "The whole slug of a tournament"

    @admin.display
    def tournament(self, row: Sitting) -> str:
        return row.entrant.tournament.slug


@admin.register(Substitute)
class SubstituteAdmin(ReadingAdmin):
    list_display = ("entrant", "tournament", "round_number", "instead_of", "player")
    list_select_related = ("entrant__tournament", "instead_of", "player")
    search_fields = ("entrant__tournament__slug__exact",)
    search_help_text = "The whole slug of a tournament"

    @admin.display
    def tournament(self, row: Substitute) -> str:
        return row.entrant.tournament.slug


@admin.register(Ruling)
class RulingAdmin(ReadingAdmin):
    """Rulings of directors, including withdrawn ones."""

    list_display = ("entrant", "tournament", "round", "kind", "points", "reason", "at")
    list_filter = ("kind", ("withdrawn_at", EmptyFieldListFilter))
    list_select_related = ("entrant__tournament", "round")
    search_fields = ("entrant__tournament__slug__exact",)
    search_help_text = "The whole slug of a tournament"

    @admin.display
    def tournament(self, row: Ruling) -> str:
        return row.entrant.tournament.slug
