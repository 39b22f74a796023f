"""Read-only pages, and lists that stay fast with any number of rows."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.options import BaseModelAdmin, ShowFacets
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

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
    """Read-only for the staff of the server."""

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
