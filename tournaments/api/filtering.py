"""Choose the fields, filter, order and page what the API lists.

`SparseFieldsSerializer` reads `fields=` and `expand=`, `StrictFilterBackend` and
`StrictOrderingFilter` the filters and `ordering=` of querysets, which `KeysetPagination` pages.
Lists that are computed have a `SlicedListSerializer`; `read_limits` reads those of statistics.
"""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, NamedTuple

from django.core.exceptions import ValidationError
from django.db import DataError
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _
from django_filters.filters import BooleanFilter
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.filters import OrderingFilter
from rest_framework.pagination import Cursor, CursorPagination
from rest_framework.request import Request
from rest_framework.utils.urls import remove_query_param, replace_query_param

from tournaments.api.fields import TRUTHS
from tournaments.api.problems import fault
from tournaments.engine.rules.entries import LARGE
from tournaments.models import Club
from tournaments.services.base.writes import Fault, Invalid

CHOICES = {"fields", "expand"}
EXPANDED = "expanded"

ABOUT = (
    "`fields=` limits the answer to these fields, separated by commas. Typed clients omit it."
    " On lists it is deprecated: `/api/v2/` will not have it there."
)


Json = dict[str, Any]

EMPTY = _("Nothing is written here: leave it out, or say what is wanted.")


class UnknownName(Fault, code="unknown-name"):
    sentence = _("There is no such field here.")


class SparseFieldsSerializer(serializers.Serializer[Any]):
    """Shows only the fields that `fields` names, at an address that lets them be chosen.

    What `expand` may name are the fields of `expanded`.
    """

    expandable: ClassVar[tuple[str, ...]] = ()

    def get_fields(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_fields()
        view = self.context.get("view")
        # The description of the API has them all.
        if view is None or getattr(view, "swagger_fake_view", False):
            return found
        is_chosen = getattr(view, "chosen", None) is type(self)
        names = names_in(view.request, "fields") if is_chosen else set()
        chosen = names or found.keys() - {EXPANDED}
        if is_chosen and expanding(view.request):
            chosen |= {EXPANDED}
        return {name: field for name, field in found.items() if name in chosen}


class ExpandedSerializer(serializers.Serializer[Any]):
    """What `expand` named; the fields of others are missing."""

    def get_fields(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_fields()
        view = self.context["view"]
        if getattr(view, "swagger_fake_view", False):
            return found
        chosen = expanding(view.request)
        return {name: field for name, field in found.items() if name in chosen}


def names_in(request: Request, parameter: str) -> set[str]:
    names = request.query_params.get(parameter, "").split(",")
    return {name.strip() for name in names} - {""}


def expanding(request: Request) -> set[str]:
    """Return what a response is to tell more about."""
    return names_in(request, "expand")


def expand(serializer_class: type[SparseFieldsSerializer]) -> OpenApiParameter:
    """Return the parameter that expands the responses of a serializer."""
    names = {"type": "string", "enum": list(serializer_class.expandable)}
    schema = {"type": "array", "items": names}
    text = (
        "Objects to describe in `expanded`, separated by commas."
        " Deprecated: `/api/v2/` will not have it. Use the addresses of these objects."
    )
    return OpenApiParameter(
        "expand", schema, explode=False, style="form", description=text, deprecated=True
    )


def unknown_choices(
    request: Request, serializer_class: type[SparseFieldsSerializer]
) -> Iterator[Fault]:
    """Yield a fault for each name that a serializer does not have."""
    for parameter in request.query_params.keys() & CHOICES:
        known: Collection[str] = serializer_class.expandable
        if parameter == "fields":
            known = serializer_class().get_fields().keys() - {EXPANDED}
        names = names_in(request, parameter)
        if not names:
            yield fault("missing-field", parameter, EMPTY)
        for name in sorted(names.difference(known)):
            yield UnknownName(data={"name": name}, where=parameter)


_PARAMETERS: dict[tuple[type, str], frozenset[str]] = {}
"""By view and action; they never change."""


class UnknownOrder(Fault, code="unknown-order", where="ordering"):
    sentence = _("The list has no such order.")


class UnknownSeason(Fault, code="unknown-season", where="season"):
    sentence = _("The club has no such season.")


class StrictFilterBackend(DjangoFilterBackend):  # type: ignore[misc]
    """Keeps what the filters of a view let through.

    A filter with a mistyped name must not answer with everything.
    """

    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """Filter the rows; Invalid where a parameter is unknown, empty or no boolean."""
        filterset, query = self.get_filterset_class(view, queryset), request.query_params
        filters, pages = filterset.base_filters if filterset else {}, view.pagination_class
        known = {*filters, "ordering", pages.cursor_query_param, pages.page_size_query_param}
        known |= {*getattr(view, "extra_parameters", ()), *(CHOICES if view.chosen else ())}
        # A program that forgot to fill in its filter must not be answered with everything.
        faults = [
            *unknown(query, known),
            *(fault("missing-field", name, EMPTY) for name, value in query.items() if not value),
            *(
                fault("wrong-type", name, _("Must be a valid boolean."))
                for name, each in filters.items()
                if isinstance(each, BooleanFilter) and query.get(name) not in (None, "", *TRUTHS)
            ),
        ]
        if faults:
            raise Invalid(faults=faults)
        return super().filter_queryset(request, queryset, view)


class StrictOrderingFilter(OrderingFilter):
    """Orders by one of the fields that a view names, up or down."""

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        """Return the requested order, or that of the view; UnknownOrder if there is none."""
        ordering = request.query_params.get(self.ordering_param)
        if ordering and ordering not in _orders(view):
            raise UnknownOrder
        return super().get_ordering(request, queryset, view)

    def get_schema_operation_parameters(self, view: Any) -> list[Json]:
        return [
            {
                "name": self.ordering_param,
                "required": False,
                "in": "query",
                "description": "The field to order by; with `-` in descending order.",
                "schema": {"type": "string", "enum": _orders(view)},
            }
        ]


def parameters_of(view: Any, method: str) -> frozenset[str]:
    """Return the names of the query parameters that a view's method describes."""
    name = getattr(view, "action", None) or method.lower()
    found = _PARAMETERS.get((type(view), name))
    if found is None:
        # `extend_schema` keeps them on the method. Its schema reads the view and the method from
        # itself, which only the generator of the description sets.
        schema = getattr(getattr(view, name), "kwargs", {}).get("schema", view.schema)
        described = schema() if isinstance(schema, type) else schema
        described.view, described.method = view, method
        names: set[str] = set()
        for each in described.get_override_parameters():
            if not isinstance(each, OpenApiParameter):
                names.update((each() if isinstance(each, type) else each).fields)
            elif each.location == OpenApiParameter.QUERY:
                names.add(each.name)
        found = _PARAMETERS[type(view), name] = frozenset(names)
    return found


def _orders(view: Any) -> list[str]:
    return [sign + name for name in view.ordering_fields for sign in ("", "-")]


def unknown(names: Iterable[str], known: Collection[str]) -> list[Fault]:
    """Return a fault for each parameter that is not known."""
    message = _("There is no such parameter here.")
    return [fault("unexpected-field", name, message) for name in names if name not in known]


class UnknownFamily(Fault, code="unknown-family", where="family"):
    sentence = _("There is no such kind of game.")


class LimitsSerializer(serializers.Serializer[Any]):
    family = serializers.CharField(
        required=False, help_text="A kind of game, as `turkish-king`; else the one played most."
    )
    season = serializers.IntegerField(
        required=False,
        min_value=1,
        max_value=LARGE,
        help_text="The id of a season; else all the time.",
    )


class Limits(NamedTuple):
    """The limits of a request; without them an empty family, and no season."""

    family: str
    season: int | None


def read_limits(request: Request, club: Club) -> Limits:
    """Return the limits of a request (1 query where there is a season).

    Raises: ValidationError, UnknownSeason: numbers of all seasons would look right.
    """
    query = request.query_params
    limits = LimitsSerializer(data={name: query[name] for name in Limits._fields if name in query})
    limits.is_valid(raise_exception=True)
    season = limits.validated_data.get("season")
    if season is not None and not club.seasons.filter(pk=season).exists():
        raise UnknownSeason
    return Limits(limits.validated_data.get("family", ""), season)


class KeysetPagination(CursorPagination):
    """Pages of 50, or of as many as `page_size` asks for."""

    page_size = 50
    page_size_query_param = "page_size"
    max_page_size = 200
    ordering = "-pk"

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> tuple[str, ...]:
        """Add the key, so that two rows alike stay in one order."""
        ordering = super().get_ordering(request, queryset, view)
        return ordering if ordering[-1].lstrip("-") in {"pk", "id"} else (*ordering, "pk")

    def paginate_queryset(self, queryset: Any, request: Any, view: Any = None) -> Any:
        """Return the rows of a page; NotFound where its cursor is none that was given out."""
        self.request, self.base_url = request, request.build_absolute_uri()
        self.order = self.get_ordering(request, queryset, view)
        size, cursor = self.get_page_size(request) or self.page_size, self.decode_cursor(request)
        try:
            found = list(self._from_cursor(queryset, cursor)[: size + 1])
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

    def _from_cursor(self, queryset: Any, cursor: Cursor | None) -> Any:
        """All rows from a cursor on, in the direction in which it goes.

        The cursor holds all ordering values, not an offset, so ties cannot shift it.
        """
        order = list(self.order)
        if cursor and cursor.reverse:
            order = [name.removeprefix("-") if name[0] == "-" else f"-{name}" for name in order]
        rows = queryset.order_by(*(_sorted(queryset, name) for name in order))
        if cursor is None:
            return rows
        values = json.loads(str(cursor.position))
        is_list = isinstance(values, list) and len(values) == len(order)
        if not is_list or not all(isinstance(value, str | None) for value in values):
            raise ValueError(values)
        return rows.filter(_after(queryset, list(zip(order, values, strict=True))))

    def get_next_link(self) -> str | None:
        return self._link(self.page[-1], reverse=False) if self.has_next and self.page else None

    def get_previous_link(self) -> str | None:
        return self._link(self.page[0], reverse=True) if self.has_previous and self.page else None

    def _link(self, row: Any, *, reverse: bool) -> str:
        values = [getattr(row, name.lstrip("-")) for name in self.order]
        position: Any = json.dumps([None if value is None else str(value) for value in values])
        link: str = self.encode_cursor(Cursor(0, reverse, position))
        return link

    def get_page_size(self, request: Any) -> int | None:
        """Return how many rows a page has; Fault where `page_size` is no whole number."""
        size = request.query_params.get(self.page_size_query_param)
        if size is not None and not (size.isdecimal() and len(size) < 10 and int(size)):
            message = _("A whole number from 1 on is needed.")
            raise fault("wrong-type", self.page_size_query_param, message)
        return super().get_page_size(request)

    def get_schema_operation_parameters(self, view: Any) -> list[Json]:
        parameters: list[Json] = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["description"] = f"Rows of a page, at most {self.max_page_size}."
                parameter["schema"]["minimum"] = 1
            else:
                parameter["schema"]["pattern"] = "^[A-Za-z0-9+/_-]+={0,2}$"
        return parameters

    def get_paginated_response_schema(self, schema: Json) -> Json:
        """A page, and the addresses of those beside it, null at the ends."""
        beside = {"type": ["string", "null"], "format": "uri"}
        return {
            "type": "object",
            "required": ["next", "previous", "results"],
            "properties": {"next": beside, "previous": beside, "results": schema},
        }


PAGES = [
    OpenApiParameter(
        each["name"], each["schema"], each["in"], required=False, description=each["description"]
    )
    for each in KeysetPagination().get_schema_operation_parameters(None)
]
"""The parameters of lists that are computed."""


@dataclass(frozen=True)
class ListSlice:
    """The requested part of a computed list; all of it where `size` is None."""

    request: Request
    first: int
    size: int | None

    @classmethod
    def of(cls, request: Request, size: int | None = None) -> "ListSlice":
        """Read `cursor` and `page_size`.

        Raises: Fault, NotFound: they are no size, or no cursor that was given out.
        """
        first, query = 0, request.query_params
        if "cursor" in query:
            try:
                word, _is, number = (
                    urlsafe_b64decode(query["cursor"]).decode("ascii").partition("=")
                )
            except ValueError:
                word = number = ""
            if word != "at" or not number.isdecimal() or len(number) >= 10:
                raise NotFound(KeysetPagination.invalid_cursor_message)
            first = int(number)
        if query.keys() & {"cursor", "page_size"}:
            size = KeysetPagination().get_page_size(request)
        return cls(request, first, size)

    def links(self, total: int) -> dict[str, str | None]:
        """The addresses of the neighbours in a list of so many."""
        if self.size is None:
            return {"next": None, "previous": None}
        after, before = self.first + self.size, max(self.first - self.size, 0)
        return {
            "next": self.link(after) if after < total else None,
            "previous": self.link(before) if self.first else None,
        }

    def link(self, first: int) -> str:
        """Return the address of the part that begins there."""
        cursor = urlsafe_b64encode(f"at={first}".encode()).decode()
        # These choose a part, too.
        url = remove_query_param(self.request.build_absolute_uri(), "page")
        url = replace_query_param(remove_query_param(url, "player"), "cursor", cursor)
        return replace_query_param(url, "page_size", self.size)


class SlicedListSerializer(serializers.Serializer[Any]):
    """A computed list, shown in parts where `page_size` is given; its fields have `results`."""

    next = serializers.URLField(read_only=True, allow_null=True)
    previous = serializers.URLField(read_only=True, allow_null=True)

    def get_slice(self) -> ListSlice:
        return ListSlice.of(self.context["request"])

    def to_representation(self, instance: Any) -> Json:
        # Only the rows of the part are represented.
        part, field = self.get_slice(), self.fields.pop("results")
        rows: list[Any] = list(field.get_attribute(instance) or ())
        end = None if part.size is None else part.first + part.size
        results = field.to_representation(rows[part.first : end])
        others: Json = super().to_representation(instance)
        return {**others, **part.links(len(rows)), "results": results}


def _has_nulls(queryset: Any, name: str) -> bool:
    # What is put to the rows by a query is never null.
    field = next((f for f in queryset.model._meta.fields if f.name == name), None)  # noqa: SLF001
    return field is not None and field.null


def _sorted(queryset: Any, name: str) -> Any:
    """Order by a field; where values are missing, that is before all, in every database."""
    field = name.lstrip("-")
    if not _has_nulls(queryset, field):
        return name
    return F(field).asc(nulls_first=True) if field == name else F(field).desc(nulls_last=True)


def _after(queryset: Any, position: list[tuple[str, Any]]) -> Q:
    """Return the condition for rows after a position in an order, by one field after another."""
    (name, value), *rest = position
    field, down = name.lstrip("-"), name.startswith("-")
    if value is None:
        here, beyond = Q((f"{field}__isnull", True)), Q((f"{field}__isnull", False))
        beyond = Q(pk__in=[]) if down else beyond
    else:
        here, beyond = Q((field, value)), Q((f"{field}__{'lt' if down else 'gt'}", value))
        if down and _has_nulls(queryset, field):
            beyond |= Q((f"{field}__isnull", True))
    return beyond | (here & _after(queryset, rest)) if rest else beyond
