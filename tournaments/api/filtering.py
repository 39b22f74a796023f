"""Choose, filter, order and page what the API lists."""

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Collection, Iterable, Iterator, Mapping
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
from tournaments.api.problems import Json as ProblemsJson
from tournaments.api.problems import fault
from tournaments.engine.rules.entries import LARGE
from tournaments.models import Club
from tournaments.services.base.writes import Fault, Invalid

CHOICES = {"fields", "expand"}
EXPANDED = "expanded"

ABOUT = (
    "`fields=` answers only these fields, separated by commas; typed clients leave it out."
    " On lists it is deprecated: `/api/v2/` will not have it there."
)


EMPTY = _("Nothing is written here: leave it out, or say what is wanted.")


class UnknownName(Fault, code="unknown-name"):
    sentence = _("There is no such field here.")


class Chosen(serializers.Serializer[Any]):
    """Shows only the fields that were asked for, at an address that lets them be chosen.

    What `expand` may name are the fields of `expanded`.
    """

    expandable: ClassVar[tuple[str, ...]] = ()

    def get_fields(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_fields()
        view = self.context.get("view")
        if view is None or _is_described(view):
            return found
        request, is_chosen = view.request, getattr(view, "chosen", None) is type(self)
        if not is_chosen or not expanding(request):
            found = _without(found, {EXPANDED})
        asked = _names(request, "fields") if is_chosen else set()
        return _without(found, found.keys() - asked - {EXPANDED}) if asked else found


class Expanded(serializers.Serializer[Any]):
    """What `expand` named; the fields of others are missing."""

    def get_fields(self) -> dict[str, Any]:
        found: dict[str, Any] = super().get_fields()
        view = self.context["view"]
        if _is_described(view):
            return found
        return _without(found, found.keys() - expanding(view.request))


def _is_described(view: Any) -> bool:
    """Whether the description of the API asks for the fields."""
    return getattr(view, "swagger_fake_view", False)


def expanding(request: Request) -> set[str]:
    """Return what an answer is to tell more about."""
    return _names(request, "expand")


def expand(shape: type[Chosen]) -> OpenApiParameter:
    """Return the parameter that expands answers of a shape."""
    schema = {"type": "array", "items": {"type": "string", "enum": list(shape.expandable)}}
    text = (
        "More about these, in `expanded`, separated by commas."
        " Deprecated: `/api/v2/` will not have it. Use the addresses of these objects."
    )
    return OpenApiParameter(
        "expand", schema, explode=False, style="form", description=text, deprecated=True
    )


def unknown_choices(request: Request, shape: type[Chosen]) -> Iterator[Fault]:
    """Yield a fault for each name that an answer of a shape does not have."""
    for parameter in request.query_params.keys() & CHOICES:
        known = shape.expandable if parameter == "expand" else _choices(shape)
        if not _names(request, parameter):
            yield fault("missing-field", parameter, EMPTY)
        for name in sorted(_names(request, parameter).difference(known)):
            yield UnknownName(data={"name": name}, where=parameter)


def _choices(shape: type[Chosen]) -> set[str]:
    return shape().get_fields().keys() - {EXPANDED}


def _names(request: Request, parameter: str) -> set[str]:
    asked = request.query_params.get(parameter, "").split(",")
    return {name.strip() for name in asked} - {""}


def _without(fields: dict[str, Any], names: Any) -> dict[str, Any]:
    return {name: field for name, field in fields.items() if name not in names}


_PARAMETERS: dict[tuple[type, str], frozenset[str]] = {}
"""By view and action; they never change."""


class UnknownOrder(Fault, code="unknown-order", where="ordering"):
    sentence = _("The list has no such order.")


class UnknownSeason(Fault, code="unknown-season", where="season"):
    sentence = _("The club has no such season.")


class Filters(DjangoFilterBackend):  # type: ignore[misc]
    """Keeps what the filters of a view let through.

    A filter with a mistyped name must not answer with everything.
    """

    def filter_queryset(self, request: Any, queryset: Any, view: Any) -> Any:
        """The rows that were asked for.

        Raises:
            Invalid: something was asked for that the list does not have.
        """
        shape = self.get_filterset_class(view, queryset)
        known = shape.base_filters if shape else {}
        problems = [*unknown(request.query_params, {*known, *_of_all(view)})]
        problems += _empty(request.query_params)
        problems += _no_truths(request.query_params, known)
        if problems:
            raise Invalid(faults=problems)
        return super().filter_queryset(request, queryset, view)


class Ordering(OrderingFilter):
    """Orders by one of the fields that a view names, up or down."""

    def get_ordering(self, request: Any, queryset: Any, view: Any) -> Any:
        """The order that was asked for, or that of the view.

        Raises:
            UnknownOrder: the list has no such order.
        """
        asked = request.query_params.get(self.ordering_param)
        if asked and asked not in _orders(view):
            raise UnknownOrder
        return super().get_ordering(request, queryset, view)

    def get_schema_operation_parameters(self, view: Any) -> list[ProblemsJson]:
        """The orders that there are."""
        return [
            {
                "name": self.ordering_param,
                "required": False,
                "in": "query",
                "description": "The order, with `-` downwards.",
                "schema": {"type": "string", "enum": _orders(view)},
            }
        ]


def parameters_of(view: Any, method: str) -> frozenset[str]:
    """Return the names of the query parameters that a view's method describes."""
    name = getattr(view, "action", None) or method.lower()
    found = _PARAMETERS.get((type(view), name))
    if found is None:
        # `extend_schema` keeps them there.
        schema = getattr(getattr(view, name), "kwargs", {}).get("schema", view.schema)
        described = schema() if isinstance(schema, type) else schema
        described.view, described.method = view, method
        found = frozenset(_names_of(described.get_override_parameters()))
        _PARAMETERS[type(view), name] = found
    return found


def _names_of(parameters: Iterable[Any]) -> Iterator[str]:
    for each in parameters:
        if not isinstance(each, OpenApiParameter):
            yield from (each() if isinstance(each, type) else each).fields
        elif each.location == OpenApiParameter.QUERY:
            yield each.name


def _orders(view: Any) -> list[str]:
    return [sign + name for name in view.ordering_fields for sign in ("", "-")]


def _of_all(view: Any) -> set[str]:
    """The parameters of every list, and the view's own."""
    pages = view.pagination_class
    own = {*getattr(view, "also_asked", ()), *(CHOICES if view.chosen else ())}
    return {pages.cursor_query_param, pages.page_size_query_param, "ordering", *own}


def unknown(asked: Iterable[str], known: Collection[str]) -> list[Fault]:
    """Return a fault for each parameter that is not known."""
    message = _("There is no such parameter here.")
    return [fault("unexpected-field", name, message) for name in asked if name not in known]


def _empty(asked: Mapping[str, str]) -> list[Fault]:
    # A program that forgot to fill in its filter must not be answered with everything.
    return [fault("missing-field", name, EMPTY) for name, value in asked.items() if not value]


def _no_truths(asked: Mapping[str, str], filters: Mapping[str, Any]) -> list[Fault]:
    message = _("Must be a valid boolean.")
    return [
        fault("wrong-type", name, message)
        for name, each in filters.items()
        if isinstance(each, BooleanFilter) and asked.get(name) not in (None, "", *TRUTHS)
    ]


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
    """The limits that were asked for; without them an empty family, and no season."""

    family: str
    season: int | None


def read_limits(request: Request, club: Club) -> Limits:
    """Return the limits of a request (1 query where there is a season).

    Raises:
        ValidationError, UnknownSeason: it is no season of the club. Numbers of all seasons would
            look right.
    """
    query = request.query_params
    limits = LimitsSerializer(data={name: query[name] for name in Limits._fields if name in query})
    limits.is_valid(raise_exception=True)
    season = limits.validated_data.get("season")
    if season is not None and not club.seasons.filter(pk=season).exists():
        raise UnknownSeason
    return Limits(limits.validated_data.get("family", ""), season)


Json = dict[str, Any]


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
        asked = request.query_params.get(self.page_size_query_param)
        if asked is not None and not (asked.isdecimal() and len(asked) < 10 and int(asked)):
            message = _("A whole number from 1 on is needed.")
            raise fault("wrong-type", self.page_size_query_param, message)
        return super().get_page_size(request)

    def get_schema_operation_parameters(self, view: Any) -> list[Json]:
        """How pages are asked for."""
        parameters: list[Json] = super().get_schema_operation_parameters(view)
        for parameter in parameters:
            if parameter["name"] == self.page_size_query_param:
                parameter["description"] = f"Rows of a page, at most {self.max_page_size}."
                parameter["schema"]["minimum"] = 1
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
    for each in CursorPages().get_schema_operation_parameters(None)
]
"""The parameters of lists that are computed."""


FORMER = ("page", "player")
"""What else chooses a part."""


@dataclass(frozen=True)
class Part:
    """The part of a computed list that was asked for: all of it where nobody asked."""

    request: Request
    first: int
    size: int | None

    @classmethod
    def of(cls, request: Request, size: int | None = None) -> "Part":
        """Read `cursor` and `page_size`.

        Raises:
            Fault, NotFound: they are no size, or no cursor that was given out.
        """
        pages, query = CursorPages(), request.query_params
        first = _first(query["cursor"]) if "cursor" in query else 0
        if query.keys() & {"cursor", "page_size"}:
            size = pages.get_page_size(request)
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
        url = self.request.build_absolute_uri()
        for former in FORMER:
            url = remove_query_param(url, former)
        url = replace_query_param(url, "cursor", cursor)
        return replace_query_param(url, "page_size", self.size)


def _first(cursor: str) -> int:
    try:
        word, _is, first = urlsafe_b64decode(cursor).decode("ascii").partition("=")
        if word == "at" and first.isdecimal() and len(first) < 10:
            return int(first)
    except ValueError:
        pass
    raise NotFound(CursorPages.invalid_cursor_message)


class PartSerializer(serializers.Serializer[Any]):
    """A computed list, shown in parts where `page_size` is given; its fields have `results`."""

    next = serializers.URLField(read_only=True, allow_null=True)
    previous = serializers.URLField(read_only=True, allow_null=True)

    def part(self) -> Part:
        return Part.of(self.context["request"])

    def to_representation(self, instance: Any) -> Json:
        # Only the rows of the part are represented.
        part, field = self.part(), self.fields.pop("results")
        rows: list[Any] = list(field.get_attribute(instance) or ())
        end = None if part.size is None else part.first + part.size
        results = field.to_representation(rows[part.first : end])
        shown: Json = super().to_representation(instance)
        return {**shown, **part.links(len(rows)), "results": results}


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
