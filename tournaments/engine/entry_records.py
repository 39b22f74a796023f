"""Entries as they stand in a record: each type's fields, read strictly and written."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from tournaments.engine.entries import (
    NOTHING,
    Adjustment,
    Deal,
    Entry,
    Passed,
    Redeal,
    Stopped,
    Void,
)
from tournaments.engine.problems import Code, Problem
from tournaments.engine.rulesets import Points, number_of

Json = Mapping[str, Any]

_NO_TEXT = re.compile("[\x00\ud800-\udfff]")
LARGEST = 10**100


def read_entry(raw: Any) -> tuple[Entry | None, list[Problem]]:
    """An entry with whatever of it could be read, and what is wrong with its form."""
    if not isinstance(raw, dict):
        return None, [wrong_type("", "object")]
    kind = raw.get("type")
    if "type" not in raw:
        return None, [missing("type")]
    form = FORMS.get(kind) if isinstance(kind, str) else None
    if form is None:
        return None, [wrong_type("type", " | ".join(FORMS))]
    faults: list[Problem] = []
    return form.make(_read_fields(form, raw, faults)), faults


def write_entry(entry: Entry) -> dict[str, Any]:
    """An entry as it stands in a record; reading it gives the same entry."""
    fields: dict[str, Any] = {"type": TYPES[type(entry)]}
    for name in ("contract", "declarer", "by", "seat", "points", "to", "reason"):
        value = getattr(entry, name, None)
        if value is not None:
            fields[name] = write_points(value) if name == "points" else value
    if isinstance(entry, Deal | Void):
        fields.update(entry.details)
    if isinstance(entry, Deal) and entry.counts is not None:
        fields["counts"] = {unit: list(counts) for unit, counts in entry.counts.items()}
    if entry.author is not None:
        fields["author"] = entry.author
    return fields


def write_points(points: Points) -> int | str:
    """Points as JSON has them: an integer, or `"-9/2"` where they are not whole."""
    if points.denominator == 1:
        return points.numerator
    return f"{points.numerator}/{points.denominator}"


# Each reader gives the value of a field, or raises with what it wants.


class _Wrong(Exception):
    """Values of the wrong type: what was wanted, by the path inside the field ("" for itself)."""

    def __init__(self, *wanted: tuple[str, str]) -> None:
        self.wanted = wanted
        super().__init__(wanted)


def is_integer(value: Any) -> bool:
    """Whether a JSON value is a whole number of a size that sums of it can be written down."""
    return type(value) is int and -LARGEST < value < LARGEST


def _integer(value: Any) -> int:
    if not is_integer(value):
        raise _Wrong(("", "integer"))
    return int(value)


def is_text(value: Any) -> bool:
    """Whether a JSON value is a string that can be stored: no NUL, no half of a character."""
    # What can be printed holds neither; to ask that is quicker than to search.
    return isinstance(value, str) and (value.isprintable() or not _NO_TEXT.search(value))


def _text(value: Any) -> str:
    if not is_text(value):
        raise _Wrong(("", "string"))
    return str(value)


def _points(value: Any) -> Points:
    number = number_of(value)
    if number is None or not -LARGEST < number < LARGEST:
        raise _Wrong(("", 'integer or "p/q"'))
    return number


def _boolean(value: Any) -> bool:
    if not isinstance(value, bool):
        raise _Wrong(("", "true or false"))
    return value


def _counts(value: Any) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise _Wrong(("", "object"))
    return value


def _or_null(reader: "Reader") -> "Reader":
    return lambda value: None if value is None else reader(value)


def _list_of(reader: "Reader", wanted: str) -> "Reader":
    """A list each of whose items `reader` can read."""

    def read(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _Wrong(("", wanted))
        try:
            return [reader(item) for item in value]
        except _Wrong as wrong:
            raise _Wrong(("", wanted)) from wrong

    return read


def _object_of(reader_of: Callable[[str], "Reader"]) -> "Reader":
    """An object each of whose fields the reader for its name can read."""

    def read(value: Any) -> dict[str, Any]:
        if not isinstance(value, dict):
            raise _Wrong(("", "object"))
        fields, wrong = {}, []
        for name, item in value.items():
            try:
                fields[name] = reader_of(name)(item)
            except _Wrong as error:
                wrong += [(f".{name}{path}", wanted) for path, wanted in error.wanted]
        if wrong:
            raise _Wrong(*wrong)
        return fields

    return read


Reader = Callable[[Any], Any]


@dataclass(frozen=True, slots=True)
class Form:
    """The form of an entry in a record: its required and optional fields, and its maker."""

    required: Mapping[str, Reader]
    optional: Mapping[str, Reader]
    make: Callable[[dict[str, Any]], Entry]
    fields: Mapping[str, Reader]


def _form(
    required: Mapping[str, Reader],
    optional: Mapping[str, Reader],
    make: Callable[[dict[str, Any]], Entry],
) -> Form:
    anywhere: Mapping[str, Reader] = {"type": _text, "author": _text}
    return Form(required, optional, make, {**anywhere, **required, **optional})


_INTEGERS = _list_of(_integer, "list of integers")

_DOUBLE: Mapping[str, Reader] = MappingProxyType({"seats": _INTEGERS, "redoubled": _boolean})


def _double(value: Any) -> Any:
    """Two seats that doubled each other; nothing else belongs there."""
    if not isinstance(value, dict) or "seats" not in value or not value.keys() <= _DOUBLE.keys():
        raise _Wrong(("", "object"))
    return _object_of(_DOUBLE.__getitem__)(value)


SEALS: Mapping[str, Reader] = MappingProxyType({"sealed": _text, "salt": _text})

DETAILS: Mapping[str, Reader] = MappingProxyType(
    {
        "trump": _text,
        "king": _integer,
        "king_declared_by": _integer,
        "tricks_played": _integer,
        "rifki_holder": _integer,
        **SEALS,
        "blind": _boolean,
        "sale": _object_of(lambda _name: _integer),
        "partner": _integer,
        "offered": _list_of(_text, "list of contracts"),
        "third": _boolean,
        "closed_by": _integer,
        "doubles": _list_of(_double, "list of doubled pairs"),
        "maker": _integer,
        "tricks": _integer,
        "alone": _boolean,
        "defender_alone": _or_null(_integer),
        "winner": _or_null(_integer),
        "left": _object_of(lambda _name: _INTEGERS),
        "calls": _INTEGERS,
    }
)


def _details(fields: Mapping[str, Any], names: Mapping[str, Reader]) -> Mapping[str, Any]:
    if names.keys().isdisjoint(fields):  # As in most deals.
        return NOTHING
    return {name: fields[name] for name in names if name in fields}


def _make_deal(fields: dict[str, Any]) -> Deal:
    return Deal(
        fields.get("contract"),
        fields.get("declarer"),
        fields.get("counts"),
        _details(fields, DETAILS),
        fields.get("author"),
    )


def _make_void(fields: dict[str, Any]) -> Void:
    return Void(
        fields.get("reason", ""),
        fields.get("contract"),
        fields.get("declarer"),
        _details(fields, SEALS),
        fields.get("author"),
    )


FORMS: Mapping[str, Form] = MappingProxyType(
    {
        "deal": _form(
            {},
            {"contract": _text, "declarer": _integer, "counts": _counts, **DETAILS},
            _make_deal,
        ),
        "void": _form(
            {"reason": _text},
            {"contract": _text, "declarer": _integer, **SEALS},
            _make_void,
        ),
        "redeal": _form(
            {"by": _integer, "reason": _text},
            {},
            lambda f: Redeal(f.get("by", -1), f.get("reason", ""), f.get("author")),
        ),
        "passed": _form({}, {}, lambda f: Passed(f.get("author"))),
        "adjustment": _form(
            {"seat": _integer, "points": _points, "reason": _text},
            {"to": _text},
            lambda f: Adjustment(
                f.get("seat", -1),
                f.get("points", 0),
                f.get("reason", ""),
                f.get("to", "none"),
                f.get("author"),
            ),
        ),
        "stopped": _form(
            {"reason": _text}, {}, lambda f: Stopped(f.get("reason", ""), f.get("author"))
        ),
    }
)
"""The entries of a record by their `type`."""

TYPES: Mapping[type, str] = MappingProxyType(
    {
        Deal: "deal",
        Void: "void",
        Redeal: "redeal",
        Passed: "passed",
        Adjustment: "adjustment",
        Stopped: "stopped",
    }
)


def _read_fields(form: Form, raw: Json, faults: list[Problem]) -> dict[str, Any]:
    """The fields that could be read; what is wrong with the others is added to `faults`."""
    if not form.required.keys() <= raw.keys():
        faults += [missing(name) for name in form.required if name not in raw]
    fields = {}
    for name, value in raw.items():
        reader = form.fields.get(name)
        if reader is None:
            faults.append(Problem(Code.UNEXPECTED_FIELD, name, {"field": name}))
            continue
        try:
            read = reader(value)
        except _Wrong as wrong:
            faults += [wrong_type(name + path, wanted) for path, wanted in wrong.wanted]
            continue
        fields[name] = read if name != "counts" else _read_counts(read, faults)
    return fields


def _read_counts(raw: Json, faults: list[Problem]) -> dict[str, tuple[int, ...]]:
    counts = {}
    for unit, numbers in raw.items():
        if isinstance(numbers, list) and all(map(is_integer, numbers)):
            counts[unit] = tuple(numbers)
        else:
            faults.append(wrong_type(f"counts.{unit}", "list of integers"))
    return counts


def missing(name: str) -> Problem:
    """A field that has to be there."""
    return Problem(Code.MISSING_FIELD, name, {"field": name})


def wrong_type(where: str, expected: str) -> Problem:
    """A value of another type than `expected`, a word for the message."""
    return Problem(Code.WRONG_TYPE, where, {"expected": expected})
