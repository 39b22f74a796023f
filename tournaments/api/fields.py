"""Fields of requests and answers: strict objects, moments in UTC, points without floats."""

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.engine.play.games import FINEST_PART
from tournaments.engine.rules.entries import clean_line, write_points
from tournaments.engine.rules.rulesets import Points, whole

MOMENTS = [
    MinValueValidator(datetime(1900, 1, 1, tzinfo=UTC)),
    MaxValueValidator(datetime(2999, 1, 1, tzinfo=UTC)),
]
"""The limits of moments: beyond them, some time zone has none."""


TRUTHS = ("true", "false")

MOST_POINTS = 1_000_000

FRACTION = re.compile(r"-?[0-9]{1,10}/[1-9][0-9]{0,4}")

LARGEST_KEY = 2**53
"""No row has a larger one, and programs read larger numbers differently (RFC 8259, 6)."""


@extend_schema_field(
    {"type": "string", "format": "date-time", "examples": ["2026-11-22T18:30:00Z"]}
)
class Moment(serializers.DateTimeField):
    """A moment, written in UTC, read with any offset."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(default_timezone=UTC, **kwargs)


@extend_schema_field(
    {
        "oneOf": [
            {"type": "integer"},
            {"type": "string", "pattern": "^-?[0-9]+/[0-9]+$", "examples": ["-9/2"]},
        ]
    }
)
class PointsField(serializers.Field[Points, Any, Any, Any]):
    """Points: a whole number, or `"p/q"` where they are not whole."""

    def to_representation(self, value: Any) -> int | str:
        return value if isinstance(value, int | str) else write_points(value)


class SentPointsField(PointsField):
    """Points as they are sent: a whole number, or `"p/q"`."""

    default_error_messages = {"no-points": _("This is not a number of points.")}

    def to_internal_value(self, data: Any) -> Points:
        """The points, in bounds, and in parts no finer than a sheet can hold."""
        is_whole = isinstance(data, int) and not isinstance(data, bool)
        is_part = isinstance(data, str) and FRACTION.fullmatch(data)
        if not is_whole and not is_part:
            self.fail("no-points")
        points = Fraction(data)
        if abs(points) > MOST_POINTS or FINEST_PART % points.denominator:
            self.fail("no-points")
        return whole(points)


class LineField(serializers.CharField):
    """One line of shown text, cleaned of control characters and of what is invisible."""

    def to_internal_value(self, data: Any) -> str:
        line = clean_line(super().to_internal_value(data))
        if not line and not self.allow_blank:
            self.fail("blank")
        return line


class Strict(serializers.Serializer[Any]):
    """An object that has the fields it has: another one is a problem, never ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)
        error = serializers.ErrorDetail("This does not belong here.", "unexpected-field")
        unknown = {str(name): [error] for name in data if name not in self.fields}
        wrong = unknown | _wrong_kinds(self.fields, data)
        try:
            read = super().to_internal_value(data)
        except serializers.ValidationError as error:
            found: Any = error.detail
            raise serializers.ValidationError({**unknown, **found, **wrong}) from error
        if wrong:
            raise serializers.ValidationError(wrong)
        return read


def _wrong_kinds(fields: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Return errors for values that are no JSON strings or booleans but would be converted."""
    found = {name: _wrong_kind(field, data[name]) for name, field in fields.items() if name in data}
    return {name: errors for name, errors in found.items() if errors}


def _wrong_kind(field: Any, value: Any) -> Any:
    if isinstance(value, list) and isinstance(field, serializers.ListField):
        found = {number: _wrong_kind(field.child, each) for number, each in enumerate(value)}
        return {number: errors for number, errors in found.items() if errors}
    is_wrong = False
    if value is not None and isinstance(field, serializers.CharField):
        is_wrong = not isinstance(value, str)
    elif value is not None and isinstance(field, serializers.BooleanField):
        # A question has texts only.
        is_wrong = not isinstance(value, bool) and value not in TRUTHS
    text = field.error_messages.get("invalid")
    return [serializers.ErrorDetail(text, "invalid")] if is_wrong else None


class UncachedSerializer(serializers.Serializer[Any]):
    """A secret that gives access; no cache stores an answer with it."""

    def to_representation(self, instance: Any) -> Any:
        # A nested one has the context of the whole.
        if view := self.context.get("view"):
            view.holds_secret = True
        return super().to_representation(instance)


class ClubNameSerializer(serializers.Serializer[Any]):
    """A club, as part of another object."""

    slug = serializers.CharField()
    name = serializers.CharField()
