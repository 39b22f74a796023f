"""Games as the API reads and writes them."""

from typing import Any

from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from tournaments.api.access import token_of
from tournaments.api.fields import Moment, Strict
from tournaments.api.schema import component
from tournaments.engine.records import Reading, write_result
from tournaments.models import Game
from tournaments.models.play import LONGEST_REASON
from tournaments.queries import Sheet


class NewGameSerializer(Strict):
    """The head of a new game at an open table."""

    ruleset = serializers.CharField(max_length=40)
    players = serializers.ListField(child=serializers.CharField(max_length=80), max_length=4)
    first_declarer = serializers.IntegerField(default=0, min_value=0, max_value=3)
    options = serializers.DictField(default=dict)
    title = serializers.CharField(default="", allow_blank=True, max_length=80)
    place = serializers.CharField(default="", allow_blank=True, max_length=80)


@extend_schema_field(component("GameRecord"))
class GameRecordField(serializers.JSONField):
    """A `kingscore-game/1` document."""


@extend_schema_field(component("ResultRecord"))
class ResultRecordField(serializers.JSONField):
    """A `kingscore-result/1` document."""


@extend_schema_field(component("Entry"))
class EntryField(serializers.JSONField):
    """An entry as it stands in a record."""


class StandingEntrySerializer(serializers.Serializer[Any]):
    """An entry that stands, at its position in the log."""

    position = serializers.IntegerField()
    entry = EntryField()


class GameSerializer(serializers.Serializer[Any]):
    """A game as it stands at a revision, from a `Sheet`."""

    id = serializers.CharField(source="row.public_id")
    revision = serializers.IntegerField(source="row.revision")
    ruleset = serializers.CharField(source="row.ruleset")
    options = serializers.DictField(source="row.options")
    players = serializers.ListField(child=serializers.CharField(), source="row.players")
    first_declarer = serializers.IntegerField(source="row.first_declarer")
    title = serializers.CharField(source="row.title")
    place = serializers.CharField(source="row.place")
    played_at = Moment(source="row.played_at")
    entries = serializers.SerializerMethodField()
    result = serializers.SerializerMethodField()

    @extend_schema_field(StandingEntrySerializer(many=True))
    def get_entries(self, sheet: Sheet) -> list[dict[str, Any]]:
        return [{"position": p, "entry": sheet.body(p)} for p in sheet.positions]

    @extend_schema_field(component("ResultRecord"))
    def get_result(self, sheet: Sheet) -> dict[str, Any]:
        return write_result(Reading(sheet.game))


class KeysSerializer(serializers.Serializer[Any]):
    """The keys of a game, each a token: to write its sheet, and to follow it."""

    write = serializers.SerializerMethodField()
    follow = serializers.SerializerMethodField()

    def get_write(self, row: Game) -> str:
        return token_of(row, "write")

    def get_follow(self, row: Game) -> str:
        return token_of(row, "follow")


class StartedGameSerializer(GameSerializer):
    """A game that was just started, with its keys: they are told here and nowhere else."""

    keys = KeysSerializer(source="row")


class NewEntrySerializer(Strict):
    """An entry to be written down; `author` is the name at whose seat the phone lies."""

    entry = EntryField()
    author = serializers.CharField(default="", allow_blank=True, max_length=80)


class CorrectionSerializer(NewEntrySerializer):
    """A new version of an entry, and why."""

    reason = serializers.CharField(default="", allow_blank=True, max_length=LONGEST_REASON)
