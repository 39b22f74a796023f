"""The back office: accounts, and what organisers keep."""

from typing import Any

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin
from django.http import HttpRequest

from tournaments.models import HouseRuleset, User

admin.site.register(User, UserAdmin)


@admin.register(HouseRuleset)
class HouseRulesetAdmin(admin.ModelAdmin):  # type: ignore[type-arg]  # generic in its stubs only
    """House rules, to look at: their own pages check what is saved."""

    list_display = ("slug", "name", "revision", "author", "changed_at")
    search_fields = ("slug", "name")

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
