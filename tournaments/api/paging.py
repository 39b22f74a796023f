"""Long lists by cursor: rows added meanwhile do not shift pages."""

import json
from typing import Any

from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from rest_framework.exceptions import NotFound
from rest_framework.pagination import Cursor, CursorPagination

from tournaments.api.problems import fault


class CursorPages(CursorPagination):
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
        self.request, self.base_url = request, request.build_absolute_uri()
        self.order = self.get_ordering(request, queryset, view)
        size, cursor = self.get_page_size(request) or self.page_size, self.decode_cursor(request)
        try:
            rows = self._beyond(queryset, cursor)[: size + 1]
            found = list(rows)
        except (ValueError, RecursionError, ValidationError, DataError) as error:
            if cursor is None:
                raise
            # What somebody made up can be of no type that the order has.
            raise NotFound(self.invalid_cursor_message) from error
        self.page = found[:size]
        beside = (cursor is not None, len(found) > size)
        if cursor and cursor.reverse:
            self.page.reverse()
            beside = (beside[1], beside[0])
        self.has_previous, self.has_next = beside
        return self.page

    def _beyond(self, queryset: Any, cursor: Cursor | None) -> Any:
        """All rows from a cursor on, in the direction in which it goes.

        The cursor holds all ordering values, not an offset, so ties cannot shift it.
        """
        way = [_turned(part) if cursor and cursor.reverse else part for part in self.order]
        rows = queryset.order_by(*(_sorted(queryset, part) for part in way))
        if cursor is None:
            return rows
        place = json.loads(str(cursor.position))
        if not isinstance(place, list) or len(place) != len(way):
            raise ValueError(place)
        if not all(isinstance(value, str | None) for value in place):
            raise ValueError(place)
        return rows.filter(_after(queryset, list(zip(way, place, strict=True))))

    def get_next_link(self) -> str | None:
        """The address of the page after."""
        return self._link(self.page[-1], reverse=False) if self.has_next and self.page else None

    def get_previous_link(self) -> str | None:
        """The address of the page before."""
        return self._link(self.page[0], reverse=True) if self.has_previous and self.page else None

    def _link(self, row: Any, *, reverse: bool) -> str:
        values = [getattr(row, part.lstrip("-")) for part in self.order]
        place: Any = json.dumps([None if value is None else str(value) for value in values])
        link: str = self.encode_cursor(Cursor(0, reverse, place))
        return link

    def get_page_size(self, request: Any) -> int | None:
        """How many rows a page has.

        Raises:
            Fault: `page_size` is not a number.
        """
        asked = request.query_params.get(self.page_size_query_param, "")
        if asked and not (asked.isdecimal() and int(asked)):
            message = _("A whole number from 1 on is needed.")
            raise fault("wrong-type", self.page_size_query_param, message)
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


def _turned(part: str) -> str:
    return part.removeprefix("-") if part.startswith("-") else f"-{part}"


def _has_nulls(queryset: Any, name: str) -> bool:
    # What is put to the rows by a query is never null.
    field = next((f for f in queryset.model._meta.fields if f.name == name), None)  # noqa: SLF001
    return field is not None and field.null


def _sorted(queryset: Any, part: str) -> Any:
    """A part of an order; where values are missing, that is before all, in every database."""
    name = part.lstrip("-")
    if not _has_nulls(queryset, name):
        return part
    return F(name).desc(nulls_last=True) if part.startswith("-") else F(name).asc(nulls_first=True)


def _after(queryset: Any, places: list[tuple[str, Any]]) -> Q:
    """Return the condition for rows after a place in an order, by its first part, then the next."""
    (part, value), *rest = places
    name, down = part.lstrip("-"), part.startswith("-")
    if value is None:
        here, beyond = Q((f"{name}__isnull", True)), Q((f"{name}__isnull", False))
        beyond = Q(pk__in=[]) if down else beyond
    else:
        here, beyond = Q((name, value)), Q((f"{name}__{'lt' if down else 'gt'}", value))
        if down and _has_nulls(queryset, name):
            beyond |= Q((f"{name}__isnull", True))
    return beyond | (here & _after(queryset, rest)) if rest else beyond
