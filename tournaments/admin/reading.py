"""Pages to look at, and lists that stay fast however many rows there are."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.options import BaseModelAdmin, ShowFacets
from django.core.paginator import Paginator
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.functional import cached_property

FARTHEST = 10_000
"""So many rows can be leafed through; who wants another one searches."""


class ShortPaginator(Paginator):  # type: ignore[type-arg]  # generic in its stubs only
    """Counts no farther than anybody leafs, so that a million rows are not counted for one page."""

    @cached_property
    def count(self) -> int:
        """How many rows there are, up to the farthest."""
        assert isinstance(self.object_list, QuerySet)
        return self.object_list[:FARTHEST].count()


class OnlyRead(BaseModelAdmin):  # type: ignore[type-arg]  # as above
    """For the staff of the server to read, and for nobody to change."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.is_active and request.user.is_staff

    def has_add_permission(self, request: HttpRequest, *_parent: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ReadingAdmin(OnlyRead, admin.ModelAdmin):  # type: ignore[type-arg]  # as above
    """A list of rows, the newest first, and a page for each."""

    actions = None
    list_per_page = 50
    ordering = ("-pk",)
    paginator = ShortPaginator
    show_facets = ShowFacets.NEVER
    show_full_result_count = False
    # A click on a column would sort all there is, with no index to help.
    sortable_by = ()

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)


class RowsInside(OnlyRead, admin.TabularInline):  # type: ignore[type-arg]  # as above
    """Rows on the page of the row they belong to."""

    extra = 0
    can_delete = False
