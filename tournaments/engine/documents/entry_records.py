"""Entries in a record: read each type's fields strictly, and write them."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

from tournaments.engine.rules import entry_shapes as shapes
from tournaments.engine.rules.declarations import Declared
from tournaments.engine.rules.entries import (
    REMARKS,
    STOP_REASONS,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Void,
)
from tournaments.engine.rules.entry_shapes import ANY_TABLE, ShapeAt
from tournaments.engine.rules.fields import DEAL, FIELDS
from tournaments.engine.rules.problems import Code, InvalidEntry, Problem
from tournaments.engine.rules.shapes import (
    Json,
    Shape,
    missing,
    refer,
    write_points,
    wrong_type,
)


@dataclass(frozen=True)
class Form:
    """One type of entry in a record: the class of the entry and its fields."""

    entry: type[Entry]
    fields: Mapping[str, ShapeAt]
    required: tuple[str, ...] = ()

    @cached_property
    def shapes(self) -> Mapping[str, Shape]:
        """The fields at any table, including those that every entry has."""
        known = {"type": shapes.text, **self.fields, **EVERYWHERE}
        return {name: shape(ANY_TABLE) for name, shape in known.items()}

    @cached_property
    def own(self) -> frozenset[str]:
        """The fields that are attributes of the entry; all others are its details."""
        return frozenset(field.name for field in fields(self.entry))

    @cached_property
    def details(self) -> tuple[str, ...]:
        """The fields that are details, in the order of writing."""
        return tuple(name for name in self.fields if name not in self.own)

    @cached_property
    def unread(self) -> Json:
        """Placeholders for required fields that could not be read."""
        return {name: UNREAD[name] for name in self.required}

    def make(self, read: Json) -> Entry:
        """Build the entry from the fields that could be read."""
        own = {name: value for name, value in read.items() if name in self.own}
        if len(own) < len(read) - 1:  # All but the type.
            own["details"] = {name: read[name] for name in self.details if name in read}
        return self.entry(**{**self.unread, **own})


def _remark(about: Declared) -> ShapeAt:
    schema = {**refer("text"), "maxLength": about.shape.schema["maxLength"]}
    return lambda _table: about.shape.with_schema(schema)


EVERYWHERE: Mapping[str, ShapeAt] = MappingProxyType(
    {"author": shapes.text, **{name: _remark(about) for name, about in REMARKS.items()}}
)
"""The fields of every entry."""

UNREAD: Json = MappingProxyType({"by": -1, "points": 0, "reason": "", "seat": -1})

SEALS = ("sealed", "salt")

FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "deal": Form(Deal, {name: field.shape for name, field in DEAL.items()}),
        "void": Form(
            Void,
            {
                "reason": shapes.word(lambda table: table.voids),
                "contract": shapes.contract,
                "declarer": shapes.seat,
                **{name: FIELDS[name].shape for name in SEALS},
            },
            ("reason",),
        ),
        "redeal": Form(
            Redeal,
            {"by": shapes.seat, "reason": shapes.word(lambda table: table.redeals)},
            ("by", "reason"),
        ),
        "passed": Form(Passed, {}),
        "adjustment": Form(
            Adjustment,
            {
                "seat": shapes.seat,
                "points": shapes.points,
                "to": shapes.receiver,
                "reason": shapes.name,
            },
            ("seat", "points", "reason"),
        ),
        "stopped": Form(Stopped, {"reason": shapes.word(lambda _table: STOP_REASONS)}, ("reason",)),
    }
)
"""The entries of a record by their `type`."""

DETAILS = FORMS["deal"].details
TYPES: Mapping[type, str] = MappingProxyType({form.entry: name for name, form in FORMS.items()})


def parse_entry(raw: Any) -> Entry:
    """Return an entry.

    Raises:
        InvalidEntry: with every problem of its form.
    """
    entry, faults = read_entry(raw)
    if entry is None or faults:
        raise InvalidEntry(faults)
    return entry


def read_entry(raw: Any) -> tuple[Entry | None, list[Problem]]:
    """Return the entry, as far as it could be read, and the problems of its form."""
    if not isinstance(raw, dict):
        return None, [wrong_type("", "object")]
    kind = raw.get("type")
    if "type" not in raw:
        return None, [missing("type")]
    form = FORMS.get(kind) if isinstance(kind, str) else None
    if form is None:
        return None, [wrong_type("type", " | ".join(FORMS))]
    faults = [missing(name) for name in form.required if name not in raw]
    read = {}
    for name, value in raw.items():
        shape = form.shapes.get(name)
        if shape is None:
            faults.append(Problem(Code.UNEXPECTED_FIELD, name, {"field": name}))
            continue
        wrong = list(shape.check(name, value))
        faults += wrong
        # Counts: the counts of one unit can be read without those of another.
        if not wrong or (name == "counts" and isinstance(value, dict)):
            read[name] = shape.read(value)
    return form.make(read), faults


def write_entry(entry: Entry) -> dict[str, Any]:
    """Return the entry as JSON for a record; `read_entry` reads the same entry back."""
    written: dict[str, Any] = {"type": TYPES[type(entry)]}
    for name in ("contract", "declarer", "by", "seat", "points", "to", "reason"):
        value = getattr(entry, name, None)
        if value is not None:
            written[name] = write_points(value) if name == "points" else value
    if isinstance(entry, Deal | Void):
        written.update(entry.details)
    if isinstance(entry, Deal) and entry.counts is not None:
        written["counts"] = {unit: list(counts) for unit, counts in entry.counts.items()}
    for name in EVERYWHERE:
        if (value := getattr(entry, name)) is not None:
            written[name] = value
    return written
