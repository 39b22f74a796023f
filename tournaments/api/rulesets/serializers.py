"""Rulesets and house rules as the API reads and writes them."""

from typing import Any

from drf_spectacular.extensions import OpenApiSerializerExtension
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import MomentField, StrictSerializer
from tournaments.api.filtering import SlicedListSerializer
from tournaments.api.schema import component
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.entries import NO_TRUMP
from tournaments.engine.rules.fields import NAMES
from tournaments.engine.rules.rulesets import OPTION_KINDS, SUITS, UNITS, Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import HouseRuleset
from tournaments.queries.rulesets import describe, parsed_ruleset
from tournaments.texts import labels

Json = dict[str, Any]


@extend_schema_field(component("RulesetRecord"))
class RulesetRecordField(serializers.JSONField):
    """A `kingscore-ruleset/1` document."""


class RulesetLineSerializer(serializers.Serializer[Ruleset]):
    """A ruleset that can be played; names are in the language of the request."""

    id = serializers.CharField()
    family = serializers.CharField()
    name = serializers.SerializerMethodField()
    summary = serializers.SerializerMethodField()
    house = serializers.SerializerMethodField()
    seats = serializers.IntegerField()
    sides = serializers.ListField(child=serializers.IntegerField(min_value=0))
    deals = serializers.IntegerField(source="length", allow_null=True)
    target = serializers.IntegerField(allow_null=True)

    def get_name(self, rules: Ruleset) -> str:
        return labels.name_of(rules)

    def get_summary(self, rules: Ruleset) -> str:
        return labels.ruleset_summary(rules.id)

    def get_house(self, rules: Ruleset) -> bool:
        return rules.id not in RULESETS


class RulesetsSerializer(SlicedListSerializer):
    """All rulesets that can be played: those of the program, then house rules."""

    results = RulesetLineSerializer(many=True)


class NewDescriptionSerializer(StrictSerializer):
    """Rules, which need not be stored, and the options of a table."""

    ruleset = RulesetRecordField()
    options = serializers.DictField(default=dict)


class SchemaLineSerializer(serializers.Serializer[Any]):
    """A published JSON Schema: its file name and title."""

    file = serializers.CharField()
    id = serializers.CharField()
    title = serializers.CharField()


class SchemasSerializer(SlicedListSerializer):
    """All published JSON Schemas."""

    results = SchemaLineSerializer(many=True)


class HouseRulesLineSerializer(serializers.ModelSerializer[HouseRuleset]):
    """House rules in a list; `id` is that of the ruleset."""

    id = serializers.CharField(source="slug")
    changed_at = MomentField()

    class Meta:
        model = HouseRuleset
        fields = ["id", "name", "revision", "changed_at"]


class HouseRulesSerializer(HouseRulesLineSerializer):
    """House rules with their document; the entity tag is the revision."""

    document = serializers.SerializerMethodField()

    class Meta(HouseRulesLineSerializer.Meta):
        fields = [*HouseRulesLineSerializer.Meta.fields, "document"]

    @extend_schema_field(component("RulesetRecord"))
    def get_document(self, row: HouseRuleset) -> dict[str, Any]:
        return write_ruleset(parsed_ruleset(row.document))


class HouseDocumentSerializer(StrictSerializer):
    """New house rules; the id in the document is ignored."""

    document = RulesetRecordField()


def with_names(described: Json, rules: Ruleset) -> Json:
    """A description with names for all that a form shows; house rules keep their own.

    Browsers are sent the description without them: their pages have the names already.
    """
    contracts = zip(described["contracts"], rules.contracts, strict=True)
    return described | {
        "name": labels.name_of(rules),
        "options": [
            option
            | {
                "name": labels.option_name(setting),
                "about": labels.option_help(setting),
                "value_names": [labels.option_value_name(setting, v) for v in option["values"]],
            }
            for option in described["options"]
            for setting in [option["setting"]]
        ],
        "units": {
            unit: {"name": labels.unit_name(unit)} | unit_fields
            for unit, unit_fields in described["units"].items()
        },
        "contracts": [
            fields
            | {
                "name": labels.contract_title(rules, contract.id),
                "short": labels.contract_short(rules, contract.id),
                "symbol": labels.contract_symbol(rules, contract.id),
            }
            for fields, contract in contracts
        ],
        "suits": {
            suit: {"name": labels.suit_name(suit), "symbol": labels.suit_symbol(suit)}
            for suit in (*SUITS, NO_TRUMP)
        },
    }


RECORD = component("RulesetRecord")["$ref"]
ID: Json = {"$ref": f"{RECORD}/$defs/id"}
POINTS: Json = {"$ref": f"{RECORD}/$defs/points"}
COUNT: Json = {"type": "integer", "minimum": 0}
SWITCH: Json = {"type": "boolean"}
TEXT: Json = {"type": "string"}
NAME: Json = {"description": "In the language of the request.", **TEXT}
UNIT: Json = {"enum": list(UNITS)}


def _object(**properties: Json) -> Json:
    return {
        "type": "object",
        "required": list(properties),
        "additionalProperties": False,
        "properties": properties,
    }


def _list(items: Json) -> Json:
    return {"type": "array", "items": items}


def _map(values: Json) -> Json:
    return {"type": "object", "additionalProperties": values}


def _or_null(schema: Json) -> Json:
    return {"oneOf": [schema, {"type": "null"}]}


def _about(description: str, schema: Json) -> Json:
    return {"description": description, **schema}


def _record(place: str) -> Json:
    return {"$ref": f"{RECORD}/{place}"}


OPTION = _object(
    setting=_record("$defs/option/properties/setting"),
    kind={"enum": list(OPTION_KINDS)},
    values=_list({"type": ["string", "integer", "boolean"]}),
    name=NAME,
    about=_about("The effect of the option.", TEXT),
    value_names=_about("The names of the values.", _list(TEXT)),
)
DESCRIBED_UNIT = _object(
    name=NAME,
    total=_about("How many there are in a deal; null: not fixed.", _or_null(COUNT)),
    most=_about("How many one side can have.", COUNT),
    cards=_about("Whether they are cards, of which a trick holds one of each seat.", SWITCH),
)
CONTRACT = _object(
    id=ID,
    name=NAME,
    short=_about("Its name in a narrow column.", TEXT),
    symbol=_about("A few glyphs for it.", TEXT),
    kind=ID,
    named=_about("Whether a deal says it.", SWITCH),
    declared=_about("Whether a deal says who declared.", SWITCH),
    scoring=_record("$defs/contract/properties/scoring"),
    values=_about("Points for each unit taken.", _map(POINTS)),
    base=_about("Points for every side.", POINTS),
    prizes=_list(POINTS),
    sum=_about("The sum of a deal, if it is fixed.", _or_null(POINTS)),
    quota=_about("How often in a game.", _or_null(COUNT)),
    quota_each=_about("How often by one side.", _or_null(COUNT)),
    trumps=_about("One of them is named with it.", _list({"enum": [*SUITS, NO_TRUMP]})),
    fields=_about("The further fields of its deals.", _list({"enum": list(NAMES)})),
    may_end_early=SWITCH,
    replay_one_each=SWITCH,
    cappotto=SWITCH,
)
CHECKS = _object(
    within=_about(
        "For each unit, the units that it is part of: nobody has more of it than of these.",
        _map(_list(UNIT)),
    ),
    cards_in_a_trick=COUNT,
    cards_left_over=_about("Cards that come to those of the first or last trick.", COUNT),
    honours_among_hearts=COUNT,
    shared_cards=_about(
        "The units in which each card that has several is counted.", _list(_list(UNIT))
    ),
)


class RulesetDescriptionSerializer(serializers.BaseSerializer[Ruleset]):
    """A ruleset with its options: the possible entries and their points.

    Names are in the language that was asked for, those of house rules as they were given.
    """

    def to_representation(self, instance: Ruleset) -> dict[str, Any]:
        return with_names(describe(instance), instance)


class DescribedRuleset(OpenApiSerializerExtension):  # type: ignore[no-untyped-call]
    """Its schema, which is written by hand: nothing but these fields, all of them."""

    target_class = RulesetDescriptionSerializer

    def map_serializer(self, auto_schema: Any, direction: Any) -> Json:
        suit, trumps = _object(name=NAME, symbol=TEXT), [*SUITS, NO_TRUMP]
        described = _object(
            format={"const": "kingscore-description/1"},
            id=ID,
            family=ID,
            name=NAME,
            seats={"type": "integer", "minimum": 2, "maximum": 6},
            sides=_about("The side of each seat.", _list(COUNT)),
            clockwise=SWITCH,
            settings=_record("$defs/settings"),
            options=_about("The choices of a table.", _list(OPTION)),
            deals=_about("Null: it ends at the target.", _or_null(COUNT)),
            target=_about("Points at which it ends.", _or_null(COUNT)),
            tricks=_about("The tricks in a deal.", COUNT),
            in_a_row=_about("Deals until the declarer changes.", COUNT),
            declares=_record("properties/declares"),
            passes=SWITCH,
            quotas=_about("How many contracts of each kind one side declares.", _map(COUNT)),
            stages=_list(_object(deals=COUNT, contracts=_list(ID))),
            all_units=_about(
                "Units that may be written down instead of the contract's.",
                _record("properties/all_units"),
            ),
            steps=_record("properties/steps"),
            redeals=_record("properties/redeals"),
            voids=_record("properties/voids"),
            units=_map(DESCRIBED_UNIT),
            contracts=_list(CONTRACT),
            suits=_about("The names of the trumps.", _object(**dict.fromkeys(trumps, suit))),
            checks=CHECKS,
        )
        about = "The rules of a game as they are played with the requested options."
        return _about(about, described)
