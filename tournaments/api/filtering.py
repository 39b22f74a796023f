"""Queries of lists: known filters and orders; unknown ones are refused."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from django.utils.translation import gettext_lazy as _
from django_filters.filters import BooleanFilter
from django_filters.rest_framework import DjangoFilterBackend
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.filters import OrderingFilter
from rest_framework.request import Request

from tournaments.api.choosing import CHOICES, EMPTY
from tournaments.api.fields import TRUTHS
from tournaments.api.problems import Json, fault
from tournaments.engine.rules.entries import LARGE
from tournaments.models import Club
from tournaments.services.base.writes import Fault, Invalid

_PARAMETERS: dict[tuple[type, str], frozenset[str]] = {}
"""By view and method; they never change."""


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

    def get_schema_operation_parameters(self, view: Any) -> list[Json]:
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
    found = _PARAMETERS.get((type(view), method))
    if found is None:
        # `extend_schema` keeps them there.
        schema = getattr(getattr(view, method.lower()), "kwargs", {}).get("schema", view.schema)
        described = schema() if isinstance(schema, type) else schema
        described.view, described.method = view, method
        found = frozenset(_names_of(described.get_override_parameters()))
        _PARAMETERS[type(view), method] = found
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
