"""Shapes of values in documents: their checks, their reading, and their JSON Schemas."""

import re
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any

from tournaments.engine.rules.problems import Code, InvalidEntry, Problem
from tournaments.engine.rules.rulesets import PerSide, Points, number_of

Json = Mapping[str, Any]

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
LARGEST = 10**100
LEAST = -LARGEST


def write_points(points: Points) -> int | str:
    """Return points as JSON: an integer, or `"-9/2"` if they are not whole."""
    if points.denominator == 1:
        return points.numerator
    return f"{points.numerator}/{points.denominator}"


def write_all_points(points: PerSide) -> list[int | str]:
    """Return points as a list in JSON."""
    return list(map(write_points, points))


def write_value(value: Any) -> Any:
    """Return a value of the engine as JSON: lists for tuples, and points as in `write_points`."""
    if isinstance(value, tuple):
        return [write_value(item) for item in value]
    if isinstance(value, Mapping):
        return {name: write_value(item) for name, item in value.items()}
    return value if isinstance(value, str | bool | None) else write_points(value)


def is_integer(value: Any) -> bool:
    """Return whether a JSON value is an integer, small enough that sums of it can be stored."""
    return type(value) is int and LEAST < value < LARGEST


def is_text(value: Any) -> bool:
    """Return whether a JSON value is a string that can be stored: no NUL, no lone surrogate."""
    # Printable strings contain neither, and that is quicker to check than to search.
    return isinstance(value, str) and (value.isprintable() or not _NO_TEXT.search(value))


# Blank letters, and what no Unicode text may contain.
_INVISIBLE = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u2800\u3164\uffa0\ufdd0-\ufdef"
    + "".join(chr(0x10000 * plane - last) for plane in range(1, 18) for last in (1, 2))
    + "]"
)


def clean_line(text: str) -> str:
    """Return a text as it is shown: one line in NFC, single spaces, no invisible characters.

    Control characters and line breaks become spaces. Marks of format and of writing direction and
    zero-width joiners go: with them two names look alike. Emoji keep their variation selectors.
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split())
    kinds = {"Cc": " ", "Cf": "", "Cs": ""}
    seen = "".join(kinds.get(unicodedata.category(c), c) for c in _INVISIBLE.sub("", text))
    return unicodedata.normalize("NFC", " ".join(seen.split()))


def clean_lines(value: Any, but: Collection[str] = ()) -> Any:
    """Return JSON with every text in it as by `clean_line`, but those in fields named in `but`."""
    if isinstance(value, str):
        return clean_line(value)
    if isinstance(value, list):
        return [clean_lines(item, but) for item in value]
    if isinstance(value, dict):
        return {k: v if k in but else clean_lines(v, but) for k, v in value.items()}
    return value


def missing(name: str) -> Problem:
    """Return the problem of a missing field."""
    return Problem(Code.MISSING_FIELD, name, {"field": name})


def wrong_type(where: str, expected: str) -> Problem:
    """Return the problem of a value of another type than `expected`, a word for the message."""
    return Problem(Code.WRONG_TYPE, where, {"expected": expected})


SMALL, LARGE = 32_767, 2**31 - 1
"""The largest numbers that every database can store in a small and in a normal column."""

Schema = dict[str, Any]
Problems = Iterable[Problem]
Check = Callable[[str, Any], Problems]


def as_it_is(value: Any) -> Any:
    """Return the value unchanged."""
    return value


def _ask_check(_value: Any) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Shape:
    """The values allowed at one place of a document.

    `check` yields every problem of a value at a path. `read` converts a value without problems for
    the engine. `fits` is quicker than `check`: True if a value surely has no problem, while False
    says nothing. Whoever replaces `check` replaces `fits`, too, as `also` does.
    """

    check: Check
    schema: Schema
    read: Callable[[Any], Any] = as_it_is
    fits: Callable[[Any], bool] = _ask_check

    def load(self, value: Any, where: str = "") -> Any:
        """Check and read a value.

        Raises:
            InvalidEntry: with every problem, each at its path below `where`.
        """
        if problems := list(self.check(where, value)):
            raise InvalidEntry(problems)
        return self.read(value)

    def also(self, more: Check, schema: Schema | None = None) -> "Shape":
        """This shape with a second check, for values that pass the first one."""

        def check(where: str, value: Any) -> Problems:
            problems = list(self.check(where, value))
            return problems or more(where, value)

        schema = self.schema if schema is None else schema
        return replace(self, check=check, schema=schema, fits=_ask_check)

    def with_schema(self, schema: Schema) -> "Shape":
        return replace(self, schema=schema)

    def about(self, text: str) -> "Shape":
        return self.with_schema({"description": text, **self.schema})

    def named(self, name: str) -> "Shape":
        return self.with_schema(refer(name))


def refer(name: str) -> Schema:
    """Return a reference to a definition."""
    return {"$ref": f"#/$defs/{name}"}


def below(where: str, name: str) -> str:
    """Return the path of a field below a path."""
    return f"{where}.{name}" if where else name


def plain(
    wanted: str, is_it: Callable[[Any], bool], schema: Schema, read: Callable[[Any], Any] = as_it_is
) -> Shape:
    """A single value; `wanted` names the expected type in messages."""

    def check(where: str, value: Any) -> Problems:
        return () if is_it(value) else (wrong_type(where, wanted),)

    return Shape(check, schema, read, is_it)


def listed(item: Shape, least: int = 0, most: int | None = None, at: str = "{}[{}]") -> Shape:
    """A list of values of one shape; `at` formats the path of an item."""

    def check(where: str, value: Any) -> Problems:
        if not isinstance(value, list):
            yield wrong_type(where, "list")
            return
        if len(value) < least or (most is not None and len(value) > most):
            yield wrong_type(where, f"list of {least} to {most}")
        for number, each in enumerate(value):
            yield from item.check(at.format(where, number), each)

    schema: Schema = {"type": "array", "items": item.schema}
    schema |= {"minItems": least} if least else {}
    schema |= {} if most is None else {"maxItems": most}
    return Shape(check, schema, lambda value: tuple(map(item.read, value)))


def mapping(item: Shape, schema: Schema, read: Callable[[Any], Any] = as_it_is) -> Shape:
    """An object with any names and values of one shape."""

    def check(where: str, value: Any) -> Problems:
        if not isinstance(value, dict):
            return (wrong_type(where, "object"),)
        found: list[Problem] = []
        for name, each in value.items():
            found += item.check(below(where, name), each)
        return found

    def fits(value: Any) -> bool:
        return isinstance(value, dict) and all(map(item.fits, value.values()))

    return Shape(check, schema, read, fits)


def or_null(shape: Shape) -> Shape:
    """A value or null."""

    def check(where: str, value: Any) -> Problems:
        if value is not None:
            yield from shape.check(where, value)

    return Shape(
        check,
        {"oneOf": [{"type": "null"}, shape.schema]},
        lambda value: None if value is None else shape.read(value),
    )


def fields(
    shapes: Mapping[str, Shape],
    required: Collection[str] | None = None,
    make: Callable[..., Any] = dict,
    *,
    strangers_first: bool = False,
) -> Shape:
    """An object with these fields and no others; all are required unless `required` names some."""
    needed = shapes.keys() if required is None else required

    def check(where: str, value: Any) -> Problems:
        if not isinstance(value, dict):
            yield wrong_type(where, "object")
            return
        for name in needed:
            if name not in value:
                yield Problem(Code.MISSING_FIELD, below(where, name), {"field": name})
        for name in sorted(value, key=shapes.__contains__) if strangers_first else value:
            if name not in shapes:
                yield Problem(Code.UNEXPECTED_FIELD, below(where, name), {"field": name})
            elif not shapes[name].fits(value[name]):
                yield from shapes[name].check(below(where, name), value[name])

    def read(value: Any) -> Any:
        return make(**{name: shapes[name].read(part) for name, part in value.items()})

    schema = object_schema({name: shape.schema for name, shape in shapes.items()}, needed)
    return Shape(check, schema, read)


def head_schema(name: str, title: str) -> Schema:
    """Return the head of the JSON Schema of a document."""
    dialect = "https://json-schema.org/draft/2020-12/schema"
    return {"$schema": dialect, "$id": f"urn:kingscore:{name}:1", "title": title}


def object_schema(properties: Schema, required: Collection[str] | None = None) -> Schema:
    """An object with these properties and no others; by default all of them are required."""
    needed = list(properties if required is None else required)
    return {
        "type": "object",
        **({"required": needed} if needed else {}),
        "additionalProperties": False,
        "properties": properties,
    }


def list_schema(items: Schema, length: int | None = None) -> Schema:
    """An array of items of one shape, of any length or of this one."""
    sizes = {} if length is None else {"minItems": length, "maxItems": length}
    return {"type": "array", "items": items, **sizes}


def text(longest: int, least: int = 0) -> Shape:
    """One line of shown text with a limited number of characters; reading cleans it."""
    schema = {"type": "string", "maxLength": longest} | ({"minLength": least} if least else {})
    return plain(
        f"string of {least} to {longest} characters",
        lambda value: is_text(value) and least <= len(value) <= longest,
        schema,
        lambda value: clean_line(value)[:longest],
    )


def matching(pattern: str, wanted: str) -> Shape:
    """A text that matches a pattern."""
    form = re.compile(pattern)
    return plain(
        wanted,
        lambda value: isinstance(value, str) and form.fullmatch(value) is not None,
        {"type": "string", "pattern": f"^(?:{pattern})$"},
    )


def whole(least: int, most: int) -> Shape:
    """A whole number."""
    return plain(
        f"integer from {least} to {most}",
        lambda value: type(value) is int and least <= value <= most,
        {"type": "integer", "minimum": least, "maximum": most},
    )


def one_of(choices: tuple[str, ...]) -> Shape:
    """One of several words."""
    return plain(" | ".join(choices), lambda value: value in choices, {"enum": list(choices)})


SLUG = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")


def slug(longest: int) -> Shape:
    """A name for use in addresses."""
    return plain(
        "slug",
        lambda value: (
            isinstance(value, str) and len(value) <= longest and bool(SLUG.fullmatch(value))
        ),
        {"type": "string", "pattern": f"^{SLUG.pattern}$", "maxLength": longest},
    )


def _is_moment(value: Any) -> bool:
    try:
        moment = datetime.fromisoformat(value)
        # Also reject times that are out of range in UTC.
        return moment.tzinfo is not None and bool(moment.astimezone(UTC))
    except (TypeError, ValueError, OverflowError):
        return False


def _is_day(value: Any) -> bool:
    try:
        return bool(date.fromisoformat(value).isoformat() == value)
    except (TypeError, ValueError):
        return False


POINTS_PATTERN = "^-?[0-9]{1,30}/(?!0+$)[0-9]{1,30}$"
POINTS_SCHEMA: Schema = {"type": ["integer", "string"], "pattern": POINTS_PATTERN}
STRING = plain("string", lambda value: type(value) is str, {"type": "string"})
TEXT = plain("string", is_text, {"type": "string"})
INTEGER = plain("integer", lambda value: type(value) is int, {"type": "integer"})
SWITCH = plain("true or false", lambda value: type(value) is bool, {"type": "boolean"})
MOMENT = plain(
    "ISO 8601 with its offset from UTC", _is_moment, {"type": "string", "format": "date-time"}
)
DAY = plain("ISO 8601 date", _is_day, {"type": "string", "format": "date"})
TIME_OF_DAY = matching("(([01][0-9]|2[0-3]):[0-5][0-9])?", "HH:MM or empty").with_schema(
    {
        "type": "string",
        "maxLength": 5,
        "pattern": "^(([01][0-9]|2[0-3]):[0-5][0-9])?$",
        "examples": ["13:00"],
    }
)
WORTH = plain(
    'integer or "p/q"', lambda value: number_of(value) is not None, POINTS_SCHEMA, number_of
)
LIST = plain("list", lambda value: isinstance(value, list), {"type": "array"})
OBJECT = plain("object", lambda value: isinstance(value, dict), {"type": "object"})
