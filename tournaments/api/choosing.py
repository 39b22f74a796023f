"""Answers of chosen fields (`fields=`), and with more about what they name (`expand=`).

`fields` is told in the text of an operation and is none of its parameters in the description: an
answer without the fields that its schema requires would be another type, and clients that are
generated from one schema would have to expect every field to be missing in every answer.
"""

from collections.abc import Iterator
from typing import Any, ClassVar

from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import OpenApiParameter
from rest_framework import serializers
from rest_framework.request import Request

from tournaments.api.problems import fault
from tournaments.services.base.writes import Fault

CHOICES = {"fields", "expand"}
EXPANDED = "expanded"

ABOUT = "`fields=` answers only these fields, separated by commas; typed clients leave it out."


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
    text = "More about these, in `expanded`, separated by commas."
    return OpenApiParameter("expand", schema, explode=False, style="form", description=text)


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
