"""Fields, base serializers, parsers and renderers of the API."""

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, ClassVar

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers
from rest_framework.exceptions import ParseError
from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer
from rest_framework.utils.encoders import JSONEncoder

from tournaments.api.problems import BodyTooLarge
from tournaments.engine.documents.games import parse_json
from tournaments.engine.play.games import FINEST_PART, MOST_POINTS
from tournaments.engine.rules.entries import Declared, clean_line, write_points
from tournaments.engine.rules.rulesets import LONGEST_NAME, InvalidEntry, Points, whole
from tournaments.models.people import ScopedToken

MOMENTS = [
    MinValueValidator(datetime(1900, 1, 1, tzinfo=UTC)),
    MaxValueValidator(datetime(2999, 1, 1, tzinfo=UTC)),
]
"""The limits of moments: beyond them, some time zone has none."""


TRUTHS = ("true", "false")

FRACTION = re.compile(r"-?[0-9]{1,10}/[1-9][0-9]{0,4}")

LARGEST_KEY = 2**53
"""No row has a larger one, and programs read larger numbers differently (RFC 8259, 6)."""


@extend_schema_field(
    {"type": "string", "format": "date-time", "examples": ["2026-11-22T18:30:00Z"]}
)
class MomentField(serializers.DateTimeField):
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
    """One line of shown text, cleaned of control characters and of what is invisible.

    By default it is as long as a name.
    """

    def __init__(self, *, max_length: int = LONGEST_NAME, **options: Any) -> None:
        super().__init__(max_length=max_length, **options)

    def to_internal_value(self, data: Any) -> str:
        line = clean_line(super().to_internal_value(data))
        if not line and not self.allow_blank:
            self.fail("blank")
        return line


class StrictSerializer(serializers.Serializer[Any]):
    """An object that has the fields it has: another one is a problem, never ignored."""

    def to_internal_value(self, data: Any) -> Any:
        if not isinstance(data, Mapping):
            return super().to_internal_value(data)
        error = serializers.ErrorDetail("This does not belong here.", "unexpected-field")
        wrong: dict[str, Any] = {}
        unknown = {str(name): [error] for name in data if name not in self.fields}
        for name, field in self.fields.items():
            if name in data and (errors := _wrong_kind(field, data[name])):
                wrong[name] = errors
        wrong = unknown | wrong
        try:
            read = super().to_internal_value(data)
        except serializers.ValidationError as error:
            found: Any = error.detail
            raise serializers.ValidationError({**unknown, **found, **wrong}) from error
        if wrong:
            raise serializers.ValidationError(wrong)
        return read


def _wrong_kind(field: Any, value: Any) -> Any:
    """Return the error of a value that is no JSON string or boolean but would be converted."""
    if isinstance(value, list) and isinstance(field, serializers.ListField):
        found = {number: _wrong_kind(field.child, each) for number, each in enumerate(value)}
        return {number: errors for number, errors in found.items() if errors}
    is_wrong = False
    if value is not None and isinstance(field, serializers.CharField):
        is_wrong = not isinstance(value, str)
    elif value is not None and isinstance(field, serializers.BooleanField):
        # A query has texts only.
        is_wrong = not isinstance(value, bool) and value not in TRUTHS
    text = field.error_messages.get("invalid")
    return [serializers.ErrorDetail(text, "invalid")] if is_wrong else None


class RowSerializer(serializers.ModelSerializer[Any]):
    """The fields of a row as they are answered; nothing is written by it."""

    serializer_field_mapping = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.DateTimeField: MomentField,
        models.SlugField: serializers.CharField,
        models.URLField: serializers.CharField,
    }

    def include_extra_kwargs(self, kwargs: Any, extra_kwargs: Any) -> Any:
        """Leave out limits and choices of writing, which say nothing of a response."""
        return super().include_extra_kwargs(kwargs, {**extra_kwargs, "read_only": True})


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


def declared_field(about: Declared, **how: Any) -> serializers.Field[Any, Any, Any, Any]:
    """Return the serializer field of a described field."""
    schema = about.shape.schema
    if schema.get("type") == "boolean":
        return serializers.BooleanField(**how)
    if schema.get("format") == "date":
        return serializers.DateField(**how)
    if "enum" in schema:
        # Labelled as Django labels choices, from which the ids of enums in the description come.
        choices = [(each, each.capitalize()) for each in schema["enum"]]
        return serializers.ChoiceField(choices, **how)
    if "pattern" in schema:
        # The empty text is allowed apart from the pattern, which ends in ?$.
        return serializers.RegexField(
            schema["pattern"].removesuffix("?$") + "$",
            max_length=schema["maxLength"],
            allow_blank=True,
            **how,
        )
    blank = not schema.get("minLength")
    return LineField(max_length=schema["maxLength"], allow_blank=blank, **how)


class DeclaredFieldsSerializer(serializers.Serializer[Any]):
    """Adds the described fields that the serializer does not declare itself.

    They are optional unless `needed`. `prefix` leads to the object that has them.
    """

    described: ClassVar[Mapping[str, Declared]] = {}
    prefix: ClassVar[str] = ""
    needed: ClassVar[bool] = False

    def get_fields(self) -> dict[str, Any]:
        found = super().get_fields()
        for name, about in self.described.items():
            if name not in found:
                where = {"source": self.prefix + name} if self.prefix else {}
                found[name] = declared_field(about, required=self.needed, **where)
        return found


DEEPEST = 40
"""So many lists and objects within each other; the record of a tournament has nine."""

MOST_OF_STRANGERS = 128 * 1024
"""Bytes that are read of whoever sends no personal token: two megabytes take seconds to look at."""


class StrictJSONParser(BaseParser):
    """The body as JSON; an empty body is an empty object."""

    media_type = "application/json"

    def parse(
        self,
        stream: Any,
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the document; ParseError where it is no JSON, or nothing that can be stored."""
        request = (parser_context or {}).get("request")
        is_stranger = request is not None and not isinstance(request.auth, ScopedToken)
        content = stream.read(MOST_OF_STRANGERS + 1) if is_stranger else stream.read()
        if is_stranger and len(content) > MOST_OF_STRANGERS:
            raise BodyTooLarge(data={"megabytes": MOST_OF_STRANGERS / 1024**2})
        try:
            document = parse_json(content)
        except InvalidEntry as error:
            raise ParseError(str(error.problems[0].params["error"])) from error
        for value in _values(document):
            if isinstance(value, str):
                _check_text(value)
            elif isinstance(value, int | float) and not -LARGEST_KEY <= value <= LARGEST_KEY:
                message = "a number is too large"
                raise ParseError(message)
        return document


def _values(document: Any) -> Iterator[Any]:
    """Every text, number and name within a document."""
    waiting = [(document, 0)]
    while waiting:
        value, depth = waiting.pop()
        if depth > DEEPEST:
            message = f"more than {DEEPEST} lists and objects lie within each other"
            raise ParseError(message)
        if isinstance(value, dict):
            yield from value
            waiting += [(within, depth + 1) for within in value.values()]
        elif isinstance(value, list):
            waiting += [(within, depth + 1) for within in value]
        else:
            yield value


def _check_text(text: str) -> None:
    try:
        # A half of a character (\ud800) is no text, and PostgreSQL keeps none with a NUL in it.
        broken = b"\0" in text.encode()
    except UnicodeEncodeError:
        broken = True
    if broken:
        message = "a text has a character that cannot be kept"
        raise ParseError(message)


class PointsEncoder(JSONEncoder):
    """Writes points that are not whole as `"p/q"`, wherever they are in a response."""

    def default(self, obj: Any) -> Any:
        return write_points(obj) if isinstance(obj, Fraction) else super().default(obj)


class PlainJSONRenderer(JSONRenderer):
    """JSON without spaces; an answer that is a problem says so in its type."""

    charset = None
    encoder_class = PointsEncoder

    def get_indent(self, accepted_media_type: str, renderer_context: Mapping[str, Any]) -> None:
        return None
