"""Imports and their effects, in the API.

Files are for people: a program reads its own and sends their lines.
"""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.fields import LineField, SentPointsField, StrictSerializer
from tournaments.api.schema import component
from tournaments.engine.rules.rulesets import LONGEST_ID
from tournaments.services.imports.files import MOST_LINES, MOST_RECORDS

MOST_COUNTED = 999
LONGEST_IMPORTED_NAME = 200
"""Longer than any name: the service reports the line."""


class ImportSerializer(StrictSerializer):
    """How something is imported.

    With `dry_run` nothing is imported: the answer is the plan, and its `seen` identifies it. An
    import that is sent with this `seen` is refused if the plan has changed since.
    """

    dry_run = serializers.BooleanField(default=False)
    seen = serializers.CharField(max_length=64, default="", allow_blank=True)


class PlayerLineSerializer(StrictSerializer):
    """A player to import."""

    name = serializers.CharField(max_length=LONGEST_IMPORTED_NAME, allow_blank=True)
    initials = serializers.BooleanField(default=False)


class ImportPlayersSerializer(ImportSerializer):
    """Players to import, all or none."""

    lines = serializers.ListField(child=PlayerLineSerializer(), min_length=1, max_length=MOST_LINES)


class GamesImportSerializer(ImportSerializer):
    """How games are imported.

    `evening` is the name of an evening that has none. `meant` says who is meant by an unclear name:
    the id of a player, or `new`.
    """

    evening = LineField(default="", allow_blank=True)
    meant = serializers.DictField(
        child=serializers.CharField(max_length=16, allow_blank=True), default=dict
    )


class ResultLineSerializer(StrictSerializer):
    """The points of a player in one game; the lines of a table are in seat order."""

    date = serializers.DateField()
    evening = LineField(default="", allow_blank=True)
    round = serializers.IntegerField(min_value=1, max_value=MOST_COUNTED, default=1)
    table = serializers.IntegerField(min_value=1, max_value=MOST_COUNTED, default=1)
    player = serializers.CharField(max_length=LONGEST_IMPORTED_NAME, allow_blank=True)
    points = SentPointsField()


class ImportResultsSerializer(GamesImportSerializer):
    """Results of past evenings, of which only the totals are known.

    `early` says that games may have ended before their last deal, so that no sum is checked.
    """

    ruleset = serializers.CharField(max_length=LONGEST_ID)
    options = serializers.DictField(default=dict)
    early = serializers.BooleanField(default=False)
    lines = serializers.ListField(child=ResultLineSerializer(), min_length=1, max_length=MOST_LINES)


@extend_schema_field(component("GameRecord"))
class SentRecordField(serializers.JSONField):
    """A `kingscore-game/1` document."""


class ImportRecordsSerializer(GamesImportSerializer):
    """Records of whole games; the title of a record is the name of its evening."""

    records = serializers.ListField(child=SentRecordField(), min_length=1, max_length=MOST_RECORDS)


class KnownPlayerSerializer(serializers.Serializer[Any]):
    """A player of the club."""

    id = serializers.CharField(source="public_id")
    name = serializers.CharField()


class ImportProblemSerializer(serializers.Serializer[Any]):
    """A problem of an import, with its path in the request."""

    code = serializers.CharField()
    where = serializers.CharField()
    message = serializers.CharField()
    params = serializers.DictField()


class PlanSerializer(serializers.Serializer[Any]):
    """The effect of an import; `imported` is the number of new players or games, 0 in a dry run."""

    seen = serializers.CharField()
    imported = serializers.IntegerField()
    problems = ImportProblemSerializer(many=True)


class PlayerSeenSerializer(serializers.Serializer[Any]):
    """The effect of a line: `player` has this name already; players in `like` have similar ones."""

    name = serializers.CharField(source="line.name")
    is_new = serializers.BooleanField()
    player = KnownPlayerSerializer(allow_null=True)
    like = KnownPlayerSerializer(many=True)


class PlayersPlanSerializer(PlanSerializer):
    """The effect of a list of players, line by line."""

    lines = PlayerSeenSerializer(many=True)


class SeatedSerializer(serializers.Serializer[Any]):
    """The player at a seat: of the club, or a new one, whose id is null."""

    id = serializers.CharField(allow_null=True)
    name = serializers.CharField()


class ImportedGameSerializer(serializers.Serializer[Any]):
    """A game and its place; `there` says that it was imported, or played, before."""

    date = serializers.DateField(allow_null=True)
    evening = serializers.CharField()
    round = serializers.IntegerField(allow_null=True)
    table = serializers.IntegerField(allow_null=True)
    there = serializers.BooleanField()
    players = SeatedSerializer(many=True)


class DoubtfulNameSerializer(serializers.Serializer[Any]):
    """A name that no player has, and players with similar ones; `chosen` is empty if unclear."""

    name = serializers.CharField()
    like = KnownPlayerSerializer(many=True)
    chosen = serializers.CharField()


class GamesPlanSerializer(PlanSerializer):
    """The effect of importing games."""

    games = ImportedGameSerializer(many=True)
    new_players = serializers.ListField(child=serializers.CharField())
    doubtful = DoubtfulNameSerializer(many=True)
