"""Results of games and verdicts in documents, and their schemas."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tournaments.engine.documents.games import RESULT_FORMAT
from tournaments.engine.documents.shapes import if_present
from tournaments.engine.play.outcomes import AT_THE_END, IN_A_DEAL
from tournaments.engine.rules.entries import (
    ANY_TABLE,
    Schema,
    head_schema,
    list_schema,
    object_schema,
    refer,
    seats_of,
)
from tournaments.engine.rules.rulesets import PENALTY, TRUMP, Code, Problem, write_problem
from tournaments.engine.variants import RULESETS

ENDINGS = ("king", "failed-king", "length", "target", "stopped")
SIDES = range(ANY_TABLE.sides[0], ANY_TABLE.sides[1] + 1)


def result_schema() -> Schema:
    return {
        **head_schema("result", RESULT_FORMAT),
        "description": "A game as it was checked and scored; with problems, the game before its"
        " first bad entry. Where the head of the record is at fault, everything else is empty.",
        **object_schema(_fields()),
        "allOf": [*CONDITIONS, *map(_of_sides, SIDES)],
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


CONDITIONS: Sequence[Schema] = (
    {
        "if": if_present("valid", {"const": True}),
        "then": {"properties": {"problems": EMPTY, "totals": {"minItems": SIDES[0]}}},
        "else": if_present("problems", {"minItems": 1}),
    },
    {
        "if": if_present("finished", {"const": True}),
        "then": {"properties": {"next": {"type": "null"}, "ended_by": {"type": "string"}}},
        "else": {"properties": {"ended_by": {"type": "null"}, "out": EMPTY, "sunk": EMPTY}},
    },
    # Without a table all fields are empty; with one, an unfinished game continues.
    {
        "if": if_present("totals", {"minItems": 1}),
        "then": {
            "if": if_present("finished", {"const": False}),
            "then": if_present("next", {"type": "object"}),
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
    },
)


def _of_sides(number: int) -> Schema:
    one_for_each = {"minItems": number, "maxItems": number}
    side = {"items": {"maximum": number - 1}}
    rows = {"items": {"properties": {"points": one_for_each, "totals": one_for_each}}}
    return {
        "if": if_present("totals", one_for_each),
        "then": {
            "properties": {"entries": rows, "ranks": one_for_each, "out": side, "sunk": side},
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
    "seat": {"description": "The side that earned it.", **seats_of(ANY_TABLE)},
    "entry": refer("entry"),
}
DEFINITIONS: Schema = {
    "points": {
        "description": 'A whole number, or a string such as "-9/2" where it is not whole.',
        "type": ["integer", "string"],
        "pattern": "^-?[1-9][0-9]*/[1-9][0-9]*$",
    },
    "points_per_side": {**list_schema(refer("points")), "maxItems": SIDES[-1]},
    "seat": {"description": "From 0, in the order of play.", **seats_of(ANY_TABLE)},
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


VERIFICATION_FORMAT = "kingscore-verification/1"

SAME, DIFFERS, UNKNOWN = "same", "differs", "unknown"

TOO_LARGE, TOO_MANY_DRAWS = "too-large", "too-many"
"""The codes of points that would take too much work, of any kind and of draws."""
TOO_MUCH = frozenset({TOO_LARGE, TOO_MANY_DRAWS})


@dataclass(frozen=True, slots=True)
class Point:
    """One point of a document that was recomputed, at its path.

    `outcome` is SAME, DIFFERS, or UNKNOWN if it cannot be recomputed. `code` says why, or what was
    changed openly; it may be empty where the outcome is SAME.
    """

    what: str
    where: str
    outcome: str = SAME
    code: str = ""
    params: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verification:
    """All points of a document, or the problems that keep it from being read.

    `digest` is that of the whole document.
    """

    document_format: str
    points: Sequence[Point] = ()
    problems: Sequence[Problem] = ()
    digest: str = ""

    @property
    def agrees(self) -> bool:
        """Whether everything that can be recomputed is as published."""
        return not self.problems and all(point.outcome != DIFFERS for point in self.points)

    @property
    def is_whole(self) -> bool:
        """Whether nothing was left out because it would take too much work."""
        codes = {point.code for point in self.points} | {fault.code for fault in self.problems}
        return not TOO_MUCH & codes

    def count(self, outcome: str) -> int:
        return sum(point.outcome == outcome for point in self.points)


def write_verification(verification: Verification) -> dict[str, Any]:
    return {
        "format": VERIFICATION_FORMAT,
        "verified": verification.document_format,
        "agrees": verification.agrees,
        "digest": verification.digest,
        "problems": list(map(write_problem, verification.problems)),
        "points": [
            {
                "what": point.what,
                "where": point.where,
                "outcome": point.outcome,
                "code": point.code,
                "params": dict(point.params),
            }
            for point in verification.points
        ],
    }


def verification_schema() -> Schema:
    text: Schema = {"type": "string"}
    problem = {"entry": {"type": ["integer", "null"]}, "params": {"type": "object"}}
    point = {"outcome": {"enum": [SAME, DIFFERS, UNKNOWN]}, "params": {"type": "object"}}
    return {
        **head_schema("verification", VERIFICATION_FORMAT),
        "description": "A document that was recomputed: at each point whether it is as published.",
        **object_schema(
            {
                "format": {"const": VERIFICATION_FORMAT},
                "verified": {"description": "The format of the document.", **text},
                "agrees": {"type": "boolean"},
                "digest": {"description": "Of the whole document; empty with problems.", **text},
                "problems": list_schema(
                    object_schema(dict.fromkeys(("code", "where"), text) | problem)
                ),
                "points": list_schema(
                    object_schema(dict.fromkeys(("what", "where", "code"), text) | point)
                ),
            }
        ),
    }
