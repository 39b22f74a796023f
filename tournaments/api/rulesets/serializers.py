"""Rulesets and house rules as the API reads and writes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import Moment, Strict
from tournaments.api.filtering import PartSerializer
from tournaments.api.schema import component
from tournaments.engine.documents.ruleset_records import write_ruleset
from tournaments.engine.rules.rulesets import Ruleset
from tournaments.engine.variants import RULESETS
from tournaments.models import HouseRuleset
from tournaments.queries.rulesets import parsed_ruleset
from tournaments.texts import labels


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


class RulesetsSerializer(PartSerializer):
    """All rulesets that can be played: those of the program, then house rules."""

    results = RulesetLineSerializer(many=True)


class NewDescriptionSerializer(Strict):
    """Rules, which need not be stored, and the options of a table."""

    ruleset = RulesetRecordField()
    options = serializers.DictField(default=dict)


class SchemaLineSerializer(serializers.Serializer[Any]):
    """A published JSON Schema: its file name and title."""

    file = serializers.CharField()
    id = serializers.CharField()
    title = serializers.CharField()


class SchemasSerializer(PartSerializer):
    """All published JSON Schemas."""

    results = SchemaLineSerializer(many=True)


class HouseRulesLineSerializer(serializers.ModelSerializer[HouseRuleset]):
    """House rules in a list; `id` is that of the ruleset."""

    id = serializers.CharField(source="slug")
    changed_at = Moment()

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


class HouseDocumentSerializer(Strict):
    """New house rules; the id in the document is ignored."""

    document = RulesetRecordField()
