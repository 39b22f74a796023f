"""Long lists, page by page: each page knows the next, and what is added meanwhile moves none."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import NotFound
from rest_framework.pagination import CursorPagination

from tournaments.api.problems import Refused, fault, invalid


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

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        """The rows of the page that was asked for.

        Raises:
            NotFound: the cursor is none that was given out.
        """
        try:
            return super().paginate_queryset(queryset, request, view)
        except (ValueError, ValidationError, DataError) as error:
            if self.cursor_query_param not in request.query_params:
                raise
            # What somebody made up can be of no type that the order has.
            raise NotFound(self.invalid_cursor_message) from error

    def get_page_size(self, request: Any) -> int | None:
        """How many rows a page has.

        Raises:
            Refused: what was asked for is no number of rows.
        """
        asked = request.query_params.get(self.page_size_query_param, "")
        if asked and not (asked.isdecimal() and int(asked)):
            message = _("A whole number from 1 on is needed.")
            raise Refused(invalid([fault("wrong-type", self.page_size_query_param, message)]))
        return super().get_page_size(request)

    def get_schema_operation_parameters(self, view: Any) -> list[dict[str, Any]]:
        """How pages are asked for."""
        parameters: list[dict[str, Any]] = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["description"] = f"Rows of a page, at most {self.max_page_size}."
                parameter["schema"]["minimum"] = 1
        return parameters

    def get_paginated_response_schema(self, schema: dict[str, Any]) -> dict[str, Any]:
        """A page, and the addresses of those beside it, null at the ends."""
        beside = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": beside, "previous": beside, "results": schema},
        }
