"""The back office for the server's staff: read everything, and manage accounts.

It changes nothing of a club: results, people, roles and events have services, which check, lock and
add to the audit. It shows no secret that gives access to a table, a player or an account.
"""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.admin import EmptyFieldListFilter
from django.contrib.admin.models import LogEntry
from django.contrib.admin.options import BaseModelAdmin, ShowFacets
from django.contrib.auth.models import Group
from django.core.paginator import Paginator
from django.db.models import QuerySet, URLField
from django.http import HttpRequest
from django.utils.functional import cached_property
from django.utils.text import get_text_list
from oauth2_provider.models import AccessToken, Application, Grant, IDToken, RefreshToken

from tournaments import models
from tournaments.models.people import PlayerQuerySet

admin.site.site_header = admin.site.site_title = "Kingscore"
admin.site.index_title = "Back office"
# There are no single permissions: staff members read, superusers manage accounts.
admin.site.unregister(Group)
# The libraries would let staff write applications, and see what gives access.
admin.site.unregister((EmailAddress, Authenticator, UserSession))
admin.site.unregister((AccessToken, Application, Grant, IDToken, RefreshToken))

FARTHEST = 10_000
"""Rows that can be paged through; use the search to find others."""


class ShortPaginator(Paginator):  # type: ignore[type-arg]  # generic in its stubs only
    """Paginator with a limited count, so that no page counts a million rows."""

    @cached_property
    def count(self) -> int:
        """Return the number of rows, up to the limit."""
        assert isinstance(self.object_list, QuerySet)
        return self.object_list[:FARTHEST].count()


class OnlyRead(BaseModelAdmin):  # type: ignore[type-arg]  # as above
    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_add_permission(self, request: HttpRequest, *_parent: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadingAdmin(OnlyRead, admin.ModelAdmin):  # type: ignore[type-arg]  # as above
    actions = None
    list_per_page = 50
    ordering = ("-pk",)
    paginator = ShortPaginator
    show_facets = ShowFacets.NEVER
    show_full_result_count = False
    # Sorting by a column would sort all rows without an index.
    sortable_by = ()

    def get_list_select_related(self, request: HttpRequest) -> list[str]:
        """Return the relations that columns show."""
        related = {field.name for field in self.opts.fields if field.is_relation}
        columns = map(str, self.list_display)
        return [column for column in columns if column.partition("__")[0] in related]

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


class RowsInside(OnlyRead, admin.TabularInline):  # type: ignore[type-arg]  # as above
    extra = 0
    can_delete = False


# Accounts, and the log of the back office.

NAMES = ("first_name", "last_name")
POWERS = ("is_active", "is_staff")


@admin.register(models.User)
class UserAdmin(ReadingAdmin):
    """Accounts: superusers change names and permissions; nobody adds or deletes accounts here."""

    list_display = ("username", "email", *NAMES, *POWERS, "is_superuser", "date_joined")
    list_filter = (*POWERS, "is_superuser")
    search_fields = ("username", "email", *NAMES)
    fieldsets = (
        (None, {"fields": ("username", "email", *NAMES)}),
        (
            "What it may",
            {
                "fields": (*POWERS, "is_superuser", "date_joined", "last_login"),
                "description": (
                    "Who is not active is signed out everywhere and cannot sign in. An account is "
                    "deleted by its owner, on the page “Account”: not here, and not while it is "
                    "the last owner of a club."
                ),
            },
        ),
    )

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_superuser

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        """Return the fields that cannot be changed; nobody can lock themselves out."""
        fixed = ("username", "email", "is_superuser", "date_joined", "last_login")
        return (*fixed, *POWERS) if obj == request.user else fixed

    def save_model(self, request: HttpRequest, obj: models.User, form: Any, change: bool) -> None:
        """Save an account, and warn about clubs that lose their last active owner."""
        super().save_model(request, obj, form, change)
        if obj.is_active:
            return
        # Otherwise they would be valid again once the account is active.
        for session in UserSession.objects.filter(user=obj):
            session.end()
        owned = models.Member.objects.filter(role=models.Role.OWNER, user__is_active=True).values(
            "club"
        )
        theirs = models.Club.objects.owned_by(obj).exclude(pk__in=owned)
        names = [club.name for club in theirs]
        if names:
            listed = get_text_list(names, "and")
            messages.warning(request, f"Without an owner who can sign in now: {listed}.")


@admin.register(EmailAddress)
class EmailAddressAdmin(ReadingAdmin):
    """Verified e-mail addresses, read-only: a person who changes one receives its codes."""

    list_display = ("email", "user", "primary", "verified")
    list_filter = ("primary", "verified")
    search_fields = ("email", "user__username")


@admin.register(Authenticator)
class AuthenticatorAdmin(ReadingAdmin):
    list_display = ("user", "type", "created_at", "last_used_at")
    search_fields = ("user__username", "user__email")
    exclude = ("data",)


@admin.register(UserSession)
class UserSessionAdmin(ReadingAdmin):
    """Sessions of accounts; deactivating an account ends them."""

    list_display = ("user", "created_at", "last_seen_at", "ip", "user_agent")
    search_fields = ("user__username", "user__email", "ip")
    exclude = ("session_key", "data")


@admin.register(LogEntry)
class LogEntryAdmin(ReadingAdmin):
    list_display = ("action_time", "user", "action_flag", "content_type", "object_repr")
    list_filter = ("action_flag",)
    search_fields = ("object_repr", "user__username")


# Clubs and their people.


class OwnersAndDirectors(RowsInside):
    model = models.Member
    verbose_name_plural = "Owners and directors"
    fields = ("user", "role", "joined_at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Member]:
        """Only owners and directors, since a club may have thousands of members."""
        rows = models.Member.objects.exclude(role="member").select_related("user")
        return rows.order_by("joined_at")


@admin.register(models.Club)
class ClubAdmin(ReadingAdmin):
    list_display = ("name", "slug", "published", "confirmations", "table_codes", "created_at")
    list_filter = ("published", "confirmations", "table_codes")
    search_fields = ("name", "slug")
    inlines = (OwnersAndDirectors,)


@admin.register(models.Member)
class MemberAdmin(ReadingAdmin):
    list_display = ("user", "club", "role", "joined_at")
    list_filter = ("role",)
    search_fields = ("user__username", "user__email", "club__slug", "club__name")


@admin.register(models.Invitation)
class InvitationAdmin(ReadingAdmin):
    """Invitations; only the club sees the links themselves."""

    list_display = (
        *("public_id", "club", "role", "created_at", "expires_at", "uses"),
        *("most_uses", "withdrawn_at"),
    )
    list_filter = ("role", ("withdrawn_at", EmptyFieldListFilter))
    search_fields = ("public_id", "club__slug", "club__name")


@admin.register(models.Season)
class SeasonAdmin(ReadingAdmin):
    list_display = ("name", "club", "starts_on", "ends_on")
    search_fields = ("name", "club__slug", "club__name")


@admin.register(models.Player)
class PlayerAdmin(ReadingAdmin):
    """Players, searched by name as directors do, or by the slug of the club."""

    list_display = ("name", "club", "public_id", "account", "initials", "merged_into", "removed_at")
    list_filter = (
        "initials",
        ("account", EmptyFieldListFilter),
        ("merged_into", EmptyFieldListFilter),
        ("removed_at", EmptyFieldListFilter),
    )
    search_fields = ("name",)
    search_help_text = "Parts of the name, in any case, with or without the marks of letters"

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[models.Player], search_term: str
    ) -> tuple[QuerySet[models.Player], bool]:
        """Search as the club itself does."""
        assert isinstance(queryset, PlayerQuerySet)
        return queryset.matching(search_term), False


@admin.register(models.Merge)
class MergeAdmin(ReadingAdmin):
    list_display = ("gone", "kept", "kept__club", "at", "undone_at")
    list_filter = (("undone_at", EmptyFieldListFilter),)


@admin.register(models.AuditEntry)
class AuditLineAdmin(ReadingAdmin):
    """Audit entries of clubs; most are results, one entry for each deal."""

    list_display = ("at", "club", "kind", "action", "subject", "user", "table", "address")
    list_filter = ("kind",)
    search_fields = ("club__slug__exact", "subject__exact", "table__exact", "user__email__exact")
    search_help_text = "The whole slug of a club, a subject as game:…, a table, or an e-mail"


# Events, tables and sheets.


@admin.register(models.Event)
class EventAdmin(ReadingAdmin):
    list_display = ("name", "club", "held_on", "season", "ruleset", "published", "public_id")
    list_filter = ("published",)
    search_fields = ("name", "public_id", "club__slug", "club__name")


@admin.register(models.Round)
class RoundAdmin(ReadingAdmin):
    list_display = ("event", "number", "event__club", "opened_at", "closed_at")
    list_filter = (("closed_at", EmptyFieldListFilter),)
    search_fields = ("event__name", "event__public_id", "event__club__slug")


@admin.register(models.Table)
class TableAdmin(ReadingAdmin):
    """Tables of rounds; only directors see their addresses."""

    list_display = (
        *("public_id", "number", "round", "round__event", "round__event__club", "generation"),
        "wrong_codes",
    )
    search_fields = ("public_id", "round__event__public_id", "round__event__club__slug")


@admin.register(models.Match)
class MatchAdmin(ReadingAdmin):
    list_display = ("id", "length", "number", "created_at")


class SeatsInside(RowsInside):
    model = models.Seat
    fields = ("number", "player")

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Seat]:
        return models.Seat.objects.select_related("player")


class ConfirmationsInside(RowsInside):
    model = models.Confirmation
    fields = ("revision", "seat", "user", "own", "at")

    def get_queryset(self, request: HttpRequest) -> QuerySet[models.Confirmation]:
        return models.Confirmation.objects.select_related("user").order_by("pk")


class WritesInside(RowsInside):
    """All revisions, as stored."""

    model = models.Revision
    fields = ("revision", "kind", "position", "body", "author", "reason", "at")


@admin.register(models.Game)
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
    def names(self, row: models.Game) -> str:
        return ", ".join(row.players)


# Tournaments.


@admin.register(models.Tournament)
class TournamentAdmin(ReadingAdmin):
    list_display = ("slug", "event", "event__club", "state", "revision", "public_id")
    list_filter = ("state",)
    search_fields = ("slug", "public_id", "event__name", "event__club__slug")


@admin.register(models.Entrant)
class EntrantAdmin(ReadingAdmin):
    list_display = (
        *("tournament", "number", "player", "partner", "team", "represents", "house"),
        *("joins_in", "checked_in", "withdrawn_at"),
    )
    list_filter = ("house", ("withdrawn_at", EmptyFieldListFilter))
    search_fields = ("tournament__slug__exact", "team")
    search_help_text = "The whole slug of a tournament, or a part of the name of a team"


class EntrantRelatedAdmin(ReadingAdmin):
    search_fields = ("entrant__tournament__slug__exact",)
    search_help_text = "The whole slug of a tournament"


@admin.register(models.Sitting)
class SittingAdmin(EntrantRelatedAdmin):
    """The seating of published rounds."""

    list_display = ("entrant", "entrant__tournament", "round", "table", "side")
    list_filter = (("table", EmptyFieldListFilter),)


@admin.register(models.Substitute)
class SubstituteAdmin(EntrantRelatedAdmin):
    list_display = ("entrant", "entrant__tournament", "round_number", "instead_of", "player")


@admin.register(models.Ruling)
class RulingAdmin(EntrantRelatedAdmin):
    """Rulings of directors, including withdrawn ones."""

    list_display = ("entrant", "entrant__tournament", "round", "kind", "points", "reason", "at")
    list_filter = ("kind", ("withdrawn_at", EmptyFieldListFilter))


# Integrations.


@admin.register(models.PersonalToken)
class PersonalTokenAdmin(ReadingAdmin):
    """Tokens with their owners, scopes and last use; never the tokens themselves."""

    fields = ("name", "user", "scopes", "created", "expiry", "last_used_at")
    list_display = ("name", "user", "scopes", "created", "expiry", "last_used_at")
    ordering = ("-created",)
    search_fields = ("name", "public_id", "user__username", "user__email")


@admin.register(models.IdempotencyRecord)
class IdempotencyRecordAdmin(ReadingAdmin):
    """Stored answers for repeated requests; the answers are encrypted."""

    fields = ("status", "at")
    list_display = ("id", "status", "at")


@admin.register(models.Webhook)
class WebhookAdmin(ReadingAdmin):
    """Webhooks of clubs; only the club sees the secret that signs the calls."""

    # Nobody enters a URL here.
    formfield_overrides = {URLField: {"assume_scheme": "https"}}
    list_display = ("public_id", "club", "url", "events", "paused", "created_at")
    list_filter = ("paused",)
    search_fields = ("public_id", "url", "club__slug", "club__name")


@admin.register(models.Delivery)
class DeliveryAdmin(ReadingAdmin):
    """Deliveries of webhooks: whether they are accepted, and why not."""

    list_display = (
        *("public_id", "webhook", "type", "state", "tries", "tried_at", "answer_status"),
        "answer_text",
    )
    list_filter = ("state", "type")
    search_fields = ("public_id", "webhook__public_id", "webhook__club__slug")


@admin.register(models.ChangeFeed)
class ChangeFeedAdmin(ReadingAdmin):
    list_display = ("id", "last")


# The data of the server.


@admin.register(models.HouseRuleset)
class HouseRulesetAdmin(ReadingAdmin):
    """House rules, read-only: their own pages validate changes."""

    list_display = ("slug", "name", "club", "revision", "author", "changed_at")
    list_filter = (("club", EmptyFieldListFilter),)
    search_fields = ("slug", "name", "club__slug")


@admin.register(models.Report)
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


@admin.register(models.PlayerRating)
class PlayerRatingAdmin(ReadingAdmin):
    list_display = ("person", "player", "pool", "mean", "variance", "games", "last_at")
    search_fields = ("person__exact",)
    search_help_text = "p and the key of a player, or a and the key of an account"


@admin.register(models.RatingDue)
class RatingDueAdmin(ReadingAdmin):
    """Pending rating computations: whether the worker keeps up."""

    list_display = ("id", "club", "since")
    search_fields = ("club__slug",)


@admin.register(models.Check)
class CheckAdmin(ReadingAdmin):
    """The nightly checks of stored values: whether they finish, and find anything."""

    list_display = ("night", "games", "rows", "found", "started_at", "finished_at", "error")


@admin.register(models.Difference)
class DifferenceAdmin(ReadingAdmin):
    """Stored values that differ from the computed ones."""

    list_display = ("id", "cache", "subject", "club", "first_at", "told_at", "resolved_at")
    list_filter = ("cache", ("resolved_at", EmptyFieldListFilter))
    search_fields = ("subject__exact", "club__slug")


@admin.register(models.Email)
class EmailAdmin(ReadingAdmin):
    """E-mails of the program: whether the mail server accepts them."""

    list_display = ("id", "user", "about", "written_at", "tries", "tried_at", "sent_at")
    list_filter = (("sent_at", EmptyFieldListFilter),)
    search_fields = ("about__exact",)
