"""The fields of an evening or tournament that are set by directors, each described once.

A new one is a line here and a column of `models.events.Event`.
"""

from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass, field
from datetime import date
from types import MappingProxyType

from tournaments.engine.rules.declarations import (
    Declared,
    declared,
    declared_fields,
    gettext_noop,
)
from tournaments.engine.rules.limits import LONGEST_NAME, LONGEST_VENUE
from tournaments.engine.rules.shapes import DAY, SWITCH, TIME_OF_DAY, one_of, text

CONFIRMATIONS = ("none", "two", "all")


@dataclass(frozen=True, slots=True)
class EventDetails:
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
FREE_TEXTS = tuple(name for name, about in EVENT_FIELDS.items() if about.free)
