"""Tournaments with entrants, seats and rulings, read-only: their services change them."""

from django.contrib import admin
from django.contrib.admin import EmptyFieldListFilter

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import Entrant, Ruling, Sitting, Substitute, Tournament


@admin.register(Tournament)
class TournamentAdmin(ReadingAdmin):
    list_display = ("slug", "event", "event__club", "state", "revision", "public_id")
    list_filter = ("state",)
    search_fields = ("slug", "public_id", "event__name", "event__club__slug")


@admin.register(Entrant)
class EntrantAdmin(ReadingAdmin):
    list_display = (
        *("tournament", "number", "player", "partner", "team", "represents", "house"),
        *("joins_in", "checked_in", "withdrawn_at"),
    )
    list_filter = ("house", ("withdrawn_at", EmptyFieldListFilter))
    search_fields = ("tournament__slug__exact", "team")
    search_help_text = "The whole slug of a tournament, or a part of the name of a team"


class OfEntrantAdmin(ReadingAdmin):
    search_fields = ("entrant__tournament__slug__exact",)
    search_help_text = "The whole slug of a tournament"


@admin.register(Sitting)
class SittingAdmin(OfEntrantAdmin):
    """The seating of published rounds."""

    list_display = ("entrant", "entrant__tournament", "round", "table", "side")
    list_filter = (("table", EmptyFieldListFilter),)


@admin.register(Substitute)
class SubstituteAdmin(OfEntrantAdmin):
    list_display = ("entrant", "entrant__tournament", "round_number", "instead_of", "player")


@admin.register(Ruling)
class RulingAdmin(OfEntrantAdmin):
    """Rulings of directors, including withdrawn ones."""

    list_display = ("entrant", "entrant__tournament", "round", "kind", "points", "reason", "at")
    list_filter = ("kind", ("withdrawn_at", EmptyFieldListFilter))
