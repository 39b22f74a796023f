"""Entries in a record: read each type's fields strictly, and write them."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from types import MappingProxyType
from typing import Any

from tournaments.engine.rules import entry_shapes as shapes
from tournaments.engine.rules.declarations import Declared
from tournaments.engine.rules.entries import (
    REMARKS,
    STOP_REASONS,
    TOTALS_FLAGS,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Totals,
    Void,
)
from tournaments.engine.rules.entry_shapes import ANY_TABLE, ShapeAt, are_integers
from tournaments.engine.rules.fields import DEAL, FIELDS
from tournaments.engine.rules.problems import Code, InvalidEntry, Problem
from tournaments.engine.rules.shapes import (
    Json,
    Shape,
    missing,
    refer,
    write_all_points,
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

    def make(self, own: dict[str, Any], details: Json) -> Entry:
        """Build the entry from the fields that could be read."""
        if len(details) > 1:
            details = {name: details[name] for name in self.details if name in details}
        if details:
            own["details"] = details
        return self.entry(**{**self.unread, **own} if self.required else own)


def _remark(about: Declared) -> ShapeAt:
    schema = {**refer("text"), "maxLength": about.shape.schema["maxLength"]}
    return lambda _table: about.shape.with_schema(schema)


EVERYWHERE: Mapping[str, ShapeAt] = MappingProxyType(
    {"author": shapes.text, **{name: _remark(about) for name, about in REMARKS.items()}}
)
"""The fields of every entry."""

UNREAD: Json = MappingProxyType({"by": -1, "points": 0, "reason": "", "seat": -1, "totals": ()})

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
        "totals": Form(
            Totals,
            {"totals": shapes.totals, **dict.fromkeys(TOTALS_FLAGS, shapes.switch)},
            ("totals",),
        ),
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
    own: dict[str, Any] = {}
    details: dict[str, Any] = {}
    shapes_of, own_names = form.shapes, form.own
    for name, value in raw.items():
        shape = shapes_of.get(name)
        if shape is None:
            faults.append(Problem(Code.UNEXPECTED_FIELD, name, {"field": name}))
        elif shape.fits(value) or not (wrong := tuple(shape.check(name, value))):
            (own if name in own_names else details)[name] = shape.read(value)
        else:
            faults += wrong
            # The counts of one unit can be read without those of another.
            if name == "counts" and isinstance(value, dict):
                own[name] = shape.read({u: n for u, n in value.items() if are_integers(n)})
    del details["type"]
    return form.make(own, details), faults


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
    if isinstance(entry, Totals):
        written["totals"] = write_all_points(entry.totals)
        written.update({name: True for name in TOTALS_FLAGS if getattr(entry, name)})
    for name in EVERYWHERE:
        if (value := getattr(entry, name)) is not None:
            written[name] = value
    return written


def _in_order(numbers: Sequence[int], to: Sequence[int]) -> list[int]:
    return [numbers[to.index(place)] for place in range(len(to))]


def _place_or_null(place: int | None, seats: Sequence[int], _sides: Sequence[int]) -> int | None:
    return None if place is None else seats[place]


Moved = Callable[[Any, Sequence[int], Sequence[int]], Any]

MOVED: Mapping[ShapeAt, Moved] = MappingProxyType(
    {
        shapes.seat: _place_or_null,
        shapes.seat_or_null: _place_or_null,
        shapes.partner_or_null: _place_or_null,
        shapes.side: lambda side, _seats, sides: sides[side],
        shapes.calls: lambda calls, seats, _sides: _in_order(calls, seats),
        shapes.totals: lambda totals, _seats, sides: _in_order(totals, sides),
        shapes.counts: lambda counts, _seats, sides: {
            unit: _in_order(numbers, sides) for unit, numbers in counts.items()
        },
        shapes.piles: lambda piles, seats, _sides: {
            pile: _in_order(numbers, seats) for pile, numbers in piles.items()
        },
        shapes.sale: lambda sale, seats, _sides: {**sale, "buyer": seats[sale["buyer"]]},
        shapes.doubles: lambda doubles, seats, _sides: [
            {**each, "seats": [seats[seat] for seat in each["seats"]]} for each in doubles
        ],
    }
)
"""The shapes of fields that name seats or sides, each with its value after people have moved."""


def move_seats(body: Json, to: Sequence[int], sides: Sequence[int]) -> dict[str, Any]:
    """Return an entry as JSON with everything moved from each seat to the seat `to[seat]`.

    `sides` maps each seat to its side; a side moves as a whole.
    """
    by_side = dict(zip(sides, (sides[seat] for seat in to), strict=True))
    moves = list(to), [by_side[side] for side in sorted(by_side)]
    fields = FORMS[body["type"]].fields
    moved = {name: MOVED[shape] for name, shape in fields.items() if shape in MOVED}
    return {
        name: moved[name](value, *moves) if name in moved else value for name, value in body.items()
    }
