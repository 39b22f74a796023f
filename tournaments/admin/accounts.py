"""Accounts, their permissions to sign in, and the log of the back office."""

from typing import Any

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib import admin, messages
from django.contrib.admin.models import LogEntry
from django.http import HttpRequest
from django.utils.text import get_text_list

from tournaments.admin.reading import ReadingAdmin
from tournaments.models import Club, Member, Role, User

NAMES = ("first_name", "last_name")
POWERS = ("is_active", "is_staff")


@admin.register(User)
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

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        """Save an account, and warn about clubs that lose their last active owner."""
        super().save_model(request, obj, form, change)
        if obj.is_active:
            return
        # Otherwise they would be valid again once the account is active.
        for session in UserSession.objects.filter(user=obj):
            session.end()
        owned = Member.objects.filter(role=Role.OWNER, user__is_active=True).values("club")
        theirs = Club.objects.owned_by(obj).exclude(pk__in=owned)
        names = [club.name for club in theirs]
        if names:
            listed = get_text_list(names, "and")
            messages.warning(request, f"Without an owner who can sign in now: {listed}.")


for model in (EmailAddress, Authenticator, UserSession):
    admin.site.unregister(model)


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
