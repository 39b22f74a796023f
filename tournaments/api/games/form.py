"""The form of the next entry, for programs: the rules, and the possible values."""

from collections.abc import Iterator
from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.games.serializers import EntryField
from tournaments.api.problems import engine_faults, listed
from tournaments.api.rulesets.description import RulesetDescriptionSerializer
from tournaments.engine.play.games import Choice, Game, redeals_of
from tournaments.engine.rules.entries import STOP_REASONS
from tournaments.engine.rules.rulesets import Code
from tournaments.presenters.rulesets import must_come_first, next_deal
from tournaments.queries.games.sheets import Sheet

ENTRY_TYPES = ("deal", "void", "redeal", "passed", "adjustment", "stopped", "totals")


class ContractProblemSerializer(serializers.Serializer[Any]):
    """Something that forbids a contract; its code is the engine's."""

    code = serializers.ChoiceField([str(code) for code in Code])
    where = serializers.CharField()
    message = serializers.CharField()
    params = serializers.DictField()


class ContractLeftSerializer(serializers.Serializer[Choice]):
    """A contract at the next deal.

    `left` is how often it is left in the game, null without a limit; `first` the contract that
    has to be played before it; `problems` are why it cannot be named now.
    """

    id = serializers.CharField(source="contract.id")
    left = serializers.IntegerField(allow_null=True)
    first = serializers.SerializerMethodField()
    legal = serializers.SerializerMethodField()
    problems = serializers.SerializerMethodField()

    def get_first(self, choice: Choice) -> str | None:
        return must_come_first(choice)

    def get_legal(self, choice: Choice) -> bool:
        return not choice.problems

    @extend_schema_field(ContractProblemSerializer(many=True))
    def get_problems(self, choice: Choice) -> list[dict[str, Any]]:
        return list(map(listed, engine_faults(choice.problems)))


class NextDealSerializer(serializers.Serializer[Any]):
    """The player on turn, and the contracts left to declare.

    `left` and `declared` have an object for each seat: how many contracts of each kind it still
    declares, and how often it has declared each contract. `must` is the kind that the declarer
    has no choice but to name; `stage` are the contracts of this part of the game.
    """

    deal = serializers.IntegerField()
    turns = serializers.IntegerField()
    declarer = serializers.IntegerField()
    must = serializers.CharField(allow_null=True)
    stage = serializers.ListField(child=serializers.CharField())
    left = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))
    declared = serializers.ListField(child=serializers.DictField(child=serializers.IntegerField()))

    def to_representation(self, instance: Sheet) -> Any:
        return super().to_representation(next_deal(instance.game))


class EntryFormSerializer(serializers.Serializer[Sheet]):
    """The form of the next entry: the rules, and the entries possible after this revision.

    `types` are the types of entries that can come next, `redeals` and `stops` their reasons.
    `open_deal` is a deal that is begun and not counted: the next entry ends it.
    """

    revision = serializers.IntegerField(source="row.revision")
    finished = serializers.BooleanField(source="game.finished")
    types = serializers.SerializerMethodField()
    next = NextDealSerializer(source="*")
    contracts = serializers.SerializerMethodField()
    open_deal = serializers.SerializerMethodField()
    redeals = serializers.SerializerMethodField()
    stops = serializers.SerializerMethodField()
    rules = RulesetDescriptionSerializer(source="game.ruleset")

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(ENTRY_TYPES)))
    def get_types(self, sheet: Sheet) -> list[str]:
        return list(_types(sheet.game))

    @extend_schema_field(ContractLeftSerializer(many=True))
    def get_contracts(self, sheet: Sheet) -> Any:
        choices = () if sheet.game.finished else sheet.game.choices
        return [ContractLeftSerializer(choice).data for choice in choices]

    @extend_schema_field(EntryField(allow_null=True))
    def get_open_deal(self, sheet: Sheet) -> Any:
        return None if sheet.game.open_deal is None else sheet.body(sheet.positions[-1])

    def get_redeals(self, sheet: Sheet) -> list[str]:
        return [] if sheet.game.finished else list(redeals_of(sheet.game))

    @extend_schema_field(serializers.ListField(child=serializers.ChoiceField(STOP_REASONS)))
    def get_stops(self, sheet: Sheet) -> list[str]:
        return [] if sheet.game.finished else list(STOP_REASONS)


def _types(game: Game) -> Iterator[str]:
    """The types of entries that can come next."""
    if not game.finished:
        yield "deal"
        if game.ruleset.voids:
            yield "void"
        if game.open_deal is None and redeals_of(game):
            yield "redeal"
        if game.open_deal is None and game.ruleset.passes:
            yield "passed"
        yield "stopped"
    if game.open_deal is None:
        yield "adjustment"
        if not game.finished:
            yield "totals"
