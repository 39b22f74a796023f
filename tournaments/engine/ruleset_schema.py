"""The published JSON Schema of `kingscore-ruleset/1`: its form, with the names there are."""

from collections.abc import Iterable, Mapping
from typing import Any

from tournaments.engine import ruleset_records as records
from tournaments.engine.badges import AT_THE_END, IN_A_DEAL
from tournaments.engine.entries import NO_TRUMP, SUITS
from tournaments.engine.entry_checks import REDEAL_SWITCHES
from tournaments.engine.fields import FIELDS
from tournaments.engine.ruleset_checks import SETTINGS
from tournaments.engine.rulesets import LARGEST_COUNT, OPTION_KINDS, Option
from tournaments.engine.scoring import SCORINGS
from tournaments.engine.steps import STEPS
from tournaments.engine.units import UNITS

Schema = dict[str, Any]

TEXT: Schema = {
    "type": "string",
    "maxLength": records.LONGEST_NAME,
    "pattern": "^[^\\u0000\\ud800-\\udfff]*$",
}
SLUG: Schema = {
    "description": "Small letters, digits and single hyphens.",
    "type": "string",
    "maxLength": records.LONGEST_ID,
    "pattern": "^[a-z0-9]+(-[a-z0-9]+)*$",
}
POINTS: Schema = {
    "description": 'A whole number, or a string such as "-9/2".',
    "oneOf": [
        {
            "type": "integer",
            "minimum": -records.LARGEST_VALUE,
            "maximum": records.LARGEST_VALUE,
        },
        {"type": "string", "pattern": "^-?[0-9]{1,30}/(?!0+$)[0-9]{1,30}$"},
    ],
}
FROM_ONE: Schema = {"type": "integer", "minimum": 1, "maximum": LARGEST_COUNT}
SWITCH: Schema = {"type": "boolean"}
SETTING: Schema = {"type": ["string", "integer", "boolean"]}


def ruleset_schema() -> Schema:
    """The schema of a `kingscore-ruleset/1` document."""
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "urn:kingscore:ruleset:1",
        "title": records.RULESET_FORMAT,
        "description": "The rules of a game. The form only: whether every game of it comes to"
        " its end is told when it is read. What is left out has its default.",
        **_object(_ruleset(), ("format", "id", "family", "contracts")),
        "$defs": {
            "id": SLUG,
            "text": TEXT,
            "points": POINTS,
            "contract": _object(_contract(), ("id", "kind", "values")),
            "stage": _object(
                {
                    "deals": FROM_ONE,
                    "contracts": _list({"$ref": "#/$defs/id"}, records.MOST_CONTRACTS),
                }
            ),
            "option": _object(_option(), ("setting",)),
            "settings": _settings(),
            "implied": _object(
                {
                    "setting": _one_of(SETTINGS),
                    "value": SETTING,
                    "settings": {"$ref": "#/$defs/settings"},
                }
            ),
        },
    }


def _ruleset() -> Schema:
    return {
        "format": {"const": records.RULESET_FORMAT},
        "id": {"$ref": "#/$defs/id"},
        "name": {"description": "For people.", "$ref": "#/$defs/text"},
        "family": {"$ref": "#/$defs/id"},
        "contracts": _list({"$ref": "#/$defs/contract"}, records.MOST_CONTRACTS),
        "quotas": {
            "description": "How many contracts of each kind one side declares.",
            "type": "object",
            "propertyNames": {"$ref": "#/$defs/id"},
            "additionalProperties": FROM_ONE,
        },
        "deals": {"description": "Null: the game ends at a target.", **_or_null(FROM_ONE)},
        "sides": {
            "description": "For each seat its side: players in turn, or pairs.",
            "type": "array",
            "items": {"type": "integer", "minimum": 0, "maximum": records.MOST_SEATS - 1},
            "maxItems": records.MOST_SEATS,
        },
        "clockwise": SWITCH,
        "stages": _list({"$ref": "#/$defs/stage"}, records.MOST_CONTRACTS),
        "in_a_row": {"description": "Deals until the declarer changes.", **FROM_ONE},
        "declares": _one_of(records.DECLARERS),
        "passes": SWITCH,
        "fields": _names(FIELDS),
        "steps": _names(STEPS),
        "all_units": _names(UNITS),
        "settings": {"$ref": "#/$defs/settings"},
        "options": _list({"$ref": "#/$defs/option"}, len(SETTINGS)),
        "implied": _list({"$ref": "#/$defs/implied"}, records.MOST_CONTRACTS),
        "redeals": _names(records.REDEALS),
        "voids": _names(records.VOIDS),
        "badges": _names(AT_THE_END),
    }


def _contract() -> Schema:
    return {
        "id": {"$ref": "#/$defs/id"},
        "name": {"description": "For people.", "$ref": "#/$defs/text"},
        "kind": {"description": "What quotas count.", "$ref": "#/$defs/id"},
        "values": {
            "description": "Points for each unit taken.",
            "type": "object",
            "additionalProperties": False,
            "properties": {unit: {"$ref": "#/$defs/points"} for unit in UNITS},
        },
        "quota": {"description": "How often in a game; null: no limit.", **_or_null(FROM_ONE)},
        "quota_each": {"description": "How often by one side.", **_or_null(FROM_ONE)},
        "scoring": _one_of(SCORINGS),
        "may_end_early": SWITCH,
        "replay_one_each": SWITCH,
        "trumps": _names((*SUITS, NO_TRUMP)),
        "fields": _names(FIELDS),
        "redeals": _names(REDEAL_SWITCHES),
        "badges": _names(IN_A_DEAL),
        "prizes": _list({"$ref": "#/$defs/points"}, records.MOST_SEATS),
        "cappotto": SWITCH,
        "named": SWITCH,
        "declared": SWITCH,
    }


def _option() -> Schema:
    return {
        "setting": _one_of(SETTINGS),
        "values": _list(SETTING, records.MOST_CONTRACTS),
        "kind": _one_of(OPTION_KINDS),
    }


def _settings() -> Schema:
    return {
        "type": "object",
        "additionalProperties": False,
        "properties": {name: _value(option) for name, option in SETTINGS.items()},
    }


def _value(option: Option) -> Schema:
    if option.kind == "one-of":
        return {"enum": list(option.values)}
    return FROM_ONE if option.kind == "count" else {"type": ["integer", "string"]}


def _object(properties: Mapping[str, Schema], required: Iterable[str] | None = None) -> Schema:
    """An object with these fields and no others; all of them are needed unless it is said."""
    return {
        "type": "object",
        "required": list(properties if required is None else required),
        "additionalProperties": False,
        "properties": dict(properties),
    }


def _list(items: Schema, most: int) -> Schema:
    return {"type": "array", "items": items, "maxItems": most}


def _names(names: Iterable[str]) -> Schema:
    return {"type": "array", "items": _one_of(names), "uniqueItems": True}


def _one_of(names: Iterable[str]) -> Schema:
    return {"enum": list(names)}


def _or_null(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}
