"""The published JSON Schema of `kingscore-result/1`."""

from tournaments.engine.documents.record_shapes import (
    where,
)
from tournaments.engine.documents.records import RESULT_FORMAT
from tournaments.engine.play.outcomes import AT_THE_END, IN_A_DEAL
from tournaments.engine.rules.entry_shapes import ANY_TABLE, seat
from tournaments.engine.rules.problems import Code
from tournaments.engine.rules.rulesets import PENALTY, TRUMP
from tournaments.engine.rules.shapes import Schema, head_schema, list_schema, object_schema, refer
from tournaments.engine.variants import RULESETS

ENDINGS = ("king", "failed-king", "length", "target", "stopped")
SIDES = range(ANY_TABLE.sides[0], ANY_TABLE.sides[1] + 1)


def result_schema() -> Schema:
    """Return the schema of a `kingscore-result/1` document."""
    return {
        **head_schema("result", RESULT_FORMAT),
        "description": "A game as it was checked and scored; with problems, the game before its"
        " first bad entry. Where the head of the record is at fault, everything else is empty.",
        **object_schema(_fields()),
        "allOf": [_valid_or_not(), _finished_or_not(), _begun_or_not(), *map(_of_sides, SIDES)],
        "$defs": DEFINITIONS,
    }


def _fields() -> Schema:
    return {
        "format": {"const": RESULT_FORMAT},
        "valid": {"type": "boolean"},
        "problems": {
            "description": "Every problem of the head, or of the first bad entry.",
            **list_schema(refer("problem")),
        },
        "entries": {
            "description": "One row for every entry that moves points.",
            **list_schema(refer("row")),
        },
        "totals": refer("points_per_side"),
        "expected_sum": {"description": "What the totals add up to.", **refer("points")},
        "finished": {"type": "boolean"},
        "ended_by": {"enum": [*ENDINGS, None]},
        "next": {"oneOf": [{"type": "null"}, refer("next")]},
        "ranks": {
            "description": "1 is best; equals share a rank.",
            **list_schema({"enum": [side + 1 for side in range(SIDES[-1])]}),
            "maxItems": SIDES[-1],
        },
        "out": refer("sides"),
        "sunk": refer("sides"),
        "badges": list_schema(refer("badge")),
    }


# Conditions between fields.

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
    """Without a table all fields are empty; with one, an unfinished game continues."""
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
    """With this number of sides, every list per side has this many numbers."""
    each = {"minItems": number, "maxItems": number}
    side = {"items": {"maximum": number - 1}}
    rows = {"items": {"properties": {"points": each, "totals": each}}}
    return {
        "if": where("totals", each),
        "then": {
            "properties": {"entries": rows, "ranks": each, "out": side, "sunk": side},
        },
    }


# Definitions.


_CONTRACTS = [c.id for ruleset in RULESETS.values() for c in ruleset.contracts if c.named]
PROBLEM: Schema = {
    "entry": {
        "description": "Null for the head of the record.",
        "oneOf": [{"type": "null"}, refer("entry")],
    },
    "code": {"enum": list(map(str, Code))},
    "where": {
        "description": "Path of the field at fault, empty for the entry as a whole.",
        "type": "string",
    },
    "params": {"description": "For the sentence that explains it.", "type": "object"},
}
ROW: Schema = {
    "entry": refer("entry"),
    "points": refer("points_per_side"),
    "totals": refer("points_per_side"),
    "expected_sum": refer("points"),
}
NEXT: Schema = {
    "declarer": refer("seat"),
    "contracts": {
        "description": "What may be named now, in the order of the ruleset. A house"
        " ruleset can have contracts of its own.",
        **list_schema(
            {
                "type": "string",
                "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
                "examples": list(dict.fromkeys(_CONTRACTS)),
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
BADGE: Schema = {
    "badge": {"enum": list(map(str, (*IN_A_DEAL, *AT_THE_END)))},
    "seat": {"description": "The side that earned it.", **seat(ANY_TABLE).schema},
    "entry": refer("entry"),
}
DEFINITIONS: Schema = {
    "points": {
        "description": 'A whole number, or a string such as "-9/2" where it is not whole.',
        "type": ["integer", "string"],
        "pattern": "^-?[1-9][0-9]*/[1-9][0-9]*$",
    },
    "points_per_side": {**list_schema(refer("points")), "maxItems": SIDES[-1]},
    "seat": {"description": "From 0, in the order of play.", **seat(ANY_TABLE).schema},
    "sides": {
        "description": "Sides from 0: seats, or pairs.",
        **list_schema({"enum": list(range(SIDES[-1]))}),
        "uniqueItems": True,
    },
    "entry": {"description": "Index of an entry, from 0.", "type": "integer", "minimum": 0},
    "problem": object_schema(PROBLEM),
    "row": object_schema(ROW),
    "next": object_schema(NEXT),
    "badge": object_schema(BADGE),
}
