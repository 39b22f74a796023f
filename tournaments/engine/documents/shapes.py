"""What documents share: shapes of records, and fields of events."""

import json
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from functools import cache
from types import MappingProxyType
from zoneinfo import available_timezones

from tournaments.engine.rules.entries import (
    ANY_TRICKS,
    DAY,
    MONEY,
    SWITCH,
    TIME_OF_DAY,
    Declared,
    Schema,
    TableShape,
    declared,
    declared_fields,
    gettext_noop,
    numbers,
    one_of,
    plain,
    refer,
    text,
)
from tournaments.engine.rules.rulesets import (
    LARGEST_COUNT,
    LONGEST_NAME,
    LONGEST_VENUE,
    LONGEST_ZONE,
    UNITS,
    Option,
)


@cache
def time_zones() -> tuple[str, ...]:
    """Return the names of time zones by place, without those of fixed offsets."""
    zones = (zone for zone in available_timezones() if "/" in zone and not zone.startswith("Etc/"))
    return tuple(sorted(zones))


TIME_ZONE = plain(
    "a time zone like Europe/Istanbul",
    lambda value: value in ("", *time_zones()),
    {"type": "string", "maxLength": LONGEST_ZONE, "examples": ["", "Europe/Rome"]},
)


class Definitions:
    """The shared definitions of a schema; equal schemas share one name."""

    def __init__(self, by_name: Schema) -> None:
        self.by_name = by_name
        self.names: dict[str, str] = {}

    def define(self, name: str, schema: Schema) -> Schema:
        """Return a reference to `schema`, defining it under `name` unless it already has a name."""
        # Compare as text: in Python, True == 1.
        known = self.names.setdefault(json.dumps(schema), name)
        if known == name:
            assert self.by_name.setdefault(name, schema) == schema, f"{name} is two things"
        return refer(known)


def if_present(name: str, shape: Schema | bool) -> Schema:
    """Return a schema of objects that gives one field a shape if it is present."""
    return {"properties": {name: shape}}


TEXT: Schema = {
    "description": "Anything but NUL and halves of characters.",
    "type": "string",
    "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
}
NAME: Schema = {"allOf": [refer("text"), {"pattern": "\\S"}]}
NONZERO_POINTS: Schema = {
    "description": 'Points other than 0: a whole number, or a string such as "-9/2".',
    "type": ["integer", "string"],
    "not": {"const": 0},
    "pattern": "^-?[0-9]{1,30}/(?!0+$)[0-9]{1,30}$",
}
COUNT: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT}
OPTIONS: Mapping[str, Schema] = {
    "count": COUNT,
    "even-count": {**COUNT, "multipleOf": 2},
    "money": MONEY,
}


def option_shape(option: Option) -> Schema:
    return {"enum": list(option.values)} if option.kind == "one-of" else OPTIONS[option.kind]


def define_counts(table: TableShape, shared: Definitions) -> Schema:
    """Return the schema of the units taken, with one number per side."""
    per_side = shared.define(f"one_for_each_of_{table.side_names}", numbers(table.sides))
    counts = {
        "description": "Units taken, one number per side; they add up to what there is of them.",
        "type": "object",
        "additionalProperties": False,
        "properties": {
            unit.id: {**per_side, "items": {"maximum": unit.most}} for unit in table.units.values()
        },
    }
    usual = table.tricks in (UNITS["tricks"].total, ANY_TRICKS)
    of_pack = "" if usual else f"_in_{table.tricks}_tricks"
    return shared.define(f"counts_of_{table.side_names}{of_pack}", counts)


CONFIRMATIONS = ("none", "two", "all")


@dataclass(frozen=True, slots=True)
class EventDetails:
    """The fields that evenings and tournaments share, each with its shape and texts.

    `Event` has them as columns. Forms, API, documents, import and audit read `EVENT_FIELDS`.
    """

    name: str = field(metadata=declared(text(LONGEST_NAME, least=1), gettext_noop("Name")))
    held_on: date = field(metadata=declared(DAY, gettext_noop("Day")))
    _: KW_ONLY
    published: bool = field(
        default=False,
        metadata=declared(
            SWITCH,
            gettext_noop("Published"),
            question=gettext_noop("Everybody may see the tables and their sheets"),
        ),
    )
    table_codes: bool = field(
        default=False,
        metadata=declared(
            SWITCH,
            gettext_noop("Code at the table"),
            question=gettext_noop("A table asks for a code of four digits"),
        ),
    )
    confirmations: str = field(
        default="none",
        metadata=declared(
            one_of(CONFIRMATIONS),
            gettext_noop("Who confirms the result"),
            question=gettext_noop("Who confirms the result of a table"),
        ),
    )
    starts_at: str = field(
        default="",
        metadata=declared(TIME_OF_DAY, gettext_noop("Starts at"), shown=True),
    )
    venue: str = field(
        default="",
        metadata=declared(text(LONGEST_VENUE), gettext_noop("Venue"), shown=True, free=True),
    )


EVENT_FIELDS: Mapping[str, Declared] = MappingProxyType(dict(declared_fields(EventDetails)))

SHOWN = tuple(name for name, about in EVENT_FIELDS.items() if about.shown)
"""Read by `Event.details`, which pages show beside the day, and by the API's tournaments."""

FREE_TEXTS = tuple(name for name, about in EVENT_FIELDS.items() if about.free)
"""Read by `services/people/changes.py`, which takes names of removed players out of them."""
