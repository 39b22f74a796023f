"""Clubs and their people: members, players, and the audit."""

from django.contrib import admin
from django.contrib.admin import EmptyFieldListFilter
from django.db import models
from django.http import HttpRequest

from tournaments.admin.reading import ReadingAdmin, RowsInside
from tournaments.models import AuditEntry, Club, Invitation, Member, Merge, Player, Season
from tournaments.models.people import PlayerQuerySet


class OwnersAndDirectors(RowsInside):
    model = Member
    verbose_name_plural = "Owners and directors"
    fields = ("user", "role", "joined_at")

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Member]:
        """Only owners and directors, since a club may have thousands of members."""
        rows = Member.objects.exclude(role="member").select_related("user")
        return rows.order_by("joined_at")


@admin.register(Club)
class ClubAdmin(ReadingAdmin):
    list_display = ("name", "slug", "published", "confirmations", "table_codes", "created_at")
    list_filter = ("published", "confirmations", "table_codes")
    search_fields = ("name", "slug")
    inlines = (OwnersAndDirectors,)


@admin.register(Member)
class MemberAdmin(ReadingAdmin):
    list_display = ("user", "club", "role", "joined_at")
    list_filter = ("role",)
    search_fields = ("user__username", "user__email", "club__slug", "club__name")


@admin.register(Invitation)
class InvitationAdmin(ReadingAdmin):
    """Invitations; only the club sees the links themselves."""

    list_display = (
        *("public_id", "club", "role", "created_at", "expires_at", "uses", "most_uses"),
        "withdrawn_at",
    )
    list_filter = ("role", ("withdrawn_at", EmptyFieldListFilter))
    search_fields = ("public_id", "club__slug", "club__name")


@admin.register(Season)
class SeasonAdmin(ReadingAdmin):
    list_display = ("name", "club", "starts_on", "ends_on")
    search_fields = ("name", "club__slug", "club__name")


@admin.register(Player)
class PlayerAdmin(ReadingAdmin):
    """Players, searched by name as directors do, or by the slug of the club."""

    list_display = (
        *("name", "club", "public_id", "account", "initials", "merged_into"),
        "removed_at",
    )
    list_filter = (
        "initials",
        ("account", EmptyFieldListFilter),
        ("merged_into", EmptyFieldListFilter),
        ("removed_at", EmptyFieldListFilter),
    )
    search_fields = ("name",)
    search_help_text = "Parts of the name, in any case, with or without the marks of letters"

    def get_search_results(
        self, request: HttpRequest, queryset: models.QuerySet[Player], search_term: str
    ) -> tuple[models.QuerySet[Player], bool]:
        """Search as the club itself does."""
        assert isinstance(queryset, PlayerQuerySet)
        return queryset.matching(search_term), False


@admin.register(Merge)
class MergeAdmin(ReadingAdmin):
    list_display = ("gone", "kept", "kept__club", "at", "undone_at")
    list_filter = (("undone_at", EmptyFieldListFilter),)


@admin.register(AuditEntry)
class AuditLineAdmin(ReadingAdmin):
    """Audit entries of clubs; most are results, one entry for each deal."""

    list_display = ("at", "club", "kind", "action", "subject", "user", "table", "address")
    list_filter = ("kind",)
    search_fields = ("club__slug__exact", "subject__exact", "table__exact", "user__email__exact")
    search_help_text = "The whole slug of a club, a subject as game:…, a table, or an e-mail"
