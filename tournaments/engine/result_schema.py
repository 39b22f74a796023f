"""The published JSON Schema of `kingscore-result/1`."""

from collections.abc import Iterable

from tournaments.engine.badges import AT_THE_END, IN_A_DEAL
from tournaments.engine.problems import Code
from tournaments.engine.record_shapes import (
    ANY_TABLE,
    DIALECT,
    Schema,
    refer,
    seat_shape,
    where,
)
from tournaments.engine.records import RESULT_FORMAT
from tournaments.engine.rulesets import PENALTY, TRUMP
from tournaments.engine.variants import RULESETS

ENDINGS = ("king", "failed-king", "length", "target", "stopped")
SIDES = range(ANY_TABLE.sides[0], ANY_TABLE.sides[1] + 1)


def result_schema() -> Schema:
    """The schema of a `kingscore-result/1` document."""
    fields = _fields()
    return {
        "$schema": DIALECT,
        "$id": "urn:kingscore:result:1",
        "title": RESULT_FORMAT,
        "description": "A game as it was checked and scored; with problems, the game before its"
        " first bad entry. Where the head of the record is at fault, everything else is empty.",
        "type": "object",
        "required": list(fields),
        "additionalProperties": False,
        "properties": fields,
        "allOf": [_valid_or_not(), _finished_or_not(), _begun_or_not(), *map(_of_sides, SIDES)],
        "$defs": _definitions(),
    }


def _fields() -> Schema:
    return {
        "format": {"const": RESULT_FORMAT},
        "valid": {"type": "boolean"},
        "problems": {
            "description": "Every problem of the head, or of the first bad entry.",
            **_list(refer("problem")),
        },
        "entries": {
            "description": "One row for every entry that moves points.",
            **_list(refer("row")),
        },
        "totals": refer("points_per_side"),
        "expected_sum": {"description": "What the totals add up to.", **refer("points")},
        "finished": {"type": "boolean"},
        "ended_by": {"enum": [*ENDINGS, None]},
        "next": {"oneOf": [{"type": "null"}, refer("next")]},
        "ranks": {
            "description": "1 is best; equals share a rank.",
            **_list({"enum": [side + 1 for side in range(SIDES[-1])]}),
            "maxItems": SIDES[-1],
        },
        "out": refer("sides"),
        "sunk": refer("sides"),
        "badges": _list(refer("badge")),
    }


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


# How the fields hang together.

EMPTY: Schema = {"maxItems": 0}


def _valid_or_not() -> Schema:
    return {
        "if": where("valid", {"const": True}),
        "then": {"properties": {"problems": EMPTY, "totals": {"minItems": SIDES[0]}}},
        "else": where("problems", {"minItems": 1}),
    }


def _finished_or_not() -> Schema:
    return {
        "if": where("finished", {"const": True}),
        "then": {"properties": {"next": {"type": "null"}, "ended_by": {"type": "string"}}},
        "else": {"properties": {"ended_by": {"type": "null"}, "out": EMPTY, "sunk": EMPTY}},
    }


def _begun_or_not() -> Schema:
    """Without a table everything is empty; with one an unfinished game goes on."""
    return {
        "if": where("totals", {"minItems": 1}),
        "then": {
            "if": where("finished", {"const": False}),
            "then": where("next", {"type": "object"}),
        },
        "else": {
            "properties": {
                "entries": EMPTY,
                "expected_sum": {"const": 0},
                "finished": {"const": False},
                "next": {"type": "null"},
                "ranks": EMPTY,
                "badges": EMPTY,
            }
        },
    }


def _of_sides(number: int) -> Schema:
    """A game of so many sides has so many numbers everywhere."""
    each = {"minItems": number, "maxItems": number}
    side = {"items": {"maximum": number - 1}}
    rows = {"items": {"properties": {"points": each, "totals": each}}}
    return {
        "if": where("totals", each),
        "then": {
            "properties": {"entries": rows, "ranks": each, "out": side, "sunk": side},
        },
    }


# What has a name.


def _definitions() -> Schema:
    return {
        "points": {
            "description": 'A whole number, or a string such as "-9/2" where it is not whole.',
            "type": ["integer", "string"],
            "pattern": "^-?[1-9][0-9]*/[1-9][0-9]*$",
        },
        "points_per_side": {**_list(refer("points")), "maxItems": SIDES[-1]},
        "seat": {"description": "From 0, in the order of play.", **seat_shape(ANY_TABLE)},
        "sides": {
            "description": "Sides from 0: seats, or pairs.",
            **_list({"enum": list(range(SIDES[-1]))}),
            "uniqueItems": True,
        },
        "entry": {"description": "Index of an entry, from 0.", "type": "integer", "minimum": 0},
        "problem": _problem(),
        "row": _row(),
        "next": _next(),
        "badge": _badge(),
    }


def _object(fields: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(fields),
        "additionalProperties": False,
        "properties": fields,
    }


def _problem() -> Schema:
    return _object(
        {
            "entry": {
                "description": "Null for the head of the record.",
                "oneOf": [{"type": "null"}, refer("entry")],
            },
            "code": {"enum": _words(Code)},
            "where": {
                "description": "Path of the field at fault, empty for the entry as a whole.",
                "type": "string",
            },
            "params": {"description": "For the sentence that explains it.", "type": "object"},
        }
    )


def _row() -> Schema:
    return _object(
        {
            "entry": refer("entry"),
            "points": refer("points_per_side"),
            "totals": refer("points_per_side"),
            "expected_sum": refer("points"),
        }
    )


def _next() -> Schema:
    contracts = [c.id for ruleset in RULESETS.values() for c in ruleset.contracts if c.named]
    return _object(
        {
            "declarer": refer("seat"),
            "contracts": {
                "description": "What may be named now, in the order of the ruleset. A house"
                " ruleset can have contracts of its own.",
                **_list(
                    {
                        "type": "string",
                        "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                        "examples": list(dict.fromkeys(contracts)),
                    }
                ),
                "uniqueItems": True,
            },
            "must": {
                "description": "The only kind of contract the declarer has left.",
                "enum": [TRUMP, PENALTY, None],
            },
            "deal": {
                "description": "Number of the next deal, from 1.",
                "type": "integer",
                "minimum": 1,
            },
        }
    )


def _badge() -> Schema:
    return _object(
        {
            "badge": {"enum": _words((*IN_A_DEAL, *AT_THE_END))},
            "seat": {"description": "The side that earned it.", **seat_shape(ANY_TABLE)},
            "entry": refer("entry"),
        }
    )


def _words(names: Iterable[str]) -> list[str]:
    return [str(name) for name in names]
