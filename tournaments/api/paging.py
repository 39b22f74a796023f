"""Long lists, page by page: each page knows the next, and what is added meanwhile moves none."""

from typing import Any

from rest_framework.pagination import CursorPagination


class Pages(CursorPagination):
    """Pages of 50, or of as many as `page_size` asks for."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
    ordering = "-pk"

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        """The order that was asked for, then by key: two rows alike stay in one order."""
        ordering = super().get_ordering(request, queryset, view)
        return ordering if ordering[-1].lstrip("-") in {"pk", "id"} else (*ordering, "pk")
