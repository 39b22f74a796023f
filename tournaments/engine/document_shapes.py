"""Shapes of documents: each is checked strictly, and says itself as JSON Schema."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Any, Protocol

from tournaments.engine.entry_records import is_text, wrong_type
from tournaments.engine.problems import Code, Problem
from tournaments.engine.record_shapes import Schema
from tournaments.engine.rulesets import number_of

SMALL, LARGE = 32_767, 2**31 - 1
"""The largest numbers that every database keeps in a column."""

Problems = Iterator[Problem]


class Shape(Protocol):
    """What can stand at a place: how it is checked, and how JSON Schema says it."""

    def check(self, where: str, value: Any) -> Problems:
        """Every problem of a value that stands at a path."""
        ...

    @property
    def schema(self) -> Schema:
        """The shape as JSON Schema."""
        ...


@dataclass(frozen=True, slots=True)
class Plain:
    """A value by itself: what it is called where it is something else, and how that is seen."""

    wanted: str
    is_it: Callable[[Any], bool]
    schema: Schema

    def check(self, where: str, value: Any) -> Problems:
        """The value is not what is wanted."""
        if not self.is_it(value):
            yield wrong_type(where, self.wanted)


@dataclass(frozen=True, slots=True)
class Listed:
    """A list of values that are alike, so many at the least and at the most."""

    item: Shape
    least: int = 0
    most: int | None = None

    def check(self, where: str, value: Any) -> Problems:
        """It is no list, has too few or too many items, or wrong ones."""
        if not isinstance(value, list):
            yield wrong_type(where, "list")
            return
        if len(value) < self.least or (self.most is not None and len(value) > self.most):
            yield wrong_type(where, f"list of {self.least} to {self.most}")
        for at, item in enumerate(value):
            yield from self.item.check(f"{where}[{at}]", item)

    @property
    def schema(self) -> Schema:
        """As an array."""
        most = {} if self.most is None else {"maxItems": self.most}
        least = {"minItems": self.least} if self.least else {}
        return {"type": "array", "items": self.item.schema, **least, **most}


@dataclass(frozen=True, slots=True)
class OrNull:
    """A value, or null for none."""

    shape: Shape

    def check(self, where: str, value: Any) -> Problems:
        """There is a value, and it is wrong."""
        if value is not None:
            yield from self.shape.check(where, value)

    @property
    def schema(self) -> Schema:
        """As one of the two."""
        return {"oneOf": [{"type": "null"}, self.shape.schema]}


@dataclass(frozen=True)
class Fields:
    """An object with these fields and no others: all of them, or at least the required ones."""

    shapes: Mapping[str, Shape]
    required: Collection[str] | None = None

    @property
    def needed(self) -> Collection[str]:
        """The fields that may not be left out."""
        return self.shapes.keys() if self.required is None else self.required

    def check(self, where: str, value: Any) -> Problems:
        """It is no object, a field is missing, one is too many, or wrong."""
        if not isinstance(value, dict):
            yield wrong_type(where, "object")
            return
        for name in self.needed:
            if name not in value:
                yield Problem(Code.MISSING_FIELD, below(where, name), {"field": name})
        for name, part in value.items():
            if name in self.shapes:
                yield from self.shapes[name].check(below(where, name), part)
            else:
                yield Problem(Code.UNEXPECTED_FIELD, below(where, name), {"field": name})

    @property
    def schema(self) -> Schema:
        """As an object."""
        return {
            "type": "object",
            "required": list(self.needed),
            "additionalProperties": False,
            "properties": {name: shape.schema for name, shape in self.shapes.items()},
        }


def below(where: str, name: str) -> str:
    """The path of a field of what stands at a path."""
    return f"{where}.{name}" if where else name


def text(longest: int, least: int = 0) -> Plain:
    """A text of so many characters."""

    def is_it(value: Any) -> bool:
        return is_text(value) and least <= len(value) <= longest

    schema: Schema = {"type": "string", "maxLength": longest}
    wanted = f"string of {least} to {longest} characters"
    return Plain(wanted, is_it, schema | ({"minLength": least} if least else {}))


def matching(pattern: str, wanted: str) -> Plain:
    """A text of a form."""
    form = re.compile(pattern)

    def is_it(value: Any) -> bool:
        return isinstance(value, str) and form.fullmatch(value) is not None

    return Plain(wanted, is_it, {"type": "string", "pattern": f"^(?:{pattern})$"})


def whole(least: int, most: int) -> Plain:
    """A whole number."""
    schema = {"type": "integer", "minimum": least, "maximum": most}
    return Plain(
        f"integer from {least} to {most}",
        lambda value: type(value) is int and least <= value <= most,
        schema,
    )


def one_of(choices: tuple[str, ...]) -> Plain:
    """One of several words."""
    return Plain(" | ".join(choices), lambda value: value in choices, {"enum": list(choices)})


def _is_moment(value: Any) -> bool:
    try:
        moment = datetime.fromisoformat(value)
        # Also one that no longer is one in UTC, at the ends of time.
        return moment.tzinfo is not None and bool(moment.astimezone(UTC))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_day(value: Any) -> bool:
    try:
        return bool(date.fromisoformat(value).isoformat() == value)
    except (TypeError, ValueError):
        return False


SLUG = r"[a-z0-9]+(?:-[a-z0-9]+)*"


def slug(longest: int) -> Plain:
    """A name in addresses."""
    form = re.compile(SLUG)

    def is_it(value: Any) -> bool:
        return isinstance(value, str) and len(value) <= longest and bool(form.fullmatch(value))

    schema = {"type": "string", "pattern": f"^{SLUG}$", "maxLength": longest}
    return Plain("slug", is_it, schema)


POINTS_SCHEMA: Schema = {
    "type": ["integer", "string"],
    "pattern": "^-?[0-9]{1,30}/(?!0+$)[0-9]{1,30}$",
}
SWITCH = Plain("true or false", lambda value: type(value) is bool, {"type": "boolean"})
MOMENT = Plain(
    "ISO 8601 with its offset from UTC", _is_moment, {"type": "string", "format": "date-time"}
)
DAY = Plain("ISO 8601 date", _is_day, {"type": "string", "format": "date"})
WORTH = Plain('integer or "p/q"', lambda value: number_of(value) is not None, POINTS_SCHEMA)
OBJECT = Plain("object", lambda value: isinstance(value, dict), {"type": "object"})
