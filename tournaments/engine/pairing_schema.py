"""The forms of `kingscore-pairing/1`, checked strictly, and of `kingscore-seating/1`.

What the parts of a document say of each other is checked in `pairing_records`; so are sizes and
repeated names, which have codes of their own, although JSON Schema can say them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tournaments.engine.document_shapes import (
    POINTS_SCHEMA,
    SWITCH,
    Fields,
    Listed,
    Plain,
    Problems,
)
from tournaments.engine.entry_records import LARGEST, is_integer, is_text, wrong_type
from tournaments.engine.problems import Code, Problem
from tournaments.engine.record_shapes import DIALECT, TEXT, Schema, refer, where
from tournaments.engine.rulesets import number_of

PAIRING_FORMAT = "kingscore-pairing/1"
SEATING_FORMAT = "kingscore-seating/1"
TABLE_SIZES = (2, 4)


@dataclass(frozen=True, slots=True)
class Named:
    """The name of the format itself."""

    name: str

    def check(self, where: str, value: Any) -> Problems:
        """It is no text, or another format."""
        if not is_text(value):
            yield wrong_type(where, "string")
        if value != self.name:
            yield Problem(Code.UNKNOWN_FORMAT, where, {"expected": self.name})

    @property
    def schema(self) -> Schema:
        """That name and no other."""
        return {"const": self.name}


def _is_name(value: Any) -> bool:
    return is_text(value) and value != ""


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(map(is_text, value))


def _are_tables(value: Any) -> bool:
    return isinstance(value, list) and all(map(_is_names, value))


def _is_score(value: Any) -> bool:
    score = number_of(value)
    return score is not None and -LARGEST < score < LARGEST


def _is_count(value: Any) -> bool:
    return is_integer(value) and value >= 0


def _is_rating(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _names(**sizes: int) -> Schema:
    return {"type": "array", "items": refer("text"), "uniqueItems": True, **sizes}


def _list(item: Schema) -> Schema:
    return {"type": "array", "items": item}


NAME: Schema = {**refer("text"), "minLength": 1}
INTEGER: Schema = {"type": "integer"}
COUNT: Schema = {"type": "integer", "minimum": 0}
TABLE: Schema = _names(minItems=TABLE_SIZES[0], maxItems=TABLE_SIZES[-1])
TWO: Schema = _names(minItems=2, maxItems=2)
NAMES = "list of strings"

ENTRANT = Fields(
    {
        "id": Plain("string", _is_name, NAME),
        "score": Plain('integer or "p/q"', _is_score, POINTS_SCHEMA),
        "club": Plain("string", is_text, refer("text")),
        "rating": Plain("number", _is_rating, {"type": "number"}),
    },
    required=("id",),
)
ROUND = Fields(
    {
        "tables": Plain("list of lists", _are_tables, _list(TABLE)),
        "byes": Plain(NAMES, _is_names, _names()),
    },
    required=("tables",),
)
PAIRING = Fields(
    {
        "format": Named(PAIRING_FORMAT),
        "table_size": Plain("integer", is_integer, {"enum": list(TABLE_SIZES)}),
        "seed": Plain("integer", is_integer, INTEGER),
        "entrants": Listed(ENTRANT),
        "rounds": Listed(ROUND),
        "rounds_left": Plain("integer", _is_count, COUNT),
        "avoid": Listed(Plain(NAMES, _is_names, TWO)),
        "fixed": Listed(Plain(NAMES, _is_names, TABLE)),
        "separate_clubs": SWITCH,
    },
    required=("format", "entrants"),
)

QUALITY = ("repeat_meetings", "repeat_bound", "seat_imbalance", "avoided_met", "same_club")
REASONS: Mapping[str, tuple[str, ...]] = {
    "fixed": ("with",),
    "score-group": ("rank",),
    "met-before": ("players", "times"),
    "not-met": ("tables",),
    "seat": ("seat", "times"),
    "fewest-byes": ("byes",),
    "lowest-score": ("lower",),
}
"""The reasons for a table or for sitting out, with their parameters: whole numbers from 0."""


def pairing_schema() -> Schema:
    """The schema of a `kingscore-pairing/1` document."""
    small, large = TABLE_SIZES
    return {
        **_head("pairing", PAIRING_FORMAT),
        "description": "Who is to be seated, and what the seating depends on. What is left out"
        " has its default. The form only: who may be named where is checked when it is read.",
        **PAIRING.schema,
        "if": {**where("table_size", {"const": small}), "required": ["table_size"]},
        "then": _of_size(small),
        "else": _of_size(large),
        "$defs": {"text": TEXT},
    }


def seating_schema() -> Schema:
    """The schema of a `kingscore-seating/1` document."""
    return {
        **_head("seating", SEATING_FORMAT),
        "description": "Who sits where in the next round, how good that is and why; or what is"
        " wrong with the document that asked for it.",
        "oneOf": [refer("seating"), refer("refusal")],
        "$defs": {
            "text": TEXT,
            "count": COUNT,
            "seating": _seating(),
            "quality": _quality(),
            "reason": {"oneOf": [_reason(code) for code in REASONS]},
            "refusal": _refusal(),
        },
    }


def _head(name: str, title: str) -> Schema:
    return {"$schema": DIALECT, "$id": f"urn:kingscore:{name}:1", "title": title}


def _of_size(size: int) -> Schema:
    """At tables of a size: enough entrants, earlier tables that were full, groups that fit."""
    tables = where("tables", {"items": {"minItems": size, "maxItems": size}})
    return {
        "properties": {
            "entrants": {"minItems": size},
            "rounds": {"items": tables},
            "fixed": {"items": {"maxItems": size}},
        }
    }


def _object(fields: Schema) -> Schema:
    """An object with all of these fields and no others."""
    return {
        "type": "object",
        "required": list(fields),
        "additionalProperties": False,
        "properties": fields,
    }


def _seating() -> Schema:
    return _object(
        {
            "format": {"const": SEATING_FORMAT},
            "tables": {
                "description": "The ids of entrants in order of seats.",
                "type": "array",
                "minItems": 1,
                "oneOf": [{"items": _names(minItems=size, maxItems=size)} for size in TABLE_SIZES],
            },
            "byes": {"description": "Who sits out.", **_names()},
            "quality": refer("quality"),
            "why": {
                "description": "The reasons for each entrant, also for those who sit out.",
                "type": "object",
                "propertyNames": NAME,
                "additionalProperties": {**_list(refer("reason")), "minItems": 1},
            },
            "seed": INTEGER,
        }
    )


def _quality() -> Schema:
    spread = {
        "description": "Mean over the tables of highest minus lowest score, to 2 decimals.",
        "type": "number",
        "minimum": 0,
    }
    return _object({"score_spread": spread} | dict.fromkeys(QUALITY, refer("count")))


def _reason(code: str) -> Schema:
    params = _object(dict.fromkeys(REASONS[code], refer("count")))
    return _object({"code": {"const": code}, "params": params})


def _refusal() -> Schema:
    problem = _object(
        {
            "entry": {"type": "null"},
            "code": {"enum": [str(code) for code in Code]},
            "where": {"description": "Path of the field at fault.", "type": "string"},
            "params": {"type": "object"},
        }
    )
    return _object(
        {
            "format": {"const": SEATING_FORMAT},
            "valid": {"const": False},
            "problems": {**_list(problem), "minItems": 1},
        }
    )
