"""The schema of a ruleset's description, of which a program makes the form of an entry."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from rest_framework import serializers

from tournaments.api.rulesets.naming import with_names
from tournaments.api.schema import component
from tournaments.engine.rules.entries import NO_TRUMP, SUITS
from tournaments.engine.rules.fields import NAMES
from tournaments.engine.rules.rulesets import OPTION_KINDS, UNITS, Ruleset
from tournaments.presenters.rulesets import describe

Schema = dict[str, Any]

RECORD = component("RulesetRecord")["$ref"]
ID: Schema = {"$ref": f"{RECORD}/$defs/id"}
POINTS: Schema = {"$ref": f"{RECORD}/$defs/points"}
COUNT: Schema = {"type": "integer", "minimum": 0}
SWITCH: Schema = {"type": "boolean"}
TEXT: Schema = {"type": "string"}
NAME: Schema = {"description": "In the language that was asked for.", **TEXT}
UNIT: Schema = {"enum": list(UNITS)}


class RulesetDescriptionSerializer(serializers.BaseSerializer[Ruleset]):
    """A ruleset with its options: the possible entries and their points.

    Names are in the language that was asked for, those of house rules as they were given.
    """

    def to_representation(self, instance: Ruleset) -> dict[str, Any]:
        return with_names(describe(instance), instance)


class DescribedRuleset(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Its schema, which is written by hand: nothing but these fields, all of them."""

    target_class = RulesetDescriptionSerializer

    def map_serializer(self, auto_schema: Any, direction: Any) -> Schema:
        """The schema of the component."""
        about = "The rules of a game as they are played with the options that were asked for."
        return {"description": about} | _object(
            _head()
            | _course()
            | {
                "units": _map(_object(_unit())),
                "contracts": _list(_object(_contract())),
                "suits": {
                    "description": "The names of the trumps.",
                    **_object(dict.fromkeys([*SUITS, NO_TRUMP], _object(_suit()))),
                },
                "checks": _object(_checks()),
            }
        )


def _head() -> Schema:
    return {
        "format": {"const": "kingscore-description/1"},
        "id": ID,
        "family": ID,
        "name": NAME,
        "seats": {"type": "integer", "minimum": 2, "maximum": 4},
        "sides": {"description": "For each seat its side.", **_list(COUNT)},
        "clockwise": SWITCH,
        "settings": {"$ref": f"{RECORD}/$defs/settings"},
        "options": {"description": "The choices of a table.", **_list(_object(_option()))},
    }


def _course() -> Schema:
    """How a game goes."""
    return {
        "deals": {"description": "Null: it ends at the target.", **_or_null(COUNT)},
        "target": {"description": "Points at which it ends.", **_or_null(COUNT)},
        "in_a_row": {"description": "Deals until the declarer changes.", **COUNT},
        "declares": {"$ref": f"{RECORD}/properties/declares"},
        "passes": SWITCH,
        "quotas": {
            "description": "How many contracts of each kind one side declares.",
            **_map(COUNT),
        },
        "stages": _list(_object({"deals": COUNT, "contracts": _list(ID)})),
        "all_units": {
            "description": "Units that may be written down instead of the contract's.",
            "$ref": f"{RECORD}/properties/all_units",
        },
        "steps": {"$ref": f"{RECORD}/properties/steps"},
        "redeals": {"$ref": f"{RECORD}/properties/redeals"},
        "voids": {"$ref": f"{RECORD}/properties/voids"},
    }


def _option() -> Schema:
    return {
        "setting": {"$ref": f"{RECORD}/$defs/option/properties/setting"},
        "kind": {"enum": list(OPTION_KINDS)},
        "values": _list({"type": ["string", "integer", "boolean"]}),
        "name": NAME,
        "about": {"description": "The effect of the option.", **TEXT},
        "value_names": {"description": "The names of the values.", **_list(TEXT)},
    }


def _unit() -> Schema:
    return {
        "name": NAME,
        "total": {
            "description": "How many there are in a deal; null: not fixed.",
            **_or_null(COUNT),
        },
        "most": {"description": "How many one side can have.", **COUNT},
        "cards": {"description": "Whether they are cards, of which a trick holds four.", **SWITCH},
    }


def _contract() -> Schema:
    of = f"{RECORD}/$defs/contract/properties"
    return {
        "id": ID,
        "name": NAME,
        "short": {"description": "Its name in a narrow column.", **TEXT},
        "symbol": {"description": "A few glyphs for it.", **TEXT},
        "kind": ID,
        "named": {"description": "Whether a deal says it.", **SWITCH},
        "declared": {"description": "Whether a deal says who declared.", **SWITCH},
        "scoring": {"$ref": f"{of}/scoring"},
        "values": {"description": "Points for each unit taken.", **_map(POINTS)},
        "prizes": _list(POINTS),
        "sum": {"description": "The sum of a deal, if it is fixed.", **_or_null(POINTS)},
        "quota": {"description": "How often in a game.", **_or_null(COUNT)},
        "quota_each": {"description": "How often by one side.", **_or_null(COUNT)},
        "trumps": {
            "description": "Of which one is named with it.",
            **_list({"enum": [*SUITS, NO_TRUMP]}),
        },
        "fields": {
            "description": "The further fields of its deals.",
            **_list({"enum": list(NAMES)}),
        },
        "may_end_early": SWITCH,
        "replay_one_each": SWITCH,
        "cappotto": SWITCH,
    }


def _suit() -> Schema:
    return {"name": NAME, "symbol": TEXT}


def _checks() -> Schema:
    return {
        "within": {
            "description": "Units of which nobody has more than of those they are part of.",
            **_map(_list(UNIT)),
        },
        "cards_in_a_trick": COUNT,
        "honours_among_hearts": COUNT,
        "shared_cards": {
            "description": "The units in which each card that has several is counted.",
            **_list(_list(UNIT)),
        },
    }


def _object(properties: Schema) -> Schema:
    return {
        "type": "object",
        "required": list(properties),
        "additionalProperties": False,
        "properties": properties,
    }


def _list(items: Schema) -> Schema:
    return {"type": "array", "items": items}


def _map(values: Schema) -> Schema:
    return {"type": "object", "additionalProperties": values}


def _or_null(schema: Schema) -> Schema:
    return {"oneOf": [schema, {"type": "null"}]}
