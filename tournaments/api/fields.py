"""What requests and answers are made of: strict objects, moments in UTC, points without floats."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.engine.entry_records import write_points
from tournaments.engine.rulesets import Points

MOMENTS = [
    MinValueValidator(datetime(1900, 1, 1, tzinfo=UTC)),
    MaxValueValidator(datetime(2999, 1, 1, tzinfo=UTC)),
]
"""What can be asked for: beyond it a moment is none in some time zone."""


LARGEST_KEY = 2**53
"""No row has a larger one, and databases take none that is much larger."""


@extend_schema_field(
    {"type": "string", "format": "date-time", "examples": ["2026-11-22T18:30:00Z"]}
)
class Moment(serializers.DateTimeField):
    """A moment, told in UTC; read with whatever offset it has."""

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


class Strict(serializers.Serializer[Any]):
    """An object that has the fields it has: another one is a problem, never ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            unknown = [name for name in data if name not in self.fields]
            if unknown:
                error = serializers.ErrorDetail("This does not belong here.", "unexpected-field")
                raise serializers.ValidationError({str(name): [error] for name in unknown})
        return super().to_internal_value(data)


class ClubNameSerializer(serializers.Serializer[Any]):
    """A club, where something else is told of it."""

    slug = serializers.CharField()
    name = serializers.CharField()


class Row(serializers.ModelSerializer[Any]):
    """A row, its moments in UTC."""

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.DateTimeField: Moment,
    }
